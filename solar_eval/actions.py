"""The one action vocabulary that every surface of the project speaks.

Frame: a point is a fraction of the screen per axis, (0, 0) top left, (1, 1) bottom right; y grows downwards.
A swipe is the FINGER's movement (finger up shows content further down). Pixels, 0-1000 grids, resized
pixels and raw scroll words exist only inside `dialects/`, `benchmarks/` and `emulator/`.

Values outside 0..1 are kept as they are and reported by `out_of_range`; nothing here clamps. Classes are
slotted frozen dataclasses rather than pydantic models because tens of thousands are made a second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

Direction = Literal["up", "down", "left", "right"]
Key = Literal["back", "home", "enter", "recents"]
FinishStatus = Literal["success", "failure", "infeasible"]
Kind = Literal[
    "click", "long_press", "double_tap", "swipe", "type", "open_app", "press", "wait", "answer", "finish",
    "call_user",
]  # fmt: skip

KINDS: tuple[Kind, ...] = get_args(Kind)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
KEYS: tuple[Key, ...] = get_args(Key)
OPPOSITE: dict[Direction, Direction] = {"up": "down", "down": "up", "left": "right", "right": "left"}


class Point(NamedTuple):
    """A place on the screen in fractions of its width and height."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle on the screen in fractions: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Click:
    """One tap at `point`."""

    point: Point
    kind: Literal["click"] = "click"


@dataclass(frozen=True, slots=True)
class LongPress:
    """Finger held at `point`; `duration_ms` is None where the family does not say."""

    point: Point
    duration_ms: int | None = None
    kind: Literal["long_press"] = "long_press"


@dataclass(frozen=True, slots=True)
class DoubleTap:
    """Two quick taps at `point`."""

    point: Point
    kind: Literal["double_tap"] = "double_tap"


@dataclass(frozen=True, slots=True)
class Swipe:
    """A finger movement, by direction, by end points, or both.

    `direction` is the finger's. `word` is the scroll word exactly as it was written (lower case), before any
    flip: protocols that compare raw words (OS-Atlas, GUI-R1) read it, nobody else does.
    """

    direction: Direction | None = None
    start: Point | None = None
    end: Point | None = None
    word: str | None = None
    duration_ms: int | None = None
    kind: Literal["swipe"] = "swipe"

    @property
    def finger(self) -> Direction | None:
        """The finger's direction: from the end points where both are known, else the stated one."""
        if self.start is not None and self.end is not None:
            return finger_direction(self.start, self.end)
        return self.direction


@dataclass(frozen=True, slots=True)
class Type:
    """Text into the focused field. `point`: focus there first; `submit`: press enter after; `clear`: empty before."""

    text: str
    point: Point | None = None
    submit: bool = False
    clear: bool = False
    kind: Literal["type"] = "type"


@dataclass(frozen=True, slots=True)
class OpenApp:
    """Start an app by the name a person would use."""

    name: str
    kind: Literal["open_app"] = "open_app"


@dataclass(frozen=True, slots=True)
class Press:
    """One of the system keys."""

    key: Key
    kind: Literal["press"] = "press"


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for a while; `seconds` is None where the family does not say."""

    seconds: float | None = None
    kind: Literal["wait"] = "wait"


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to the user's question."""

    text: str
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True)
class Finish:
    """The agent declares the episode over."""

    status: FinishStatus = "success"
    text: str = ""
    kind: Literal["finish"] = "finish"


@dataclass(frozen=True, slots=True)
class CallUser:
    """The agent hands over to, or asks, the person."""

    text: str = ""
    kind: Literal["call_user"] = "call_user"


Action: TypeAlias = Click | LongPress | DoubleTap | Swipe | Type | OpenApp | Press | Wait | Answer | Finish | CallUser
BY_KIND: dict[str, type[Action]] = {
    "click": Click, "long_press": LongPress, "double_tap": DoubleTap, "swipe": Swipe, "type": Type,
    "open_app": OpenApp, "press": Press, "wait": Wait, "answer": Answer, "finish": Finish,
    "call_user": CallUser,
}  # fmt: skip


def finger_direction(start: Point, end: Point, size: tuple[float, float] = (1.0, 1.0)) -> Direction | None:
    """Direction of the finger from start to end; None for a movement of zero length (that is a tap).

    Horizontal only if |dx| > |dy| (the rule of GUI-Odyssey's converter and of the Qwen2.5-VL scorer), the differences
    taken in units of `size`: the screen's pixels where it is known. They are rounded, for a tie of two whole pixels
    must still be one after they were fractions.
    """
    dx, dy = round((end.x - start.x) * size[0], 6), round((end.y - start.y) * size[1], 6)
    if (dx == 0 and dy == 0) or math.isnan(dx) or math.isnan(dy):
        return None
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


def points_of(action: Action) -> tuple[Point, ...]:
    """Every point the action carries."""
    if isinstance(action, Swipe):
        return tuple(p for p in (action.start, action.end) if p is not None)
    if isinstance(action, Click | LongPress | DoubleTap):
        return (action.point,)
    if isinstance(action, Type) and action.point is not None:
        return (action.point,)
    return ()


def out_of_range(action: Action) -> float:
    """How far the worst coordinate lies outside 0..1 (0.0 if none does; inf for NaN)."""
    worst = 0.0
    for point in points_of(action):
        for value in point:
            if math.isnan(value):
                return math.inf
            worst = max(worst, -value, value - 1.0)
    return worst


def to_json(action: Action) -> dict[str, object]:
    """A plain dictionary with only the fields that are set, `kind` first."""
    out: dict[str, object] = {"kind": action.kind}
    for name in action.__slots__:
        value = getattr(action, name)
        if name == "kind" or value is None or value is False or (value == "" and name != "text"):
            continue
        out[name] = list(value) if isinstance(value, Point) else value
    return out


def from_json(data: dict[str, object]) -> Action:
    """The inverse of `to_json`. Raises ValueError naming the field that does not fit."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in BY_KIND:
        raise ValueError(f"kind: {kind!r} is none of {', '.join(KINDS)}")
    fields: dict[str, object] = {}
    for name, value in data.items():
        if name == "kind":
            continue
        if name not in BY_KIND[kind].__slots__:
            raise ValueError(f"{name}: not a field of {kind}")
        fields[name] = _point(name, value) if name in {"point", "start", "end"} else value
    try:
        action = BY_KIND[kind](**fields)  # type: ignore[arg-type]  # fields were checked by name just above
    except TypeError as error:
        raise ValueError(f"{kind}: {error}") from None
    return _checked(action)


def _point(name: str, value: object) -> Point | None:
    if value is None:
        return None
    if (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    ):
        return Point(float(value[0]), float(value[1]))
    raise ValueError(f"{name}: {value!r} is not two numbers [x, y]")


def _checked(action: Action) -> Action:
    if isinstance(action, Press) and action.key not in KEYS:
        raise ValueError(f"key: {action.key!r} is none of {', '.join(KEYS)}")
    if isinstance(action, Swipe) and action.direction is not None and action.direction not in DIRECTIONS:
        raise ValueError(f"direction: {action.direction!r} is none of {', '.join(DIRECTIONS)}")
    if isinstance(action, Finish) and action.status not in get_args(FinishStatus):
        raise ValueError(f"status: {action.status!r} is none of {', '.join(get_args(FinishStatus))}")
    for name in ("text", "name"):
        value = getattr(action, name, "")
        if not isinstance(value, str):
            raise ValueError(f"{name}: {value!r} is not text")
    return action
