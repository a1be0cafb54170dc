"""What the episodes of a run amount to, every number under its rule's name.

* strict_sr: share of episodes with score exactly 1.0. mean_reward: mean score; AndroidWorld's own tables average it,
  partial credit included, first within a template, then over templates (`mean_reward_over_templates`; process_episodes,
  android_world @d9c569f). There {1.0, 0.0, 0.5, crash} is 0.50; strict_sr says 1 of 3 and names the crash.
* All of these are over episodes that have a score. Owed ones are counted beside them, and `strict_sr_worst` takes each
  as 0: the truth lies between the two.
* Episodes of one template resemble each other, so intervals are clustered by template; the Wilson interval, which takes
  episodes as independent, stands beside for single passes.
* pass@k = 1 - C(n-c, k) / C(n, k) and all-of-k = C(c, k) / C(n, k), of n scored attempts at a unit with c solved, mean
  over units with n >= k (Chen et al. 2021, arXiv 2107.03374, for the first).

`summary` is a function of scores alone: no clock, no device, no retry goes in. Those are `effort`'s.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import mean, median
from typing import Any

import numpy as np

from solar_eval.live.store import Attempt, Item
from solar_eval.live.task import Template
from solar_eval.scoring.statistics import clustered_mean, proportion

MOST_K = 8
REASONS = ("unreadable", "repeated action", "budget", "partly done", "done but not said", "wrong finish")


@dataclass(frozen=True)
class Row:
    """One wanted episode with what is known of its template, and the attempt that counts (None: owed)."""

    item: Item
    template: Template
    attempt: Attempt | None
    tries: tuple[Attempt, ...] = ()

    @property
    def score(self) -> float:
        """Score of the attempt; 0 where it is owed."""
        return self.attempt.score or 0.0 if self.attempt is not None else 0.0

    @property
    def state_score(self) -> float:
        """Likewise, whether or not the agent said that it was done."""
        return self.attempt.state_score or 0.0 if self.attempt is not None else 0.0

    @property
    def solved(self) -> bool:
        """Score exactly 1.0."""
        return self.score == 1.0

    @property
    def reason(self) -> str:
        """Why it was not solved; "" for a solved or owed episode. The first of REASONS that fits."""
        a = self.attempt
        if a is None or self.solved:
            return ""
        fits = (
            a.outcome == "model_fault" or a.unreadable * 2 >= max(a.steps, 1), a.repeated,
            a.ending == "budget" and a.state_score != 1.0, 0.0 < self.score < 1.0, a.state_score == 1.0, True,
        )  # fmt: skip
        return next(name for name, so in zip(REASONS, fits, strict=True) if so)


def rows_of(
    items: Sequence[Item], templates: Iterable[Template], scored: Mapping[str, Attempt], tried: Sequence[Attempt]
) -> list[Row]:
    """A row for every wanted episode, in order."""
    by_name = {template.name: template for template in templates}
    tries: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in tried:
        tries[attempt.key].append(attempt)
    return [Row(item, by_name[item.template], scored.get(item.key), tuple(tries[item.key])) for item in items]


# ---- summary
def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """The whole, then by template, difficulty, length, app, tag, seed."""
    groups: dict[str, Callable[[Row], Sequence[str]]] = {
        "by_template": lambda row: (row.template.name,),
        "by_difficulty": lambda row: (row.template.difficulty,),
        "by_length": lambda row: (row.template.length,),
        "by_app": lambda row: row.template.apps or ("none",),
        "by_tag": lambda row: row.template.tags or ("none",),
        "by_seed": lambda row: (str(row.item.seed),),
    }
    out = table(rows)
    out["pass_at_k"] = {"over_seeds": k_of(rows, lambda row: row.template.name)}
    if any(row.item.repeat for row in rows):
        out["pass_at_k"]["over_repeats"] = k_of(rows, lambda row: row.item.task)
    out |= {name: _grouped(rows, key) for name, key in groups.items()}
    return out


def _grouped(rows: Sequence[Row], key: Callable[[Row], Sequence[str]]) -> dict[str, dict[str, Any]]:
    parts: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for name in key(row):
            parts[name].append(row)
    return {name: table(part) for name, part in sorted(parts.items())}


def table(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts, rates with intervals, steps, reasons of failure."""
    scored = [row for row in rows if row.attempt is not None]
    attempts = [row.attempt for row in rows if row.attempt is not None]
    owed = Counter(row.tries[-1].fault if row.tries else "not played" for row in rows if row.attempt is None)
    steps, unreadable = sum(a.steps for a in attempts), sum(a.unreadable for a in attempts)
    return {
        "episodes": {
            "wanted": len(rows), "scored": len(scored), "owed": len(rows) - len(scored),
            "model_fault": sum(a.outcome == "model_fault" for a in attempts),
            "owed_by_kind": dict(sorted(owed.items())),
        },
        "strict_sr": _rate(scored, lambda row: float(row.solved)),
        "strict_sr_wilson": proportion(sum(row.solved for row in scored), len(scored)).to_json(),
        "strict_sr_worst": _rate(rows, lambda row: float(row.solved)),
        "mean_reward": _rate(scored, lambda row: row.score),
        "mean_reward_over_templates": _over_templates(scored),
        "strict_sr_state_only": _rate(scored, lambda row: float(row.state_score == 1.0)),
        "steps": {"total": steps, "unreadable": unreadable, **_against_optimal(scored)},
        "failures": {name: n for name in REASONS if (n := sum(row.reason == name for row in scored))},
    }  # fmt: skip


