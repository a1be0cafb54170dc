# ruff: noqa: E501  one reply a line
"""The families that call `mobile_use`: their cards' valid and invalid replies, and every near miss we read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solar_eval.actions import (
    Action,
    Answer,
    CallUser,
    Click,
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
from solar_eval.dialects.table import DIALECTS, get

FRAME = Frame((1000, 2000), (1000, 2000))


def parse(name: str, text: str) -> Parsed:
    return DIALECTS[name].parse(text, FRAME)


def call(arguments: str, name: str = '"mobile_use"') -> str:
    return f'<tool_call>\n{{"name": {name}, "arguments": {arguments}}}\n</tool_call>'


def qwen(arguments: str) -> Parsed:
    return parse("qwen2_5_vl", call(arguments))


def said(action: Action | None) -> Action | None:
    """A finger's word beside the finger's direction says nothing more; only words of the other sense are kept."""
    if isinstance(action, Swipe) and action.word == action.direction:
        return replace(action, word=None)
    return action


VALID: list[tuple[str, str, Action]] = [
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [310, 842]}'), Click(Point(0.31, 0.421))),
    (
        "qwen2_5_vl",
        "The list goes on.\n" + call('{"action": "swipe", "coordinate": [540, 1700], "coordinate2": [540, 600]}'),
        Swipe(start=Point(0.54, 0.85), end=Point(0.54, 0.3)),
    ),
    ("qwen2_5_vl", call('{"action": "system_button", "button": "Back"}'), Press("back")),
    ("qwen2_5_vl", call('{"action": "system_button", "button": "Menu"}'), Press("recents")),
    ("qwen2_5_vl", call('{"action": "open", "text": "Clock"}'), OpenApp("Clock")),
    ("qwen2_5_vl", call('{"action": "answer", "text": "14:30"}'), Answer("14:30")),
    ("qwen2_5_vl", call('{"action": "wait", "time": 2}'), Wait(2)),
    ("qwen2_5_vl", call('{"action": "terminate", "status": "failure"}'), Finish("failure")),
    (
        "qwen2_5_vl",
        call('{"action": "long_press", "coordinate": [100, 200], "time": 1.5}'),
        LongPress(Point(0.1, 0.1), 1500),
    ),
    ("qwen2_5_vl", call('{"action": "type", "text": " a, \\"b\\" "}') + "<|im_end|>", Type(' a, "b" ')),
    (
        "qwen3_vl",
        "Thought: The list continues below.\nAction: Scroll the list further down.\n"
        + call('{"action": "swipe", "coordinate": [1000, 1000], "coordinate2": [1000, 0]}'),
        Swipe(start=Point(1, 1), end=Point(1, 0)),
    ),
    (
        "qwen3_vl",
        "some reasoning</think>\n\nThought: t\nAction: a\n" + call('{"action": "answer", "text": "14:30"}'),
        Answer("14:30"),
    ),
    ("solar", "<think>\nhm\n</think>\n" + call('{"action": "open", "text": "Clock"}'), OpenApp("Clock")),
    (
        "ui_s1",
        '<think>\nThe app must be opened.\n</think>\n<action>\n{"action": "open", "text": "Clock"}\n</action>',
        OpenApp("Clock"),
    ),
    (
        "ui_s1",
        '<action>\n{"action": "swipe", "coordinate": [546, 1800], "coordinate2": [546, 600]}\n</action>',
        Swipe(start=Point(0.546, 0.9), end=Point(0.546, 0.3)),
    ),
    ("ui_s1", '<action>{"action": "wait", "time": 2}</action>', Wait(2)),
    (
        "gui_owl",
        "<thinking>\nNeed settings\n</thinking>\n"
        + call('{"action": "click", "coordinate": [92, 1510]}')
        + "\n<conclusion>\nTapped Settings\n</conclusion>",
        Click(Point(0.092, 0.755)),
    ),
    ("gui_owl", call('{"action": "click", "coordinate": [92, 1510]}'), Click(Point(0.092, 0.755))),
    ("gui_owl_1_5", "Action: Open the calendar.\n" + call('{"action": "open", "text": "Calendar"}'), OpenApp("Calendar")),
    ("gui_owl_1_5", "Action: Ask.\n" + call('{"action": "interact", "text": "log in"}'), CallUser("log in")),
    (
        "mai_ui",
        "<thinking>\nOpen Clock first.\n</thinking>\n" + call('{"action": "open", "text": "Clock"}'),
        OpenApp("Clock"),
    ),
    (
        "mai_ui",
        "<thinking>\nt\n</thinking>\n" + call('{"action": "swipe", "direction": "up", "coordinate": [999, 999]}'),
        Swipe("up", Point(1, 1), word="up"),
    ),
    (
        "mai_ui",
        "<thinking>\nt\n</thinking>\n"
        + call('{"action": "drag", "start_coordinate": [0, 999], "end_coordinate": [0, 0]}'),
        Swipe(start=Point(0, 1), end=Point(0, 0)),
    ),
    ("mai_ui", "<thinking>\nt\n</thinking>\n" + call('{"action": "terminate", "status": "fail"}'), Finish("failure")),
    ("mai_ui", "<thinking>t</thinking><tool_call>" + '{"name": "mobile_use", "arguments": {"action": "wait"}}</tool_call>', Wait()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "action"), VALID)
def test_valid_replies_are_strict(name: str, text: str, action: Action) -> None:
    parsed = parse(name, text)
    assert said(parsed.action) == said(action)
    assert parsed.strict_ok
    assert parsed.flags == ()


LENIENT: list[tuple[str, str, Action, set[str]]] = [
    # brackets, quotes, names
    ("qwen2_5_vl", "<tool_call>{'name': 'mobile_use', 'arguments': {'action': 'wait'}}</tool_call>", Wait(), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "wait",}'), Wait(), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "wait"}}'), Wait(), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "wait"}', "null"), Wait(), {"repaired"}),
    ("qwen2_5_vl", '<tool_call>\n{"arguments": {"action": "wait"}}\n</tool_call>', Wait(), {"repaired"}),
    ("qwen2_5_vl", '<tool_call>\n{"action": "wait"}\n</tool_call>', Wait(), {"repaired"}),
    ("qwen2_5_vl", call('"{\\"action\\": \\"wait\\"}"'), Wait(), {"repaired"}),
    ("qwen2_5_vl", '<tool_call>\n{"name": "wait", "arguments": {"time": 1}}\n</tool_call>', Wait(1), {"repaired"}),
    ("qwen2_5_vl", '<tool_call>\n[{"name": "mobile_use", "arguments": {"action": "wait"}}]\n</tool_call>', Wait(), {"repaired"}),
    ("qwen2_5_vl", '<tool_call>\n{"type": "function", "function": {"name": "mobile_use", "arguments": {"action": "wait"}}}\n</tool_call>', Wait(), {"repaired"}),
    ("qwen2_5_vl", '<tool_call>\n```json\n{"name": "mobile_use", "arguments": {"action": "wait"}}\n```\n</tool_call>', Wait(), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "type", "text": "say "hi""}'), Type('say "hi"'), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "type", "text": "a\nb"}'), Type("a\nb"), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "Click", "coordinate": [500, 1000]}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "left_click", "coordinate": [500, 1000]}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "longpress", "coordinate": [500, 1000]}'), LongPress(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "wait", "time": "2"}'), Wait(2.0), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "type", "text": 42}'), Type("42"), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "system_button", "button": "back"}'), Press("back"), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "key", "text": "enter"}'), Press("enter"), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "terminate"}'), Finish(), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "terminate", "status": "fail"}'), Finish("failure"), {"repaired"}),
    # coordinates
    ("qwen2_5_vl", call('{"action": "click", "coordinate": "500, 1000"}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": ["500", "1000"]}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": {"x": 500, "y": 1000}}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "click", "point": [500, 1000]}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [400, 800, 600, 1200]}'), Click(Point(0.5, 0.5)), {"box_as_point"}),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [1020, 1000]}'), Click(Point(1.02, 0.5)), {"out_of_range"}),
    ("qwen2_5_vl", call('{"action": "swipe", "coordinate": [0, 2000, 0, 0]}'), Swipe(start=Point(0, 1), end=Point(0, 0)), {"repaired"}),
    ("qwen2_5_vl", call('{"action": "swipe", "direction": "up"}'), Swipe("up", word="up"), {"repaired"}),
    ("gui_owl_1_5", "Action: a\n" + call('{"action": "swipe", "coordinate": [500, 800], "direction": "up"}'), Swipe("up", Point(0.5, 0.8), word="up"), {"repaired"}),
    # round the call
    ("qwen2_5_vl", '<tool_call>{"name": "mobile_use", "arguments": {"action": "wait"}}</tool_call>', Wait(), {"no_wrapper"}),
    ("qwen2_5_vl", 'ok {"name": "mobile_use", "arguments": {"action": "wait"}}', Wait(), {"no_wrapper"}),
    ("qwen2_5_vl", '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait"}}', Wait(), {"truncated"}),
    ("qwen2_5_vl", call('{"action": "wait"}') * 2, Wait(), {"multi_action"}),
    ("qwen3_vl", 'Action: tap it\n{"action": "click", "coordinate": [1000, 1000]}', Click(Point(1, 1)), {"no_wrapper", "repaired"}),
    ("qwen3_vl", call('{"action": "wait"}'), Wait(), {"no_wrapper"}),
    ("qwen3_vl", "Thought: t\nAction: a\n" + call('{"action": "open", "text": "Clock"}'), OpenApp("Clock"), {"outside_prompt"}),
    ("qwen3_vl", "Thought: t\nAction: a\n" + call('{"action": "ask_user", "text": "?"}'), CallUser("?"), {"outside_prompt"}),
    ("solar", call('{"action": "wait"}'), Wait(), {"no_wrapper"}),
    ("solar", "<think>a</think> so " + call('{"action": "wait"}'), Wait(), {"no_wrapper"}),
    ("solar", "<think>a</think><think>b</think>" + call('{"action": "wait"}'), Wait(), {"no_wrapper"}),
    ("solar", "<think>a" + call('{"action": "wait"}'), Wait(), {"repaired"}),
    ("ui_s1", '<action>\n{"name": "mobile_use", "arguments": {"action": "wait"}}\n</action>', Wait(), {"repaired"}),
    ("gui_owl", call('{"action": "tap", "coordinate": [500, 1000]}'), Click(Point(0.5, 0.5)), {"repaired"}),
    ("gui_owl", '<tool_call>\n{"name":"mobile_use","arguments":{"action":"wait"}}\n</tool_call>', Wait(), {"no_wrapper"}),
    ("gui_owl", call('{"action": "wait"}') + "<conclusion>x</conclusion>", Wait(), {"no_wrapper"}),
    ("gui_owl", call('{"action": "wait"}', '"mobile_for_gui_owl"'), Wait(), {"repaired"}),
    ("mai_ui", call('{"action": "wait"}'), Wait(), {"no_wrapper"}),
    ("mai_ui", "t</think>" + call('{"action": "wait"}'), Wait(), {"no_wrapper"}),
    ("mai_ui", "<thinking>\nt\n</thinking>\n" + call('{"action": "ask_user", "text": "?"}'), CallUser("?"), {"outside_prompt"}),
    ("mai_ui", "<thinking>\nt\n</thinking>\n" + call('{"action": "system_button", "button": "Back"}'), Press("back"), {"repaired"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "action", "flags"), LENIENT)
def test_near_misses_are_read_flagged_and_not_strict(name: str, text: str, action: Action, flags: set[str]) -> None:
    parsed = parse(name, text)
    assert said(parsed.action) == said(action)
    assert set(parsed.flags) == flags
    assert not parsed.strict_ok


FAULTS: list[tuple[str, str, str, str]] = [
    ("qwen2_5_vl", call('{"action": "click"}'), "missing_argument", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": null}'), "missing_argument", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [540]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": []}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [1, 2, 3]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [true, 2]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [null, 2]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": "the button"}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [NaN, 3]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [Infinity, 3]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [1e400, 3]}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call(f'{{"action": "click", "coordinate": [{"9" * 400}, 3]}}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call(f'{{"action": "click", "coordinate": [{"9" * 5000}, 3]}}'), "bad_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [x, y]}'), "placeholder_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": ["x", "y"]}'), "placeholder_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": "[x, y]"}'), "placeholder_coordinate", "click"),
    ("qwen2_5_vl", call('{"action": "click", "coordinate": [1200, 3000]}'), "out_of_range", "click"),
    ("qwen2_5_vl", call('{"action": "swipe", "coordinate": [5, 1000]}'), "missing_argument", "swipe"),
    ("qwen2_5_vl", call('{"action": "type"}'), "missing_argument", "type"),
    ("qwen2_5_vl", call('{"action": "type", "text": ["a"]}'), "malformed", "type"),
    ("qwen2_5_vl", call('{"action": "key", "text": "volume_up"}'), "unsupported_action", ""),
    ("qwen2_5_vl", call('{"action": "system_button", "button": "Power"}'), "unsupported_action", "press"),
    ("qwen2_5_vl", call('{"action": "system_button", "button": "Fly"}'), "malformed", "press"),
    ("qwen2_5_vl", call('{"action": "fly"}'), "unknown_action", ""),
    ("qwen2_5_vl", call('{"action": "tap", "coordinate": [1, 2]}'), "unknown_action", ""),
    ("qwen2_5_vl", call('{"action": 5}'), "malformed", ""),
    ("qwen2_5_vl", call("{}"), "malformed", ""),
    ("qwen2_5_vl", call('{"q": 1}', '"web_search"'), "unsupported_action", ""),
    ("qwen2_5_vl", "<tool_call>\nclick the button\n</tool_call>", "malformed", ""),
    ("qwen2_5_vl", "<tool_call>\n" + "[" * 5000, "malformed", ""),
    ("qwen2_5_vl", "<tool_call>\n" + '{"a":' * 5000 + "}", "malformed", ""),
    ("qwen2_5_vl", "I would click on the third entry.", "no_action", ""),
    ("qwen2_5_vl", "<think>so I write <tool_call>\n{\"name\": \"mobile_use\"", "malformed", ""),
    ("qwen2_5_vl", "  \n", "empty", ""),
    ("ui_s1", "<action>\nclick [3, 4]\n</action>", "malformed", ""),
    ("gui_owl", call('{"action": "tap_on", "coordinate": [1, 2]}'), "unknown_action", ""),
    ("gui_owl", '<tool_call>\n{"action": "click"}\n</tool_call>', "missing_argument", "click"),
    ("mai_ui", "<thinking>\nt\n</thinking>\n" + call('{"action": "swipe", "direction": "north"}'), "malformed", "swipe"),
    ("mai_ui", "<thinking>\nt\n</thinking>\n" + call('{"query": "x"}', '"maps.search"'), "unsupported_action", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "seen"), FAULTS)
def test_faults_have_their_code_and_no_action(name: str, text: str, code: str, seen: str) -> None:
    parsed = parse(name, text)
    assert parsed.action is None
    assert parsed.fault is not None
    assert (parsed.fault.code, parsed.seen) == (code, seen)
    assert not parsed.strict_ok


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"action": "click", "coordinate": [540, 12', "bad_coordinate"),
        ('{"action": "type", "text": "hello wor', "missing_argument"),
    ],
)
def test_what_the_reply_stops_in_does_not_count(arguments: str, code: str) -> None:
    parsed = parse("qwen2_5_vl", '<tool_call>\n{"name": "mobile_use", "arguments": ' + arguments)
    assert parsed.fault is not None
    assert parsed.fault.code == code
    assert "truncated" in parsed.flags


def test_mai_ui_permits_a_box() -> None:
    text = "<thinking>\nt\n</thinking>\n" + call('{"action": "click", "coordinate": [0, 0, 999, 999]}')
    parsed = parse("mai_ui", text)
    assert parsed.action == Click(Point(0.5, 0.5))
    assert parsed.flags == ("box_as_point",)
    assert parsed.strict_ok


def test_which_of_two_calls_counts() -> None:
    two = call('{"action": "wait"}') + "\n" + call('{"action": "system_button", "button": "Home"}')
    first, last = parse("qwen2_5_vl", two), parse("gui_owl_1_5", "Action: a\n" + two)
    assert (first.action, first.more) == (Wait(), (Press("home"),))
    assert (last.action, last.more) == (Press("home"), (Wait(),))


def test_a_fault_in_the_call_that_counts_is_not_skipped() -> None:
    two = call('{"action": "click"}') + call('{"action": "wait"}')
    parsed = parse("qwen2_5_vl", two)
    assert parsed.fault is not None
    assert parsed.fault.code == "missing_argument"


@pytest.mark.parametrize(
    ("name", "text", "thought"),
    [
        ("qwen2_5_vl", "I see it.\n" + call('{"action": "wait"}'), "I see it."),
        ("qwen3_vl", "Thought: because\nAction: do\n" + call('{"action": "wait"}'), "because"),
        ("solar", "<think> hm </think>\n" + call('{"action": "wait"}'), "hm"),
        ("gui_owl", "<thinking>\nhm\n</thinking>\n" + call('{"action": "wait"}'), "hm"),
        ("gui_owl_1_5", "Action: Wait a bit.\n" + call('{"action": "wait"}'), "Wait a bit."),
    ],
)
def test_the_thought_is_kept(name: str, text: str, thought: str) -> None:
    assert parse(name, text).thought == thought


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("qwen3_vl", OpenApp("Clock")),
        ("qwen2_5_vl", Finish("infeasible")),
        ("qwen2_5_vl", Type("a", submit=True)),
        ("solar", CallUser("?")),
        ("qwen2_5_vl", Swipe()),
        ("qwen2_5_vl", Swipe(start=Point(0.5, 0.5), end=Point(0.5, 0.5001))),
        ("qwen2_5_vl", Click(Point(float("nan"), 0.5))),
    ],
)
def test_what_a_family_cannot_say(name: str, action: Action) -> None:
    with pytest.raises(CannotExpress):
        DIALECTS[name].render(action, FRAME)


def test_a_swipe_known_by_its_direction_crosses_the_centre() -> None:
    parsed = qwen_swipe = parse("qwen2_5_vl", DIALECTS["qwen2_5_vl"].render(Swipe(direction="left"), FRAME))
    assert isinstance(parsed.action, Swipe)
    assert qwen_swipe.action == Swipe(start=Point(0.7, 0.5), end=Point(0.3, 0.5))


def test_names_and_aliases() -> None:
    for name, alias in [
        ("qwen2_5_vl", "Qwen2.5-VL"), ("qwen2_5_vl", "qwen25vl"), ("qwen3_vl", "qwen3-vl"), ("agentcpm_gui", "agentcpm"),
        ("glm_4_1v", "glm-4.5v"), ("mimo_vl", "mimo"), ("gui_owl_1_5", "GUI-Owl-1.5"), ("mai_ui", "MAI-UI"),
    ]:  # fmt: skip
        assert get(alias).name == name


def test_text_with_nul_and_surrogates_is_data() -> None:
    parsed = qwen('{"action": "type", "text": "a\ud800\\u0000b"}')
    assert parsed.action == Type("a\ud800\x00b")
    rendered = DIALECTS["qwen2_5_vl"].render(Type("a\ud800\x00b"), FRAME)
    assert parse("qwen2_5_vl", rendered).action == Type("a\ud800\x00b")
    rendered.encode("utf-8")
