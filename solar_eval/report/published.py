"""results/published.csv: what others print, one number a row, and the rules behind the names in its protocol column.

Columns: model, paradigm, training_data, benchmark, subset, metric, value (per cent, digits as printed), protocol,
measured_by, source, note; "-" where the source does not say. The same model under several protocols, or from several
sources that disagree, stays several entries; equal numbers that one source carries over from another become one entry
with both sources.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass, replace
from pathlib import Path

from solar_eval.errors import DataError
from solar_eval.protocols import presets
from solar_eval.report.conditions import native_boxes
from solar_eval.report.entries import METRICS, MISSING, Conditions, Entry, Value

COLUMNS = (
    "model", "paradigm", "training_data", "benchmark", "subset", "metric", "value", "protocol", "measured_by",
    "source", "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PublishedRules:
    """A protocol that we know only from its numbers. ranked: its rows share enough to be put in an order."""

    title: str
    ranked: bool


RULES: dict[str, PublishedRules] = {
    "agentcpm_before_pr52": PublishedRules(
        "AgentCPM-GUI's evaluator with the history bug of its issue #53; its README's first numbers", True
    ),
    "ui_tars_paper": PublishedRules(
        "UI-TARS's paper: 14 % of the screen, OS-Atlas's and GUI-Odyssey's rules by its maintainers' answers, label "
        "thoughts prefilled on Low; the scorer is not public",
        True,
    ),
    "ui_venus_readme": PublishedRules("UI-Venus's README; neither scorer nor subset is public", True),
    "ui_s1_paper": PublishedRules("UI-S1's paper, offline numbers; our sources do not state the rules", True),
    "user_reports": PublishedRules(
        "What users got when they tried to reproduce a number; prompts and rules differ from row to row", False
    ),
    "android_world_self_reported": PublishedRules(
        "AndroidWorld success rates as each team reports them; steps, tries, inputs and forks differ from row to row",
        False,
    ),
}
"""Protocols of published.csv that are no presets of ours."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file, checked."""

    cells: dict[str, str]
    line: int

    @property
    def who(self) -> tuple[str, ...]:
        """What has to be equal for two numbers to be of one measurement (the source aside)."""
        return tuple(self.cells[name] for name in ("model", "benchmark", "protocol", "subset", "measured_by"))


def read_rows(path: Path) -> list[Row]:
    """The file's rows. Raises DataError naming line and column of the first one that does not fit."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"can't be read: {error}", str(path)) from None
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise DataError(f"not a CSV file: {error}", str(path)) from None
    if not lines or tuple(lines[0]) != COLUMNS:
        raise DataError(f"the first line has to be {','.join(COLUMNS)}", str(path))
    rows = [_row(cells, number, path) for number, cells in enumerate(lines[1:], start=2) if cells]
    _refuse_twice(rows, path)
    return rows


def _row(cells: list[str], number: int, path: Path) -> Row:
    where = f"{path} row {number}"
    if len(cells) != len(COLUMNS):
        raise DataError(f"{len(cells)} cells instead of {len(COLUMNS)}", where)
    named = dict(zip(COLUMNS, (cell.strip() for cell in cells), strict=True))
    for name in COLUMNS[:-1]:
        if not named[name]:
            raise DataError(f"{name} is empty", where, 'write "-" where the source does not say')
    if named["metric"] not in METRICS:
        raise DataError(f"metric {named['metric']!r} is none of {', '.join(METRICS)}", where)
    if named["protocol"] not in presets() and named["protocol"] not in RULES:
        raise DataError(
            f"protocol {named['protocol']!r} is neither a preset nor described", where,
            "describe it in RULES of solar_eval/report/published.py",
        )  # fmt: skip
    _percent(named["value"], where)
    return Row(named, number)


def _percent(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise DataError(f"value {text!r} is not a percentage", where)
    return value


def _refuse_twice(rows: list[Row], path: Path) -> None:
    seen: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = (*row.who, row.cells["metric"], row.cells["source"])
        if key in seen:
            raise DataError(f"the same number as in row {seen[key]}", f"{path} row {row.line}", "keep one of them")
        seen[key] = row.line


def entries(rows: list[Row]) -> list[Entry]:
    """One entry a measurement, in the file's order."""
    made: list[Entry] = []
    by_source: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        by_source.setdefault((*row.who, row.cells["source"]), []).append(row)
    for group in by_source.values():
        entry = _entry(group)
        twin = next((i for i, other in enumerate(made) if _carried(other, entry)), None)
        if twin is None:
            made.append(entry)
        else:
            made[twin] = _joined(made[twin], entry)
    return made


def _entry(rows: list[Row]) -> Entry:
    first = rows[0].cells
    notes = dict.fromkeys(f"{METRICS[row.cells['metric']]}: {row.cells['note']}" for row in rows if row.cells["note"])
    rules = RULES.get(first["protocol"])
    return Entry(
        model=first["model"], paradigm=first["paradigm"], training_data=first["training_data"],
        benchmark=first["benchmark"], protocol=first["protocol"],
        conditions=Conditions(first["subset"], native_boxes(first["protocol"], first["benchmark"])),
        measured_by=first["measured_by"], ours=False,
        values={row.cells["metric"]: Value(float(row.cells["value"]), row.cells["value"]) for row in rows},
        sources=(first["source"],), notes=_shared(notes, rows),
        unranked="" if rules is None or rules.ranked else "rules differ from row to row",
    )  # fmt: skip


def _shared(notes: dict[str, None], rows: list[Row]) -> tuple[str, ...]:
    """A note that stands at every metric is said once."""
    said = {row.cells["note"] for row in rows}
    return tuple(said) if len(said) == 1 and "" not in said else tuple(notes)


def _who(entry: Entry) -> tuple[object, ...]:
    return entry.model, entry.benchmark, entry.protocol, entry.conditions, entry.measured_by


def _carried(one: Entry, other: Entry) -> bool:
    """Whether `other` repeats numbers of `one` and contradicts none."""
    common = one.values.keys() & other.values.keys()
    return _who(one) == _who(other) and bool(common) and all(
        one.values[name].percent == other.values[name].percent for name in common
    )  # fmt: skip


def _joined(one: Entry, other: Entry) -> Entry:
    more = {name: value for name, value in other.values.items() if name not in one.values}
    notes = tuple(dict.fromkeys(one.notes + other.notes))
    return replace(one, values=one.values | more, sources=one.sources + other.sources, notes=notes)


def paradigms(rows: list[Row]) -> dict[str, tuple[str, str]]:
    """(paradigm, training data) by model, where a row says so; for our own runs of the same model."""
    out: dict[str, tuple[str, str]] = {}
    for row in rows:
        said = (row.cells["paradigm"], row.cells["training_data"])
        if said != (MISSING, MISSING):
            out.setdefault(row.cells["model"], said)
    return out
