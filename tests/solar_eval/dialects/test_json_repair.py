"""The tolerant reader mends what is broken and never makes up a value; strict finding comes before it."""

from __future__ import annotations

import time

import pytest

from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_reading import Tag, bare, tagged
from solar_eval.dialects.json_repair import TolerantReader, TooDeep, number, unescaped
from solar_eval.dialects.table import DIALECTS

JSON_NAMES = (
    "qwen2_5_vl", "qwen3_vl", "solar", "agentcpm_gui", "ui_s1", "gui_owl", "gui_owl_1_5", "mai_ui", "mimo_vl",
    "glm_4_1v", "generic_json", "generic_json_pixels",
)  # fmt: skip
FRAME = Frame((1080, 2400), (1080, 2400))


def mend(text: str, closed: bool = True) -> tuple[object, bool]:
    reader = TolerantReader(text, 0, len(text), closed)
    return reader.read(), reader.truncated


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'b'}", {"a": "b"}),
        ("{'a': 'it's 5, ok', 'b': 1}", {"a": "it's 5, ok", "b": 1}),
        ('{"a": "say "hi" now"}', {"a": 'say "hi" now'}),
        ('{"a": "she said "no", then left", "b": [1]}', {"a": 'she said "no", then left', "b": [1]}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{"a": [1, 2]]}', {"a": [1, 2]}),
        ('{"a": 1}}}', {"a": 1}),
        ('["a": [1, 2], "b": []}', {"a": [1, 2], "b": []}),
        ("{a: b, c: 2}", {"a": "b", "c": 2}),
        ("{“a”：“b”，“c”：3}", {"a": "b", "c": 3}),
        ('{"a": [1, 2</bbox>]}', {"a": [1, 2]}),
        ('{"a": (1, 2)}', {"a": [1, 2]}),
        ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}),
        ('{"a": [x, y]}', {"a": ["x", "y"]}),
        ('{"a": "b}}', {"a": "b"}),
        ('{"a": "x\ny"}', {"a": "x\ny"}),
        ('{"a": }', {}),
        ('{"a": 1e400}', {"a": float("inf")}),
        ('{"a": .5, "b": -1}', {"a": 0.5, "b": -1}),
    ],
)
def test_what_is_mended(text: str, value: object) -> None:
    assert mend(text)[0] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "b", "c": [540, 12', {"a": "b", "c": [540]}),
        ('{"a": "b", "c": "hel', {"a": "b"}),
        ('{"a": "b", "c', {"a": "b"}),
        ('{"a": "b", "c"', {"a": "b"}),
        ('{"a": 12', {}),
        ('{"a": tru', {}),
        ('{"a": "b"', {"a": "b"}),
        ('{"a": [540, 1200]', {"a": [540, 1200]}),
    ],
)
def test_a_value_the_reply_stops_in_is_dropped(text: str, value: object) -> None:
    assert mend(text, closed=False) == (value, True)


def test_too_deep_is_an_error_of_its_own() -> None:
    with pytest.raises(TooDeep):
        mend("{a:" * 100)


def test_escapes_and_numbers() -> None:
    assert unescaped(r"a\n\"\'\\\u00e9\q\ud83d\ude00") == "a\n\"'\\é\\q😀"
    assert number("9" * 5000) == float("inf")
    assert number("12") == 12


def test_tagged_keeps_all_blocks_and_what_stands_round_the_first() -> None:
    found = tagged('hm <t>\n{"a": 1}\n</t> x <t>{"a": 2}</t>', Tag("t"))
    assert found.values == [{"a": 1}, {"a": 2}]
    assert (found.prefix, found.lines, found.closed) == ("hm ", True, True)
    assert found.suffix.startswith(" x ")


@pytest.mark.parametrize(
    ("text", "lines", "closed", "flags"),
    [
        ('<t>{"a": 1}</t>', False, True, ()),
        ('<t>\n{"a": 1}</t>', False, True, ()),
        ('<t>\n{"a": 1}', False, False, ("truncated",)),
        ('<t>\n{"a": 1}}\n</t>', False, False, ("repaired",)),
        ('<t>\n{"a": 1} done\n</t>', False, False, ("repaired",)),
        ('<T>\n{"a": 1}\n</T>', False, False, ("repaired",)),
        ('<t>\n{"a": "</t>"}\n</t>', True, True, ()),
        ('<t>\n{"a": "<t>"}\n</t>', True, True, ()),
        ("<t>\n{'a': 1}\n</t>", True, True, ("repaired",)),
    ],
)
def test_how_a_block_stands_in_its_tags(text: str, lines: bool, closed: bool, flags: tuple[str, ...]) -> None:
    found = tagged(text, Tag("t"))
    assert len(found.values) == 1
    assert (found.lines, found.closed, found.notes[0].flags) == (lines, closed, flags)


def test_bare_objects_are_found_in_prose_and_only_accepted_ones() -> None:
    found = bare('I use {this} and {"b": 1}, so {"a": {"a": 2}} {"a": 3}', lambda value: "a" in value)
    assert found.values == [{"a": {"a": 2}}, {"a": 3}]


HOSTILE = [
    "{", "x{", '{"a":1 ', "<tool_call>", "<tool_call>{", "<tool_call>{}",
    '<tool_call>\n{"action":"wait"}\n</tool_call>',
    '{"action":"wait"}', '{"action":"type","text":"', "<think>", "</think>", "<think>a</think>", "```json", '{"a":[1,',
    '{"action":{"a', "<|im_end|>", "Action: a\n", 'Reason:Action:{"action_type":', '"\\', '",', " \n", "]", "{'a':'",
]  # fmt: skip
PREFIXES = ["", '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "type", "text": "', '{"action": "click"']


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_takes_less_than_a_second(piece: str) -> None:
    """Three families a text, in turn; the bound is doubled for a busy machine."""
    first = HOSTILE.index(piece)
    for turn in range(3):
        name = JSON_NAMES[(first + 4 * turn) % len(JSON_NAMES)]
        prefix = PREFIXES[(first + turn) % len(PREFIXES)]
        text = prefix + piece * ((999_000 - len(prefix)) // len(piece))
        began = time.process_time()
        parsed = DIALECTS[name].parse(text, FRAME)
        assert time.process_time() - began < 2, (name, prefix, piece)
        assert (parsed.action is None) != (parsed.fault is None)
