"""Rows that AndroidWorld writes into a text file: lines with `|` under a heading line, or blocks of `field: value`.

The forms are those of android_world@d9c569f task_evals/utils/sqlite_schema_utils.py. The file is read on the screen.
"""

from __future__ import annotations

from collections.abc import Sequence

from emulator.pocket.experts.driver import Driver

MARKOR = "net.gsantner.markor"
LETTERS_IN_PICTURES = (24,)  # pixels of the letters in expenses.jpg and recipes.jpg
HEADS = {"expense", "recipe"}  # the word in front of a block's title


def read_in_markor(driver: Driver, name: str) -> str:
    """Open a note in Markor and read it."""
    driver.open_app(MARKOR)
    driver.scroll_to(name)
    driver.tap_text(name)
    return max((e.text for e in driver.elements() if e.editable), key=len)


def unwrapped(lines: Sequence[str], fields: Sequence[str]) -> str:
    """Blocks of `field: value` again, of lines that were wrapped: what begins with no field's name goes on the last."""
    known = {name.lower() for name in fields[1:]}
    joined: list[str] = []
    for line in lines:
        name = line.partition(":")[0].strip().lower()
        if joined and name not in known and name not in HEADS:
            joined[-1] += " " + line.strip()
        else:
            joined.append(f" {line.strip()}" if name in known else line.strip())
    return "\n".join(joined)


def rows_of(text: str, fields: Sequence[str]) -> list[dict[str, str]]:
    """One dict a row, with the names in `fields` (the first one is the row's title)."""
    lines = [line for line in text.splitlines() if line.strip()]
    heading = "|".join(fields)
    if any(line.strip() == heading for line in lines):
        parts = [line.split("|") for line in lines if line.strip() != heading]
        return [dict(zip(fields, part, strict=True)) for part in parts]
    rows: list[dict[str, str]] = []
    for line in lines:
        name, _, value = line.partition(": ")
        if not line.startswith(" "):
            rows.append({fields[0]: value.strip()})
        elif rows and name.strip() in fields:
            rows[-1][name.strip()] = value.strip()
    return rows
