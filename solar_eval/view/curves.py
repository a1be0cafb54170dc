"""Success against tolerance: what share of the pointing labels is hit if a point may lie d from the label.

Distances are in fractions of each axis (norm "axis"), the unit of most protocols' radii. The denominator is every
pointing label (click, long press, double tap) of the run that is not owed; a reply without a point never hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solar_eval.protocols import ClickRule
from solar_eval.scoring import geometry
from solar_eval.scoring.columns import INFRASTRUCTURE, KIND, Columns
from solar_eval.scoring.match import POINTING
from solar_eval.scoring.statistics import Estimate, clustered_mean

TOLERANCES: tuple[float, ...] = (
    0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3, 0.35,
    0.4, 0.5,
)  # fmt: skip
BOX_AREA = 0.5
"""Share of the screen above which a box says nothing about the label: the limit of the protocol `strict`."""


@dataclass(frozen=True, slots=True)
class ToleranceCurve:
    """hits: an estimate for each of TOLERANCES. in_box: points in a box (up to BOX_AREA) that holds the label."""

    hits: tuple[Estimate, ...]
    in_box: Estimate | None


def tolerance_curve(columns: Columns) -> ToleranceCurve:
    """The curve over all pointing labels of N steps, intervals clustered by episode."""
    numbers: dict[str, int] = {}
    episode = np.array([numbers.setdefault(step.episode, len(numbers)) for step in columns.steps], dtype=np.int64)
    where = np.isin(columns.label.kind, [KIND[kind] for kind in POINTING]) & (columns.state != INFRASTRUCTURE)
    gap = geometry.distances(columns, "axis")[where]
    hits = tuple(clustered_mean(gap <= limit + geometry.SLACK, episode[where]) for limit in TOLERANCES)
    boxed = where & (np.bincount(columns.box_row, minlength=len(columns)) > 0)
    if not boxed.any():
        return ToleranceCurve(hits, None)
    inside = geometry.in_boxes(columns, ClickRule(boxes="containing", max_area=BOX_AREA))
    return ToleranceCurve(hits, clustered_mean(inside[boxed], episode[boxed]))


def points(curve: ToleranceCurve) -> list[dict[str, float | int | None]]:
    """The curve as plain rows {tolerance, value, low, high, n, clusters}."""
    pairs: Sequence[tuple[float, Estimate]] = list(zip(TOLERANCES, curve.hits, strict=True))
    return [{"tolerance": limit, **estimate.to_json()} for limit, estimate in pairs]
