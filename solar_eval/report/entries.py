"""One line of the leaderboard before it is laid out: who, on what, under which rules and conditions, how good, by whom.

Two sources make entries: `published.py` (our transcription of what others print) and `own_runs.py` (run directories
under results/). An entry belongs to one benchmark and one protocol; only entries of equal `conditions` are ranked
against each other.
"""

from __future__ import annotations

from dataclasses import dataclass

MISSING = "-"
METRICS: dict[str, str] = {
    "type_match": "TM",
    "step_sr": "step SR",
    "grounding": "grounding",
    "episode_sr": "episode SR",
    "goal_progress": "progress",
}
"""Every metric that a table can show, with its heading. step SR is EM; episode SR is TSR, or AndroidWorld's SR."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number in per cent. `shown`: as it is printed. low, high: 95 % interval, None for published values."""

    percent: float
    shown: str
    low: float | None = None
    high: float | None = None
    n: int | None = None
    clusters: int | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """What, beside the protocol, makes two numbers comparable. `more`: further departures from the protocol's own."""

    subset: str
    boxes: str
    more: tuple[str, ...] = ()

    def __str__(self) -> str:
        boxes = "" if self.boxes == MISSING else f"boxes: {self.boxes}"
        subset = "subset not stated" if self.subset == MISSING else self.subset
        return "; ".join(part for part in (subset, boxes, *self.more) if part)


@dataclass(frozen=True, slots=True)
class Entry:
    """One model measured once. `values` by metric. `unranked`: why it takes no place in a ranking, "" if it does."""

    model: str
    paradigm: str
    training_data: str
    benchmark: str
    protocol: str
    conditions: Conditions
    measured_by: str
    ours: bool
    values: dict[str, Value]
    sources: tuple[str, ...]
    notes: tuple[str, ...] = ()
    unranked: str = ""
    run: str = ""
    steps: int | None = None
