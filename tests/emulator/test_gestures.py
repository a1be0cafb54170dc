"""Ways of a finger."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator import gestures
from emulator.device import Size

SIZE = Size(1080, 2400)
pixels = st.integers(-500, 3000)


@given(pixels, pixels, pixels, pixels)
def test_always_inside_and_never_begun_as_a_system_gesture(x1: int, y1: int, x2: int, y2: int) -> None:
    a, b, c, d = gestures.off_edges(x1, y1, x2, y2, SIZE)
    assert 0 <= a < 1080 and 0 <= c < 1080 and 0 <= b < 2400 and 0 <= d < 2400
    if abs(c - a) > 300 and abs(d - b) < 5:
        assert 60 <= a <= 1079 - 60
    if abs(d - b) > 600 and abs(c - a) < 5:
        assert 90 <= b <= 2399 - 90


def test_ways_that_start_no_system_gesture_stay() -> None:
    for way in [(540, 1800, 540, 600), (20, 500, 20, 1500), (540, 300, 540, 0), (500, 900, 0, 900)]:
        assert gestures.off_edges(*way, SIZE) == way


def test_the_shade_and_home_are_not_pulled_by_chance() -> None:
    assert gestures.off_edges(540, 0, 540, 2400, SIZE) == (540, 96, 540, 2399)
    assert gestures.off_edges(540, 2400, 540, 0, SIZE) == (540, 2303, 540, 0)
    assert gestures.off_edges(0, 900, 1079, 900, SIZE)[0] == 65


@pytest.mark.parametrize("direction", ["up", "down", "left", "right"])
def test_a_direction_is_the_fingers(direction: gestures.Direction) -> None:
    x1, y1, x2, y2 = gestures.finger(direction, (100, 200, 300, 1000), 0.8)
    dx, dy = gestures.DIRECTIONS[direction]
    assert (x2 - x1 > 0) - (x2 - x1 < 0) == dx and (y2 - y1 > 0) - (y2 - y1 < 0) == dy
    assert min(x1, x2) >= 120 and max(x1, x2) <= 280 and min(y1, y2) >= 280 and max(y1, y2) <= 920


@pytest.mark.parametrize("distance", [0, -0.1, 0.81, 300])
def test_a_distance_is_a_part_of_the_side(distance: float) -> None:
    with pytest.raises(ValueError, match="part of the side"):
        gestures.finger("up", (0, 0, 100, 100), distance)
