"""Joplin: the side menu with the notebooks, the form of a notebook, the configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket.app import Screen
from emulator.pocket.apps.joplin import data
from emulator.pocket.apps.joplin.look import bar, tool
from emulator.pocket.parts import list_dialog, page
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import (
    column,
    divider,
    header,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    spacer,
    switch_row,
    text,
)

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

Handler = Callable[[str], object]


def side_menu(phone: Phone, at: str, closed: Sequence[str], go: Handler, hold: Handler, fold: Handler) -> View:
    """All notes, the notebooks, the trash, below them the other places; `at` is the one shown."""
    heading = row(icon("folder", 20), text("Notebooks", bold=1, weight=1), gap=14, height=40, padding=(16, 0, 16, 0))
    rows = [_entry("file", "All notes", partial(go, data.ALL), at == data.ALL), divider(), heading]
    for folder, depth, has_more in data.tree(phone, closed):
        rows.append(_folder(folder["id"], folder["title"], depth, at, go, hold))
        if has_more:
            shut = folder["id"] in closed
            arrow = icon_button("down" if shut else "up", "Expand" if shut else "Collapse", partial(fold, folder["id"]))
            rows[-1] = row(_weighted(rows[-1]), arrow, height=42)
    rows.append(_entry("delete", "Trash", partial(go, data.TRASH), at == data.TRASH))
    lower = [divider(), _entry("new_folder", "New Notebook", partial(go, "new")),
             _entry("settings", "Configuration", partial(go, "config")), divider(),
             _entry("refresh", "Synchronise", partial(go, "config")), spacer(height=8)]  # fmt: skip
    made = column(scroll(*rows, key="panel", id="side_menu_list"), *lower, width=290, height=FILL, background="surface",
                  id="side_menu", padding=(0, 10, 0, 0))  # fmt: skip
    made.anchor, made.desc = "start", "Sidebar"
    return made


def _weighted(view: View) -> View:
    view.weight = 1
    return view


def _entry(name: str, label: str, on_tap: Callable[[], object], selected: bool = False) -> View:
    made = row(icon(name, 20), text(label, weight=1), gap=14, height=42, padding=(16, 0, 16, 0), on_tap=on_tap)
    made.background, made.selected = "surface_high" if selected else None, selected
    return made


def _folder(key: str, title: str, depth: int, at: str, go: Handler, hold: Handler) -> View:
    made = row(text(title or "Untitled", lines=1, weight=1, id="folder_title"), height=42, on_tap=partial(go, key),
               padding=(50 + 12 * min(depth, 10), 0, 16, 0), id="folder_item")  # fmt: skip
    made.on_long, made.selected = partial(hold, key), key == at
    made.background = "surface_high" if key == at else None
    return made


@dataclass
class Notebook(Screen):
    """The form of a notebook ('': a new one). Finishes with its id."""

    key: str = ""
    title: str = ""
    parent: str = ""

    def on_create(self) -> None:
        """Fill in what is known; the cursor stands in the title."""
        known = data.folder(self.phone, self.key) if self.key else None
        if known is not None:
            self.title, self.parent = known["title"], known["parent_id"]
        self.focus_on("title", self.title)

    def build(self) -> View:
        """Bar with a tick, title, parent."""
        above = data.folder(self.phone, self.parent) if self.parent else None
        top = bar("Edit notebook", ("back", "Back", self.finish), [tool("check", "Save changes", self.save)])
        name = column(self.field("title", hint="Enter notebook title", on_submit=self.save, id="notebook_title"),
                      padding=(16, 16, 16, 8))  # fmt: skip
        within = list_row("Parent", above["title"] if above else "None", partial(self.open, "parent"), "folder")
        return page(top, name, within)

    def _others(self) -> list[tuple[str, str]]:
        below = {self.key} if self.key else set()
        found = [("None", "")]
        for row_, _, _ in data.tree(self.phone):
            if row_["id"] in below or row_["parent_id"] in below:
                below.add(row_["id"])
            else:
                found.append((row_["title"], row_["id"]))
        return found

    def overlay(self) -> View | None:
        """The notebooks it can lie in."""
        return list_dialog("Parent notebook", [name for name, _ in self._others()], self.choose)

    def choose(self, index: int) -> None:
        """One of them."""
        self.parent = self._others()[index][1]
        self.dismiss()

    def save(self) -> None:
        """The tick."""
        if self.title.strip():
            self.finish(data.save_folder(self.phone, self.key, self.title.strip(), self.parent))
        else:
            self.toast("The notebook could not be saved: it has no title")


@dataclass
class Configuration(Screen):
    """What the lists show, and how it stands with synchronisation."""

    def build(self) -> View:
        """Sections."""
        prefs = self.phone.prefs(data.PACKAGE)
        switches = [
            switch_row(label, prefs.flag(name, True), partial(self.flip, name))
            for label, name in (("Uncompleted to-dos on top", "uncompletedTodosOnTop"),
                                ("Show completed to-dos", "showCompletedTodos"))
        ]  # fmt: skip
        return page(bar("Configuration", ("back", "Back", self.finish)), scroll(
            header("Synchronisation"), list_row("Synchronisation target", "None"), header("Note"), *switches,
            header("More information"), list_row("Joplin 3.0.8", "Database v47"),
        ))  # fmt: skip

    def flip(self, name: str) -> None:
        """One of the switches."""
        prefs = self.phone.prefs(data.PACKAGE)
        prefs.set(name, not prefs.flag(name, True))
