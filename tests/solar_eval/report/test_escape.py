"""Hostile texts in each format: shown as text, read back as text by a real parser where there is one."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from solar_eval.report import escape
from solar_eval.report.sheet import Block, Sheet, to_html, to_latex, to_markdown, to_text

HOSTILE = [
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "a | b || c",
    "**bold** _it_ `code` [link](javascript:alert(1)) ![x](y)",
    "<!-- leaderboard:end -->",
    "https://evil.example/x www.evil.example me@evil.example",
    r"\input{/etc/passwd} $x^2$ 50% #1 & ~ {} [2pt] *",
    "\\\\[2cm] \\end{tabular}",
    "line\nbreak\r\nand\ttab",
    "right-to-left \u202e gnirts \u2066 and \u200b zero width",
    "NUL \x00 and bell \x07 and a lone \ud800 surrogate",
    "../../etc/passwd",
    "=HYPERLINK(1)",
    "&lt;already&gt; &amp; &#58;",
    "-- --- ``quotes'' ?` !`",
    "模型 Ünïcode",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_is_one_visible_line(text: str) -> None:
    shown = escape.plain(text)
    assert "\n" not in shown and "\r" not in shown and shown.isprintable()
    shown.encode("utf-8")


def test_plain_cuts_and_says_how_long_it_was() -> None:
    shown = escape.plain("x" * 1_000_000)
    assert len(shown) < 200
    assert "1,000,000 characters" in shown
    assert escape.plain(" \n ") == "-"


def test_direction_marks_become_visible() -> None:
    assert escape.plain("a\u202eb") == "a\\u{202e}b"


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    sheet = Sheet("T", ("model", "value"), (Block("", ((text, "1"),)),))
    tokens = MarkdownIt("commonmark").enable("table").parse(to_markdown(sheet))
    cells = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
    assert len(cells) == 2
    kinds = {child.type for child in cells[0].children or []}
    assert kinds <= {"text", "text_special"}
    shown = "".join(child.content for child in cells[0].children or [])
    assert shown == escape.plain(text)


def test_markdown_has_no_autolink_of_githubs() -> None:
    """cmark-gfm links bare addresses; markdown-it needs an extension for that, so the raw text is looked at."""
    raw = escape.markdown("https://evil.example www.evil.example _ftp://x me@evil.example x @ y")
    assert not re.search(r"https?://|ftp://|www\.|\w@", raw)
    assert "x @ y" in raw


class Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and self.lasttag == "td" and data.strip():
            self.cells[-1] += data


@pytest.mark.parametrize("text", HOSTILE)
def test_html_shows_the_text_and_nothing_else(text: str) -> None:
    page = Collector()
    page.feed(to_html(text, text, [Sheet(text, ("a", text), (Block(text, ((text, "1"),)),), (text,), lead=text)]))
    assert not {"script", "img", "iframe", "link", "object"} & set(page.tags)
    assert not [name for name in page.attributes if name.startswith("on")]
    assert page.cells == [escape.plain(text), "1"]


def test_html_page_loads_nothing() -> None:
    page = to_html("T", "lead", [Sheet("S", ("a",), (Block("", (("1",),)),))])
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src 'none'" in page


LATEX_TOKEN = re.compile(
    r"\\[a-z]+\{\}|\\[{}$&#%_]|\{\[\}|\{\]\}|\{\*\}|-\{\}|[?!]\{\}|[^\\{}$&#%_^~<>|\"'`\[\]*?!]"
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_is_made_of_harmless_tokens_alone(text: str) -> None:
    """Every special character stands only in one of the forms that print it."""
    raw = escape.latex(text)
    position = 0
    for found in LATEX_TOKEN.finditer(raw):
        assert found.start() == position, raw[position:]
        position = found.end()
    assert position == len(raw), raw[position:]


def test_latex_row_that_begins_with_a_bracket_is_no_argument() -> None:
    sheet = Sheet("T", ("a", "b"), (Block("", (("x", "1"), ("[2pt]", "2"), ("*", "3"))),))
    lines = to_latex(sheet).splitlines()
    assert r"{[}2pt{]} & 2 \\" in lines
    assert r"{*} & 3 \\" in lines


@pytest.mark.parametrize("start", ["=1+1", "+1", "-x", "@SUM(A1)"])
def test_csv_cells_are_no_formulas(start: str) -> None:
    assert escape.csv(start) == f"'{start}"
    assert escape.csv("-") == "-"


def test_text_columns_line_up_for_wide_characters() -> None:
    sheet = Sheet("T", ("model", "n"), (Block("", (("模型", "1"), ("abcd", "22"))),), right=frozenset({1}))
    rows = to_text(sheet).splitlines()[3:]
    assert rows == ["模型    1", "abcd   22"]
