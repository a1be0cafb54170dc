"""Each claim held against the runs: published ones (facts, section 7, and the method's own premises) and our own.

A claim about a difference holds where the 95 % interval lies on its side of 0, fails where it lies on the other side,
and is undecided else. Nothing is tuned to a verdict: the rules stand here, the numbers come from `table.Results`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from solar_eval.paired import Difference, clustered_difference
from training.ablation.table import LONG, SUPER_LONG, Results

Verdict = Literal["holds", "fails", "undecided", "not run"]
COLLAPSE = 0.05
"""A curve has collapsed if it ends at least so far below its own best point."""
BACK = 0.8


@dataclass(frozen=True, slots=True)
class Judged:
    """verdict, and the numbers it rests on as a sentence."""

    verdict: Verdict
    numbers: str


@dataclass(frozen=True)
class Claim:
    """origin: published (what the paper or its summaries state), premise (why the method is built so), ours.

    arms: what it needs; `judge` is only called where all of them were run.
    """

    name: str
    origin: Literal["published", "premise", "ours"]
    text: str
    arms: tuple[str, ...]
    judge: Callable[[Results], Judged]


def by_sign(found: Difference) -> Verdict:
    """holds above 0, fails below, undecided across."""
    if found.low is None or found.high is None or found.low <= 0 <= found.high:
        return "undecided"
    return "holds" if found.low > 0 else "fails"


def _said(found: Difference) -> str:
    if found.value is None:
        return "no steps"
    span = "" if found.low is None else f" [{found.low:+.3f}, {found.high:+.3f}]"
    return f"{found.value:+.3f}{span}"


def more(better: str, worse: str, measure: str, title: str) -> Callable[[Results], Judged]:
    """`better` ends above `worse`."""

    def judge(results: Results) -> Judged:
        found = results.difference(better, worse, measure)
        a, b = results.estimate(better, measure).value, results.estimate(worse, measure).value
        shown = f"{a:.3f} against {b:.3f}, difference {_said(found)}" if a is not None and b is not None else "no steps"
        return Judged(by_sign(found), f"{title}: {shown}")

    return judge


def higher_peak(better: str, worse: str, measure: str, title: str) -> Callable[[Results], Judged]:
    """The best evaluation of `better` is above that of `worse`."""

    def judge(results: Results) -> Judged:
        found = results.peak_difference(better, worse, measure)
        a, b = (float(np.nanmax(results.curve(arm, measure)[1], axis=1).mean()) for arm in (better, worse))
        return Judged(by_sign(found), f"peak of {title}: {a:.3f} against {b:.3f}, difference {_said(found)}")

    return judge


def collapses(arm: str, measure: str, title: str) -> Callable[[Results], Judged]:
    """The mean curve ends COLLAPSE or more below its best point."""

    def judge(results: Results) -> Judged:
        updates, rows = results.curve(arm, measure)
        best = int(np.argmax(rows.mean(axis=0)))
        drop = clustered_difference(rows[:, best] - rows[:, -1] - COLLAPSE, np.arange(len(rows)))
        fallen = float((rows[:, best] - rows[:, -1]).mean())
        words = (f"{title}: start {rows[:, 0].mean():.3f}, best {rows[:, best].mean():.3f} at update {updates[best]}, "
                 f"end {rows[:, -1].mean():.3f}, drop {fallen:.3f}")  # fmt: skip
        return Judged("fails" if best == len(updates) - 1 else by_sign(drop), words)

    return judge


def rises(arm: str, measure: str, title: str) -> Callable[[Results], Judged]:
    """The curve ends above its start."""

    def judge(results: Results) -> Judged:
        _, rows = results.curve(arm, measure)
        found = clustered_difference(rows[:, -1] - rows[:, 0], np.arange(len(rows)))
        words = f"{title}: {rows[:, 0].mean():.3f} to {rows[:, -1].mean():.3f}, change {_said(found)}"
        return Judged(by_sign(found), words)

    return judge


def above(arm: str, measure: str, limit: float, title: str) -> Callable[[Results], Judged]:
    """The final value lies above a limit."""

    def judge(results: Results) -> Judged:
        found = results.estimate(arm, measure)
        if found.value is None or found.low is None or found.high is None:
            return Judged("undecided", "no steps")
        verdict: Verdict = "holds" if found.low > limit else "fails" if found.high < limit else "undecided"
        return Judged(verdict, f"{title}: {found.value:.3f} [{found.low:.3f}, {found.high:.3f}]")

    return judge


REWARD, BACKS, LIVE = "expected_reward", "press_back", "live_sr"
SOLAR, GRPO, SOLAR2, GRPO2, OFFLINE = "solar_direct", "grpo_direct", "solar_two_stage", "grpo_two_stage", "offline_rl"
CLAIMS: tuple[Claim, ...] = (
    Claim("grpo_collapses", "published", "The mean action reward of GRPO collapses late in training.", (GRPO,),
          collapses(GRPO, REWARD, "mean action reward of direct GRPO")),
    Claim("solar_rises", "published", "The mean action reward of SOLAR-RL rises (to about .75 in the paper).",
          (SOLAR,), rises(SOLAR, REWARD, "mean action reward of direct SOLAR-RL")),
    Claim("solar_above_grpo_reward", "published", "SOLAR-RL ends with a higher mean action reward than GRPO.",
          (SOLAR, GRPO), more(SOLAR, GRPO, REWARD, "mean action reward, direct")),
    Claim("two_stage_long", "published",
          "Two-stage SOLAR-RL beats two-stage GRPO on long tasks (paper: about .70 against .66 to .67).",
          (SOLAR2, GRPO2), more(SOLAR2, GRPO2, LONG, "action SR, long")),
    Claim("two_stage_super_long_peak", "published",
          "Two-stage SOLAR-RL has a higher peak on super-long tasks (paper: about .66 against .58 to .60).",
          (SOLAR2, GRPO2), higher_peak(SOLAR2, GRPO2, SUPER_LONG, "action SR, super-long")),
    Claim("press_back_above", "published", f"Press-back accuracy of SOLAR-RL ends above {BACK}.", (SOLAR2,),
          above(SOLAR2, BACKS, BACK, "press-back accuracy of two-stage SOLAR-RL")),
    Claim("press_back_grpo", "published", "SOLAR-RL presses back more reliably than GRPO.", (SOLAR2, GRPO2),
          more(SOLAR2, GRPO2, BACKS, "press-back accuracy, two-stage")),
    Claim("live_grpo", "published", "SOLAR-RL completes more live tasks than GRPO (paper: on AndroidWorld).",
          (SOLAR2, GRPO2), more(SOLAR2, GRPO2, LIVE, "live success, two-stage")),
    Claim("trajectory_beats_per_step", "premise",
          "Rewards that see the trajectory beat the per-step score of offline RL, in action SR.", (SOLAR2, OFFLINE),
          more(SOLAR2, OFFLINE, "action_sr", "action SR")),
    Claim("trajectory_beats_per_step_episode", "premise", "The same, in episodes without a wrong step.",
          (SOLAR2, OFFLINE), more(SOLAR2, OFFLINE, "episode_sr", "episode SR, offline")),
    Claim("trajectory_beats_per_step_live", "premise", "The same, in live success.", (SOLAR2, OFFLINE),
          more(SOLAR2, OFFLINE, LIVE, "live success")),
    Claim("stages_help", "premise", "Two stages beat direct training by SOLAR-RL's reward.", (SOLAR2, SOLAR),
          more(SOLAR2, SOLAR, "action_sr", "action SR")),
    Claim("stages_help_super_long", "premise", "The same on super-long tasks, whose late steps truncation starves.",
          (SOLAR2, SOLAR), more(SOLAR2, SOLAR, SUPER_LONG, "action SR, super-long")),
    Claim("truncation_starves", "premise",
          "Truncation starves late steps: direct training leaves super-long tasks worse than the start.",
          ("start", SOLAR), more("start", SOLAR, SUPER_LONG, "action SR, super-long, start against direct SOLAR-RL")),
    Claim("truncation_starves_grpo", "premise", "The same of sparse GRPO.", ("start", GRPO),
          more("start", GRPO, SUPER_LONG, "action SR, super-long, start against direct GRPO")),
    Claim("literal_direct", "ours", "The aligned target beats the literal one (direct).",
          (SOLAR, "solar_literal_direct"), more(SOLAR, "solar_literal_direct", "action_sr", "action SR")),
    Claim("literal_two_stage", "ours", "The aligned target beats the literal one (two-stage).",
          (SOLAR2, "solar_literal_two_stage"), more(SOLAR2, "solar_literal_two_stage", "action_sr", "action SR")),
    Claim("keep_super_long", "ours", "Keeping the suffix beats truncating it on super-long tasks (direct).",
          ("solar_keep_direct", SOLAR), more("solar_keep_direct", SOLAR, SUPER_LONG, "action SR, super-long")),
    Claim("splices", "ours", "Eight splicings beat one (direct).", ("solar_splices8_direct", SOLAR),
          more("solar_splices8_direct", SOLAR, "action_sr", "action SR")),
    Claim("closed_form", "ours", "The closed form over all splicings beats one splicing (direct).",
          ("solar_closed_direct", SOLAR), more("solar_closed_direct", SOLAR, "action_sr", "action SR")),
    Claim("closed_form_episode", "ours", "The same, in episodes without a wrong step.", ("solar_closed_direct", SOLAR),
          more("solar_closed_direct", SOLAR, "episode_sr", "episode SR, offline")),
)  # fmt: skip


def judge(results: Results) -> list[tuple[Claim, Judged]]:
    """All claims in order."""
    found = []
    for claim in CLAIMS:
        run = all(results.of(arm) for arm in claim.arms)
        found.append((claim, claim.judge(results) if run else Judged("not run", "an arm it needs was not run")))
    return found
