"""One action on one phone: fractions of the picture the model saw become touches, keys and text.

Three things can come of it. It was carried out (`Done`). It can't be, and the model is the cause (an app that is not
installed, text without a field): `Done` with a `note`, the step counts, nothing is retried. Or the phone failed: a
`DeviceError` goes up and makes the episode an infrastructure fault. Nothing that may have been carried out is ever sent
twice.

Swipes by direction alone start in the middle (or at the point given) and cover half of the screen's height or 60 % of
its width, away from the edges, where gestures of the system begin. AndroidWorld's own swipe starts at the very edge and
moves the finger to the wrong side for left and right (android_world @d9c569f, env/actuation.py); this does neither.
"""

from __future__ import annotations

from dataclasses import dataclass

from emulator.device import Device, to_pixel
from emulator.device_errors import AppNotFound, AppNotInFront, InputMethodNotActive, TextNotTyped
from solar_eval.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    Direction,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)

WAIT_SECONDS = 1.0
"""What a `Wait` without a length means (as AndroidWorld's)."""
LONGEST_WAIT = 10.0
WAIT_MARGIN = 20.0
"""Seconds that a wait may take longer than asked. It is the phone that sleeps, so that its own clock counts."""
SWIPE_MS = 400
LONG_PRESS_MS = 1000
WAYS: dict[Direction, tuple[float, float]] = {"up": (0, -0.5), "down": (0, 0.5), "left": (-0.6, 0), "right": (0.6, 0)}
EDGE = 0.04
"""A swipe by direction stays this far from every edge."""


@dataclass(frozen=True)
class Done:
    """What was done on the phone, in words with pixels. note: why the action had no or another effect."""

    what: str
    note: str = ""


def execute(device: Device, action: Action, size: tuple[int, int]) -> Done:
    """Carries out `action`. size: pixels of the picture that its points refer to. DeviceError.

    `Answer`, `Finish` and `CallUser` touch nothing.
    """
    match action:
        case Click() | DoubleTap() | LongPress():
            return _touch(device, action, size)
        case Swipe():
            return _swipe(device, action, size)
        case Type():
            return _type(device, action, size)
        case OpenApp():
            return _open(device, action.name)
        case Press():
            device.press(action.key)
            return Done(f"press {action.key}")
        case Wait():
            seconds = min(max(WAIT_SECONDS if action.seconds is None else action.seconds, 0.0), LONGEST_WAIT)
            device.shell(["sleep", f"{seconds:g}"], timeout=seconds + WAIT_MARGIN)
            return Done(f"wait {seconds:g} s")
        case Answer() | Finish():
            return Done("")
        case CallUser():
            return Done("", "there is no person to ask")


def _touch(device: Device, action: Click | DoubleTap | LongPress, size: tuple[int, int]) -> Done:
    x, y = to_pixel(*action.point, size)
    if isinstance(action, Click):
        device.tap(x, y)
        return Done(f"tap {x},{y}")
    if isinstance(action, DoubleTap):
        device.double_tap(x, y)
        return Done(f"double tap {x},{y}")
    held = action.duration_ms or LONG_PRESS_MS
    device.long_press(x, y, held)
    return Done(f"long press {x},{y} {held} ms")


def swipe_path(action: Swipe) -> tuple[Point, Point] | None:
    """Start and end of a swipe in fractions; None if neither two points nor a direction is known."""
    if action.start is not None and action.end is not None:
        return action.start, action.end
    if action.direction is None:
        return None
    dx, dy = WAYS[action.direction]
    if action.start is not None:
        return action.start, Point(_inside(action.start.x + dx), _inside(action.start.y + dy))
    return Point(0.5 - dx / 2, 0.5 - dy / 2), Point(0.5 + dx / 2, 0.5 + dy / 2)


def _inside(value: float) -> float:
    return min(max(value, EDGE), 1 - EDGE)


def _swipe(device: Device, action: Swipe, size: tuple[int, int]) -> Done:
    path = swipe_path(action)
    if path is None:
        return Done("", "a swipe without direction and end points")
    (x1, y1), (x2, y2) = (to_pixel(*point, size) for point in path)
    duration = action.duration_ms or SWIPE_MS
    meant = action.start is not None and action.end is not None  # both ends are the model's: from an edge is meant
    device.swipe(x1, y1, x2, y2, duration, edges=meant)
    return Done(f"swipe {x1},{y1} to {x2},{y2} {duration} ms")


def _type(device: Device, action: Type, size: tuple[int, int]) -> Done:
    words = []
    if action.point is not None:
        x, y = to_pixel(*action.point, size)
        device.tap(x, y)
        words.append(f"tap {x},{y}")
    note = ""
    try:
        device.type_text(action.text, clear=action.clear)
        words.append(("clear, " if action.clear else "") + f"type {len(action.text)} characters")
    except InputMethodNotActive:
        raise
    except TextNotTyped as error:
        note = f"not typed: {error.what}"
    if action.submit:
        device.press("enter")
        words.append("press enter")
    return Done(", ".join(words), note)


def _open(device: Device, name: str) -> Done:
    try:
        front = device.open_app(name)
    except AppNotFound as error:
        return Done("", f"no such app: {error.what}")
    except AppNotInFront as error:
        return Done(f"open {name}", f"not in front: {error.what}")
    return Done(f"open {front.package}")
