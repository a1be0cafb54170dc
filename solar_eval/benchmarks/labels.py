"""Recorded actions of each data set as labels in the project's frame.

AndroidControl's scroll word is the CONTENT's direction; the finger moves the opposite way, in all four directions
(evidence: ../facts/offline_protocols.md section 4; AgentCPM-GUI process_ac.py @acbaf509). It is flipped here, once;
`Swipe.word` keeps the word as recorded. GUI-Odyssey's words are the finger's. Pixels become fractions of the
screenshot and are not clamped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from solar_eval.actions import (
    DIRECTIONS,
    OPPOSITE,
    Action,
    Answer,
    Box,
    Click,
    Direction,
    Finish,
    Key,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
    finger_direction,
)  # fmt: skip
from solar_eval.dialects.frames import ScrollSense, Size


class LabelFault(ValueError):
    """A recorded label that can't be read; the text says what is wrong with it."""


BUTTONS: dict[str, Key] = {"back": "back", "home": "home", "enter": "enter"}
"""Qwen space's `system_button`; its Menu has no counterpart and never occurs in AndroidControl."""
NAVIGATION: dict[str, Key] = {"navigate_back": "back", "navigate_home": "home", "keyboard_enter": "enter"}
"""AndroidControl's key actions, and the one more that AndroidWorld's space has."""


def pixel_point(x: object, y: object, size: Size) -> Point:
    """A point in pixels as fractions of `size`. Raises LabelFault unless both are finite numbers."""
    return Point(number("x", x) / size[0], number("y", y) / size[1])


def pair(name: str, value: object, size: Size) -> Point:
    """A two-number list in pixels as fractions of `size`. Raises LabelFault."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise LabelFault(f"{name}: two numbers [x, y] are needed, not {value!r:.80}")
    return pixel_point(value[0], value[1], size)


def number(name: str, value: object) -> float:
    """A finite number. Raises LabelFault."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            made = float(value)
        except OverflowError:
            made = math.inf
        if math.isfinite(made):
            return made
    raise LabelFault(f"{name}: a finite number is needed, not {value!r:.80}")


def text(data: Mapping[str, Any], name: str) -> str:
    """The text field `name`, untouched. Raises LabelFault if it is missing or no text."""
    value = data.get(name)
    if not isinstance(value, str):
        raise LabelFault(f"{name}: text is needed, not {value!r:.80}")
    return value


def direction(word: object) -> Direction:
    """One of the four words in any case. Raises LabelFault."""
    lowered = word.strip().lower() if isinstance(word, str) else word
    for known in DIRECTIONS:
        if lowered == known:
            return known
    raise LabelFault(f"direction: {word!r:.80} is none of {', '.join(DIRECTIONS)}")


def content_swipe(word: object) -> Swipe:
    """A swipe recorded by the content's direction."""
    raw = direction(word)
    return Swipe(direction=OPPOSITE[raw], word=raw)


def from_android_control(raw: Mapping[str, Any], size: Size) -> Action:
    """One of AndroidControl's own actions (google-research/android_control README). Raises LabelFault.

    `type` with a point is the derived action that README mentions. A wait there has no length, a long press no time.
    """
    kind = raw.get("action_type")
    if kind == "click":
        return Click(pixel_point(raw.get("x"), raw.get("y"), size))
    if kind == "long_press":
        return LongPress(pixel_point(raw.get("x"), raw.get("y"), size))
    if kind == "scroll":
        return content_swipe(raw.get("direction"))
    if kind == "open_app":
        return OpenApp(text(raw, "app_name"))
    if kind == "input_text":
        return Type(text(raw, "text"))
    if kind == "type":
        point = pixel_point(raw["x"], raw.get("y"), size) if raw.get("x") is not None else None
        return Type(text(raw, "text"), point=point, submit=raw.get("enter") is True)
    if kind == "wait":
        return Wait()
    if isinstance(kind, str) and kind in NAVIGATION:
        return Press(NAVIGATION[kind])
    raise LabelFault(f"action_type: {kind!r:.80} is no action of AndroidControl")


def from_qwen_space(label: Mapping[str, Any], size: Size, paths: ScrollSense) -> Action:
    """One action of the Qwen-space form (UI-S1's files). Raises LabelFault.

    A `direction` is AndroidControl's raw word. Where only `coordinate` and `coordinate2` exist, `paths` says what the
    line between them means: the finger's path, or the content's direction drawn as a line. `time` is left out: UI-S1
    put it there, AndroidControl records none.
    """
    kind = label.get("action")
    if kind == "click":
        return Click(pair("coordinate", label.get("coordinate"), size))
    if kind == "long_press":
        return LongPress(pair("coordinate", label.get("coordinate"), size))
    if kind == "swipe":
        return _qwen_swipe(label, size, paths)
    if kind == "type":
        return Type(text(label, "text"))
    if kind == "open":
        return OpenApp(text(label, "text"))
    if kind == "answer":
        return Answer(text(label, "text"))
    if kind == "wait":
        return Wait()
    if kind == "system_button":
        button = text(label, "button")
        if button.lower() not in BUTTONS:
            raise LabelFault(f"button: {button!r:.80} is none of Back, Home, Enter")
        return Press(BUTTONS[button.lower()])
    if kind == "terminate":
        return Finish("failure" if label.get("status") == "failure" else "success")
    raise LabelFault(f"action: {kind!r:.80} is no action of this form")


def _qwen_swipe(label: Mapping[str, Any], size: Size, paths: ScrollSense) -> Swipe:
    if label.get("direction") is not None:
        return content_swipe(label["direction"])
    start, end = pair("coordinate", label.get("coordinate"), size), pair("coordinate2", label.get("coordinate2"), size)
    drawn = pixel_direction(start, end, size)
    if paths == "content":
        return content_swipe(drawn)
    return Swipe(direction=drawn, start=start, end=end)


def pixel_direction(start: Point, end: Point, size: Size) -> Direction:
    """`finger_direction` in units of `size`. Raises LabelFault at length zero."""
    drawn = finger_direction(start, end, size)
    if drawn is None:
        raise LabelFault("coordinate, coordinate2: the swipe has no length")
    return drawn


def boxes(value: object, scale: Size) -> tuple[Box, ...]:
    """Boxes in left, top, right, bottom order, in units of `scale`, however deeply the list is nested.

    Nesting decides, not length: a list of numbers is one box and needs four, a list of lists is many (four boxes are
    not one flat box; UI-S1's reward code took them so). Raises LabelFault for anything else, and for boxes whose
    right or bottom lies before left or top: those are x, y, width, height.
    """
    if value is None or value == []:
        return ()
    if not isinstance(value, list | tuple):
        raise LabelFault(f"a list of boxes is needed, not {value!r:.80}")
    if any(isinstance(part, list | tuple) for part in value):
        return tuple(box for part in value for box in boxes(part, scale))
    if len(value) != 4:
        raise LabelFault(f"a box needs four numbers, not {len(value)}: {value!r:.80}")
    left, top, right, bottom = (number("box", part) for part in value)
    if right < left or bottom < top:
        raise LabelFault(f"box {value!r:.80} is not left, top, right, bottom")
    return (Box(left / scale[0], top / scale[1], right / scale[0], bottom / scale[1]),)
