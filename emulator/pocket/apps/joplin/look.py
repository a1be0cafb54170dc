"""Joplin: the dark bar, the row of a note, and Markdown as the app shows it.

Shown of Markdown: headings, bullet and numbered lists, boxes to tick, quotes, code, rules; the marks of bold, italic,
code and links inside a line are left out. A line break is a line break, as in the app's default settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from emulator.pocket.apps.joplin import data
from emulator.pocket.databases import Row
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import checkbox, column, divider, icon_button, row, spacer, text

NAVY = (49, 54, 64)
BLUE = (45, 107, 220)
INLINE = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"), (re.compile(r"\*\*(.+?)\*\*"), r"\1"),
    (re.compile(r"`([^`]+)`"), r"\1"), (re.compile(r"(?<![\w*])[*_](\S(?:.*?\S)?)[*_](?![\w*])"), r"\1"),
)  # fmt: skip
BOX = re.compile(r"^\s*[-*+] \[([ xX])\] (.*)$")
BULLET = re.compile(r"^(\s*)[-*+] (.*)$")
NUMBER = re.compile(r"^(\s*)(\d+)[.)] (.*)$")
HEADING = re.compile(r"^(#{1,6}) (.*)$")


def bar(title: str, lead: tuple[str, str, Action], actions: Sequence[View] = (), middle: View | None = None) -> View:
    """The bar at the top: a button, a title (or a field), more buttons, white on dark."""
    name = middle or text(title, size=19, lines=1, weight=1, color="white", id="title", padding=(6, 0, 4, 0))
    return row(tool(*lead), name, *actions, height=56, background=NAVY, padding=(4, 0, 4, 0), id="header")


def tool(name: str, desc: str, on_tap: Action, enabled: bool = True) -> View:
    """A button of the bar."""
    return icon_button(name, desc, on_tap, color="white", enabled=enabled)


def round_button(name: str, desc: str, on_tap: Action, size: float = 56) -> View:
    """A round blue button."""
    return View("android.widget.Button", icon=name, desc=desc, on_tap=on_tap, width=size, height=size, radius=size / 2,
                background=BLUE, color="white")  # fmt: skip


def note_row(note: Row, on_tap: Action, on_long: Action, on_tick: Callable[[bool], object], marked: bool) -> View:
    """One note of a list; a to-do has its box."""
    title, done = data.title_of(note), data.is_done(note)
    parts = [text(title, lines=1, weight=1, color="text_faint" if done else "text", id="note_title")]
    if note["is_todo"]:
        parts.insert(0, checkbox(done, lambda: on_tick(not done), desc=f"to-do: {title}", id="todo_checkbox"))
    made = row(*parts, height=50, gap=8, padding=(16, 0, 16, 0), on_tap=on_tap, id="note_item")
    made.on_long, made.selected = on_long, marked
    made.background = "primary_soft" if marked else None
    return column(made, divider())


def inline(words: str) -> str:
    """A line without the marks inside it."""
    for pattern, kept in INLINE:
        words = pattern.sub(kept, words)
    return words


def rendered(body: str, on_box: Callable[[int], object]) -> list[View]:
    """A body as views; `on_box(line number)` is called when a box of the text is tapped."""
    views: list[View] = []
    code = False
    for number, line in enumerate(body.split("\n")):
        if line.lstrip().startswith("```"):
            code = not code
        elif code:
            views.append(text(line or " ", size=14, width=FILL, color="text_dim", padding=(10, 2, 10, 2)))
        elif not line.strip():
            views.append(spacer(height=12))
        else:
            views.append(_line(line, number, on_box))
    return views


def _line(line: str, number: int, on_box: Callable[[int], object]) -> View:
    if found := BOX.match(line):
        ticked = found[1] != " "
        return row(checkbox(ticked, lambda: on_box(number), desc=inline(found[2])),
                   text(inline(found[2]), weight=1, color="text_faint" if ticked else "text"), gap=6)  # fmt: skip
    if found := HEADING.match(line):
        return text(inline(found[2]), size=max(26 - 3 * len(found[1]), 16), bold=2, width=FILL, padding=(0, 8, 0, 6))
    if set(line.strip()) <= {"-"} or set(line.strip()) <= {"*"}:
        return divider() if len(line.strip()) >= 3 else text(line, width=FILL)
    if found := BULLET.match(line):
        return _item("\u2022", found[2], len(found[1]))
    if found := NUMBER.match(line):
        return _item(f"{found[2]}.", found[3], len(found[1]))
    if line.startswith(">"):
        quote = text(inline(line.lstrip("> ")), color="text_dim", weight=1, padding=(10, 2, 0, 2))
        return row(View(width=4, height=22, background="track"), quote)
    return text(inline(line), width=FILL, padding=(0, 2, 0, 2))


def _item(mark: str, words: str, indent: int) -> View:
    return row(
        text(mark, width=24, align="end"), text(inline(words), weight=1), gap=10, align="start",
        padding=(4 + 8 * min(indent, 12), 3, 0, 3),
    )  # fmt: skip
