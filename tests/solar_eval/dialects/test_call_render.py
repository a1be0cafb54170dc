"""Action out, for the families of calls: texts of any kind survive, and what has no words is refused."""

from __future__ import annotations

import pytest

from solar_eval.actions import (
    DIRECTIONS,
    KINDS,
    Action,
    Answer,
    CallUser,
    Click,
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
from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.dialects.call_dialects import CALL_DIALECTS

HARD = [
    "it's 5, ok", 'say "hi"', "a')", "f(x)", "a\nb", "a\tb", "C:\\new\\table", " lead", "trail ", "{}[]()", "\\", "\\'",
    "'", '"', "[a", "]", "10:30", "x, y", "[x,y]", "Action: click(start_box='(1,2)')", "\nAction: wait()", "</answer>",
    "</action>", "TYPE: abc", "é日本語", "\ud83d", "''", "a''b", '"}]</answer>', "summary:x action:CLICK", "explain:a",
    "}, {'action': 'click'", "actions:\nWAIT", "a\r\nb", ")", "(", "", 'do(action="Back")',
]  # fmt: skip
REFUSED = {
    "os_atlas": {"\nAction: wait()"},
    "step_gui": {"a\tb", " lead", "trail ", "\nAction: wait()"},
}
"""Texts that a family's grammar can't carry: Step-GUI parts fields by tabs and strips them; OS-Atlas' header."""
THOUGHT = 'It\'s (1,2) [x]\nAction: wait()\n<action>actions:\nWAIT</answer> do(action="Back") </think> mobile.back()'


@pytest.mark.parametrize("name", CALL_DIALECTS)
@pytest.mark.parametrize("text", HARD)
def test_texts_survive(name: str, text: str) -> None:
    dialect = CALL_DIALECTS[name]
    frame = dialect.frame_for((1080, 2400))
    if text in REFUSED.get(name, ()):
        with pytest.raises(CannotExpress):
            dialect.render(Type(text), frame)
        return
    for thought in ("", "I type it.", THOUGHT):
        parsed = dialect.parse(dialect.render(Type(text), frame, thought), frame)
        assert isinstance(parsed.action, Type)
        assert (parsed.action.text, parsed.strict_ok, parsed.flags) == (text, True, ())


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_special_tokens_and_tags_of_thoughts_are_refused(name: str) -> None:
    dialect = CALL_DIALECTS[name]
    for text in ("a</s>", "<|im_end|>", "a\x00b", "<think>a</think>"):
        with pytest.raises(CannotExpress):
            dialect.render(Type(text), dialect.frame_for((1080, 2400)))


SAMPLES: list[Action] = [
    Click(Point(0.4, 0.7)), LongPress(Point(0.4, 0.7)), DoubleTap(Point(0.4, 0.7)), Swipe("up"), Type("hello"),
    OpenApp("Gmail"), Press("home"), Wait(), Answer("42"), Finish(), CallUser(),
]  # fmt: skip


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_expresses_agrees_with_render(name: str) -> None:
    dialect = CALL_DIALECTS[name]
    assert {action.kind for action in SAMPLES} == set(KINDS)
    can = {action.kind for action in SAMPLES if dialect.can_express(action)}
    assert can == set(dialect.expresses)


KEYS = {
    "ui_tars": {"back", "home", "recents"}, "ui_tars_1_5": {"back", "home"}, "aguvis": {"back", "home"},
    "ui_venus": {"back", "home", "enter", "recents"}, "ui_venus_1_5": {"back", "home", "enter", "recents"},
    "os_atlas": {"back", "home", "recents"}, "gui_r1": {"back", "home", "recents"}, "autoglm": {"back", "home"},
    "gui_odyssey_agent": {"back", "home", "recents"}, "magicgui": {"back", "home", "enter"}, "step_gui": set(),
}  # fmt: skip
STATUS = {
    "ui_tars": {"success"}, "ui_tars_1_5": {"success"}, "ui_venus": {"success"}, "ui_venus_1_5": {"success"},
    "autoglm": {"success"}, "aguvis": {"success", "failure", "infeasible"}, "os_atlas": {"success", "infeasible"},
    "gui_r1": {"success", "infeasible"}, "gui_odyssey_agent": {"success", "infeasible"},
    "magicgui": {"success", "infeasible"}, "step_gui": {"success", "infeasible"},
}  # fmt: skip


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_keys_and_endings(name: str) -> None:
    dialect = CALL_DIALECTS[name]
    assert {key for key in ("back", "home", "enter", "recents") if dialect.can_express(Press(key))} == KEYS[name]
    told = {s for s in ("success", "failure", "infeasible") if dialect.can_express(Finish(s))}
    assert told == STATUS[name]


@pytest.mark.parametrize("name", CALL_DIALECTS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("benchmark", ["android_control", "gui_odyssey"])
def test_swipes_keep_the_fingers_direction(name: str, direction: str, benchmark: str) -> None:
    dialect = CALL_DIALECTS[name]
    frame = dialect.frame_for((1080, 2400), benchmark)
    ends = {"up": (0.5, 0.2), "down": (0.5, 0.8), "left": (0.1, 0.5), "right": (0.9, 0.5)}[direction]
    for swipe in (
        Swipe(direction),  # type: ignore[arg-type]
        Swipe(direction, start=Point(0.5, 0.5)),  # type: ignore[arg-type]
        Swipe(start=Point(0.5, 0.5), end=Point(*ends)),
    ):
        action = dialect.parse(dialect.render(swipe, frame), frame).action
        assert isinstance(action, Swipe)
        assert action.finger == direction


@pytest.mark.parametrize("dialect", CALL_DIALECTS.values(), ids=CALL_DIALECTS)
def test_what_has_no_place_is_refused(dialect: Dialect) -> None:
    for action in (Click(Point(1.2, 0)), Click(Point(float("nan"), 0)), Click(Point(float("inf"), 0)), Swipe()):
        assert not dialect.can_express(action), action


def test_some_replies_to_the_letter() -> None:
    def said(name: str, action: Action, thought: str = "") -> str:
        dialect = CALL_DIALECTS[name]
        return dialect.render(action, dialect.frame_for((1080, 2400), "android_control"), thought)

    click = Click(Point(0.5, 0.25))
    assert said("ui_tars", click, "I tap.") == "Thought: I tap.\nAction: click(start_box='(500,250)')"
    assert said("ui_tars_1_5", click) == "Action: click(start_box='(546,602)')"
    assert said("ui_tars", Type("it's", submit=True)) == "Action: type(content='it\\'s\\n')"
    assert said("ui_tars", Swipe("up")) == "Action: scroll(direction='down')"
    assert said("os_atlas", click) == "actions:\nCLICK <point>[[500,250]]</point>"
    assert said("gui_r1", Wait()) == (
        "<think></think> <answer>[{'action': 'wait', 'point': [-100, -100], 'input_text': 'no input text'}]</answer>"
    )
    assert said("aguvis", click) == "pyautogui.click(x=0.5, y=0.25)"
    assert said("autoglm", click, "t") == '<think>t</think>\n<answer>do(action="Tap", element=[500,250])</answer>'
    assert said("gui_odyssey_agent", click) == "CLICK: (500, 250)"
    assert said("magicgui", click) == "tap(500,250)"
    assert said("magicgui", Type("a, b")) == "text(500,500,a, b)"
    assert said("step_gui", click, "t") == "<THINK> t </THINK>\nexplain:\taction:CLICK\tpoint:500,250\tsummary:"
