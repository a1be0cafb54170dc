"""Look until the screen stands still: two equal captures of pixels and hierarchy, with a cap.

Fixed sleeps see animations (callstack/agent-device#588: 0.2 s right once in five); comparing hierarchies alone misses
what only pixels show (AndroidWorld's `_get_stable_state`). What did not settle is said, not hidden: `settled` is False
and the last capture is given.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

from emulator.device import Device, Foreground, Screenshot, Tree
from emulator.device_errors import AppNotInFront, NoFreshTree

INTERVAL_SECONDS = 0.15


@dataclass(frozen=True)
class Observation:
    """One look at a phone.

    tree: None where none could be had; tree_error says why. settled: two looks in succession were equal, pixels and
    tree. seconds: how long the looking took. looks: how many captures.
    """

    screenshot: Screenshot
    tree: Tree | None
    tree_error: str
    foreground: Foreground | None
    settled: bool
    seconds: float
    looks: int


def settle(
    device: Device, cap_s: float = 6.0, *, with_tree: bool = True, interval_s: float = INTERVAL_SECONDS
) -> Observation:
    """Capture until two captures are equal, or for `cap_s` seconds.

    A missing hierarchy is an error noted in the observation, and equal to itself: a screen that has none settles by
    its pixels. Raises DeviceError where there is no picture.
    """
    start = time.monotonic()
    last = _look(device, with_tree)
    looks = 1
    while True:
        if time.monotonic() - start >= cap_s:
            return _observation(device, last, False, start, looks)
        time.sleep(min(interval_s, max(0.0, start + cap_s - time.monotonic())))
        now = _look(device, with_tree)
        looks += 1
        if _equal(last, now):
            return _observation(device, now, True, start, looks)
        last = now


@dataclass(frozen=True)
class _Look:
    screenshot: Screenshot
    tree: Tree | None
    tree_error: str


def _look(device: Device, with_tree: bool) -> _Look:
    picture = device.screenshot()
    if not with_tree:
        return _Look(picture, None, "")
    try:
        return _Look(picture, device.ui_tree(), "")
    except NoFreshTree as error:
        return _Look(picture, None, error.what)


def _equal(one: _Look, other: _Look) -> bool:
    """Equal pixels (equal files, else compared decoded) and equal hierarchies."""
    if (one.tree is None) != (other.tree is None):
        return False
    if one.tree is not None and other.tree is not None and one.tree.elements != other.tree.elements:
        return False
    first, second = one.screenshot, other.screenshot
    if first.size != second.size:
        return False
    return first.png == second.png or bool((first.pixels() == second.pixels()).all())


def _observation(device: Device, look: _Look, settled: bool, start: float, looks: int) -> Observation:
    front: Foreground | None = None
    with contextlib.suppress(AppNotInFront):  # nothing has the focus: told as None
        front = device.foreground()
    return Observation(look.screenshot, look.tree, look.tree_error, front, settled, time.monotonic() - start, looks)
