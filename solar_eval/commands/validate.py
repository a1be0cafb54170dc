"""`solar-eval validate`: every label fed back as the prediction, before any model is asked.

Once as it is, and once through each dialect that has words for it (render, then parse). Every gold step has to score 1
under every protocol that counts it; what does not is listed with its reason. A dialect's grid (0-1000, resized pixels)
moves a point by up to half a unit, which is the only expected difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.protocols import Family, Protocol, family_of
from solar_eval.records import Benchmark, RecordedParse, Step
from solar_eval.scoring.columns import Columns, Prediction, build
from solar_eval.scoring.match import REASONS, judge
from solar_eval.scoring.pipeline import Reader

if TYPE_CHECKING:
    from rich.table import Table

DIRECT = "(label itself)"


@dataclass(frozen=True, slots=True)
class GoldFault:
    """One gold step that a protocol counts and does not score 1."""

    step: str
    dialect: str
    protocol: str
    reason: str
    label: str
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """One dialect under one protocol: gold steps counted, right, and without words in the dialect."""

    dialect: str
    protocol: str
    counted: int
    right: int
    no_words: int


def check(
    benchmark: Benchmark, dialects: Sequence[Dialect], protocols: Sequence[Protocol]
) -> tuple[list[Row], list[GoldFault]]:
    """Gold through the scorer directly, then through each dialect."""
    family = family_of(benchmark.name)
    steps = [step for step in benchmark.scored_steps if step.label is not None]
    rows: list[Row] = []
    faults: list[GoldFault] = []
    for name, expressed, predictions in _ways(steps, dialects, family):
        columns = build(expressed, predictions)
        for protocol in protocols:
            row, found = _judged(columns, protocol, family, name, len(steps) - len(expressed))
            rows.append(row)
            faults += found
    return rows, faults


def _ways(
    steps: Sequence[Step], dialects: Sequence[Dialect], family: Family
) -> Iterator[tuple[str, list[Step], list[Prediction]]]:
    yield DIRECT, list(steps), [RecordedParse(step.label) for step in steps]
    for dialect in dialects:
        reader = Reader(dialect, family)
        expressed: list[Step] = []
        predictions: list[Prediction] = []
        for step in steps:
            frame = reader.frame(step.screen, None)
            assert step.label is not None
            try:
                text = dialect.render(step.label, frame)
            except CannotExpress:
                continue
            expressed.append(step)
            predictions.append(dialect.parse(text, frame))
        yield dialect.name, expressed, predictions


def _judged(
    columns: Columns, protocol: Protocol, family: Family, dialect: str, no_words: int
) -> tuple[Row, list[GoldFault]]:
    verdicts = judge(columns, protocol, family)
    wrong = verdicts.counted & ~(verdicts.type_ok & (verdicts.step_ok | ~verdicts.stepped))
    faults = [_fault(columns, int(i), protocol, dialect, REASONS[verdicts.reason[i]]) for i in np.flatnonzero(wrong)]
    counted = int(verdicts.counted.sum())
    return Row(dialect, protocol.name, counted, counted - len(faults), no_words), faults


def _fault(columns: Columns, i: int, protocol: Protocol, dialect: str, reason: str) -> GoldFault:
    from solar_eval.actions import to_json

    step = columns.steps[i]
    assert step.label is not None
    label = json.dumps(to_json(step.label), ensure_ascii=True)
    return GoldFault(step.id, dialect, protocol.name, reason, label, explain(columns, i, protocol, reason))


def explain(columns: Columns, i: int, protocol: Protocol, reason: str) -> str:
    """Why a gold step can fail: known rules of the source first, else what was compared."""
    label, said = columns.label, columns.predicted
    if reason in {"text", "app", "answer"}:
        if not label.text[i].strip():
            return "the label's text is empty"
        return f"the text came back changed: {said.text[i]!r}"
    if reason == "point":
        return (
            f"the dialect's grid moved the point: {label.point[i].round(5).tolist()} {said.point[i].round(5).tolist()}"
        )
    if reason == "direction":
        return (
            "the label's swipe has no direction"
            if label.direction[i] < 0
            else "the dialect's scroll words are the finger's, the protocol compares raw words"
        )
    if reason == "type" and protocol.long_press_label_is_click:
        return "its source turns long-press labels into clicks, replies not"
    if reason == "status" and protocol.finish == "wrong":
        return "its source never credits a finish"
    if reason == "out of range":
        return f"the label lies outside the screen: {label.point[i].tolist()}"
    if reason == "status":
        return "the dialect can't tell failure from success"
    if reason == "unparseable" and max(label.point[i]) > 1:
        return f"the label lies outside the screen: {label.point[i].tolist()}"
    return "the dialect reads back another kind of action"


def run(benchmark: Benchmark, dialects: Sequence[Dialect], protocols: Sequence[Protocol], out: Path | None) -> int:
    """Prints the table and the list of exceptions; writes all of them as JSON lines to `out`. Exit code 0."""
    rows, faults = check(benchmark, dialects, protocols)
    _print(benchmark, rows, faults)
    if out is not None:
        lines = [json.dumps({name: getattr(fault, name) for name in fault.__slots__}) for fault in faults]
        out.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return 0


def _print(benchmark: Benchmark, rows: list[Row], faults: list[GoldFault]) -> None:
    from rich.markup import escape

    from solar_eval.commands.score import console

    out = console()
    unread = [step for step in benchmark.scored_steps if step.label is None]
    out.print(f"{benchmark.name}, subset {benchmark.subset}: {len(benchmark.scored_steps)} labelled steps, "
              f"{len(unread)} labels unreadable, {len(benchmark.unreadable)} items unreadable")  # fmt: skip
    for note in benchmark.notes:
        out.print(escape(note))
    for step in unread:
        out.print(escape(f"label unreadable: {step.id}: {step.label_fault}"))
    out.print(_by_protocol(rows))
    if not faults:
        out.print("every gold step scores 1")
        return
    out.print(_by_reason(faults))


def _by_protocol(rows: list[Row]) -> Table:
    """One line a protocol: gold steps counted, and how many do not score 1, directly and through each dialect."""
    from rich import box
    from rich.table import Table

    table = Table(title="gold steps that do not score 1", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("protocol", "counted", "label itself", "through dialects (those that have any)"):
        table.add_column(heading, justify="right" if heading in {"counted", "label itself"} else "left")
    for protocol in dict.fromkeys(row.protocol for row in rows):
        mine = [row for row in rows if row.protocol == protocol]
        direct = next(row for row in mine if row.dialect == DIRECT)
        wrong: dict[int, list[str]] = {}
        for row in mine:
            if row.dialect != DIRECT and row.counted > row.right:
                wrong.setdefault(row.counted - row.right, []).append(row.dialect)
        others = [f"{n} in {', '.join(d) if len(d) < 4 else f'each of {len(d)}'}" for n, d in wrong.items()]
        table.add_row(protocol, str(direct.counted), str(direct.counted - direct.right), "; ".join(others) or "none")
    return table


def _by_reason(faults: list[GoldFault]) -> Table:
    """One line a reason: how many steps, under which protocols, through what, and three examples."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    groups: dict[tuple[str, str], list[GoldFault]] = {}
    for fault in faults:
        groups.setdefault((fault.reason, fault.why.partition(": ")[0]), []).append(fault)
    table = Table(title="why (--out FILE holds every one)", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("what differs", "reason", "steps", "protocols", "through", "for instance"):
        table.add_column(heading, overflow="fold")
    for (reason, why), found in groups.items():
        steps = list(dict.fromkeys(fault.step for fault in found))
        names = ", ".join(dict.fromkeys(fault.protocol for fault in found))
        ways = list(dict.fromkeys(fault.dialect for fault in found))
        through = ", ".join(ways) if len(ways) < 5 else f"{len(ways)} dialects"
        table.add_row(reason, Text(why), str(len(steps)), names, through, Text(", ".join(steps[:3])))
    return table
