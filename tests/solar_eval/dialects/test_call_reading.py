"""The reader of calls: closing quotes, boxes in any spelling, keys, and time that grows with length only."""

from __future__ import annotations

import time

import pytest

from solar_eval.dialects.call_reading import CallFault, CallGrammar, first_number, keys_of, numbers, unescape
from solar_eval.dialects.cleaning import split_thought
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.table import DIALECTS

GRAMMAR = CallGrammar(("click", "type", "drag"), ("start_box", "end_box", "content"))
RAW = CallGrammar(("Click", "Type", "Scroll"), ("box", "content", "start", "end"), escapes=False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(540,1200)", [540, 1200]),
        ("[[683, 321]]", [683, 321]),
        ("<point>450 565</point>", [450, 565]),
        ("<bbox>191 21 191 21</bbox>", [191, 21, 191, 21]),
        ("<bbox_2d>10 20 30 40</bbox_2d>", [10, 20, 30, 40]),
        ("(738,766),(904,792)", [738, 766, 904, 792]),
        ("[10, 850, 50, 890]", [10, 850, 50, 890]),
        ("（540，1200）", [540, 1200]),
        ("558.5,925.2", [558.5, 925.2]),
        ("-100, -100", [-100, -100]),
        ("x=100, y=200", [100, 200]),
        ("540px 1200px", [540, 1200]),
        (".5, .25", [0.5, 0.25]),
    ],
)
def test_numbers_from_any_spelling(text: str, found: list[float]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("=", "bad_coordinate"), ("", "bad_coordinate"), ("540", "bad_coordinate"), ("1,2,3", "bad_coordinate"),
        ("nan, nan", "bad_coordinate"), ("inf,3", "bad_coordinate"), ("9e999,1", "bad_coordinate"),
        ("the button at 5 of 7", "bad_coordinate"), ("[x,y]", "placeholder_coordinate"),
        ("(x1, y1, x2, y2)", "placeholder_coordinate"),
    ],
)  # fmt: skip
def test_no_number_is_invented(text: str, code: str) -> None:
    with pytest.raises(CallFault) as caught:
        numbers(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("type(content='it's 5 o'clock')", "it's 5 o'clock"),
        ("type(content='f('a') and g')", "f('a') and g"),
        ("type(content='a') b')", "a') b"),
        (r"type(content='it\'s \"ok\"')", r"it\'s \"ok\""),
        ('type(content="hello")', "hello"),
        ("type(content='a, content b')", "a, content b"),
        ("type(content='two\nlines')", "two\nlines"),
        ("type(content='open", "open"),
        ("type(content='quote after bracket)'", "quote after bracket"),
    ],
)
def test_the_text_is_kept_whole(text: str, value: str) -> None:
    (call,) = GRAMMAR.calls(text, 0)
    assert call.args["content"].text == value


def test_calls_in_a_row_end_where_the_next_begins() -> None:
    calls = list(
        GRAMMAR.calls("click(start_box='(1,2)')\ntype(content='a') ; drag(start_box='(1,2)', end_box='(3,4)')", 0)
    )
    assert [call.name for call in calls] == ["click", "type", "drag"]
    assert [calls[2].args[key].text for key in ("start_box", "end_box")] == ["(1,2)", "(3,4)"]


def test_a_missing_quote_does_not_swallow_the_next_argument() -> None:
    (call,) = GRAMMAR.calls("drag(start_box='(1,2), end_box='(3,4)')", 0)
    assert {key: arg.text for key, arg in call.args.items()} == {"start_box": "(1,2)", "end_box": "(3,4)"}


def test_unquoted_arguments_split_at_names_only() -> None:
    (call,) = RAW.calls("Scroll(start=(1, 2), end=3,4)", 0)
    assert {key: arg.text for key, arg in call.args.items()} == {"start": "(1, 2)", "end": "3,4"}
    (call,) = RAW.calls("Click(598, 74)", 0)
    assert [arg.text for arg in call.positional] == ["598", "74"]


def test_keys_of_a_hotkey() -> None:
    assert keys_of("ctrl+c") == keys_of("ctrl c") == ["ctrl", "c"]
    assert keys_of("ctrl++") == ["ctrl", "+"]
    assert keys_of("+") == ["+"]


def test_unescape_once() -> None:
    assert unescape(r"it\'s \\n a\nb \d") == "it's \\n a\nb \\d"
    assert first_number("3 seconds") == 3.0
    assert first_number("1e999") is None


FLOODS = [
    "click(start_box='(1,2)')\n", "Action: click(start_box='(1,2)')\n", "')", "'", "\\'", '"', " ", "\n", "(", "[",
    "1, ", "<think>", "<action>", "</action><conclusion></conclusion>", "</answer>", "TYPE [a\n", "text(1,2,",
    "action:CLICK\t",
    "{'action': 'click', 'point': [1, 2]}, ", 'do(action="Tap", element=[1,2])\n',
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("lead", ["", "Action: type(content='"])
def test_a_megabyte_takes_about_a_second(lead: str, flood: str) -> None:
    text = lead + "x" + flood * (990_000 // len(flood))
    frame = Frame((1080, 2400), (1092, 2408))
    for dialect in DIALECTS.values():
        began = time.process_time()
        dialect.parse(text, frame)
        assert time.process_time() - began < 3.0, f"{dialect.name}: twice the length must not cost four times the time"


@pytest.mark.parametrize("flood", FLOODS)
def test_time_grows_with_the_length(flood: str) -> None:
    text = "x" + flood * (40_000 // len(flood))
    frame = Frame((1080, 2400), (1092, 2408))
    for dialect in DIALECTS.values():
        began = time.process_time()
        dialect.parse(text, frame)
        assert time.process_time() - began < 0.5, dialect.name


@pytest.mark.parametrize(
    ("text", "thought", "rest", "unclosed"),
    [
        ("<think>a</think>b", "a", "b", False),
        ("<think>a</think>b<think>c</think>d", "a\nc", "bd", False),
        ("<THINK> a </THINK>\nb", "a", "\nb", False),
        ("<think>a<think>b</think>c", "a<think>b", "c", False),
        ("<think_x>a</think>b</think_x>c", "a</think>b", "c", False),
        ("a</think>b", "a", "b", False),
        ("<think>a", "", "<think>a", True),
        ("I think so", "", "I think so", False),
    ],
)
def test_thoughts_are_cut(text: str, thought: str, rest: str, unclosed: bool) -> None:
    assert split_thought(text) == (thought, rest, unclosed)
