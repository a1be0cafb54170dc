"""The public bug reports that belong to the JSON dialects, by id, read from ../shared/cases/parse.jsonl.

For the arguable ones the chosen policy is what docs/parse_policies.md says.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from solar_eval.actions import Click, Point, Swipe, Type, Wait
from solar_eval.dialects.base import Parsed
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_dialects import JSON_DIALECTS

pytestmark = pytest.mark.shared
PHONE = Frame((1080, 2400), (1080, 2400))
Cases = dict[str, dict[str, Any]]


def parse(name: str, text: str, frame: Frame = PHONE) -> Parsed:
    return JSON_DIALECTS[name].parse(text, frame)


def clicked(parsed: Parsed, scale: tuple[float, float] = (1000, 1000)) -> list[float]:
    """The clicked point in the case's own numbers."""
    assert isinstance(parsed.action, Click), parsed
    return [pytest.approx(parsed.action.point.x * scale[0]), pytest.approx(parsed.action.point.y * scale[1])]


def test_p33_fence_and_trailing_marks(cases: Cases) -> None:
    parsed = parse("generic_json_pixels", cases["P33"]["input"])
    assert cases["P33"]["expected"]["point"] == clicked(parsed, (1080, 2400))
    assert not parsed.strict_ok


def test_p34_last_brace_lost_is_run_and_flagged(cases: Cases) -> None:
    parsed = parse("qwen2_5_vl", cases["P34"]["input"])
    assert cases["P34"]["expected"]["point"] == clicked(parsed, (1080, 2400))
    assert parsed.flags == ("repaired",)
    assert not parsed.strict_ok


def test_p35_two_objects_in_one_block_first_counts(cases: Cases) -> None:
    parsed = parse("qwen2_5_vl", cases["P35"]["input"])
    assert cases["P35"]["expected"]["point"] == clicked(parsed, (1080, 2400))
    assert "multi_action" in parsed.flags
    assert parsed.more == (Wait(1),)


@pytest.mark.parametrize("case", ["P36", "P37"])
def test_p36_p37_broken_round_intact_numbers(cases: Cases, case: str) -> None:
    parsed = parse("generic_json", cases[case]["input"])
    assert cases[case]["expected"]["point"] == clicked(parsed)
    assert {"repaired", "box_as_point"} <= set(parsed.flags)


def test_p38_a_box_in_any_container(cases: Cases) -> None:
    spellings = cases["P38"]["input"].split("  |  ")
    assert len(spellings) == 3
    for text in spellings:
        assert cases["P38"]["expected"]["point"] == clicked(parse("generic_json", text))


def test_p39_both_numbers_in_x_and_half_a_pair(cases: Cases) -> None:
    both, half = cases["P39"]["input"].split("  then  ")
    expected = cases["P39"]["expected"]
    assert expected[0]["point"] == clicked(parse("generic_json", both))
    fault = parse("generic_json", half).fault
    assert fault is not None
    assert fault.code == expected[1]["error"]


def test_p61_tag_in_the_thought(cases: Cases) -> None:
    parsed = parse("ui_s1", cases["P61"]["input"])
    assert parsed.action == Wait()
    assert "later" in parsed.thought


def test_p62_closing_tag_missing_runs_without_format_credit(cases: Cases) -> None:
    parsed = parse("ui_s1", cases["P62"]["input"])
    assert parsed.action == Wait()
    assert parsed.strict_ok is cases["P62"]["expected"]["format_ok"]
    assert parsed.flags == ("truncated",)


@pytest.mark.parametrize("name", JSON_DIALECTS)
def test_p63_typed_text_is_byte_faithful(cases: Cases, name: str) -> None:
    text = cases["P63"]["expected"]["text"]
    for typed in (text, f" {text} ", f"{text}\n", "a  b", "\u00a0a\u200b"):
        parsed = parse(name, JSON_DIALECTS[name].render(Type(typed), PHONE))
        assert isinstance(parsed.action, Type)
        assert parsed.action.text == typed


def test_p64_the_digit_of_the_key_is_no_coordinate(cases: Cases) -> None:
    assert cases["P64"]["expected"]["point"] == clicked(parse("generic_json", cases["P64"]["input"]))


