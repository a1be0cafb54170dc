"""Entries laid out as tables: one for each benchmark and protocol, a block and a ranking for each set of conditions.

Nothing of two protocols stands in one ranking. Within a table the block with the protocol's own subset and boxes comes
first; other conditions follow in blocks of their own, each ranked for itself, under a heading that says them. Rows
without a place (steps owed, a selection, rules that differ) stand below, by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solar_eval.protocols import presets
from solar_eval.report.conditions import BENCHMARK_TITLES, benchmark_title, native_boxes, native_subset
from solar_eval.report.entries import METRICS, MISSING, Conditions, Entry
from solar_eval.report.published import RULES
from solar_eval.report.sheet import Block, Sheet


def order_of(entry: Entry) -> tuple[object, ...]:
    """Tables in the order of benchmarks, then presets, then protocols known from numbers, then others by name."""
    benchmarks, protocols = list(BENCHMARK_TITLES), [*presets(), *RULES]
    return (*_place(benchmarks, entry.benchmark), *_place(protocols, entry.protocol))


def _place(names: Sequence[str], name: str) -> tuple[int, str]:
    return (names.index(name), "") if name in names else (len(names), name)


def tables(entries: Iterable[Entry]) -> list[tuple[tuple[str, str], list[Entry]]]:
    """((benchmark, protocol), its entries), in the order of the tables."""
    grouped: dict[tuple[str, str], list[Entry]] = {}
    for entry in sorted(entries, key=order_of):
        grouped.setdefault((entry.benchmark, entry.protocol), []).append(entry)
    return list(grouped.items())


def primary(protocol: str, entries: Sequence[Entry]) -> str:
    """The metric that ranks: step SR; episode SR where episodes are run with the model's own history, or live."""
    preset = presets().get(protocol)
    own_history = preset is not None and preset.history == "own"
    has_steps = any("step_sr" in entry.values for entry in entries)
    return "step_sr" if has_steps and not own_history else "episode_sr"


def ranked(entries: Sequence[Entry], metric: str) -> list[tuple[str, Entry]]:
    """(place, entry) of one block: best first, equal two-digit values share a place; then the others, by name."""
    placed = [entry for entry in entries if not entry.unranked and metric in entry.values]
    placed.sort(key=lambda entry: (-round(entry.values[metric].percent, 2), *_by_name(entry)))
    out: list[tuple[str, Entry]] = []
    for number, entry in enumerate(placed, start=1):
        same = bool(out) and _rounded(out[-1][1], metric) == _rounded(entry, metric)
        out.append((out[-1][0] if same else str(number), entry))
    rest = sorted((entry for entry in entries if entry not in placed), key=_by_name)
    return out + [(MISSING, entry) for entry in rest]


def _rounded(entry: Entry, metric: str) -> float:
    return round(entry.values[metric].percent, 2)


def _by_name(entry: Entry) -> tuple[object, ...]:
    values = tuple((name, value.shown) for name, value in sorted(entry.values.items()))
    return entry.model.casefold(), entry.model, entry.measured_by, entry.run, entry.sources, values


def blocks_of(entries: Sequence[Entry]) -> list[tuple[Conditions, list[Entry]]]:
    """Entries by their conditions, the protocol's own first, then by their words."""
    grouped: dict[Conditions, list[Entry]] = {}
    for entry in entries:
        grouped.setdefault(entry.conditions, []).append(entry)
    first = entries[0]
    own = Conditions(native_subset(first.protocol, first.benchmark), native_boxes(first.protocol, first.benchmark))
    return sorted(grouped.items(), key=lambda item: (item[0] != own, str(item[0])))


def sheet_of(benchmark: str, protocol: str, entries: Sequence[Entry]) -> Sheet:
    """The table of one benchmark and protocol."""
    metric = primary(protocol, entries)
    shown = [name for name in METRICS if any(name in entry.values for entry in entries)]
    sources, remarks = Numbered(), Numbered("note ")
    blocks = []
    for conditions, group in blocks_of(entries):
        rows = tuple(_row(place, entry, shown, sources, remarks) for place, entry in ranked(group, metric))
        blocks.append(Block(str(conditions), rows))
    headings = (
        "rank", "model", "paradigm", "training data", *(METRICS[name] for name in shown), "steps", "measured by",
        "source", "notes",
    )  # fmt: skip
    return Sheet(
        title=f"{benchmark_title(benchmark)} under {protocol}",
        headings=headings, blocks=tuple(blocks), lead=_lead(protocol, metric, entries),
        notes=(*sources.lines(), *remarks.lines()),
        right=frozenset({0, *range(4, 5 + len(shown))}),
    )  # fmt: skip


class Numbered:
    """Texts that get a number when they first appear, so that a table's cell holds the number and its foot the text."""

    def __init__(self, word: str = "") -> None:
        self.word, self._numbers = word, dict[str, int]()

    def cell(self, texts: Iterable[str]) -> str:
        """The numbers of these texts, "-" for none."""
        found = [str(self._numbers.setdefault(text, len(self._numbers) + 1)) for text in texts]
        return ", ".join(found) or MISSING

    def lines(self) -> list[str]:
        """ "1: text" for each."""
        kind = self.word or "source "
        return [f"{kind}{number}: {text}" for text, number in self._numbers.items()]


def _row(place: str, entry: Entry, shown: Sequence[str], sources: Numbered, remarks: Numbered) -> tuple[str, ...]:
    values = [entry.values[name].shown if name in entry.values else MISSING for name in shown]
    notes = ([f"not ranked: {entry.unranked}"] if entry.unranked else []) + list(entry.notes)
    return (
        place, entry.model, entry.paradigm, entry.training_data, *values,
        MISSING if entry.steps is None else str(entry.steps), entry.measured_by, sources.cell(entry.sources),
        remarks.cell(notes),
    )  # fmt: skip


def _lead(protocol: str, metric: str, entries: Sequence[Entry]) -> str:
    preset, rules = presets().get(protocol), RULES.get(protocol)
    if preset is not None:
        said = f"{preset.title}. Rules from {preset.source}."
    else:
        said = f"{rules.title}." if rules is not None else "A protocol of a user's own."
    if all(entry.unranked for entry in entries):
        return f"{said} Not a ranking; rows are in the order of their names."
    return f"{said} Ranked by {METRICS[metric]}, each block for itself."
