"""Failure clusters: wrong steps of one protocol that failed in the same way, the commonest first.

A cluster is named by what the label asked for and what came instead. Which steps are wrong, and for what reason, is
the run's own verdict; the naming here only says more about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solar_eval.actions import DIRECTIONS, KEYS, KINDS
from solar_eval.scoring.columns import Columns

NEAR, REGION = 0.08, 0.2
"""Axis distances below which a wrong point is a near miss, and in the same region of the screen."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """names: of each cluster, by falling size. member: cluster of each of N steps, -1 where the step is not wrong."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    member: tuple[int, ...]


def clusters(
    columns: Columns, reasons: Sequence[str], wrong: Sequence[bool], faults: Sequence[str], gaps: Sequence[float | None]
) -> Clusters:
    """Groups the wrong ones of N steps. faults: parse fault codes; gaps: axis distances of the points."""
    names = [
        _name(columns, row, reason, faults[row], gaps[row]) if wrong[row] else "" for row, reason in enumerate(reasons)
    ]
    counted = Counter(name for name in names if name)
    order = sorted(counted, key=lambda name: (-counted[name], name))
    number = {name: place for place, name in enumerate(order)}
    return Clusters(tuple(order), tuple(counted[n] for n in order), tuple(number.get(name, -1) for name in names))


def _name(columns: Columns, row: int, reason: str, fault: str, gap: float | None) -> str:
    kind = KINDS[columns.label.kind[row]]
    if reason == "unparseable":
        return f"reply unreadable: {fault or 'no action'}"
    if reason == "point":
        return f"{kind}: {_missed(gap)}"
    detail = {
        "type": f"{kind} answered by {(*KINDS, 'nothing')[columns.predicted.kind[row]]}",
        "direction": _instead("swipe", DIRECTIONS, columns.label.direction[row], columns.predicted.direction[row]),
        "key": _instead("press", KEYS, columns.label.key[row], columns.predicted.key[row]),
        "status": "finish with another status",
    }
    if reason in detail:
        return detail[reason]
    if reason in ("text", "app", "answer"):
        return f"{kind}: {_text(columns.label.text[row], columns.predicted.text[row])}"
    return f"{kind}: {reason}"


def _missed(gap: float | None) -> str:
    if gap is None or np.isnan(gap):
        return "no point"
    if gap < NEAR:
        return f"near miss (< {NEAR:g})"
    return f"same region (< {REGION:g})" if gap < REGION else f"elsewhere (>= {REGION:g})"


def _instead(what: str, names: Sequence[str], wanted: int, said: int) -> str:
    shown = (*names, "none")
    return f"{what} {shown[said]} instead of {shown[wanted]}"


def _text(wanted: str, said: str) -> str:
    one, other = " ".join(wanted.lower().split()), " ".join(said.lower().split())
    if not other:
        return "empty text"
    if one == other:
        return "text differs in case or blanks alone"
    return "part of the text, or more" if one in other or other in one else "another text"
