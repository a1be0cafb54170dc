"""parse(render(a)) says what a says, for every dialect of the table and every action it can express.

Equal means: the same kind, text, name, key and status; the same finger direction; points within one unit of the
family's grid where both sides have them. What a family has no place for may be missing on the way back (`lost`), never
different: a duration, a finish text, an end point that became a direction. A fault-free strict reading without flags.
"""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solar_eval.actions import (
    DIRECTIONS,
    KEYS,
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
from solar_eval.dialects.frames import SCALE, Frame
from solar_eval.dialects.table import DIALECTS

SCREENS = ((1080, 2400), (720, 1280))
FRAMES = {(name, size): dialect.frame_for(size) for name, dialect in DIALECTS.items() for size in SCREENS}
LOST = {"duration_ms", "seconds"}
"""Lengths of time: a family may have no place for them, or write its default for an unknown one."""
fraction = st.floats(0.0, 1.0, allow_nan=False)
points = st.builds(Point, fraction, fraction)
texts = st.one_of(
    st.text(min_size=1, max_size=30).filter(str.strip),
    st.sampled_from(
        [
            "it's 5, ok", 'say "hi"', "a\nb", "</tool_call>", "<think>no</think>", "x: 1, y: 2", "{'a': [1]}", "\\n",
            "click(start_box='(1,2)')", "面膜，“好”", "[EOS]", "<|im_end|>", "a\tb", "100%", "Action: stop",
            "</action>", "TYPE [x]", "```json", "é\u200b", "🎉",
        ]
    ),
)  # fmt: skip


def far_swipe(start: Point, end: Point) -> bool:
    """Long and straight enough that no rounding turns it."""
    dx, dy = abs(start.x - end.x), abs(start.y - end.y)
    return max(dx, dy) > 0.05 and abs(dx - dy) > 0.02


swipes = st.one_of(
    st.builds(Swipe, direction=st.sampled_from(DIRECTIONS)),
    st.builds(Swipe, direction=st.sampled_from(DIRECTIONS), start=points),
    st.tuples(points, points).filter(lambda pair: far_swipe(*pair)).map(lambda pair: Swipe(start=pair[0], end=pair[1])),
)
by_kind: dict[str, st.SearchStrategy[Action]] = {
    "click": st.builds(Click, points),
    "long_press": st.builds(LongPress, points, st.none() | st.integers(500, 5000)),
    "double_tap": st.builds(DoubleTap, points),
    "swipe": swipes,
    "type": st.one_of(st.builds(Type, texts), st.builds(Type, texts, st.none() | points, st.booleans(), st.booleans())),
    "open_app": st.builds(OpenApp, texts),
    "press": st.builds(Press, st.sampled_from(KEYS)),
    "wait": st.builds(Wait, st.none() | st.integers(0, 60).map(float)),
    "answer": st.builds(Answer, texts),
    "finish": st.builds(Finish, st.sampled_from(["success", "failure", "infeasible"])),
    "call_user": st.builds(CallUser, st.just("") | texts),
}
actions = st.one_of(*by_kind.values())
SIMPLE: dict[str, list[Action]] = {
    "click": [Click(Point(0.5, 0.25))],
    "long_press": [LongPress(Point(0.5, 0.25))],
    "double_tap": [DoubleTap(Point(0.5, 0.25))],
    "swipe": [Swipe(direction="up")],
    "type": [Type("abc"), Type("abc", submit=True), Type("abc", Point(0.5, 0.25))],
    "open_app": [OpenApp("Clock")],
    "press": [Press(key) for key in KEYS],
    "wait": [Wait()],
    "answer": [Answer("abc")],
    "finish": [Finish("success")],
    "call_user": [CallUser(), CallUser("abc")],
}


def unit(dialect: Dialect, frame: Frame) -> Point:
    """One step of the family's grid in fractions; 0-1 families write three decimals or more."""
    if dialect.space == "image_pixels":
        return Point(1 / frame.image[0], 1 / frame.image[1])
    step = 0.001 if dialect.space == "unit" else 1 / SCALE[dialect.space]
    return Point(step, step)


def assert_same(name: str, said: Action, read: Action, grid: Point) -> None:
    assert read.kind == said.kind
    if isinstance(said, Swipe) and isinstance(read, Swipe):
        assert read.finger == said.finger
        if said.end is None:  # its start may have had to make room for the path
            return
    for field in (field.name for field in fields(said)):
        ours, theirs = getattr(said, field), getattr(read, field)
        if isinstance(ours, Point) and isinstance(theirs, Point):
            assert math.isclose(ours.x, theirs.x, abs_tol=grid.x * 1.001), (name, field)
            assert math.isclose(ours.y, theirs.y, abs_tol=grid.y * 1.001), (name, field)
        elif field in ("text", "name", "key", "status", "clear", "submit"):
            if isinstance(said, Finish | CallUser) and field == "text" and theirs == "":
                continue
            if theirs is True and (name, field) in ALWAYS:
                continue
            assert theirs == ours, (name, field)
        elif field in LOST and ours is not None and theirs is not None:
            assert math.isclose(ours, theirs, rel_tol=1e-6), (name, field)


ALWAYS = {("glm_4_1v", "submit"), ("autoglm", "clear")}
"""Their only way to type presses enter afterwards, or empties the field before."""


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=60, deadline=None)
@given(action=actions, screen=st.sampled_from(SCREENS))
def test_what_is_written_is_read_back(name: str, action: Action, screen: tuple[int, int]) -> None:
    dialect, frame = DIALECTS[name], FRAMES[name, screen]
    try:
        reply = dialect.render(action, frame)
    except CannotExpress:
        return
    parsed = dialect.parse(reply, frame)
    assert parsed.action is not None, (reply, parsed.fault)
    assert parsed.strict_ok, reply
    assert parsed.flags == (), reply
    assert_same(name, action, parsed.action, unit(dialect, frame))


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=20, deadline=None)
@given(action=actions, thought=texts)
def test_a_thought_changes_nothing(name: str, action: Action, thought: str) -> None:
    dialect, frame = DIALECTS[name], FRAMES[name, SCREENS[0]]
    try:
        reply = dialect.render(action, frame, thought)
        bare = dialect.render(action, frame)
    except CannotExpress:
        return
    parsed = dialect.parse(reply, frame)
    assert parsed.strict_ok, reply
    assert parsed.flags == (), reply
    assert parsed.action == dialect.parse(bare, frame).action


