"""Text that others wrote (model names, goals, replies) put into Markdown, LaTeX, HTML and CSV as nothing but text.

`plain` comes first everywhere: control, format and private characters (right-to-left marks, zero-width joiners, NUL)
become visible as \\u{202e}, blanks fold, long texts are cut. The four writers then escape what their format reads as
markup. Markdown is GitHub's: tables, autolinks and $ mathematics included. LaTeX keeps letters beyond ASCII, which
engines since 2018 read as UTF-8.
"""

from __future__ import annotations

import html as html_library
import re
import unicodedata

LONGEST = 160
"""Characters of a cell that are shown; what was cut says so."""
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
FORMULA = ("=", "+", "-", "@")
_MARKDOWN = {character: "\\" + character for character in "\\`*_[]|~$#"} | {
    "<": "&lt;", ">": "&gt;", "&": "&amp;",
}  # fmt: skip
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}", "?": "?{}", "!": "!{}",
}  # fmt: skip
_LINK = re.compile(r"(?i)(https?|ftp)://|www\.|(?<=[\w.+-])@")


def plain(text: str, longest: int = LONGEST) -> str:
    """One line of visible characters, at most `longest` of them; "-" for nothing."""
    cut = text[: longest + 1]
    line = " ".join("".join(_visible(character) for character in cut).split())
    if len(text) > longest:
        return f"{line[:longest]}... ({len(text):,} characters)"
    return line or "-"


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if character in "\t\n\r\v\f" or kind in ("Zs", "Zl", "Zp"):
        return " "
    return f"\\u{{{ord(character):x}}}" if kind in HIDDEN else character


def markdown(text: str, longest: int = LONGEST) -> str:
    """A cell or heading of GitHub's Markdown that shows `text` literally: no markup, HTML, link or formula in it."""
    escaped = "".join(_MARKDOWN.get(character, character) for character in plain(text, longest))
    return _LINK.sub(lambda found: found[0].replace(":", "&#58;").replace(".", "&#46;").replace("@", "&#64;"), escaped)


def latex(text: str, longest: int = LONGEST) -> str:
    """A LaTeX cell that shows `text` literally; ligatures and the optional argument of \\\\ are kept apart."""
    escaped = "".join(_LATEX.get(character, character) for character in plain(text, longest))
    return re.sub("-(?=-)", "-{}", escaped)


def html(text: str, longest: int = LONGEST) -> str:
    """Text for an HTML element or a quoted attribute."""
    return html_library.escape(plain(text, longest), quote=True)


def csv(text: str, longest: int = LONGEST) -> str:
    """A text cell that no spreadsheet takes for a formula: an apostrophe goes before one that looks like it."""
    line = plain(text, longest)
    return f"'{line}" if line != "-" and line.startswith(FORMULA) else line
