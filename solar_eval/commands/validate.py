"""`solar-eval validate`: every label fed back as the prediction, before any model is asked.

Once as it is, and once through each dialect that has words for it (render, then parse). Every gold step has to score 1
under every protocol that counts it; what does not is listed with its reason. A dialect's grid (0-1000, resized pixels)
moves a point by up to half a unit, which is the only expected difference.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.protocols import Protocol
from solar_eval.records import Benchmark, RecordedParse, Step
from solar_eval.scoring.columns import Columns, Prediction, build
from solar_eval.scoring.match import REASONS, judge
from solar_eval.scoring.pipeline import Reader, family_of

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
    steps: Sequence[Step], dialects: Sequence[Dialect], family: str
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
    columns: Columns, protocol: Protocol, family: str, dialect: str, no_words: int
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
        return f"text came back as {said.text[i]!r}"
    if reason == "point":
        return f"the dialect's grid moved {label.point[i].round(5).tolist()} to {said.point[i].round(5).tolist()}"
    if reason == "direction":
        return "the label's swipe has no direction" if label.direction[i] < 0 else "the word is read in another sense"
    if reason == "type" and protocol.long_press_label_is_click:
        return "its source turns long-press labels into clicks, replies not"
    if reason == "status" and protocol.finish == "wrong":
        return "its source never credits a finish"
    if reason == "out of range":
        return f"the label lies outside the screen: {label.point[i].tolist()}"
    if reason == "status":
        return "the dialect can't tell failure from success"
    return f"read as {said.kind[i]}"


def run(benchmark: Benchmark, dialects: Sequence[Dialect], protocols: Sequence[Protocol], out: Path | None) -> int:
    """Prints the table and the list of exceptions; writes all of them as JSON lines to `out`. Exit code 0."""
    rows, faults = check(benchmark, dialects, protocols)
    _print(benchmark, rows, faults)
    if out is not None:
        lines = [json.dumps({name: getattr(fault, name) for name in fault.__slots__}) for fault in faults]
        out.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return 0


def _print(benchmark: Benchmark, rows: list[Row], faults: list[GoldFault]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    unread = [step for step in benchmark.scored_steps if step.label is None]
    console.print(f"{benchmark.name}, subset {benchmark.subset}: {len(benchmark.scored_steps)} labelled steps, "
                  f"{len(unread)} labels unreadable, {len(benchmark.unreadable)} items unreadable")  # fmt: skip
    for note in benchmark.notes:
        console.print(escape(note))
    names = list(dict.fromkeys(row.protocol for row in rows))
    table = Table(title="gold steps that do not score 1 (of those the protocol counts)", title_justify="left")
    table.add_column("through", no_wrap=True)
    table.add_column("no words", justify="right")
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for dialect in dict.fromkeys(row.dialect for row in rows):
        mine = [row for row in rows if row.dialect == dialect]
        table.add_row(dialect, str(mine[0].no_words), *(str(row.counted - row.right) for row in mine))
    console.print(table)
    _exceptions(faults, console)


def _exceptions(faults: list[GoldFault], console: Any, most: int = 40) -> None:
    from rich.markup import escape

    if not faults:
        console.print("every gold step scores 1")
        return
    kinds = Counter(
        (fault.protocol, fault.reason, fault.why if len(fault.why) < 70 else fault.reason) for fault in faults
    )
    console.print(f"{len(faults)} exceptions of {len({f.step for f in faults})} steps:")
    shown: set[tuple[str, str]] = set()
    for fault in faults:
        key = (fault.step, fault.why)
        if key not in shown and len(shown) < most:
            shown.add(key)
            console.print(escape(f"  {fault.step} {fault.protocol} via {fault.dialect}: {fault.reason}: {fault.why}  "
                                 f"{fault.label[:100]}"))  # fmt: skip
    if len(kinds) > most:
        console.print(f"  ... {len(kinds)} kinds; --out FILE holds every one")


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts for tests and reports: {dialect: {protocol: [counted, right]}}."""
    out: dict[str, Any] = {}
    for row in rows:
        out.setdefault(row.dialect, {})[row.protocol] = [row.counted, row.right]
    return out
