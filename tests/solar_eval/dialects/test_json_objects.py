# ruff: noqa: E501  one reply a line
"""The families whose reply is a JSON object of their own: AgentCPM-GUI, MiMo-VL, GLM, and hosted models."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solar_eval.actions import (
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
from solar_eval.dialects.base import CannotExpress, Parsed
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_dialects import JSON_DIALECTS
from solar_eval.dialects.table import DIALECTS

FRAME = Frame((1000, 2000), (1000, 2000))
HEAD = "Memory: None\nReason: r\nAction: "


def parse(name: str, text: str, frame: Frame = FRAME) -> Parsed:
    return DIALECTS[name].parse(text, frame)


def said(action: Action | None) -> Action | None:
    """A finger's word beside the finger's direction says nothing more; only words of the other sense are kept."""
    if isinstance(action, Swipe) and action.word == action.direction:
        return replace(action, word=None)
    return action


VALID: list[tuple[str, str, Action]] = [
    ("agentcpm_gui", '{"thought":"点击搜索框","POINT":[512,96]}', Click(Point(0.512, 0.096))),
    ("agentcpm_gui", '{"POINT":[512,96],"duration":200}', Click(Point(0.512, 0.096))),
    ("agentcpm_gui", '{"thought":"长按","POINT":[512,96],"duration":1000}', LongPress(Point(0.512, 0.096), 1000)),
    ("agentcpm_gui", '{"thought":"继续浏览","POINT":[500,700],"to":"up"}', Swipe("up", Point(0.5, 0.7), word="up")),
    ("agentcpm_gui", '{"POINT":[500,700],"to":[500,100]}', Swipe(start=Point(0.5, 0.7), end=Point(0.5, 0.1))),
    ("agentcpm_gui", '{"thought":"等待加载","duration":1500}', Wait(1.5)),
    ("agentcpm_gui", '{"thought":"已完成","STATUS":"finish"}', Finish()),
    ("agentcpm_gui", '{"STATUS":"satisfied"}', Finish()),
    ("agentcpm_gui", '{"STATUS":"impossible"}', Finish("infeasible")),
    ("agentcpm_gui", '{"STATUS":"interrupt"}', Finish("failure")),
    ("agentcpm_gui", '{"STATUS":"need_feedback"}', CallUser()),
    ("agentcpm_gui", '{"PRESS":"BACK","STATUS":"continue"}', Press("back")),
    ("agentcpm_gui", '{"TYPE":" a "}', Type(" a ")),
    ("mimo_vl", '<think>tap login</think>[{"action": "click", "start_point": [540, 1220]}]', Click(Point(0.54, 0.61))),
    ("mimo_vl", '[{"action": "press", "keys": ["back"]}]', Press("back")),
    ("mimo_vl", '[{"action": "drag", "start_point": [540, 1700], "end_point": [540, 500]}]',
     Swipe(start=Point(0.54, 0.85), end=Point(0.54, 0.25))),
    ("mimo_vl", '```json\n[{"action": "finished", "status": "failed"}]\n```', Finish("failure")),
    ("mimo_vl", '{"action": "input", "text": "```"}', Type("```")),
    ("glm_4_1v", HEAD + '<|begin_of_box|>{"action_type": "open_app", "app_name": "Clock"}<|end_of_box|>', OpenApp("Clock")),
    ("glm_4_1v", HEAD + '{"action_type": "click", "box_2d": [[0, 0, 999, 999]]}', Click(Point(0.5, 0.5))),
    ("glm_4_1v", HEAD + '{"action_type": "swipe", "direction": "up"}', Swipe("up", word="up")),
    ("glm_4_1v", HEAD + '{"action_type": "status", "goal_status": "infeasible"}', Finish("infeasible")),
    ("glm_4_1v", HEAD + '{"action_type": "input_text", "text": "a", "box_2d": [[999, 0, 999, 0]], "override": true}',
     Type("a", Point(1, 0), submit=True, clear=True)),
    ("glm_4_1v", "<think>Memory: Reason: Action: {}</think>" + HEAD + '{"action_type": "wait"}', Wait()),
    ("generic_json", '{"action": "click", "point": [500, 250]}', Click(Point(0.5, 0.25))),
    ("generic_json", '{"thought": "t", "action": "double_tap", "point": [500, 250]}', DoubleTap(Point(0.5, 0.25))),
    ("generic_json", '{"action": "swipe", "direction": "left"}', Swipe("left", word="left")),
    ("generic_json", '{"action": "type", "text": "a", "submit": true}', Type("a", submit=True)),
    ("generic_json_pixels", '{"action": "click", "point": [500, 500]}', Click(Point(0.5, 0.25))),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "action"), VALID)
def test_valid_replies_are_strict(name: str, text: str, action: Action) -> None:
    parsed = parse(name, text)
    assert said(parsed.action) == said(action)
    assert parsed.strict_ok
    assert parsed.flags == ()


LENIENT: list[tuple[str, str, Action, set[str]]] = [
    ("agentcpm_gui", '{"POINT":[512.5,96]}', Click(Point(0.5125, 0.096)), {"repaired"}),
    ("agentcpm_gui", '{"POINT":[1020,96]}', Click(Point(1.02, 0.096)), {"out_of_range"}),
    ("agentcpm_gui", '{"thought":"..","POINT":[1,2],"TYPE":"abc"}', Click(Point(0.001, 0.002)), {"multi_action"}),
    ("agentcpm_gui", '{"POINT":[1,2],"action":"CLICK"}', Click(Point(0.001, 0.002)), {"repaired"}),
    ("agentcpm_gui", '{"POINT":[0,0,1000,1000]}', Click(Point(0.5, 0.5)), {"box_as_point"}),
    ("agentcpm_gui", '{"point":[500,500]}', Click(Point(0.5, 0.5)), {"repaired"}),
    ("agentcpm_gui", '```json\n{"POINT":[500,500]}\n```', Click(Point(0.5, 0.5)), {"no_wrapper"}),
    ("agentcpm_gui", "{'POINT':[500,500]}", Click(Point(0.5, 0.5)), {"repaired"}),
    ("agentcpm_gui", '{"POINT":[500,500]', Click(Point(0.5, 0.5)), {"repaired", "truncated"}),
    ("agentcpm_gui", '{"to":"up"}', Swipe("up", word="up"), {"repaired"}),
    ("agentcpm_gui", '{"PRESS":"APPSELECT"}', Press("recents"), {"outside_prompt"}),
    ("agentcpm_gui", '{"POINT":[500,500],"STATUS":"start"}', Click(Point(0.5, 0.5)), {"outside_prompt"}),
    ("agentcpm_gui", '{"duration":"1500"}', Wait(1.5), {"repaired"}),
    ("agentcpm_gui", '{"PRESS":"back"}', Press("back"), {"repaired"}),
    ("mimo_vl", "[{'action': 'wait'}]", Wait(), {"repaired"}),
    ("mimo_vl", '[{"action": "click", "point": [540, 1220]}]', Click(Point(0.54, 0.61)), {"repaired"}),
    ("mimo_vl", '[{"action": "wait"}, {"action": "wait"}]', Wait(), {"multi_action"}),
    ("mimo_vl", 'I wait. [{"action": "wait"}]', Wait(), {"no_wrapper"}),
    ("mimo_vl", '[{"action": "open", "app_name": "Clock"}]', OpenApp("Clock"), {"outside_prompt", "repaired"}),
    ("mimo_vl", '[{"action": "scroll", "direction": "down"}]', Swipe("up", word="down"), {"outside_prompt"}),
    ("mimo_vl", '[{"action": "press", "keys": "back"}]', Press("back"), {"repaired"}),
    ("glm_4_1v", 'Action: {"action_type": "click", "box_2d": [0, 0, 999, 999]}', Click(Point(0.5, 0.5)), {"repaired"}),
    ("glm_4_1v", 'Action: {"action_type": "click", "box_2d": [[0, 0, 999, 999]]}', Click(Point(0.5, 0.5)), {"no_wrapper"}),
    ("glm_4_1v", HEAD + '{"action_type": "click", "box_2d": [[999, 999]]}', Click(Point(1, 1)), {"repaired"}),
    ("glm_4_1v", HEAD + '<|begin_of_box|> {"action_type": "wait"}<|end_of_box|>', Wait(), {"no_wrapper"}),
    ("glm_4_1v", HEAD + '{"action_type": "input_text", "text": "a", "override": false}', Type("a", submit=True), {"repaired"}),
    ("glm_4_1v", HEAD + "{'action_type': 'wait'}", Wait(), {"repaired"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "action", "flags"), LENIENT)
def test_near_misses_are_read_flagged_and_not_strict(name: str, text: str, action: Action, flags: set[str]) -> None:
    parsed = parse(name, text)
    assert said(parsed.action) == said(action)
    assert set(parsed.flags) == flags
    assert not parsed.strict_ok


FAULTS: list[tuple[str, str, str]] = [
    ("agentcpm_gui", '{"STATUS":"continue"}', "no_action"),
    ("agentcpm_gui", '{"thought":"嗯"}', "no_action"),
    ("agentcpm_gui", '{"POINT":[1,1200]}', "out_of_range"),
    ("agentcpm_gui", '{"POINT":[512]}', "bad_coordinate"),
    ("agentcpm_gui", '{"POINT":[x,y]}', "placeholder_coordinate"),
    ("agentcpm_gui", '{"POINT":[512,96', "bad_coordinate"),
    ("agentcpm_gui", '{"to":[500,500]}', "missing_argument"),
    ("agentcpm_gui", '{"POINT":[1,2],"to":"north"}', "bad_coordinate"),
    ("agentcpm_gui", '{"STATUS":"maybe"}', "malformed"),
    ("agentcpm_gui", '{"PRESS":"VOLUME_UP"}', "unsupported_action"),
    ("agentcpm_gui", "[{'Type': 'Type'}]", "malformed"),
    ("agentcpm_gui", "点击搜索框", "no_action"),
    ("mimo_vl", '[{"action": "hover", "start_point": [1, 2]}]', "unsupported_action"),
    ("mimo_vl", '[{"action": "fly"}]', "unknown_action"),
    ("mimo_vl", '[{"action": "click"}]', "missing_argument"),
    ("mimo_vl", '[{"action": "press", "keys": ["volume_up"]}]', "unsupported_action"),
    ("mimo_vl", "[]", "no_action"),
    ("glm_4_1v", HEAD + '{"action_type": "tap", "box_2d": [[1,2,3,4]]}', "unknown_action"),
    ("glm_4_1v", HEAD + '{"action_type": "click"}', "missing_argument"),
    ("glm_4_1v", HEAD + '{"action_type": "swipe", "direction": "away"}', "malformed"),
    ("glm_4_1v", "Memory: None\nReason: Action needed", "no_action"),
    ("generic_json", '{"action": "hover", "point": [1, 2]}', "unsupported_action"),
    ("generic_json", '{"action": "fly"}', "unknown_action"),
    ("generic_json", '{"action": "click"}', "missing_argument"),
    ("generic_json", '{"action": "click", "x": 5}', "bad_coordinate"),
    ("generic_json", '{"action": "click", "y": 5}', "bad_coordinate"),
    ("generic_json", '{"action": "click", "point": "[x, y]"}', "placeholder_coordinate"),
    ("generic_json", '{"action": "press", "key": "volume_up"}', "unsupported_action"),
    ("generic_json", '{"action": "press"}', "missing_argument"),
    ("generic_json", '{"thought": "hm"}', "no_action"),
    ("generic_json", '{"direction": "down", "start_x": 5, "start_y": 900, "end_x": 5, "end_y": 100}', "bad_coordinate"),
    ("generic_json", '{"abcdefgh":' * 3000, "malformed"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code"), FAULTS)
def test_faults(name: str, text: str, code: str) -> None:
    parsed = parse(name, text)
    assert parsed.action is None
    assert parsed.fault is not None
    assert parsed.fault.code == code


HALF = Point(0.5, 0.25)
SHAPES: list[tuple[str, Action]] = [
    ('{"name": "Tap", "arguments": {"x": 500, "y": 250}}', Click(HALF)),
    ('{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [500, 250]}}', Click(HALF)),
    ('{"name": "click", "arguments": "{\\"point\\": [500, 250]}"}', Click(HALF)),
    ('{"action": "tap", "coordinate": "500, 250"}', Click(HALF)),
    ('{"action": "tap", "action_input": {"x": 500, "y": 250}}', Click(HALF)),
    ('{"action": {"type": "click", "x": 500, "y": 250}}', Click(HALF)),
    ('{"click": {"x": 500, "y": 250}}', Click(HALF)),
    ('{"tap": [500, 250]}', Click(HALF)),
    ('{"tool_calls": [{"function": {"name": "tap", "arguments": "{\\"x\\": 500, \\"y\\": 250}"}}]}', Click(HALF)),
    ('[{"action_type": "click", "box_2d": [400, 200, 600, 300]}]', Click(HALF)),
    ('{"bbox": {"x1": 400, "y1": 200, "x2": 600, "y2": 300}}', Click(HALF)),
    ('{"element": "the button", "position": {"x": 500, "y": 250}}', Click(HALF)),
    ('{"result": [500, 250]}', Click(HALF)),
    ('{"action": "long_click", "point": [500, 250]}', LongPress(HALF)),
    ('{"action": "input_text", "text": "a b", "x": 500, "y": 250, "press_enter": true}', Type("a b", HALF, submit=True)),
    ('{"action": "launch_app", "app_name": "Clock"}', OpenApp("Clock")),
    ('{"action": "navigate_back"}', Press("back")),
    ('{"action": "press", "key": "KEYCODE_APP_SWITCH"}', Press("recents")),
    ('{"action": "scroll", "direction": "down"}', Swipe("up", word="down")),
    ('{"action": "fling", "direction": "down"}', Swipe("down", word="down")),
    ('{"action": "scroll_down"}', Swipe("up", word="down")),
    ('{"action": "swipe", "x1": 500, "y1": 800, "x2": 500, "y2": 200}', Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))),
    ('{"action": "drag", "from": [500, 800], "to": [500, 200]}', Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))),
    ('{"action": "done", "success": false}', Finish("failure")),
    ('{"action_type": "status", "goal_status": "infeasible"}', Finish("infeasible")),
    ('{"action": "answer", "message": "14:30"}', Answer("14:30")),
    ('{"action": "ask_user", "question": "Which?"}', CallUser("Which?")),
    ('Sure!\n```json\n{"action": "wait", "time": 2}\n```', Wait(2)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "action"), SHAPES)
def test_shapes_of_hosted_models(text: str, action: Action) -> None:
    parsed = parse("generic_json", text)
    assert said(parsed.action) == said(action)
    assert not parsed.strict_ok
    assert parsed.flags


junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["x", "[x, y]", "click"]),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["x", "y", "action", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", JSON_DIALECTS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_value_under_any_key_is_data(name: str, data: st.DataObject) -> None:
    """Every key of a proper reply once with anything else in its place: an action or a fault, never an exception."""
    dialect = JSON_DIALECTS[name]
    said = [action for action in SAID if action.kind in dialect.expresses]
    reply = dialect.render(data.draw(st.sampled_from(said)), FRAME)
    start = reply.index("{")
    value, end = json.JSONDecoder().raw_decode(reply, start)
    holder = value
    while isinstance(holder.get("arguments"), dict) and data.draw(st.booleans()):
        holder = holder["arguments"]
    holder[data.draw(st.sampled_from([*holder, "x", "POINT", "coordinate", "arguments"]))] = data.draw(junk)
    parsed = dialect.parse(reply[:start] + json.dumps(value) + reply[end:], FRAME)
    assert (parsed.action is None) != (parsed.fault is None)
    if parsed.strict_ok:
        assert set(parsed.flags) <= {"box_as_point"}
    elif parsed.action is not None:
        assert parsed.flags


SAID: list[Action] = [
    Click(HALF), LongPress(HALF), Swipe("up"), Swipe(start=Point(0.5, 0.9), end=HALF), Type("a"), Press("back"), Wait(),
    Finish(), OpenApp("a"), Answer("a"),
]  # fmt: skip


def test_generic_scroll_words_follow_the_frame() -> None:
    frame = Frame((1000, 2000), (1000, 2000), "finger")
    parsed = parse("generic_json", '{"action": "scroll", "direction": "down"}', frame)
    assert said(parsed.action) == Swipe("down")


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("agentcpm_gui", OpenApp("Clock")),
        ("agentcpm_gui", Press("recents")),
        ("agentcpm_gui", Answer("a")),
        ("mimo_vl", OpenApp("Clock")),
        ("mimo_vl", Finish("infeasible")),
        ("glm_4_1v", Press("recents")),
        ("glm_4_1v", Finish("failure")),
        ("glm_4_1v", DoubleTap(HALF)),
    ],
)
def test_what_a_family_cannot_say(name: str, action: Action) -> None:
    with pytest.raises(CannotExpress):
        DIALECTS[name].render(action, FRAME)


def test_agentcpm_writes_compact_json() -> None:
    text = DIALECTS["agentcpm_gui"].render(Click(HALF), FRAME, "点击")
    assert text == '{"thought":"点击","POINT":[500,250]}'
    assert list(json.loads(text)) == ["thought", "POINT"]


def test_the_thought_is_kept() -> None:
    assert parse("agentcpm_gui", '{"thought":"嗯","PRESS":"HOME"}').thought == "嗯"
    assert parse("glm_4_1v", HEAD + '{"action_type": "wait"}').thought == "r"
    assert parse("mimo_vl", '<think>hm</think>[{"action": "wait"}]').thought == "hm"
