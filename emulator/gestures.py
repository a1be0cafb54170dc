"""Ways of a finger: inside the screen, and off the edges where Android's own gestures begin.

Zones: Android's gesture navigation takes 24 to 30 dp at the left and right (back) and 32 dp at the bottom (home); a
finger that comes down from the status bar (24 to 50 dp) opens the shade. Here: 6 % of the width, 4 % of the height.
"""

from __future__ import annotations

from typing import Literal

from emulator.device import Size

Direction = Literal["up", "down", "left", "right"]
Bounds = tuple[int, int, int, int]
SIDE, END = 0.06, 0.04
FIRST, LAST = 0.1, 0.9
DIRECTIONS: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def inside(x: int, y: int, size: Size) -> tuple[int, int]:
    """The nearest pixel of the screen."""
    return min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1)


def off_edges(x1: int, y1: int, x2: int, y2: int, size: Size) -> tuple[int, int, int, int]:
    """The same way, begun outside the zone of a system gesture.

    Only a finger that comes from an edge inwards starts such a gesture; the start then moves along its way, at most
    to three quarters of it. Everything else stays as it is, but inside the screen.
    """
    x1, y1 = inside(x1, y1, size)
    x2, y2 = inside(x2, y2, size)
    part = max(_entered(x1, x2, size.width, SIDE), _entered(y1, y2, size.height, END))
    part = min(part, 0.75)
    return round(x1 + (x2 - x1) * part), round(y1 + (y2 - y1) * part), x2, y2


def _entered(start: int, end: int, length: int, zone: float) -> float:
    """The part of the way that lies in the edge zone it starts in, 0 if it does not lead inwards from one."""
    edge = round(length * zone)
    if start < edge and end > start:
        return (edge - start) / (end - start)
    if start >= length - edge and end < start:
        return (start - (length - 1 - edge)) / (start - end)
    return 0.0


def finger(direction: Direction, bounds: Bounds, distance: float = 0.5) -> tuple[int, int, int, int]:
    """(x1, y1, x2, y2) of a finger that moves `direction` in the middle of `bounds` (left, top, right, bottom).

    distance: part of that side, more than 0 to 0.8; the way lies between 10 % and 90 % of it. ValueError otherwise.
    To scroll content down (to show what is below) the finger moves up: callers with content words turn them round.
    """
    if not 0 < distance <= LAST - FIRST:
        raise ValueError(f"distance is a part of the side, more than 0 and at most {LAST - FIRST:g}, not {distance}")
    left, top, right, bottom = bounds
    dx, dy = DIRECTIONS[direction]
    x, y = (left + right) / 2, (top + bottom) / 2
    half_x, half_y = dx * distance * (right - left) / 2, dy * distance * (bottom - top) / 2
    return round(x - half_x), round(y - half_y), round(x + half_x), round(y + half_y)
