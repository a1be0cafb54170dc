"""Where a predicted point is right: distances in several norms, and element boxes in several selections.

Sources: AgentCPM-GUI @acbaf509 evaluator.py (five nearest boxes x1.2, else 0.04), GUIEvalKit @56ed9d8 (the same),
Qwen gists (candidate boxes x1.2), OS-Atlas @bad0840 and GUI-Odyssey (0.14 of each axis), UI-Genie @bb7df6b1 (0.14 of
the diagonal), OS-Genesis @e9178a87, ClawGUI @d990d3e, UI-R1 @2fe9bf00 (pixels). Edges belong to boxes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solar_eval.protocols import ClickRule
from solar_eval.scoring.columns import Bools, Columns, Floats

CORNERS = 2.0
"""`ellipse_reach` of a box's corners."""
SLACK = 1e-12
"""An inclusive limit also accepts what only rounding put beyond it: 0.74 - 0.6 is 0.14."""


def distances(columns: Columns, norm: str, mixed_space: bool = False) -> Floats:
    """N distances between label and predicted point in `norm` (see ClickRule.norm); NaN where a point is missing.

    mixed_space: both points in pixels of the screen, divided by the size the model saw (GUI-R1's normaliser).
    """
    delta = columns.predicted.point - columns.label.point
    if mixed_space:
        delta = delta * columns.screen / columns.image
    if norm in {"diagonal", "pixels"}:
        delta = delta * columns.screen
    elif norm == "pixels_1080x2400":
        delta = delta * np.array([1080.0, 2400.0])
    length: Floats = np.sqrt((delta**2).sum(axis=1))
    if norm == "diagonal":
        length = length / np.sqrt((columns.screen**2).sum(axis=1))
    return length


def within(columns: Columns, rule: ClickRule, mixed_space: bool = False) -> Bools:
    """Whether each predicted point is right under the rule: in a box, or near enough."""
    near = np.zeros(len(columns), dtype=bool)
    if rule.distance is not None:
        length = distances(columns, rule.norm, mixed_space)
        near = length <= rule.distance + SLACK if rule.inclusive else length < rule.distance
    if rule.boxes == "none" or not len(columns.boxes):
        return near
    if rule.boxes == "ellipse":
        reach = ellipse_reach(columns, rule.max_area)
        return np.where(np.isnan(reach), near, reach <= CORNERS + SLACK)
    return near | in_boxes(columns, rule)


def ellipse_reach(columns: Columns, max_area: float = 1.0) -> Floats:
    """(dx / (w/2))^2 + (dy / (h/2))^2 of each predicted point in the smallest box that holds the label: (N,).

    dx, dy are taken from the box's centre. NaN where no box of at most `max_area` holds the label or a point is
    missing. The ellipse through the box's corners is CORNERS; exp(-reach / 2) is GUI-G2's kernel (arXiv 2507.15846).
    """
    boxes, rows = columns.boxes, columns.box_row
    size = boxes[:, 2:] - boxes[:, :2]
    usable = contains(boxes, columns.label.point[rows]) & (area(boxes) <= max_area + SLACK) & (size > 0).all(axis=1)
    order = np.flatnonzero(usable)[np.argsort(-area(boxes[usable]), kind="stable")]
    smallest = np.full((len(columns), 4), np.nan)
    smallest[rows[order]] = boxes[order]
    centre, half = (smallest[:, :2] + smallest[:, 2:]) / 2, (smallest[:, 2:] - smallest[:, :2]) / 2
    reach: Floats = (((columns.predicted.point - centre) / half) ** 2).sum(axis=1)
    return reach


def in_boxes(columns: Columns, rule: ClickRule) -> Bools:
    """Whether each predicted point lies in a box that the rule selects."""
    boxes, rows = columns.boxes, columns.box_row
    label, predicted = columns.label.point[rows], columns.predicted.point[rows]
    grown = enlarge(boxes, rule.enlarge, rule.clip)
    usable = area(boxes) <= rule.max_area + SLACK
    if rule.boxes == "containing":
        usable &= contains(grown, label)
    elif rule.boxes == "candidates":
        usable &= ~columns.from_forest[rows] | contains(boxes, label)
    elif rule.boxes == "nearest5":
        usable &= nearest(boxes, rows, label, 5)
    hit = usable & contains(grown, predicted)
    return np.bincount(rows[hit], minlength=len(columns)).astype(bool)


def in_icon(columns: Columns, factor: float) -> tuple[Bools, Bools]:
    """has: the step has an icon box; hit: the predicted point lies in one, enlarged by `factor`."""
    rows = columns.icon_row
    has = np.bincount(rows, minlength=len(columns)).astype(bool)
    inside = contains(enlarge(columns.icon_boxes, factor, False), columns.predicted.point[rows])
    return has, np.bincount(rows[inside], minlength=len(columns)).astype(bool)


def contains(boxes: Floats, points: Floats) -> Bools:
    """Whether each of M boxes holds its point; edges count, NaN never does."""
    return (
        (boxes[:, 0] <= points[:, 0]) & (points[:, 0] <= boxes[:, 2])
        & (boxes[:, 1] <= points[:, 1]) & (points[:, 1] <= boxes[:, 3])
    )  # fmt: skip


def area(boxes: Floats) -> Floats:
    """Share of the screen each box covers."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def enlarge(boxes: Floats, factor: float, clip: bool) -> Floats:
    """Boxes grown about their centres. clip: left/top at least 0 and size at most 1, the size kept otherwise."""
    if factor == 1.0:
        return boxes
    size = boxes[:, 2:] - boxes[:, :2]
    corner = boxes[:, :2] - size * (factor - 1) / 2
    size = size * factor
    if clip:
        corner, size = np.maximum(corner, 0.0), np.minimum(size, 1.0)
    return np.concatenate([corner, corner + size], axis=1)


def nearest(boxes: Floats, rows: NDArray[np.int64], points: Floats, count: int) -> Bools:
    """Whether each box is among the `count` of its row whose centres are nearest to the row's point (stable order)."""
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    gap = np.sqrt(((centre - points) ** 2).sum(axis=1))
    order = np.lexsort((gap, rows))
    ordered = rows[order]
    first = np.r_[0, np.flatnonzero(np.diff(ordered)) + 1] if len(ordered) else np.zeros(0, dtype=np.int64)
    starts = np.repeat(first, np.diff(np.r_[first, len(ordered)]))
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[order] = np.arange(len(ordered)) - starts < count
    return chosen
