"""What each JSON family is shown, by structure: roles, order of parts, pictures, history form, where Low enters."""

from __future__ import annotations

import json

import pytest

from solar_eval.actions import Action, Click, OpenApp, Point, Press, Type
from solar_eval.dialects.base import Dialect
from solar_eval.dialects.json_dialects import JSON_DIALECTS
from solar_eval.dialects.prompting import Image, Message, PromptRequest, Text, Turn

SCREEN = (1080, 2400)
GOAL, LOW = "Set an alarm for seven", "Tap the plus sign"
ACTIONS: tuple[Action, ...] = (
    OpenApp("Clock"), Click(Point(0.5, 0.25)), Press("back"), Type("7:00"), Click(Point(0.1, 0.9)), Press("home"),
)  # fmt: skip
LOWS = tuple(f"low instruction {index}" for index in range(len(ACTIONS)))


def history(count: int) -> tuple[Turn, ...]:
    return tuple(Turn(ACTIONS[index], LOWS[index], "", index) for index in range(count))


def ask(name: str, level: str = "high", steps: int = 3, benchmark: str = "android_control") -> list[Message]:
    dialect = JSON_DIALECTS[name]
    frame = dialect.frame_for(SCREEN, benchmark)
    low = LOW if level == "low" else ""
    request = PromptRequest(GOAL, frame, level, low, history(steps), benchmark, steps)  # type: ignore[arg-type]
    return dialect.messages(request)


def text_of(messages: list[Message]) -> str:
    return "\n".join(part.text for message in messages for part in message.parts if isinstance(part, Text))


def images_of(messages: list[Message]) -> list[int]:
    return [part.index for message in messages for part in message.parts if isinstance(part, Image)]


def roles(messages: list[Message]) -> str:
    return "".join(message.role[0] for message in messages)


def order(message: Message) -> str:
    return "".join("t" if isinstance(part, Text) else "i" for part in message.parts)


ONE_TURN = {
    "qwen2_5_vl": ("su", "ti"), "qwen3_vl": ("su", "ti"), "solar": ("su", "ti"), "agentcpm_gui": ("su", "ti"),
    "mimo_vl": ("u", "it"), "glm_4_1v": ("u", "it"), "generic_json": ("su", "ti"), "generic_json_pixels": ("su", "ti"),
}  # fmt: skip
REPLACES_GOAL = {"qwen3_vl", "agentcpm_gui", "gui_owl", "gui_owl_1_5", "mai_ui", "glm_4_1v"}


@pytest.mark.parametrize("level", ["high", "low"])
@pytest.mark.parametrize("name", ONE_TURN)
def test_single_turn_families(name: str, level: str) -> None:
    messages = ask(name, level)
    assert (roles(messages), order(messages[-1])) == ONE_TURN[name]
    assert images_of(messages) == [3]
    assert JSON_DIALECTS[name].history_images == 1


@pytest.mark.parametrize("name", JSON_DIALECTS)
def test_where_low_enters(name: str) -> None:
    high, low = text_of(ask(name, "high")), text_of(ask(name, "low"))
    assert GOAL in high
    assert LOW not in high
    assert low.count(LOW) == 1
    assert (GOAL not in low) == (name in REPLACES_GOAL)


@pytest.mark.parametrize("name", JSON_DIALECTS)
@pytest.mark.parametrize("level", ["high", "low"])
@pytest.mark.parametrize("benchmark", ["android_control", "gui_odyssey", "android_world", ""])
@pytest.mark.parametrize("steps", [0, 1, 6])
def test_every_request_gives_well_formed_messages(name: str, level: str, benchmark: str, steps: int) -> None:
    messages = ask(name, level, steps, benchmark)
    assert messages[-1].role == "user"
    assert images_of(messages)[-1] == steps
    assert len(images_of(messages)) <= JSON_DIALECTS[name].history_images
    assert images_of(messages) == sorted(set(images_of(messages)))
    assert all(message.parts for message in messages)
    assert "None" not in text_of([message for message in messages if message.role == "assistant"])


@pytest.mark.parametrize("name", ["qwen2_5_vl", "gui_owl", "mimo_vl", "generic_json_pixels", "solar"])
def test_pixel_families_are_told_the_size_of_the_picture(name: str) -> None:
    width, height = JSON_DIALECTS[name].frame_for(SCREEN).image
    assert f"{width}x{height}" in text_of(ask(name))


@pytest.mark.parametrize(
    ("name", "stated"), [("qwen3_vl", "1000x1000"), ("gui_owl_1_5", "1000x1000"), ("mai_ui", "0 to 999")]
)
def test_relative_families_are_told_their_grid(name: str, stated: str) -> None:
    assert stated in text_of(ask(name))


def test_ui_s1_is_not_told_the_size() -> None:
    assert "1092" not in text_of(ask("ui_s1"))


def test_qwen2_5_history_is_calls_as_json_on_one_line() -> None:
    text = text_of(ask("qwen2_5_vl")[-1:])
    line = next(line for line in text.splitlines() if "Step 1:" in line)
    calls = [part.rsplit(";", 1)[0] for part in line.split("Step ")[1:]]
    assert [part.split(":", 1)[0] for part in calls] == ["1", "2", "3"]
    first = json.loads(calls[0].split(":", 1)[1])
    assert first == {"name": "mobile_use", "arguments": {"action": "open", "text": "Clock"}}
    assert "The user query:  " + GOAL in text


@pytest.mark.parametrize("name", ["qwen2_5_vl", "gui_owl"])
def test_answer_is_offered_on_live_benchmarks_only(name: str) -> None:
    assert '"answer"' not in text_of(ask(name, benchmark="android_control"))
    assert '"answer"' in text_of(ask(name, benchmark="android_world"))