def _rate(rows: Sequence[Row], value: Callable[[Row], float]) -> dict[str, Any]:
    names = sorted({row.template.name for row in rows})
    clusters = np.array([names.index(row.template.name) for row in rows], dtype=np.int64)
    return clustered_mean(np.array([value(row) for row in rows], dtype=np.float64), clusters).to_json()


def _over_templates(scored: Sequence[Row]) -> float | None:
    parts: dict[str, list[float]] = defaultdict(list)
    for row in scored:
        parts[row.template.name].append(row.score)
    return mean(mean(part) for part in parts.values()) if parts else None


def _against_optimal(scored: Sequence[Row]) -> dict[str, float | None]:
    taken = [row.attempt.steps for row in scored if row.attempt is not None]
    ratios = [_actions(row.attempt) / row.template.optimal_steps for row in scored
              if row.attempt is not None and row.solved and row.template.optimal_steps]  # fmt: skip
    return {
        "mean": mean(taken) if taken else None,
        "solved_over_optimal_mean": mean(ratios) if ratios else None,
        "solved_over_optimal_median": median(ratios) if ratios else None,
    }


def _actions(attempt: Attempt) -> int:
    """Steps without the last one where that only said "done", which optimal steps don't count."""
    return attempt.steps - (attempt.ending == "finish" and attempt.finish == "success")


def k_of(rows: Sequence[Row], unit: Callable[[Row], str]) -> dict[str, dict[str, float | int]]:
    """pass@k and all-of-k for k from 1 to the most scored attempts of any unit (at most MOST_K)."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row.attempt is not None:
            counts[unit(row)][0] += 1
            counts[unit(row)][1] += row.solved
    out: dict[str, dict[str, float | int]] = {}
    for k in range(1, min(MOST_K, max((n for n, _ in counts.values()), default=0)) + 1):
        fit = [(n, c) for n, c in counts.values() if n >= k]
        out[str(k)] = {
            "pass": mean(1 - comb(n - c, k) / comb(n, k) for n, c in fit),
            "all": mean(comb(c, k) / comb(n, k) for n, c in fit),
            "units": len(fit),
        }
    return out


# ---- effort
def effort(rows: Sequence[Row]) -> dict[str, Any]:
    """Seconds, tokens, tries, faults and devices: what may differ between two runs with equal results."""
    attempts = [row.attempt for row in rows if row.attempt is not None]
    every = [attempt for row in rows for attempt in row.tries]
    phases = sorted({name for a in attempts for name in a.seconds})
    return {
        "attempts": len(every),
        "retries": len(every) - len({attempt.key for attempt in every}),
        "faults": dict(sorted(Counter(a.fault for a in every if not a.counts).items())),
        "by_device": dict(sorted(Counter(a.device or "none" for a in every).items())),
        "leftovers": sum(bool(a.leftovers) for a in every),
        "tear_down_errors": sum(bool(a.tear_down_error) for a in every),
        "unsettled_looks": sum(a.unsettled for a in attempts),
        "seconds_an_episode": {name: _spread([a.seconds.get(name, 0.0) for a in attempts]) for name in phases},
        "tokens_an_episode": {
            "prompt": _spread([a.prompt_tokens for a in attempts]),
            "completion": _spread([a.completion_tokens for a in attempts]),
        },
    }


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    if not values:
        return {"mean": None, "median": None, "total": 0.0}
    return {"mean": round(mean(values), 4), "median": round(median(values), 4), "total": round(sum(values), 3)}


def sample_rows(rows: Sequence[Row]) -> list[dict[str, object]]:
    """One flat row an episode, for episodes.parquet."""
    out: list[dict[str, object]] = []
    for row in rows:
        a, t = row.attempt, row.template
        out.append({
            "episode": row.item.name, "template": t.name, "seed": row.item.seed, "repeat": row.item.repeat,
            "key": row.item.key, "outcome": a.outcome if a else "infrastructure_fault", "score": a.score if a else None,
            "state_score": a.state_score if a else None, "solved": row.solved if a else None,
            "ending": a.ending if a else None, "reason": row.reason, "goal": a.goal if a else None,
            "answer": a.answer if a else None, "finish": a.finish if a else None, "steps": a.steps if a else None,
            "budget": a.budget if a else None, "optimal_steps": t.optimal_steps,
            "unreadable": a.unreadable if a else None,
            "difficulty": t.difficulty, "length": t.length, "apps": list(t.apps), "tags": list(t.tags),
            "tries": len(row.tries), "seconds": a.seconds.get("total") if a else None,
            "prompt_tokens": a.prompt_tokens if a else None, "completion_tokens": a.completion_tokens if a else None,
            "device": a.device if a else None, "folder": a.folder if a else None,
            "error": row.tries[-1].error if row.tries and a is None else "",
        })  # fmt: skip
    return out
