"""Numbers of an ablation from its runs: estimates with intervals, paired differences, bands of curves.

Steps of all seeds are pooled; clusters are the seeds, for a seed is one draw of everything: training part, test part,
demonstrations, weights, samples. With k seeds the intervals are t intervals with k - 1 degrees of freedom
(`solar_eval.scoring.statistics`, `solar_eval.paired`). Differences are paired: both arms of a seed start from the same
weights and meet the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solar_eval.paired import Difference, clustered_difference
from solar_eval.scoring.statistics import LEVEL, Estimate, clustered_mean
from training.mix import BUCKETS
from training.ragged import Floats, Ints

Run = dict[str, Any]
SHORT, LONG, SUPER_LONG = (f"action_sr_{name}" for name, _ in BUCKETS)
MEASURES: tuple[tuple[str, str], ...] = (
    ("expected_reward", "mean action reward"),
    ("action_sr", "action SR"),
    (SHORT, "action SR, short (under 8 steps)"),
    (LONG, "action SR, long (8 to 13)"),
    (SUPER_LONG, "action SR, super-long (14 and more)"),
    ("press_back", "press-back accuracy"),
    ("press_back_after_slip", "press-back after a mistake"),
    ("episode_sr", "episode SR, offline"),
    ("live_sr", "live success on pocket_world"),
)
"""Names and titles, in the table's order. All but the first and the last are of greedy actions on held-out steps."""


def values(run: Run, measure: str) -> Floats:
    """The measure's values of a run, one a step (episode, live task), always in the same order for all arms."""
    if measure == "live_sr":
        return np.array([one["success"] for one in run["live"]], dtype=np.float64)
    steps = run["steps"]
    right = np.array(steps["right"], dtype=np.float64)
    if measure == "expected_reward":
        return np.array(steps["expected"], dtype=np.float64)
    if measure == "episode_sr":
        first = np.flatnonzero(np.diff(np.array(steps["episode"]), prepend=-1))
        return np.minimum.reduceat(right, first) if len(first) else right
    chosen = np.ones(len(right), dtype=bool)
    if measure in {SHORT, LONG, SUPER_LONG}:
        chosen = np.array(steps["bucket"]) == (SHORT, LONG, SUPER_LONG).index(measure)
    if measure in {"press_back", "press_back_after_slip"}:
        chosen = np.array(steps["back" if measure == "press_back" else "slip"], dtype=bool)
    kept: Floats = right[chosen]
    return kept


@dataclass(frozen=True)
class Results:
    """All runs, by arm and seed."""

    runs: Sequence[Run]

    def of(self, arm: str) -> list[Run]:
        """An arm's runs by seed; [] if it was not run."""
        return sorted((run for run in self.runs if run["arm"] == arm), key=lambda run: int(run["seed"]))

    def estimate(self, arm: str, measure: str) -> Estimate:
        """An arm's final value."""
        return clustered_mean(*_pooled((run["seed"], values(run, measure)) for run in self.of(arm)))

    def difference(self, better: str, worse: str, measure: str) -> Difference:
        """Final value of `better` minus that of `worse`, paired by step."""
        pairs = zip(self.of(better), self.of(worse), strict=True)
        gaps, seeds = _pooled((a["seed"], values(a, measure) - values(b, measure)) for a, b in pairs)
        return clustered_difference(gaps, seeds)

    def curve(self, arm: str, measure: str) -> tuple[Ints, Floats]:
        """Updates (U,) and held-out values (seeds, U); NaN where a rate has no denominator."""
        return _curve(self.of(arm), "evaluations", measure)

    def training_curve(self, arm: str, measure: str) -> tuple[Ints, Floats]:
        """The same of what the updates saw on their own batches (means since the point before)."""
        return _curve(self.of(arm), "updates", measure)

    def peak_difference(self, better: str, worse: str, measure: str) -> Difference:
        """Difference of each seed's best evaluation."""
        best = [np.nanmax(self.curve(arm, measure)[1], axis=1) for arm in (better, worse)]
        return clustered_difference(best[0] - best[1], np.arange(len(best[0])))


def _curve(runs: Sequence[Run], part: str, measure: str) -> tuple[Ints, Floats]:
    if not runs or not runs[0][part]:
        return np.zeros(0, dtype=np.int64), np.zeros((len(runs), 0))
    updates = np.array([point["update"] for point in runs[0][part]], dtype=np.int64)
    rows = [[np.nan if p[measure] is None else p[measure] for p in run[part]] for run in runs]
    return updates, np.array(rows, dtype=np.float64)


def _pooled(parts: Iterable[tuple[int, Floats]]) -> tuple[Floats, Ints]:
    found = list(parts)
    if not found:
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    sizes = [len(some) for _, some in found]
    return np.concatenate([some for _, some in found]), np.repeat([seed for seed, _ in found], sizes).astype(np.int64)


def band(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean over seeds and the t interval of that mean: three times (U,). rows: (seeds, U)."""
    from scipy.stats import t

    count = len(rows)
    mean = rows.mean(axis=0)
    if count < 2:
        return mean, mean, mean
    reach = float(t.ppf(0.5 + LEVEL / 2, count - 1)) * rows.std(axis=0, ddof=1) / np.sqrt(count)
    return mean, mean - reach, mean + reach
