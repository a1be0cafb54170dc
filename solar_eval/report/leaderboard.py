"""LEADERBOARD.{md,csv,tex,html} and the README's section, from results/ alone: the same files give the same bytes.

No date, no machine, no order of a file system stands in the output. `stale` says which files are not what `outputs`
would write; CI fails on it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from solar_eval.errors import DataError, UsageError
from solar_eval.report import board, claims, escape, own_runs, published, solar_view
from solar_eval.report.entries import METRICS, MISSING, Entry
from solar_eval.report.sheet import Sheet, to_html, to_latex, to_markdown
from solar_eval.result_files import write_atomically

START, END = "<!-- leaderboard:start -->", "<!-- leaderboard:end -->"
TITLE = "Leaderboard"
LEAD = (
    "One table a benchmark and protocol; numbers of different protocols, subsets or element boxes are never ranked "
    "together. Per cent. Intervals (95 %, clustered by episode) stand at what solar-eval measured; published values "
    'have none. "-" is missing. TM is type match, step SR is EM, episode SR is TSR.'
)
HOW = "Made by scripts/regenerate_leaderboard from published.csv and the run directories here; edit those."
CSV_COLUMNS = (
    "benchmark", "protocol", "conditions", "rank", "ranked_by", "model", "paradigm", "training_data", "metric",
    "value", "low", "high", "n", "clusters", "measured_by", "ours", "source", "notes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Board:
    """What the outputs are made of. `left_out`: summaries that are no run directories of ours, with the reason."""

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...]


def gather(results: Path) -> Board:
    """Reads published.csv and all run directories. Raises DataError naming the file that does not fit."""
    if not results.is_dir():
        raise UsageError("no such folder", str(results), "run it at the top of the repository, or give --results")
    file = results / "published.csv"
    rows = published.read_rows(file) if file.is_file() else []
    runs, left_out = own_runs.find_runs(results)
    known = published.paradigms(rows)
    own = [entry for run in runs for entry in own_runs.entries(run, known)]
    return Board((*published.entries(rows), *own), tuple(left_out))


# ---- the files
def outputs(results: Path, readme: Path | None) -> dict[Path, bytes]:
    """What each generated file has to hold."""
    return outputs_of(gather(results), results, readme)


def outputs_of(made: Board, results: Path, readme: Path | None) -> dict[Path, bytes]:
    """The same from a board that was gathered. Raises UsageError where the README has no place for its section."""
    sheets = all_sheets(made.entries)
    if (found := claims.sheet(results)) is not None:
        sheets.append(found)
    texts = {
        results / "LEADERBOARD.md": markdown(sheets),
        results / "LEADERBOARD.csv": comma_separated(made.entries),
        results / "LEADERBOARD.tex": latex(sheets),
        results / "LEADERBOARD.html": to_html(TITLE, f"{LEAD} {HOW}", sheets),
    }
    if readme is not None:
        texts[readme] = with_section(readme, readme_section(sheets[0], results, readme))
    return {path: text.encode("utf-8") for path, text in texts.items()}


def all_sheets(entries: Sequence[Entry]) -> list[Sheet]:
    """SOLAR-RL's view, then a table for each benchmark and protocol."""
    made = [board.sheet_of(benchmark, protocol, group) for (benchmark, protocol), group in board.tables(entries)]
    return [solar_view.sheet(entries), *made]


def markdown(sheets: Sequence[Sheet]) -> str:
    """LEADERBOARD.md: contents, then the tables."""
    contents = [f"* [{escape.markdown(sheet.title)}](#{github_anchor(sheet.title)})" for sheet in sheets]
    head = [f"<!-- {HOW} -->", f"# {TITLE}", "", escape.markdown(LEAD, 1000), "", *contents, ""]
    return "\n".join(head) + "\n" + "\n".join(to_markdown(sheet) for sheet in sheets)


def github_anchor(title: str) -> str:
    """The id that GitHub gives a heading: lower case, letters, digits, - and _ only, blanks become -."""
    kept = "".join(c for c in escape.plain(title, 1000).lower() if c.isalnum() or c in "-_ ")
    return kept.replace(" ", "-")


