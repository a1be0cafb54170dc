"""What Chrome reads out of an HTML file: title, ids, scripts as text, and the text content block by block.

Parsing is html.parser of the standard library. Nothing of a page is run: no script, no style, no other resource.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

LARGEST = 2_000_000  # characters of a page that are looked at
HEADINGS = {"h1": 32.0, "h2": 24.0, "h3": 18.7, "h4": 16.0, "h5": 13.3, "h6": 10.7}
BLOCKS = {*HEADINGS, "p", "div", "li", "ul", "ol", "tr", "table", "br", "hr", "form", "section", "article", "header",
          "footer", "main", "nav", "pre", "blockquote", "dl", "dt", "dd", "body", "button", "input", "a",
          "img"}  # fmt: skip
HIDDEN = {"style", "head", "template", "noscript", "title"}
MOST_BLOCKS = 2_000


@dataclass(frozen=True)
class Block:
    """A piece of text. `kind`: a heading's tag, "p", "li", "a" (with `target`), "button", "hr"."""

    kind: str
    text: str
    target: str = ""


@dataclass
class Document:
    """One HTML file, taken apart."""

    title: str = ""
    ids: frozenset[str] = frozenset()
    script: str = ""
    blocks: tuple[Block, ...] = ()
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)  # id -> width and height attributes


class _Reader(HTMLParser):
    """Collects a `Document`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title, self.script, self.words = "", "", ""
        self.ids: set[str] = set()
        self.sizes: dict[str, tuple[int, int]] = {}
        self.blocks: list[Block] = []
        self.open: list[str] = []
        self.kind, self.target = "p", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens: blocks end the text before them."""
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
            self._size(given)
        if tag in HIDDEN or tag == "script":
            self.open.append(tag)
        if tag in BLOCKS:
            self.flush()
            self.kind = tag if tag in HEADINGS or tag in {"li", "a", "button", "pre"} else "p"
            self.target = given.get("href", "") if tag == "a" else ""
        if tag == "hr":
            self.blocks.append(Block("hr", ""))
        elif tag == "img" and given.get("alt"):
            self.blocks.append(Block("p", f"[{given['alt']}]"))

    def _size(self, given: dict[str, str]) -> None:
        sides = [given.get(side, "") for side in ("width", "height")]
        if all(side.isascii() and side.isdecimal() and len(side) < 5 for side in sides):
            self.sizes[given["id"]] = (int(sides[0]), int(sides[1]))

    def handle_endtag(self, tag: str) -> None:
        """A tag closes."""
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]
        if tag in BLOCKS:
            self.flush()
            self.kind, self.target = "p", ""

    def handle_data(self, data: str) -> None:
        """Text: the title's, a script's, or the page's."""
        if "script" in self.open:
            self.script += data
        elif "title" in self.open:
            self.title += data
        elif not self.open:
            self.words += data

    def flush(self) -> None:
        """The text so far is a block."""
        said = self.words.strip("\n") if self.kind == "pre" else " ".join(self.words.split())
        if said.strip() and len(self.blocks) < MOST_BLOCKS:
            self.blocks.append(Block(self.kind, said, self.target))
        self.words = ""


def read(source: str) -> Document:
    """The document; broken HTML gives what can be understood of it, as in a browser."""
    reader = _Reader()
    reader.feed(source[:LARGEST])
    reader.close()
    reader.flush()
    return Document(" ".join(reader.title.split()), frozenset(reader.ids), reader.script, tuple(reader.blocks),
                    reader.sizes)  # fmt: skip


def plain(text: str) -> Document:
    """A file of plain text."""
    return Document(blocks=(Block("pre", text[:LARGEST]),)) if text.strip() else Document()
