"""What is counted from verdicts: type match, step SR, grounding, episode SR, goal progress, and their breakdowns.

Words of the field: TM = type match over steps; step SR = EM = right steps / steps; grounding = right points / pointing
labels; episode SR = TSR = episodes whose every counted step is right; goal progress = PG = mean over episodes of
(steps before the first wrong one) / (counted steps). Every metric is a fraction with n, clusters (episodes) and a
95 % interval. Denominators come from the labels: a step without a reply is wrong, an owed one (infrastructure) is out
until it is answered, and `owed` says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solar_eval.actions import KINDS
from solar_eval.scoring.columns import FAULT, INFRASTRUCTURE, MISSING, READ, Bools, Columns
from solar_eval.scoring.match import REASONS, Verdicts
from solar_eval.scoring.statistics import clustered_mean, proportion

LENGTH_BUCKETS: tuple[tuple[str, int, int], ...] = (
    ("1-4", 1, 4),
    ("5-7", 5, 7),
    ("8-13", 8, 13),
    ("14+", 14, 1 << 30),
)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which steps belong together: episode number of each of N steps, episode ids, lengths in steps, tags."""

    episode: NDArray[np.int64]
    ids: tuple[str, ...]
    length: NDArray[np.int64]
    tags: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, columns: Columns, tags: dict[str, tuple[str, ...]]) -> Grouping:
        """Groups the steps by their episode; `tags` by episode id."""
        numbers: dict[str, int] = {}
        episode = np.array([numbers.setdefault(step.episode, len(numbers)) for step in columns.steps], dtype=np.int64)
        length = np.bincount(episode, minlength=len(numbers)).astype(np.int64)
        return cls(episode, tuple(numbers), length, tuple(tags.get(name, ()) for name in numbers))


def summarise(columns: Columns, verdicts: Verdicts, groups: Grouping, rows: Bools) -> dict[str, Any]:
    """All metrics over the steps in `rows` (N booleans), as plain JSON-able dictionaries."""
    rows = rows & ~_history_only(columns)
    counted = verdicts.counted & rows
    out: dict[str, Any] = {
        "counts": counts(columns, verdicts, rows, groups),
        "type_match": _mean(verdicts.type_ok, counted, groups),
        "step_sr": _mean(verdicts.step_ok, verdicts.stepped & rows, groups),
        "grounding": _mean(verdicts.point_ok, verdicts.pointed & rows, groups),
    }
    out |= episode_metrics(verdicts.step_ok, verdicts.stepped & rows, groups)
    out["by_action"] = {kind: _cell(verdicts, rows & where, groups) for kind, where in _by_action(columns)}
    out["by_length"] = {name: _cell(verdicts, rows & where, groups) for name, where in _by_length(groups)}
    out["by_tag"] = {tag: _cell(verdicts, rows & where, groups) for tag, where in _by_tag(groups)}
    return _without_empty(out)


def _without_empty(out: dict[str, Any]) -> dict[str, Any]:
    for part in ("by_action", "by_length", "by_tag"):
        out[part] = {name: cell for name, cell in out[part].items() if cell["type_match"]["n"]}
    return out


def _history_only(columns: Columns) -> Bools:
    return np.array([step.history_only for step in columns.steps], dtype=bool)


def _mean(hits: Bools, where: Bools, groups: Grouping) -> dict[str, Any]:
    return clustered_mean(hits[where], groups.episode[where]).to_json()


def _cell(verdicts: Verdicts, where: Bools, groups: Grouping) -> dict[str, Any]:
    return {
        "type_match": _mean(verdicts.type_ok, verdicts.counted & where, groups),
        "step_sr": _mean(verdicts.step_ok, verdicts.stepped & where, groups),
    }


def counts(columns: Columns, verdicts: Verdicts, rows: Bools, groups: Grouping) -> dict[str, Any]:
    """How many steps are in the labels, in the denominator, answered, unread, missing, owed; and why steps failed."""
    state = columns.state
    reasons = Counter(REASONS[code] for code in verdicts.reason[rows])
    return {
        "labels": int(rows.sum()),
        "scored": int((verdicts.counted & rows).sum()),
        "episodes": len(np.unique(groups.episode[rows])),
        "answered": int((rows & ((state == READ) | (state == FAULT))).sum()),
        "unparseable": int((rows & (state == FAULT)).sum()),
        "missing": int((rows & (state == MISSING)).sum()),
        "owed": int((rows & (state == INFRASTRUCTURE)).sum()),
        "label_unreadable": int((rows & (columns.label.kind < 0)).sum()),
        "reasons": dict(sorted(reasons.items())),
    }


def episode_metrics(step_ok: Bools, stepped: Bools, groups: Grouping) -> dict[str, Any]:
    """episode_sr (= TSR) and goal_progress (= PG) over the episodes that have a counted step."""
    total = np.bincount(groups.episode[stepped], minlength=len(groups.ids))
    right = np.bincount(groups.episode[stepped & step_ok], minlength=len(groups.ids))
    prefix = prefixes(step_ok[stepped], groups.episode[stepped], len(groups.ids))
    has = total > 0
    success = proportion(float((right[has] == total[has]).sum()), int(has.sum()))
    progress = prefix[has] / total[has]
    return {
        "episode_sr": success.to_json(),
        "goal_progress": clustered_mean(progress, np.flatnonzero(has)).to_json(),
    }


def prefixes(right: Bools, episode: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Steps before the first wrong one, for each of `count` episodes; steps stand in episode order."""
    order = np.argsort(episode, kind="stable")
    alive = np.zeros(count, dtype=np.int64)
    stopped = np.zeros(count, dtype=bool)
    for number, ok in zip(episode[order], right[order], strict=True):
        if ok and not stopped[number]:
            alive[number] += 1
        else:
            stopped[number] = True
    return alive


def _by_action(columns: Columns) -> Iterator[tuple[str, Bools]]:
    for code, kind in enumerate(KINDS):
        yield kind, columns.label.kind == code


def _by_length(groups: Grouping) -> Iterator[tuple[str, Bools]]:
    length = groups.length[groups.episode]
    for name, low, high in LENGTH_BUCKETS:
        yield name, (length >= low) & (length <= high)


def _by_tag(groups: Grouping) -> Iterator[tuple[str, Bools]]:
    for tag in sorted({tag for tags in groups.tags for tag in tags}):
        member = np.array([tag in tags for tags in groups.tags], dtype=bool)
        yield tag, member[groups.episode]