@pytest.mark.parametrize("name", DIALECTS)
def test_expresses_agrees_with_render(name: str) -> None:
    dialect = DIALECTS[name]
    for kind in KINDS:
        said = [action for action in SIMPLE[kind] if dialect.can_express(action)]
        assert bool(said) == (kind in dialect.expresses), (kind, said)


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_text_is_read_without_an_exception(name: str, data: st.DataObject) -> None:
    alphabet = st.characters() | st.sampled_from("{}[]()<>\"'`:,\\\x00\ud800") | st.sampled_from(FRAGMENTS)
    text = "".join(data.draw(st.lists(alphabet, max_size=40)))
    parsed = DIALECTS[name].parse(text, FRAMES[name, SCREENS[0]])
    assert (parsed.action is None) != (parsed.fault is None)
    assert not (parsed.strict_ok and parsed.action is None)


FRAGMENTS = [
    "<tool_call>", "</tool_call>", "<action>", "</action>", '{"action": "click"', '"coordinate": [1, 2]', "<think>",
    "</think>", "Action: ", "Memory: ", "Reason: ", '{"action_type": "click"', '"arguments": {', "POINT", "do(", "x",
    "1e999", "NaN", "-5", "click(", "<point>", "null",
]  # fmt: skip


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=15, deadline=None)
@given(action=st.sampled_from([a for group in SIMPLE.values() for a in group]), cut=st.floats(0.0, 1.0))
def test_a_reply_cut_short_says_less_but_nothing_else(name: str, action: Action, cut: float) -> None:
    """Whatever can still be read of a reply that stops early is of the same kind, with no other point or text."""
    dialect, frame = DIALECTS[name], FRAMES[name, SCREENS[0]]
    try:
        reply = dialect.render(action, frame)
    except CannotExpress:
        return
    parsed = dialect.parse(reply[: int(len(reply) * cut)], frame)
    if parsed.action is not None and not isinstance(parsed.action, Finish) and name in WHOLE_VALUES_ONLY:
        assert parsed.action.kind == action.kind or isinstance(action, LongPress | Swipe | Finish)
        if isinstance(parsed.action, Click | LongPress) and isinstance(action, Click | LongPress):
            assert math.dist(parsed.action.point, action.point) < 0.01
        if isinstance(parsed.action, Type) and isinstance(action, Type):
            assert parsed.action.text == action.text


WHOLE_VALUES_ONLY = frozenset(
    {"qwen2_5_vl", "qwen3_vl", "solar", "agentcpm_gui", "ui_s1", "gui_owl", "gui_owl_1_5", "mai_ui", "mimo_vl",
     "glm_4_1v", "generic_json", "generic_json_pixels"}
)  # fmt: skip
