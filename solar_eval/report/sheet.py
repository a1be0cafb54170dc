"""A table with its heading and notes as plain strings, and its writers: text, Markdown, LaTeX, HTML page.

Cells are raw; each writer escapes them (`escape.py`), so no caller can forget it. A block is a run of rows under a
heading row of its own. The same sheet gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from solar_eval.report import escape

NOTE_LENGTH = 1000
TEMPLATE = "page.html.j2"


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together; `heading` stands above them, "" for none."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table. `right`: columns (by index) that are set to the right. `notes` stand below it."""

    title: str
    headings: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    right: frozenset[int] = frozenset()
    lead: str = ""
    """A sentence between title and table."""

    @property
    def anchor(self) -> str:
        """The title as an id for links."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or "table"

    @property
    def empty(self) -> bool:
        """Whether there is no row."""
        return not any(block.rows for block in self.blocks)


# ---- text
def to_text(sheet: Sheet) -> str:
    """Aligned columns for a terminal or a log."""
    rows = [[escape.plain(cell) for cell in row] for block in sheet.blocks for row in block.rows]
    widths = [max(map(_width, column)) for column in zip(list(sheet.headings), *rows, strict=True)]
    out = [escape.plain(sheet.title, NOTE_LENGTH)]
    if sheet.lead:
        out.append(escape.plain(sheet.lead, NOTE_LENGTH))
    out += [_line(sheet.headings, widths, sheet.right), _line(["-" * width for width in widths], widths, sheet.right)]
    for block in sheet.blocks:
        out += [f"[{escape.plain(block.heading, NOTE_LENGTH)}]"] if block.heading else []
        out += [_line([escape.plain(cell) for cell in row], widths, sheet.right) for row in block.rows]
    out += [f"  {escape.plain(note, NOTE_LENGTH)}" for note in sheet.notes]
    return "\n".join(out) + "\n"


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _line(cells: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    padded = []
    for i, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        room = " " * (width - _width(cell))
        padded.append(room + cell if i in right else cell + room)
    return "  ".join(padded).rstrip()


# ---- Markdown
def to_markdown(sheet: Sheet, level: int = 2) -> str:
    """Heading, sentence, table, notes."""
    out = [f"{'#' * level} {escape.markdown(sheet.title, NOTE_LENGTH)}", ""]
    if sheet.lead:
        out += [escape.markdown(sheet.lead, NOTE_LENGTH), ""]
    out.append(_bars([escape.markdown(heading) for heading in sheet.headings]))
    out.append(_bars(["---:" if i in sheet.right else "---" for i in range(len(sheet.headings))]))
    for block in sheet.blocks:
        if block.heading:
            out.append(_bars([f"**{escape.markdown(block.heading, NOTE_LENGTH)}**", *[""] * (len(sheet.headings) - 1)]))
        out += [_bars([escape.markdown(cell) for cell in row]) for row in block.rows]
    if sheet.notes:
        out += ["", *(f"* {escape.markdown(note, NOTE_LENGTH)}" for note in sheet.notes)]
    return "\n".join(out) + "\n"


def _bars(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


# ---- LaTeX
def to_latex(sheet: Sheet) -> str:
    """A table environment with booktabs rules, for `\\input`; needs the packages booktabs and graphicx."""
    columns = "".join("r" if i in sheet.right else "l" for i in range(len(sheet.headings)))
    out = [
        r"\begin{table*}[tp]", r"\centering", rf"\caption{{{escape.latex(sheet.title, NOTE_LENGTH)}}}",
        rf"\label{{tab:{sheet.anchor}}}", r"\resizebox{\textwidth}{!}{%", rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule", _ampersands(sheet.headings), r"\midrule",
    ]  # fmt: skip
    for number, block in enumerate(sheet.blocks):
        if block.heading:
            out += [r"\midrule"] if number else []
            heading = escape.latex(block.heading, NOTE_LENGTH)
            out.append(rf"\multicolumn{{{len(sheet.headings)}}}{{l}}{{\emph{{{heading}}}}} \\")
        out += [_ampersands(row) for row in block.rows]
    out += [r"\bottomrule", r"\end{tabular}}"]
    if notes := " ".join(_sentence(escape.latex(note, NOTE_LENGTH)) for note in (sheet.lead, *sheet.notes) if note):
        out.append(rf"\par\smallskip\raggedright\footnotesize {notes}")
    return "\n".join([*out, r"\end{table*}"]) + "\n"


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(escape.latex(cell) for cell in cells) + r" \\"


def _sentence(text: str) -> str:
    return text if text.endswith(".") else text + "."


# ---- HTML
def to_html(title: str, lead: str, sheets: Sequence[Sheet]) -> str:
    """One self-contained page: no script, nothing loaded from anywhere, light and dark."""
    import jinja2

    source = (Path(__file__).parent / "templates" / TEMPLATE).read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, newline_sequence="\n",
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["cell"] = escape.plain
    environment.filters["note"] = _note
    return environment.from_string(source).render(title=title, lead=lead, sheets=sheets)


def _note(text: str) -> str:
    return escape.plain(text, NOTE_LENGTH)