def test_p66_relative_numbers_whatever_the_size(cases: Cases) -> None:
    expected = cases["P66"]["expected"]["pixel"]
    assert expected == clicked(parse("generic_json", cases["P66"]["input"]), (1080, 2400))
    small = Frame((300, 200), (300, 200))
    assert clicked(parse("generic_json", cases["P66"]["input"], small)) == [769, 70]
    text = 'Thought: t\nAction: a\n<tool_call>\n{"name": "mobile_use", "arguments": '
    text += '{"action": "click", "coordinate": [769, 70]}}\n</tool_call>'
    there = parse("qwen3_vl", text)
    assert isinstance(there.action, Click)
    assert there.action.point.x * 1080 == pytest.approx(expected[0], rel=0.0011)


@pytest.mark.parametrize("case", ["P68", "P69"])
def test_p68_p69_pixels_of_the_resized_picture(cases: Cases, case: str) -> None:
    """The size is the one the server's limits give; a user's other max_pixels arrives as the frame's picture size."""
    numbers = [int(digits) for digits in re.findall(r"\d+", cases[case]["input"].split("coordinate", 1)[1])]
    x, y, width, height, _, image_width, image_height = numbers
    frame = Frame((width, height), (image_width, image_height))
    text = JSON_DIALECTS["qwen2_5_vl"].render(Click(Point(x / image_width, y / image_height)), frame)
    assert f"[{x}, {y}]" in text
    parsed = parse("qwen2_5_vl", text, frame)
    assert isinstance(parsed.action, Click)
    pixel = [parsed.action.point.x * width, parsed.action.point.y * height]
    assert pixel == pytest.approx(cases[case]["expected"]["pixel"], abs=0.06)
    if case == "P68":
        assert JSON_DIALECTS["qwen2_5_vl"].frame_for((1080, 2400)).image == (image_width, image_height)


@pytest.mark.parametrize("name", JSON_DIALECTS)
def test_p73_small_overshoot_is_kept_and_flagged_large_refused(cases: Cases, name: str) -> None:
    """Policy: nothing is clamped here; up to 5 % beyond the edge is an action with a flag, more is a fault."""
    assert cases["P73"]["expected"]["flag"] == "out_of_range"
    dialect = JSON_DIALECTS[name]
    written = dialect.render(Click(Point(1.012, 0.5)), PHONE)
    parsed = dialect.parse(written, PHONE)
    assert isinstance(parsed.action, Click)
    assert parsed.action.point.x > 1
    assert "out_of_range" in parsed.flags
    assert not parsed.strict_ok
    refused = dialect.parse(dialect.render(Click(Point(1.2, 0.5)), PHONE), PHONE)
    assert refused.fault is not None
    assert refused.fault.code == "out_of_range"


def test_p77_swipe_in_fractions_with_a_missing_axis(cases: Cases) -> None:
    expected = cases["P77"]["expected"]
    parsed = parse("generic_json", cases["P77"]["input"])
    assert isinstance(parsed.action, Swipe)
    assert list(parsed.action.start or ()) == expected["start"]
    assert list(parsed.action.end or ()) == expected["end"]
    conflict = parse("generic_json", cases["P77"]["input"].replace("'up'", "'left'"))
    assert conflict.fault is not None
    assert conflict.fault.code == "bad_coordinate"


@pytest.mark.parametrize("name", JSON_DIALECTS)
def test_p79_one_token_for_ever(cases: Cases, name: str) -> None:
    fault = parse(name, cases["P79"]["input"]).fault
    assert fault is not None
    assert fault.code == cases["P79"]["expected"]["error"]


@pytest.mark.parametrize("name", JSON_DIALECTS)
@pytest.mark.parametrize("opening", ["", "<think>", "<thinking>\n"])
def test_p80_prose_without_a_call_is_not_scavenged(cases: Cases, name: str, opening: str) -> None:
    prose = "The pop-up is still there. I should close it at x: 1000, y: 500. " * 40
    parsed = parse(name, opening + prose)
    assert parsed.action is None
    assert parsed.fault is not None
    assert parsed.fault.code == cases["P80"]["expected"]["error"]
