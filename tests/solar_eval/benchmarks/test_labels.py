"""Recorded actions to labels: the flip, box nesting (cases S04, S26), and labels that can't be read."""

from __future__ import annotations

import math
from typing import Any

import pytest

from solar_eval.actions import (
    OPPOSITE,
    Action,
    Answer,
    Box,
    Click,
    Direction,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)  # fmt: skip
from solar_eval.benchmarks.gui_odyssey import from_odyssey
from solar_eval.benchmarks.labels import LabelFault, boxes, from_android_control, from_qwen_space

SIZE = (100, 200)


@pytest.mark.parametrize(
    ("raw", "action"),
    [
        ({"action_type": "click", "x": 50, "y": 50}, Click(Point(0.5, 0.25))),
        ({"action_type": "long_press", "x": 0, "y": 200}, LongPress(Point(0, 1))),
        ({"action_type": "scroll", "direction": "down"}, Swipe("up", word="down")),
        ({"action_type": "scroll", "direction": "left"}, Swipe("right", word="left")),
        ({"action_type": "open_app", "app_name": "\xa0Word"}, OpenApp("\xa0Word")),
        ({"action_type": "input_text", "text": '"warm Wishes"'}, Type('"warm Wishes"')),
        (
            {"action_type": "type", "x": 10, "y": 20, "text": "a", "enter": True},
            Type("a", Point(0.1, 0.1), submit=True),
        ),
        ({"action_type": "navigate_back"}, Press("back")),
        ({"action_type": "navigate_home"}, Press("home")),
        ({"action_type": "wait"}, Wait()),
    ],
)
def test_android_control(raw: dict[str, Any], action: Action) -> None:
    assert from_android_control(raw, SIZE) == action


@pytest.mark.parametrize("word", list(OPPOSITE))
def test_all_four_words_are_flipped_and_kept(word: Direction) -> None:
    for swipe in (
        from_android_control({"action_type": "scroll", "direction": word.upper()}, SIZE),
        from_qwen_space({"action": "swipe", "direction": word}, SIZE, "finger"),
    ):
        assert swipe == Swipe(OPPOSITE[word], word=word)


@pytest.mark.parametrize(
    ("label", "action"),
    [
        ({"action": "click", "coordinate": [50.0, 100]}, Click(Point(0.5, 0.5))),
        ({"action": "long_press", "coordinate": [10, 20], "time": 2}, LongPress(Point(0.1, 0.1))),
        ({"action": "type", "text": ""}, Type("")),
        ({"action": "open", "text": "Maps"}, OpenApp("Maps")),
        ({"action": "system_button", "button": "Back"}, Press("back")),
        ({"action": "wait", "time": 2}, Wait()),
        ({"action": "answer", "text": "5"}, Answer("5")),
        ({"action": "terminate", "status": "success"}, Finish("success")),
        ({"action": "terminate", "status": "failure"}, Finish("failure")),
    ],
)
def test_qwen_space(label: dict[str, Any], action: Action) -> None:
    assert from_qwen_space(label, SIZE, "finger") == action


def test_s04_two_points_are_a_path_and_no_word_to_flip() -> None:
    label = {"action": "swipe", "coordinate": [50, 150], "coordinate2": [50, 50]}
    assert from_qwen_space(label, SIZE, "finger") == Swipe("up", Point(0.5, 0.75), Point(0.5, 0.25))
    assert from_qwen_space(label, SIZE, "content") == Swipe("down", word="up")


def test_a_drawn_direction_is_taken_in_pixels() -> None:
    label = {"action": "swipe", "coordinate": [0, 0], "coordinate2": [30, 40]}  # .3 of the width, .2 of the height
    swipe = from_qwen_space(label, SIZE, "finger")
    assert isinstance(swipe, Swipe) and swipe.direction == "down"


@pytest.mark.parametrize(
    "label",
    [
        {"action": "click"},
        {"action": "click", "coordinate": [math.nan, 3]},
        {"action": "click", "coordinate": [1e999, 3]},
        {"action": "click", "coordinate": [10**400, 3]},
        {"action": "click", "coordinate": ["1", "2"]},
        {"action": "click", "coordinate": [True, 2]},
        {"action": "click", "coordinate": [1, 2, 3, 4]},
        {"action": "swipe", "direction": "sideways"},
        {"action": "swipe", "coordinate": [5, 5], "coordinate2": [5, 5]},
        {"action": "swipe"},
        {"action": "type"},
        {"action": "system_button", "button": "Menu"},
        {"action": ["click"]},
        {},
    ],
)
def test_labels_that_cannot_be_read_say_why(label: dict[str, Any]) -> None:
    with pytest.raises(LabelFault, match=r"\w+: |swipe"):
        from_qwen_space(label, SIZE, "finger")


