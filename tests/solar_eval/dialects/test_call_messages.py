"""Messages of the families of calls, by structure: roles, order of the parts, where Low goes, how many pictures."""

from __future__ import annotations

import pytest

from solar_eval.actions import Click, OpenApp, Point, Swipe, Type
from solar_eval.dialects.call_dialects import CALL_DIALECTS
from solar_eval.dialects.prompting import Image, Level, Message, PromptRequest, PromptTemplate, Text, Turn

GOAL, LOW = "Set an alarm for 7:30", "Tap the plus sign"
HISTORY = (
    Turn(OpenApp("Clock"), "Open the clock app", image=0),
    Turn(Click(Point(0.5, 0.25)), "Tap the alarm tab", image=1),
    Turn(Swipe("up"), "Swipe up", image=2),
    Turn(Type("a"), "Type a", image=3),
    Turn(Click(Point(0.1, 0.2)), "Tap the first one", image=4),
    Turn(Click(Point(0.3, 0.4)), "Tap the second one", image=5),
)


def messages(name: str, level: Level, history: tuple[Turn, ...] = HISTORY) -> list[Message]:
    dialect = CALL_DIALECTS[name]
    frame = dialect.frame_for((1080, 2400), "android_control")
    return dialect.messages(PromptRequest(GOAL, frame, level, LOW, history, "android_control", len(history)))


def shape(found: list[Message]) -> list[str]:
    """`user:text,image` for each message."""
    return [f"{m.role}:" + ",".join("image" if isinstance(p, Image) else "text" for p in m.parts) for m in found]


def text(found: list[Message], role: str = "") -> str:
    return "\n".join(p.text for m in found if role in ("", m.role) for p in m.parts if isinstance(p, Text))


def pictures(found: list[Message]) -> list[int]:
    return [p.index for m in found for p in m.parts if isinstance(p, Image)]


SHAPES = {
    "ui_venus": ["system:text", "user:text,image"],
    "ui_venus_1_5": ["system:text", "user:text,image"],
    "os_atlas": ["user:text,image,text"],
    "gui_r1": ["user:image,text"],
    "aguvis": ["system:text", "user:image,text"],
    "gui_odyssey_agent": ["system:text", "user:text,image,text,image,image,image,image,text"],
    "magicgui": ["user:image,text"],
    "step_gui": ["user:text,image,text"],
}


@pytest.mark.parametrize("name", SHAPES)
def test_single_turn_families(name: str) -> None:
    high = messages(name, "high")
    assert shape(high) == SHAPES[name]
    assert GOAL in text(high)
    assert LOW not in text(high)
    assert pictures(high)[-1 if name != "gui_odyssey_agent" else 0] == len(HISTORY)


@pytest.mark.parametrize("name", ["ui_tars", "ui_tars_1_5"])
def test_ui_tars_shows_four_steps_and_the_current_picture(name: str) -> None:
    high = messages(name, "high")
    assert shape(high) == ["system:text", "user:text", *["user:image", "assistant:text"] * 4, "user:image"]
    assert pictures(high) == [2, 3, 4, 5, 6]
    replies = [p.text for m in high if m.role == "assistant" for p in m.parts if isinstance(p, Text)]
    assert replies[0].startswith("Thought: Swipe up\nAction: scroll(")
    assert "<|box_start|>(" in replies[-1]
    low = messages(name, "low")
    assert shape(low) == [*shape(high), "assistant:text"]
    assert low[-1].parts == (Text(f"Thought: {LOW}\nAction:"),)
    assert GOAL in text(low, "user")


def test_ui_tars_keeps_its_own_replies() -> None:
    history = (Turn(Click(Point(0.5, 0.5)), "low", "Thought: mine\nAction: click(start_box='(500,500)')", 0),)
    found = text(messages("ui_tars", "high", history), "assistant")
    assert found == "Thought: mine\nAction: click(start_box='<|box_start|>(500,500)<|box_end|>')"


def test_ui_tars_tells_an_action_it_has_no_words_for() -> None:
    history = (Turn(Type("x", point=Point(0.5, 0.5)), "", "", 0),)
    assert "Action: " in text(messages("ui_tars", "high", history), "assistant")


def test_autoglm_keeps_replies_and_only_the_newest_picture() -> None:
    high = messages("autoglm", "high")
    assert shape(high) == ["system:text", *["user:text", "assistant:text"] * 6, "user:image,text"]
    assert pictures(high) == [6]
    assert text(high, "assistant").count("<answer>do(") == 6
    assert text(high, "user").startswith(f'{GOAL}\n\n{{"current_app"')
    assert shape(messages("autoglm", "high", ())) == ["system:text", "user:image,text"]
    assert LOW in text(messages("autoglm", "low"), "user")


