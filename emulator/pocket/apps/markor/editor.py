"""Markor's editor: one text file, written when `Save` is tapped, when it is left, and when another app comes.

The file is kept byte by byte as typed: a final line end that was there stays, none is added. Departures: view mode
knows headings, bullets and plain lines; the format bar has the common Markdown buttons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.documents import document_uri
from emulator.pocket.intents import SEND, ActivityNotFound, Intent
from emulator.pocket.parts import dialog, menu, page, search_bar, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import EDIT_TEXT, column, icon_button, row, scroll, text

UNDO_STEPS = 100
SHORTEST = 520.0
FORMATS = (("list", "Unordered list", "- "), ("check", "Check list", "- [ ] "), ("bold", "Bold", "****"),
           ("link", "Link", "[]()"), ("label", "Heading", "# "))  # fmt: skip


@dataclass
class Editor(Screen):
    """The file at `path`; one that does not exist yet is made at the first save."""

    activity: ClassVar[str] = "net.gsantner.markor.activity.DocumentActivity"

    path: str
    content: str = ""
    saved: str = ""
    viewing: bool = False
    searching: bool = False
    query: str = ""
    past: list[str] = field(default_factory=list)
    future: list[str] = field(default_factory=list)

    def on_create(self) -> None:
        """Read the file; an empty one waits for words."""
        self.load()
        if not self.content:
            self.focus_on("content")

    def on_resume(self) -> None:
        """Another program may have changed it."""
        if self.content == self.saved:
            self.load()

    def load(self) -> None:
        """The text as it lies in the file; wrong UTF-8 shows as replacement characters."""
        here = self.phone.fs.isfile(self.path)
        self.saved = self.phone.fs.read(self.path).decode("utf-8", "replace") if here else ""
        self.content = self.saved

    # the screen

    def build(self) -> View:
        """Tool bar, text, format bar."""
        if self.searching:
            bar = search_bar("query", self.query, partial(self.set, "query"), self.end_search, on_submit=self.find_next)
        else:
            bar = self._bar()
        if self.viewing:
            return page(bar, self._view())
        return page(bar, scroll(self._field(), key="text"), self._formats())

    def _bar(self) -> View:
        name = self.path.rpartition("/")[2]
        title = name.rpartition(".")[0] or name
        actions = [
            icon_button("undo", "Undo", self.undo, id="action_undo", enabled=bool(self.past)),
            icon_button("redo", "Redo", self.redo, id="action_redo", enabled=bool(self.future)),
            icon_button("save", "Save", self.save, id="action_save", enabled=self.content != self.saved),
            icon_button("edit", "Edit mode", self.switch, id="action_edit") if self.viewing
            else icon_button("eye", "View mode", self.switch, id="action_preview"),
        ]  # fmt: skip
        return toolbar(title, back=self.leave, actions=actions, menu=partial(self.open, "menu"))

    def _field(self) -> View:
        lines = sum(1 + len(line) // 40 for line in self.content.split("\n"))
        return View(
            EDIT_TEXT, text=self.content, key="content", id="document__fragment__edit__highlighting_editor",
            on_text=self.typed, multiline=True, editable=True, width=FILL, size=17, padding=(16, 12, 16, 24),
            height=SHORTEST if lines * 24 < SHORTEST - 40 else -2.0,
        )  # fmt: skip

    def _formats(self) -> View:
        made = [icon_button(name, label, partial(self.put, mark)) for name, label, mark in FORMATS]
        return row(
            *made, height=44, background="surface_high", padding=(4, 0, 4, 0), id="document__fragment__edit__bar"
        )

    def _view(self) -> View:
        return scroll(
            *[_line(line) for line in self.content.split("\n")], key="preview", padding=(16, 12, 16, 24), gap=4
        )

    def overlay(self) -> View | None:
        """Menu, file information."""
        if self.opened == "menu":
            return menu([
                ("Search", self.search), ("Reload", self.reload), ("Share", self.share),
                ("File info", partial(self.open, "info")),
            ])  # fmt: skip
        if self.opened == "info":
            words, signs = len(self.content.split()), len(self.content)
            said = f"{self.path}\nLines: {self.content.count(chr(10)) + 1}\nWords: {words}\nCharacters: {signs}"
            return dialog("File info", message=said, buttons=[("OK", self.dismiss)])
        return None

    # typing

    def typed(self, value: str) -> None:
        """The text changed."""
        self.past = [*self.past[-UNDO_STEPS + 1 :], self.content]
        self.future = []
        self.content = value

    def put(self, mark: str) -> None:
        """A format button: its mark at the cursor."""
        start, end = sorted(self.selection)
        start, end = min(start, len(self.content)), min(end, len(self.content))
        half = len(mark) // 2 if mark == "****" else 1 if mark == "[]()" else len(mark)
        self.typed(self.content[:start] + mark[:half] + self.content[start:end] + mark[half:] + self.content[end:])
        self.focus_on("content")
        self.selection = (end + half, end + half)

    def undo(self) -> None:
        """One change back."""
        self.future = [*self.future, self.content]
        *self.past, self.content = self.past

    def redo(self) -> None:
        """One change forth."""
        self.past = [*self.past, self.content]
        *self.future, self.content = self.future

    def switch(self) -> None:
        """View or edit."""
        self.viewing, self.focus = not self.viewing, ""
        self.phone.keyboard.hide()

    # searching

    def search(self) -> None:
        """A field for words to find."""
        self.dismiss()
        self.searching, self.query = True, ""
        self.focus_on("query")

    def find_next(self) -> None:
        """Put the cursor on the next place of the words."""
        after = self.content.lower().find(self.query.lower(), max(self.selection[1], 0))
        at = after if after >= 0 else self.content.lower().find(self.query.lower())
        size = len(self.query)
        self.end_search()
        if at < 0 or not size:
            self.toast("Not found")
            return
        self.focus_on("content")
        self.selection = (at, at + size)

    def end_search(self) -> None:
        """Back to the tool bar."""
        self.searching, self.query, self.focus = False, "", ""

    # the file

    def save(self) -> None:
        """Write the file if the text is another."""
        if self.content != self.saved:
            self.phone.fs.mkdir(self.path.rpartition("/")[0], parents=True)
            self.phone.fs.write(self.path, self.content)
            self.saved = self.content

    def reload(self) -> None:
        """Forget what was typed since the last save."""
        self.past = [*self.past, self.content]
        self.load()
        self.dismiss()

    def share(self) -> None:
        """Hand the text to another app."""
        self.dismiss()
        self.save()
        extras = {"android.intent.extra.TEXT": self.content, "android.intent.extra.STREAM": document_uri(self.path)}
        try:
            self.phone.start_activity(Intent(SEND, mime="text/plain", extras=extras))
        except ActivityNotFound:
            self.toast("No apps can perform this action.")

    def on_pause(self) -> None:
        """Another app comes: nothing is lost."""
        self.save()

    def leave(self) -> None:
        """The arrow: save and close."""
        self.save()
        self.finish()

    def on_back(self) -> bool:
        """BACK ends a search, else saves and closes."""
        if self.searching:
            self.end_search()
            return True
        self.save()
        return False


def _line(line: str) -> View:
    stripped = line.lstrip("#")
    level = len(line) - len(stripped)
    if 0 < level <= 6 and stripped.startswith(" "):
        return text(stripped.strip(), size=26 - 2 * level, bold=2, padding=(0, 8, 0, 2), width=FILL)
    if line.startswith(("- ", "* ")):
        return column(text(f"•  {line[2:]}", width=FILL), padding=(12, 0, 0, 0))
    return text(line, width=FILL)
