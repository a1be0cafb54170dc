"""Action out, the parts the JSON families share: compact or spaced JSON, a default path, a sentence for an action.

`DEFAULT_TRAVEL` is the one length this package uses where a family speaks in two points and the label only names a
direction: through the centre, 0.2 of the axis to each side (sources differ between 0.1 and 0.3 of the axis, dialects.md
section 20). Text of an action is escaped so that nothing inside it can look like a tag or a special token.
"""

from __future__ import annotations

import json
import math
import re

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
    finger_direction,
)
from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.dialects.cleaning import SPECIAL_TOKENS
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_repair import Json

DEFAULT_TRAVEL = 0.2
CENTRE = Point(0.5, 0.5)
STEP: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_TAG_LIKE = re.compile(r"</?[A-Za-z]|<\|")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def path(action: Swipe) -> tuple[Point, Point]:
    """Start and end of a swipe; from its direction where it has no two points. Raises CannotExpress without either."""
    if action.start is not None and action.end is not None:
        return action.start, action.end
    direction = action.direction
    if direction is None:
        raise CannotExpress("a swipe without direction and end points")
    dx, dy = STEP[direction]
    if action.start is not None:
        end = Point(*(_inside(v + d * 2 * DEFAULT_TRAVEL) for v, d in zip(action.start, (dx, dy), strict=True)))
        if abs(end.x - action.start.x) + abs(end.y - action.start.y) >= DEFAULT_TRAVEL:
            return action.start, end
    start = Point(CENTRE.x - dx * DEFAULT_TRAVEL, CENTRE.y - dy * DEFAULT_TRAVEL)
    return start, Point(CENTRE.x + dx * DEFAULT_TRAVEL, CENTRE.y + dy * DEFAULT_TRAVEL)


def finger(action: Swipe) -> Direction:
    """The finger's direction of a swipe. Raises CannotExpress where it has none."""
    direction = action.finger
    if direction is None:
        raise CannotExpress("a swipe of no direction")
    return direction


def refuse_details(action: Action, family: str, carried: frozenset[str] = frozenset()) -> None:
    """Raises CannotExpress where a text entry says more than the family can: submit, clear, point."""
    if isinstance(action, Type):
        said = {"submit": action.submit, "clear": action.clear, "point": action.point is not None}
        for name, there in said.items():
            if there and name not in carried:
                raise CannotExpress(f"{family} has no place for {name}", action.kind)


def _inside(value: float) -> float:
    return min(0.99, max(0.01, value))


def whole_point(dialect: Dialect, point: Point, frame: Frame) -> list[Json]:
    """A point in the family's whole numbers. Raises CannotExpress for NaN and infinity."""
    if not (math.isfinite(point.x) and math.isfinite(point.y)):
        raise CannotExpress("a point that is not two finite numbers")
    return list(dialect.numbers(point, frame))


def whole_path(dialect: Dialect, action: Swipe, frame: Frame) -> tuple[list[Json], list[Json]]:
    """Both ends of a swipe in whole numbers. Raises CannotExpress where rounding would turn or lose its direction."""
    wanted = finger(action)
    start, end = path(action)
    written = whole_point(dialect, start, frame), whole_point(dialect, end, frame)
    ends = (dialect.point(*dialect.numbers(point, frame), frame) for point in (start, end))
    if finger_direction(*ends) != wanted:
        raise CannotExpress(f"a swipe too short for {dialect.name}'s numbers", action.kind)
    return written


def seconds(value: float) -> int | float:
    """A number of seconds, whole where it is."""
    return int(value) if value == int(value) else value


def dump(value: Json, compact: bool = False) -> str:
    """JSON on one line. Angle brackets, special tokens and surrogates inside texts stand as \\u escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else None)
    if _TAG_LIKE.search(text) or any(token in text for token in SPECIAL_TOKENS):
        text = text.replace("<", "\\u003c").replace("[EOS]", "\\u005bEOS]")
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def plain_thought(thought: str) -> str:
    """A thought that can stand inside any family's tags: its own angle brackets become single guillemets."""
    text = thought.replace("\x00", "").replace("[EOS]", "(EOS)").strip()
    return text.replace("<", "‹") if "<" in text else text


def one_line(text: str) -> str:
    """A text on one line, without angle brackets."""
    return " ".join(plain_thought(text).split())


def sentence(action: Action) -> str:
    """One English imperative that says what the action does, without coordinates."""
    match action:
        case Click():
            return "Tap the element."
        case LongPress():
            return "Press and hold the element."
        case DoubleTap():
            return "Tap the element twice."
        case Swipe():
            return f"Swipe {action.finger or 'the screen'}."
        case Type():
            return f"Type: {one_line(action.text)[:80]}"
        case OpenApp():
            return f"Open the app {one_line(action.name)[:80]}."
        case Press():
            return f"Press the {action.key} key."
        case Wait():
            return "Wait for the screen."
        case Answer():
            return "Give the answer."
        case CallUser():
            return "Ask the user."
        case Finish():
            return "End the task." if action.status == "success" else f"End the task as {action.status}."