@pytest.mark.parametrize(
    "raw", [{"action_type": "click", "x": 1}, {"action_type": "dance"}, {}, {"action_type": "scroll"}]
)
def test_raw_actions_that_cannot_be_read_say_why(raw: dict[str, Any]) -> None:
    with pytest.raises(LabelFault):
        from_android_control(raw, SIZE)


ONE = Box(0.1, 0.1, 0.5, 0.2)


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (None, ()),
        ([], ()),
        ([10, 20, 50, 40], (ONE,)),
        ([[10, 20, 50, 40]], (ONE,)),
        ([[[10, 20, 50, 40]], [10, 20, 50, 40]], (ONE, ONE)),
        ([[10, 20, 50, 40]] * 4, (ONE,) * 4),  # S26: four boxes are not one flat box
        ([[[[10, 20, 50, 40]] * 4]], (ONE,) * 4),
    ],
)
def test_s26_nesting_decides_not_length(recorded: object, expected: tuple[Box, ...]) -> None:
    assert boxes(recorded, SIZE) == expected


@pytest.mark.parametrize(
    "recorded",
    ["10 20 50 40", [10, 20, 50], [[10, 20], [50, 40]], [50, 40, 10, 20], [1, 2, math.nan, 4], [[1, 2, 3, 4], 5], 7],
)
def test_boxes_of_another_shape_are_refused(recorded: object) -> None:
    with pytest.raises(LabelFault):
        boxes(recorded, SIZE)


@pytest.mark.parametrize(
    ("action", "info", "expected"),
    [
        ("CLICK", [[500, 250]], Click(Point(0.5, 0.25))),
        ("CLICK", "[[500, 250]]", Click(Point(0.5, 0.25))),
        ("CLICK", "(500, 250)", Click(Point(0.5, 0.25))),
        ("CLICK", [500, 250], Click(Point(0.5, 0.25))),
        ("CLICK", "KEY_HOME", Press("home")),
        ("CLICK", "KEY_BACK", Press("back")),
        ("CLICK", "KEY_APPSELECT", Press("recents")),
        ("CLICK", "KEY_RECENT", Press("recents")),
        ("LONG_PRESS", [[1000, 0]], LongPress(Point(1, 0))),
        ("TEXT", "10:30", Type("10:30")),
        ("TYPE", "", Type("")),
        ("COMPLETE", "", Finish("success")),
        ("INCOMPLETE", "", Finish("infeasible")),
        ("IMPOSSIBLE", "", Finish("infeasible")),
        ("HOME", "", Press("home")),
        ("SCROLL", [[500, 800], [500, 200]], Swipe("up", word="up")),
        ("SCROLL", [[200, 500], [700, 100]], Swipe("right", word="right")),
        ("SCROLL", [[200, 500], [100, 600]], Swipe("down", word="down")),  # a tie is vertical
        ("SCROLL", [[200, 500], [200, 500]], Swipe("down", word="down")),  # as the converter has it
    ],
)
def test_odyssey(action: str, info: object, expected: Action) -> None:
    assert from_odyssey(action, info)[0] == expected


@pytest.mark.parametrize(
    ("action", "info"),
    [("CLICK", "KEY_VOLUME"), ("CLICK", []), ("CLICK", [[math.nan, 2]]), ("SCROLL", [[1, 2]]), ("TEXT", None),
     ("FLY", ""), ("CLICK", [["a", "b"]]), (None, None), (["CLICK"], [[1, 2]])],
)  # fmt: skip
def test_odyssey_labels_that_cannot_be_read(action: object, info: object) -> None:
    with pytest.raises(LabelFault):
        from_odyssey(action, info)


def test_odyssey_scroll_keeps_its_path() -> None:
    assert from_odyssey("SCROLL", [[500, 800], [500, 200]])[1] == (("swipe_path", (Point(0.5, 0.8), Point(0.5, 0.2))),)
