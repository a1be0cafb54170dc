"""Rows in notes, in both of the forms that AndroidWorld writes."""

from __future__ import annotations

from emulator.pocket.experts.written_rows import rows_of

FIELDS = ("name", "amount", "note")
ROWS = [{"name": "Gas", "amount": "$67.41", "note": "A need"}, {"name": "Rent: May", "amount": "$310.0", "note": ""}]


def test_lines_with_bars() -> None:
    assert rows_of("name|amount|note\nGas|$67.41|A need\nRent: May|$310.0|\n", FIELDS) == ROWS


def test_blocks() -> None:
    text = "Expense: Gas\n amount: $67.41\n note: A need\n\nExpense: Rent: May\n amount: $310.0\n note: \n"
    assert rows_of(text, FIELDS) == ROWS


def test_nothing() -> None:
    assert rows_of("\n \n", FIELDS) == []