@pytest.mark.parametrize("name", ["ui_venus", "ui_venus_1_5", "gui_odyssey_agent", "magicgui", "gui_r1"])
def test_low_takes_the_goals_place(name: str) -> None:
    low = text(messages(name, "low"))
    assert LOW in low
    assert GOAL not in low


def test_low_of_the_others() -> None:
    assert f"{GOAL} You need to: {LOW}" in text(messages("os_atlas", "low"))
    aguvis = messages("aguvis", "low")
    assert aguvis[-1] == Message("assistant", (Text(f"all\nAction: {LOW}\n"),))
    assert GOAL in text(aguvis, "user")
    step = text(messages("step_gui", "low"))
    assert GOAL in step
    assert LOW in step


def test_history_forms() -> None:
    venus = text(messages("ui_venus", "high"))
    assert "Step 0: <think></think><action>Launch(app='Clock')</action>" in venus
    assert "Step 0" not in text(messages("ui_venus_1_5", "high"))  # five of six
    assert "Step 1: <think></think><action>Click(" in text(messages("ui_venus_1_5", "high"))
    assert "Step 1: Open the clock app\nStep 2: Tap the alarm tab" in text(messages("os_atlas", "high"))
    assert "Step 1: Open the clock app" in text(messages("gui_r1", "high"))
    assert "Open the clock app" not in text(messages("gui_r1", "low"))
    assert "Step 1: Open the clock app" in text(messages("aguvis", "high"))
    odyssey = text(messages("gui_odyssey_agent", "high"))
    assert "1. SCROLL: UP\n2. TYPE: a\n3. CLICK: (100, 200)\n4. CLICK: (300, 400)" in odyssey
    assert pictures(messages("gui_odyssey_agent", "high")) == [6, 2, 3, 4, 5]
    assert '"Open the clock app\nTap the alarm tab' in text(messages("magicgui", "low"))
    assert "Open the clock app; Tap the alarm tab" in text(messages("step_gui", "high"))


def test_step_gui_carries_the_last_replys_summary() -> None:
    reply = "<THINK> t </THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:clock is open"
    found = text(messages("step_gui", "high", (Turn(Click(Point(0, 0)), "low", reply, 0),)))
    assert "clock is open" in found
    assert "low" not in found


def test_ui_venus_history_of_its_own_replies() -> None:
    reply = "<think>a b</think>\n<action>PressBack()</action>\n<conclusion>c</conclusion>"
    found = text(messages("ui_venus", "high", (Turn(Click(Point(0, 0)), "low", reply, 0),)))
    assert "Step 0: <think>a b</think><action>PressBack()</action>" in found


@pytest.mark.parametrize("name", CALL_DIALECTS)
@pytest.mark.parametrize("level", ["high", "low"])
@pytest.mark.parametrize("benchmark", ["android_control", "gui_odyssey", "", "pocket"])
def test_templates_render_without_history(name: str, level: Level, benchmark: str) -> None:
    dialect = CALL_DIALECTS[name]
    frame = dialect.frame_for((1080, 2400), benchmark)
    found = dialect.messages(PromptRequest(GOAL, frame, level, LOW, (), benchmark, 0))
    assert pictures(found) == [0]
    assert found[-1].role == (
        "assistant" if level == "low" and name in ("ui_tars", "ui_tars_1_5", "aguvis") else "user"
    )
    assert "{{" not in text(found)
    assert "<image>" not in text(found)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_users_wording_replaces_ours(name: str) -> None:
    dialect = CALL_DIALECTS[name]
    frame = dialect.frame_for((1080, 2400))
    wording = PromptTemplate("{% block user %}MY WORDS {{ goal }}{% endblock %}", "mine")
    found = dialect.messages(PromptRequest(GOAL, frame, "high", "", (), "", 0), wording)
    assert text(found).startswith("MY WORDS")
    assert found[0].role == "user"
    assert pictures(found) == [0]


def test_a_goal_that_holds_the_picture_mark_does_not_move_the_picture() -> None:
    dialect = CALL_DIALECTS["aguvis"]
    frame = dialect.frame_for((1080, 2400))
    found = dialect.messages(PromptRequest("find <image> tags", frame, "high", "", (), "", 0))
    assert shape(found) == ["system:text", "user:image,text"]
