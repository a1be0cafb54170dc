"""Public bug reports by id (`../shared/cases/parse.jsonl`): what the families of calls read.

Arguable cases carry the policy chosen in docs/parse_policies_calls.md.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from solar_eval.actions import Action, Click, Finish, Point, Press, Swipe, Type, points_of
from solar_eval.dialects.base import Parsed
from solar_eval.dialects.frames import Frame, smart_resize
from solar_eval.dialects.prompting import PromptRequest, Turn, recent
from solar_eval.dialects.table import DIALECTS

SHARED = Path(os.environ.get("SOLAR_SHARED", Path(__file__).parents[3] / "../shared"))
CASES = SHARED / "cases" / "parse.jsonl"
FRAME = Frame((1080, 2400), (1092, 2408))

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CASES.exists(), reason=f"the public bug reports are not there: {CASES}"),
]


@pytest.fixture(scope="module")
def cases() -> dict[str, str]:
    """id -> the reply as reported."""
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return {case["id"]: case["input"] for case in map(json.loads, lines)}


def read(dialect: str, reply: str) -> Parsed:
    return DIALECTS[dialect].parse(reply, FRAME)


def thousandths(action: Action | None) -> list[tuple[float, float]]:
    assert action is not None
    return [(round(p.x * 1000, 3), round(p.y * 1000, 3)) for p in points_of(action)]


def pixels(action: Action | None) -> list[tuple[float, float]]:
    assert action is not None
    return [(round(p.x * 1092, 3), round(p.y * 2408, 3)) for p in points_of(action)]


@pytest.mark.parametrize(
    ("case", "x", "y"), [("P01", 191, 21), ("P04", 450, 565), ("P05", 30, 870), ("P07", 540, 1200), ("P46", 400, 435)]
)
def test_ui_tars_click_in_any_spelling(cases: dict[str, str], case: str, x: float, y: float) -> None:
    parsed = read("ui_tars_1_5", cases[case])
    assert isinstance(parsed.action, Click)
    assert pixels(parsed.action) == [(x, y)]
    if case != "P07":
        relative = read("ui_tars", cases[case])
        assert thousandths(relative.action) == [(x, y)]
        assert not relative.strict_ok


def test_p02_no_number_is_a_fault_not_a_tap(cases: dict[str, str]) -> None:
    parsed = read("ui_tars", cases["P02"])
    assert parsed.action is None
    assert parsed.fault is not None
    assert (parsed.fault.code, parsed.seen) == ("bad_coordinate", "click")


@pytest.mark.parametrize(
    ("case", "action"),
    [
        ("P11", Type("it's 5 o'clock")),
        ("P12", Finish("success", "I'm done")),
        ("P13", Type("hello")),
        ("P14", Type("doubao.com", submit=True)),
    ],
)
def test_ui_tars_texts(cases: dict[str, str], case: str, action: Action) -> None:
    assert read("ui_tars", cases[case]).action == action


def test_p18_two_calls_under_one_header_the_first_counts(cases: dict[str, str]) -> None:
    parsed = read("ui_tars", cases["P18"])
    assert thousandths(parsed.action) == [(100, 100)]
    assert parsed.more == (Type("a"),)
    assert "multi_action" in parsed.flags


def test_p19_two_headers_the_last_counts(cases: dict[str, str]) -> None:
    parsed = read("ui_tars", cases["P19"])
    assert parsed.action == Type("doubao.com")
    assert parsed.more == (Click(Point(0.1, 0.1)),)
    assert "multi_action" in parsed.flags


def test_p45_two_boxes_are_the_fingers_path(cases: dict[str, str]) -> None:
    for dialect in ("ui_tars", "ui_tars_1_5"):
        parsed = read(dialect, cases["P45"])
        assert isinstance(parsed.action, Swipe)
        assert parsed.action.finger == "up"
    assert thousandths(read("ui_tars", cases["P45"]).action) == [(500, 800), (500, 200)]


def test_p46_the_thought_has_a_tag_of_its_own_name(cases: dict[str, str]) -> None:
    assert read("ui_tars", cases["P46"]).thought == "hm"


def test_p70_the_checkpoint_decides_the_space() -> None:
    reply = "Action: click(start_box='(1000,500)')"
    for name, x, y in (("ui_tars_1_5", 993.8, 494.5), ("ui_tars", 1920.0, 540.0)):
        dialect = DIALECTS[name]
        frame = dialect.frame_for((1920, 1080))
        action = dialect.parse(reply, frame).action
        assert isinstance(action, Click)
        assert (round(action.point.x * 1920, 1), round(action.point.y * 1080, 1)) == (x, y)


def test_p71_rounding_half_to_even() -> None:
    assert smart_resize(1022, 1522, 28) == (1008, 1512)


def test_p74_far_beyond_the_picture_is_a_fault(cases: dict[str, str]) -> None:
    parsed = read("ui_tars_1_5", cases["P74"].partition("   on resized")[0])
    assert parsed.fault is not None
    assert parsed.fault.code == "out_of_range"


def test_p82_a_hotkey_is_unsupported_and_names_its_keys(cases: dict[str, str]) -> None:
    for reply in cases["P82"].split("  vs  "):
        parsed = read("ui_tars", reply if reply.startswith("Action") else f"Action: {reply}")
        assert parsed.fault is not None
        assert (parsed.fault.code, parsed.fault.detail) == ("unsupported_action", "hotkey: ctrl, c")


def test_p21_p22_the_closing_tag_is_no_part_of_the_call(cases: dict[str, str]) -> None:
    assert thousandths(read("autoglm", cases["P21"]).action) == [(811, 188)]
    assert read("autoglm", cases["P22"]).action == Type("abc", clear=True)
    assert not read("autoglm", cases["P21"]).strict_ok


def test_p24_the_prompts_placeholder_is_no_point(cases: dict[str, str]) -> None:
    parsed = read("autoglm", cases["P24"])
    assert parsed.fault is not None
    assert (parsed.fault.code, parsed.seen) == ("placeholder_coordinate", "click")


def test_p26_what_cannot_be_read_is_no_finish(cases: dict[str, str]) -> None:
    parsed = read("autoglm", cases["P26"])
    assert parsed.action is None
    assert parsed.fault is not None
    assert parsed.fault.code == "malformed"


def test_p28_line_breaks_belong_to_the_text(cases: dict[str, str]) -> None:
    assert read("autoglm", cases["P28"]).action == Type("**Mon:**\n- eggs\n- milk", clear=True)


def test_p30_calls_in_the_thought_are_not_run(cases: dict[str, str]) -> None:
    assert read("autoglm", cases["P30"]).action == Press("back")


def test_p40_both_spellings_of_a_grounding_box(cases: dict[str, str]) -> None:
    first, second = cases["P40"].split("   and   ")
    assert thousandths(read("os_atlas", first).action) == [(821, 779)]
    assert thousandths(read("os_atlas", second).action) == [(916.5, 112)]
    assert "box_as_point" in read("os_atlas", first).flags


def test_p41_the_verb_is_the_first_word_only(cases: dict[str, str]) -> None:
    assert read("os_atlas", cases["P41"]).action == Type("CLICK here")


def test_p43_a_singular_header_is_read_and_flagged(cases: dict[str, str]) -> None:
    parsed = read("os_atlas", cases["P43"])
    assert parsed.action == Finish()
    assert (parsed.strict_ok, parsed.flags) == (False, ("repaired",))


def test_p48_p49_ui_venus_texts_are_kept_whole(cases: dict[str, str]) -> None:
    assert read("ui_venus", cases["P48"]).action == Type("it's 5, ok")
    assert read("ui_venus", cases["P49"]).action == Type(" hi ")


def test_p50_near_misses_are_read_and_flagged(cases: dict[str, str]) -> None:
    found = [read("ui_venus", reply.strip()) for reply in cases["P50"].split("|")]
    assert [pixels(parsed.action) for parsed in found] == [[(540, 1200)], [(570, 1250)], [(540, 1200)]]
    assert all(parsed.flags and not parsed.strict_ok for parsed in found)


def test_p52_no_history_means_none() -> None:
    turns = tuple(Turn(Press("back"), low=f"step {i}") for i in range(3))
    assert recent(turns, 0) == ()

    class Without(type(DIALECTS["ui_venus"])):  # type: ignore[misc]
        history_texts = 0

    request = PromptRequest("goal", FRAME, history=turns)
    text = str(Without().messages(request))
    assert "Step 0" not in text
    assert "Step 0" in str(DIALECTS["ui_venus"].messages(request))


def test_p78_a_point_on_type_is_the_field_to_focus(cases: dict[str, str]) -> None:
    parsed = read("step_gui", cases["P78"])
    assert parsed.action == Type("面膜", point=Point(0.262, 0.282))
    assert parsed.strict_ok


def test_p80_prose_is_not_scavenged() -> None:
    prose = "The pop-up is still there. I should close it (x: 1000, y: 500), then click the button. " * 9
    for name, dialect in DIALECTS.items():
        parsed = dialect.parse(prose, FRAME)
        assert parsed.action is None, name


THESE_FAMILIES = (
    "P01", "P02", "P04", "P05", "P07", "P11", "P12", "P13", "P14", "P18", "P19", "P21", "P22", "P24", "P26", "P28",
    "P30", "P40", "P41", "P43", "P45", "P46", "P48", "P49", "P50", "P74", "P78", "P82",
)  # fmt: skip


@pytest.mark.parametrize("case", THESE_FAMILIES)
def test_every_report_gives_an_action_or_a_fault_in_every_dialect(cases: dict[str, str], case: str) -> None:
    for dialect in DIALECTS.values():
        parsed = dialect.parse(cases[case], FRAME)
        assert (parsed.action is None) != (parsed.fault is None)