def latex(sheets: Sequence[Sheet]) -> str:
    """LEADERBOARD.tex: one table environment each, for \\input."""
    head = (
        f"% {HOW}\n% \\usepackage{{booktabs}}, \\usepackage{{graphicx}} and \\usepackage[T1]{{fontenc}} are needed.\n"
    )
    return head + "\n" + "\n".join(to_latex(sheet) for sheet in sheets if not sheet.empty)


def comma_separated(entries: Sequence[Entry]) -> str:
    """LEADERBOARD.csv: one number a line; "-" is missing (pandas: na_values="-")."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for (_, protocol), group in board.tables(entries):
        metric = board.primary(protocol, group)
        for _, block in board.blocks_of(group):
            for place, entry in board.ranked(block, metric):
                writer.writerows(_csv_rows(entry, place, metric))
    return out.getvalue()


def _csv_rows(entry: Entry, place: str, ranked_by: str) -> list[list[str]]:
    def text(*parts: str) -> str:
        return escape.csv("; ".join(part for part in parts if part), 1000)

    def number(value: float | None) -> str:
        return MISSING if value is None else f"{value:.4f}"

    rows = []
    for metric in METRICS:
        if metric in entry.values:
            value = entry.values[metric]
            shown = f"{value.percent:.4f}" if entry.ours else value.shown
            rows.append([
                text(entry.benchmark), text(entry.protocol), text(str(entry.conditions)), place, ranked_by,
                text(entry.model), text(entry.paradigm), text(entry.training_data), metric, shown,
                number(value.low), number(value.high), _count(value.n), _count(value.clusters),
                text(entry.measured_by), "yes" if entry.ours else "no", text(*entry.sources),
                text(entry.unranked and f"not ranked: {entry.unranked}", *entry.notes),
            ])  # fmt: skip
    return rows


def _count(value: int | None) -> str:
    return MISSING if value is None else str(value)


# ---- the README
def readme_section(view: Sheet, results: Path, readme: Path) -> str:
    """What stands between the markers: SOLAR-RL's view and the way to everything else."""
    folder = _relative(results, readme.parent)
    return (
        f"{to_markdown(view, level=3)}\n"
        f"All tables, one a protocol: [{folder}/LEADERBOARD.md]({folder}/LEADERBOARD.md) (also .csv, .tex, .html). "
        "`scripts/regenerate_leaderboard` makes them and this section again.\n"
    )


def _relative(path: Path, start: Path) -> str:
    try:
        return path.resolve().relative_to(start.resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def with_section(readme: Path, section: str) -> str:
    """The README with `section` between its markers. Raises UsageError where there is not one pair of them."""
    try:
        text = readme.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"can't be read: {error}", str(readme)) from None
    before, start, rest = text.partition(START)
    between, end, after = rest.partition(END)
    if not start or not end or START in between + after or END in before + after:
        raise UsageError(
            f"needs the line {START} once and after it {END} once", str(readme),
            "add the two lines where the table shall stand, or give --readme none",
        )  # fmt: skip
    return f"{before}{START}\n{section}{END}{after}"


# ---- writing and checking
def stale(files: Mapping[Path, bytes]) -> list[str]:
    """A sentence for each file that does not hold what it should: missing, or the first line that differs."""
    found = []
    for path, wanted in files.items():
        if not path.is_file():
            found.append(f"{path}: missing")
        elif (there := path.read_bytes()) != wanted:
            found.append(f"{path}: line {_first_difference(there, wanted)} is not what results/ gives now")
    return found


def _first_difference(there: bytes, wanted: bytes) -> int:
    one, other = there.split(b"\n"), wanted.split(b"\n")
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False), 1) if a != b), min(len(one), len(other)))


def write(files: Mapping[Path, bytes]) -> list[Path]:
    """Writes the files that differ; returns which."""
    changed = [path for path, wanted in files.items() if not path.is_file() or path.read_bytes() != wanted]
    for path in changed:
        write_atomically(path, files[path])
    return changed
