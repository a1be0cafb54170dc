"""Distances and box selections against plain loops written from the rules' descriptions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solar_eval.actions import Box, Click, Point
from solar_eval.protocols import ClickRule
from solar_eval.records import RecordedParse, Step
from solar_eval.scoring import geometry
from solar_eval.scoring.columns import build

unit = st.floats(0, 1, allow_nan=False, width=32)
points = st.builds(Point, unit, unit)
boxes = st.builds(lambda a, b: Box(min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y)), points, points)


def columns(label: Point, predicted: Point, found: list[Box], screen: tuple[int, int] = (1080, 2400)):  # type: ignore[no-untyped-def]
    step = Step("s", "e", 0, "", "", Click(label), screen, tuple(found), "candidates")
    return build([step], [RecordedParse(Click(predicted))])


def grown(box: Box, factor: float, clip: bool) -> Box:
    w, h = box.right - box.left, box.bottom - box.top
    left, top = box.left - w * (factor - 1) / 2, box.top - h * (factor - 1) / 2
    w, h = w * factor, h * factor
    if clip:
        left, top, w, h = max(left, 0), max(top, 0), min(w, 1), min(h, 1)
    return Box(left, top, left + w, top + h)


def holds(box: Box, p: Point) -> bool:
    return box.left <= p.x <= box.right and box.top <= p.y <= box.bottom


@settings(max_examples=150, deadline=None)
@given(points, points, st.lists(boxes, max_size=9), st.sampled_from([1.0, 1.2]), st.booleans())
def test_box_rules_equal_plain_loops(
    label: Point, predicted: Point, found: list[Box], factor: float, clip: bool
) -> None:
    by_distance = sorted(found, key=lambda b: math.dist(((b[0] + b[2]) / 2, (b[1] + b[3]) / 2), label))
    big = [grown(b, factor, clip) for b in found]
    expected = {
        "candidates": any(holds(b, predicted) for b in big),
        "containing": any(holds(b, predicted) and holds(b, label) for b in big),
        "nearest5": any(holds(grown(b, factor, clip), predicted) for b in by_distance[:5]),
    }
    for name, wanted in expected.items():
        rule = ClickRule(boxes=name, enlarge=factor, clip=clip)  # type: ignore[arg-type]
        assert bool(geometry.within(columns(label, predicted, found), rule)[0]) == wanted, name


def test_norms_measure_what_they_say() -> None:
    data = columns(Point(0.5, 0.5), Point(0.6, 0.55), [])
    dx, dy = 0.1, 0.05
    assert geometry.distances(data, "axis")[0] == pytest.approx(math.hypot(dx, dy))
    assert geometry.distances(data, "pixels")[0] == pytest.approx(math.hypot(108, 120))
    assert geometry.distances(data, "diagonal")[0] == pytest.approx(math.hypot(108, 120) / math.hypot(1080, 2400))
    wide = columns(Point(0.5, 0.5), Point(0.6, 0.55), [], (2560, 1600))
    assert geometry.distances(wide, "pixels_1080x2400")[0] == pytest.approx(math.hypot(108, 120))


def test_the_limit_is_inclusive_or_not() -> None:
    data = columns(Point(0.5, 0.6), Point(0.5, 0.74), [])
    assert geometry.within(data, ClickRule(distance=0.14))[0]
    assert not geometry.within(data, ClickRule(distance=0.74 - 0.6, inclusive=False))[0]


def test_a_big_box_is_ignored_where_the_rule_says_so() -> None:
    whole = [Box(0, 0, 1, 1)]
    data = columns(Point(0.1, 0.1), Point(0.9, 0.9), whole)
    assert geometry.within(data, ClickRule(boxes="containing"))[0]
    assert not geometry.within(data, ClickRule(boxes="containing", max_area=0.5))[0]


def test_nearest_ranks_each_row_by_itself() -> None:
    found = np.array([[0.0, 0, 0.1, 0.1], [0.8, 0.8, 0.9, 0.9], [0.0, 0, 0.2, 0.2], [0.5, 0.5, 0.6, 0.6]])
    rows = np.array([0, 0, 1, 1])
    label = np.array([[0.85, 0.85]] * 2 + [[0.1, 0.1]] * 2)
    assert geometry.nearest(found, rows, label, 1).tolist() == [False, True, True, False]


def test_no_point_is_never_right() -> None:
    step = Step("s", "e", 0, "", "", Click(Point(0.5, 0.5)), (1080, 2400), (Box(0, 0, 1, 1),), "candidates")
    data = build([step], [RecordedParse(None)])
    assert not geometry.within(data, ClickRule(boxes="candidates", distance=2.0))[0]
