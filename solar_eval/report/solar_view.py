"""SOLAR-RL's table as a view: AndroidControl and GUI-Odyssey under its kit's rules, AndroidWorld beside them.

Offline cells are of guievalkit_2025_09, whose numbers the table's baselines equal to the last digit; AndroidWorld cells
are what each team reports for a model of that name, or our own live runs. The view has no ranking. One row is one model
measured by one party (for our runs: one run folder name); a cell whose conditions are not the protocol's own has a †.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solar_eval.protocols import DEFAULT
from solar_eval.report.board import Numbered
from solar_eval.report.conditions import native_boxes, native_subset
from solar_eval.report.entries import MISSING, Conditions, Entry
from solar_eval.report.sheet import Block, Sheet

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("AC-Low TM", "android_control_low", "type_match"),
    ("AC-Low step SR", "android_control_low", "step_sr"),
    ("AC-High TM", "android_control_high", "type_match"),
    ("AC-High step SR", "android_control_high", "step_sr"),
    ("Odyssey TM", "gui_odyssey", "type_match"),
    ("Odyssey EM (step SR)", "gui_odyssey", "step_sr"),
    ("AndroidWorld SR (episodes)", "android_world", "episode_sr"),
)
PAPER = "SOLAR-RL, arXiv 2604.22558"
SELF_REPORTED = "android_world_self_reported"
TABLE, KIT, OURS = "rows that SOLAR-RL's table shows", "other rows of the same kit", "measured with solar-eval"


def sheet(entries: Sequence[Entry]) -> Sheet:
    """The view; blocks: the paper's rows, the kit's other rows, ours."""
    offline = [entry for entry in entries if entry.protocol == DEFAULT and _in_view(entry)]
    live = [entry for entry in entries if entry.benchmark == "android_world"]
    rows: dict[tuple[str, ...], list[Entry]] = {}
    for entry in [*offline, *(entry for entry in live if entry.ours)]:
        again = sum(key[:-1] == _key(entry) and _has(group, entry.benchmark) for key, group in rows.items())
        rows.setdefault((*_key(entry), str(again)), []).append(entry)
    reported = {entry.model: entry for entry in live if not entry.ours and entry.protocol == SELF_REPORTED}
    sources, remarks = Numbered(), Numbered("note ")
    shown = {name: _in_block(rows, name) for name in (TABLE, KIT, OURS)}
    blocks = tuple(
        Block(name, tuple(_row(group, reported, sources, remarks) for group in groups))
        for name, groups in shown.items()
        if groups
    )
    return Sheet(
        title="SOLAR-RL's table", headings=("model", "paradigm", "training data", *(c[0] for c in COLUMNS),
                                            "measured by", "sources", "notes"),
        blocks=blocks, right=frozenset(range(3, 3 + len(COLUMNS))),
        lead=f"TM and SR in per cent. Offline columns under {DEFAULT}; AndroidWorld as each team reports it, under its "
        "own steps and tries. A view, not a ranking: rows are in the order of their names.",
        notes=(*sources.lines(), *remarks.lines()),
    )  # fmt: skip


def _in_view(entry: Entry) -> bool:
    """Rows over answered steps only are no rows of their own here."""
    return entry.benchmark in {column[1] for column in COLUMNS} and "answered rows only" not in entry.conditions.subset


def _key(entry: Entry) -> tuple[str, ...]:
    if entry.ours:
        return OURS, entry.model, entry.run
    return "published", entry.model, entry.measured_by if entry.measured_by != "authors" else "-"


def _has(group: Iterable[Entry], benchmark: str) -> bool:
    """A second number for the same cell (sources that disagree, two protocols) gets a row of its own."""
    return any(entry.benchmark == benchmark for entry in group)


def _in_block(rows: dict[tuple[str, ...], list[Entry]], name: str) -> list[list[Entry]]:
    chosen = [group for group in rows.values() if _block_of(group) == name]
    return sorted(chosen, key=lambda group: (group[0].model.casefold(), group[0].model, group[0].measured_by,
                                             group[0].run))  # fmt: skip


def _block_of(group: Sequence[Entry]) -> str:
    if group[0].ours:
        return OURS
    in_paper = any(source.startswith(PAPER) for entry in group for source in entry.sources)
    return TABLE if in_paper else KIT


def _row(group: Sequence[Entry], reported: dict[str, Entry], sources: Numbered, remarks: Numbered) -> tuple[str, ...]:
    first, cells, notes = group[0], [], dict[str, None]()
    used: list[Entry] = []
    for _, benchmark, metric in COLUMNS:
        found = _measured(group, benchmark, metric)
        if found is None and benchmark == "android_world" and not first.ours:
            found = reported.get(first.model)
        if found is None or metric not in found.values:
            cells.append(MISSING)
            continue
        used.append(found)
        departs = _departure(found)
        cells.append(found.values[metric].shown + (" †" if departs else ""))
        notes |= dict.fromkeys(_remarks(found, departs))
    origins = dict.fromkeys(source for entry in used for source in entry.sources)
    return (first.model, first.paradigm, first.training_data, *cells, first.measured_by, sources.cell(origins),
            remarks.cell(notes))  # fmt: skip


def _measured(group: Iterable[Entry], benchmark: str, metric: str) -> Entry | None:
    return next((entry for entry in group if entry.benchmark == benchmark and metric in entry.values), None)


def _departure(entry: Entry) -> str:
    """What is other than the protocol's own conditions, "" if nothing."""
    if entry.protocol != DEFAULT:
        return ""
    own = Conditions(native_subset(entry.protocol, entry.benchmark), native_boxes(entry.protocol, entry.benchmark))
    return "" if entry.conditions == own else str(entry.conditions)


def _remarks(entry: Entry, departs: str) -> list[str]:
    said = [f"† {entry.benchmark}: {departs}"] if departs else []
    said += [f"{entry.benchmark}: {entry.unranked}"] if entry.unranked and entry.ours else []
    said += [f"AndroidWorld under {entry.protocol}"] if entry.benchmark == "android_world" and entry.ours else []
    return said + [note for note in entry.notes if not entry.ours]