def test_qwen3_history_is_action_sentences() -> None:
    dialect = JSON_DIALECTS["qwen3_vl"]
    reply = 'Thought: t\nAction: "Open the clock."\n<tool_call>\n{}\n</tool_call>'
    assert dialect.history_line(0, Turn(ACTIONS[0], "", reply), dialect.frame_for(SCREEN)) == "Step 1: Open the clock.;"
    assert "Step 1: low instruction 0; Step 2: low instruction 1;" in text_of(ask("qwen3_vl"))


def test_agentcpm_has_no_history_and_asks_in_its_tag() -> None:
    text = text_of(ask("agentcpm_gui"))
    assert f"<Question>{GOAL}</Question>" in text
    assert "low instruction" not in text
    assert f"<Question>{LOW}</Question>" in text_of(ask("agentcpm_gui", "low"))


def test_mimo_history_counts_from_0_and_adds_a_next_step_section() -> None:
    text = text_of(ask("mimo_vl"))
    assert '.Step 1: {"action": "click"' in text
    assert "Step 0: " in text
    assert "## Next step" not in text
    assert "## Next step" in text_of(ask("mimo_vl", "low"))
    assert "None" in text_of(ask("mimo_vl", steps=0))


def test_glm_history_is_whole_entries_from_step_0() -> None:
    text = text_of(ask("glm_4_1v"))
    assert "Step 0:\nMemory: None\nReason: low instruction 0\nAction: " in text
    assert "\n\nStep 1:\n" in text


def test_ui_s1_is_a_conversation_with_two_pictures() -> None:
    messages = ask("ui_s1", steps=3)
    assert roles(messages) == "suauauau"
    assert images_of(messages) == [2, 3]
    assert [order(message) for message in messages if message.role == "user"] == ["t", "t", "ti", "ti"]
    assert GOAL in text_of(messages[1:2])
    assert GOAL not in text_of(messages[2:])
    assert text_of(messages[2:3]).startswith("<think>\nlow instruction 0\n</think>\n<action>")
    low = ask("ui_s1", "low")
    assert LOW in text_of(low[-1:])


def test_gui_owl_is_a_conversation_on_android_control_high_only() -> None:
    messages = ask("gui_owl", steps=3)
    assert roles(messages) == "suauauau"
    assert images_of(messages) == [2, 3]
    for level, benchmark in [("low", "android_control"), ("high", "gui_odyssey"), ("high", "android_world")]:
        single = ask("gui_owl", level, 3, benchmark)
        assert (roles(single), order(single[-1]), images_of(single)) == ("su", "ti", [3])
        assert "Step 3: low instruction 2;" in text_of(single)


def test_gui_owl_tells_its_own_conclusions() -> None:
    dialect = JSON_DIALECTS["gui_owl"]
    reply = '<tool_call>\n{}\n</tool_call>\n<conclusion>\nTapped "OK"\n</conclusion>'
    assert dialect.history_line(1, Turn(ACTIONS[1], "low", reply), dialect.frame_for(SCREEN)) == "Step 2: Tapped OK;"


def test_gui_owl_1_5_keeps_five_pictures_and_tells_the_rest() -> None:
    messages = ask("gui_owl_1_5", steps=6)
    assert images_of(messages) == [2, 3, 4, 5, 6]
    assert roles(messages) == "suauauauau"
    first = text_of(messages[1:2])
    assert "Step 1: low instruction 0\nStep 2: low instruction 1" in first
    assert "Step 3" not in first
    assert "None" in text_of(ask("gui_owl_1_5", steps=2)[1:2])
    assert roles(ask("gui_owl_1_5", "low", 6)) == "su"


def test_mai_ui_keeps_all_replies_and_three_pictures() -> None:
    messages = ask("mai_ui", steps=4)
    assert roles(messages) == "su" + "aa" + "uaua" + "u"
    assert images_of(messages) == [2, 3, 4]
    assert order(messages[1]) == "t"
    assert text_of(messages[1:2]) == GOAL
    told = text_of(messages[2:3])
    assert told == (
        "<thinking>\nlow instruction 0\n</thinking>\n<tool_call>\n"
        '{"name":"mobile_use","arguments":{"action":"open","text":"Clock"}}\n</tool_call>'
    )


def test_own_replies_stand_in_the_conversation() -> None:
    dialect = JSON_DIALECTS["ui_s1"]
    reply = '<action>\n{"action": "wait"}\n</action>'
    request = PromptRequest(GOAL, dialect.frame_for(SCREEN), history=(Turn(ACTIONS[0], "low", reply, 0),), image=1)
    assert dialect.messages(request)[2] == Message("assistant", (Text(reply),))


@pytest.mark.parametrize("name", JSON_DIALECTS)
def test_the_wording_names_every_verb_it_can_say(name: str) -> None:
    """The verbs of every simple rendered action stand in the prompt, so that the model knows them."""
    dialect: Dialect = JSON_DIALECTS[name]
    frame = dialect.frame_for(SCREEN)
    text = text_of(ask(name, benchmark="android_world"))
    for action in ACTIONS:
        if not dialect.can_express(action):
            continue
        reply = dialect.render(action, frame)
        value = json.JSONDecoder().raw_decode(reply, reply.index("{"))[0]
        said = value.get("arguments", value)
        verb = said.get("action") or said.get("action_type") or next(iter(said))
        assert f'"{verb}"' in text, verb


@pytest.mark.parametrize("name", JSON_DIALECTS)
def test_templates_are_ours_and_hashed(name: str) -> None:
    template = JSON_DIALECTS[name].template()
    assert template.origin == "ours"
    assert len(template.sha256) == 64
