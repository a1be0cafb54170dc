"""No text whatever makes a dialect raise, and every text gives an action or a fault, never both."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solar_eval.actions import Action, Click, Finish, Point, Press, Swipe, Type
from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.table import DIALECTS

FRAME = Frame((1080, 2400), (1092, 2408))
ACTIONS: list[Action] = [
    Click(Point(0.4, 0.7)), Swipe("up"), Swipe(start=Point(0.5, 0.7), end=Point(0.5, 0.2)), Type("it's (5), \"ok\""),
    Press("back"), Finish(),
]  # fmt: skip
PIECES = [
    "'", '"', "(", ")", "[", "]", "{", "}", ",", ":", "\n", "\t", "\\", "\x00", "\ud800", "<", ">", "</", "<think>",
    "</think>", "nan", "1e999", "-", "９", "，", "<|im_end|>", "Action: ", "<action>", "<answer>", "9" * 400,
]  # fmt: skip


def replies(dialect: Dialect) -> list[str]:
    found = []
    for action in ACTIONS:
        try:
            found.append(dialect.render(action, FRAME, "I look at the screen."))
        except CannotExpress:
            continue
    return found


def check(dialect: Dialect, text: str) -> None:
    parsed = dialect.parse(text, FRAME)
    assert (parsed.action is None) != (parsed.fault is None), (dialect.name, text)
    assert not (parsed.strict_ok and parsed.action is None)
    if parsed.fault is not None:
        assert len(parsed.fault.detail) <= 200


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=120))
def test_any_text(name: str, text: str) -> None:
    check(DIALECTS[name], text)


@pytest.mark.parametrize("name", DIALECTS)
def test_damaged_replies(name: str) -> None:
    dialect, chance = DIALECTS[name], random.Random(7)
    valid = replies(dialect)
    assert valid
    for _ in range(400):
        text = chance.choice(valid)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text) + 1)
            cut = at + chance.choice([0, 0, 1, 2, 8])
            text = text[:at] + chance.choice([*PIECES, ""]) + text[cut:]
        check(dialect, text[: chance.randint(0, len(text))] if chance.random() < 0.2 else text)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_beginning_of_a_reply(name: str) -> None:
    """What a length limit leaves."""
    for reply in replies(DIALECTS[name]):
        for end in range(len(reply) + 1):
            check(DIALECTS[name], reply[:end])


@pytest.mark.parametrize("name", DIALECTS)
def test_what_every_reader_must_refuse(name: str) -> None:
    for text, code in (
        ("", "empty"),
        (" \n\t", "empty"),
        ("!" * 40, "degenerate_output"),
        ("x" * 1_000_001, "too_long"),
    ):
        parsed = DIALECTS[name].parse(text, FRAME)
        assert parsed.fault is not None
        assert parsed.fault.code == code
