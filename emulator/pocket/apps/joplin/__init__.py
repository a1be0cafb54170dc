"""Joplin (net.cozic.joplin): notebooks, notes and to-dos in Markdown, search, trash.

AndroidWorld fills the tables (data.py) and asks about what the screen shows. Words and descriptions are those of
laurent22/joplin packages/app-mobile (side-menu-content, note-item, screens/Note, ScreenHeader). Departures: no tags,
attachments, alarms, synchronisation or plugins; the text of a note is views, not a web page.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.joplin import data
from emulator.pocket.apps.joplin.look import BLUE, bar, note_row, round_button, tool
from emulator.pocket.apps.joplin.note import NotePage
from emulator.pocket.apps.joplin.places import Configuration, Notebook, side_menu
from emulator.pocket.databases import Row
from emulator.pocket.intents import Intent
from emulator.pocket.parts import dialog, list_dialog, menu, page
from emulator.pocket.views import WRAP, View
from emulator.pocket.widgets import (
    button,
    checkbox,
    column,
    empty,
    lazy_list,
    radio,
    row,
    text,
    text_field,
)

PACKAGE = data.PACKAGE
MAIN = f"{PACKAGE}.MainActivity"
NO_NOTES = "There are currently no notes. Create one by clicking on the (+) button."


@dataclass
class NoteScreen(Screen):
    """What the list and the search share: rows that open a note, tick a to-do or are marked by holding them."""

    marked: list[str] = field(default_factory=list)

    @abstractmethod
    def rows(self) -> list[Row]:
        """The notes shown."""

    def listing(self, rows: list[Row]) -> View:
        """Them below each other."""

        def item(i: int) -> View:
            key = rows[i]["id"]
            return note_row(rows[i], partial(self.choose, key), partial(self.mark, key),
                            partial(data.tick, self.phone, key), key in self.marked)  # fmt: skip

        return lazy_list(len(rows), 51, item, id="note_list")

    def choose(self, key: str) -> None:
        """A note is tapped."""
        if self.marked:
            self.mark(key)
        else:
            self.push(NotePage(key))

    def mark(self, key: str) -> None:
        """A note is held, or tapped while others are marked."""
        self.marked = [k for k in self.marked if k != key] if key in self.marked else [*self.marked, key]

    def unmark(self) -> None:
        """The cross."""
        self.marked = []

    def on_back(self) -> bool:
        """BACK ends marking first."""
        if self.marked:
            self.unmark()
            return True
        return False


@dataclass
class NoteList(NoteScreen):
    """A notebook's notes, all notes, or the trash. `where` is the notebook's id or one of data.ALL, data.TRASH."""

    where: str = ""
    adding: bool = False
    held: str = ""
    closed: list[str] = field(default_factory=list)

    def place(self) -> str:
        """Where the list is: the notebook last opened, else the newest; '' if there is none."""
        chosen = self.where or self.phone.prefs(PACKAGE).text("activeFolderId")
        if chosen in {data.ALL, data.TRASH} or (chosen and data.folder(self.phone, chosen) is not None):
            return chosen
        rows = data.folders(self.phone)
        return str(max(rows, key=lambda r: (r["created_time"], r["title"]))["id"]) if rows else ""

    def rows(self) -> list[Row]:
        """In the chosen order."""
        return data.notes(self.phone, self.place(), data.order(self.phone))

    def title(self) -> str:
        """Of the bar."""
        place = self.place()
        known = data.folder(self.phone, place)
        return {data.ALL: "All notes", data.TRASH: "Trash"}.get(place, str(known["title"]) if known else "Joplin")

    def build(self) -> View:
        """Bar, notes, plus."""
        place = self.place()
        rows = self.rows() if place else []
        if not place:
            body = column(
                text("You currently have no notebooks.", color="text_dim", id="empty"),
                button("Create a notebook", self.new_notebook), align="center", justify="center", weight=1, gap=16,
            )  # fmt: skip
        elif rows:
            body = self.listing(rows)
        else:
            body = empty("There are no notes in the trash folder." if place == data.TRASH else NO_NOTES)
        return page(self._bar(), body, fab=self._plus() if place not in {"", data.TRASH} else None)

    def _bar(self) -> View:
        if self.marked:
            tools = [tool("folder", "Move to notebook...", partial(self.open, "move")),
                     tool("copy", "Duplicate", self.duplicate), tool("delete", "Delete", self.delete)]  # fmt: skip
            if self.place() == data.TRASH:
                tools = [tool("undo", "Restore", self.restore), tool("delete", "Delete", self.delete)]
            return bar(str(len(self.marked)), ("back", "Back", self.unmark), tools)
        tools = [tool("search", "Search", self.search), tool("sort", "Sort notes by", partial(self.open, "sort"))]
        if self.place() not in {"", data.ALL, data.TRASH}:
            tools.append(tool("more", "Actions", partial(self.open, "menu")))
        return bar(self.title(), ("menu", "Sidebar", partial(self.open, "side")), tools)

    def _plus(self) -> View:
        main = round_button("close" if self.adding else "add", "Add new", partial(self.set, "adding", not self.adding))
        if not self.adding:
            return main
        choices = []
        for name, label, todo in (("check", "New to-do", True), ("note", "New note", False)):
            create = partial(self.create, todo)
            words = row(text(label, size=14), width=WRAP, background="surface_high", radius=6, padding=(10, 6, 10, 6),
                        on_tap=create)  # fmt: skip
            choices.append(row(words, round_button(name, "", create, 44), gap=12, justify="end", padding=(0, 0, 6, 0)))
        return column(*choices, main, gap=14, align="end")

    def overlay(self) -> View | None:
        """Side menu, order, menus, questions."""
        if self.opened == "side":
            return side_menu(self.phone, self.place(), self.closed, self.go, self.hold, self.fold)
        if self.opened == "sort":
            return self._sort()
        if self.opened == "move":
            return list_dialog("Move to notebook...", [r["title"] for r in data.folders(self.phone)], self.move)
        known = data.folder(self.phone, self.held or self.place())
        name = str(known["title"]) if known else ""
        if self.opened == "held":
            ask = partial(self.open, "delete_notebook")
            return dialog(f"Notebook: {name}", buttons=[
                ("Cancel", self.dismiss), ("Delete", ask), ("Edit", self.edit_notebook)])  # fmt: skip
        if self.opened == "delete_notebook":
            words = f'Move notebook "{name[:32]}" to the trash?\n\nAll notes and sub-notebooks within this notebook ' \
                    "will also be moved to the trash."  # fmt: skip
            return dialog("", message=words, buttons=[("Cancel", self.dismiss), ("OK", self.delete_notebook)])
        return menu([("Edit notebook", self.edit_notebook), ("Delete notebook", partial(self.open, "delete_notebook")),
                     ("Select all", self.mark_all)])  # fmt: skip

    def _sort(self) -> View:
        how = data.order(self.phone)
        choices = [radio(how.column == key, partial(self.sort, key), label=label) for label, key in data.SORTS]
        flags = [
            checkbox(on, partial(self.flip, name, not on), label=label)
            for label, name, on in (
                ("Reverse sort order", "notes.sortOrder.reverse", how.reverse),
                ("Uncompleted to-dos on top", "uncompletedTodosOnTop", how.todos_on_top),
                ("Show completed to-dos", "showCompletedTodos", how.completed),
            )
        ]
        return dialog("Sort notes by", *choices, *flags, buttons=[("OK", self.dismiss)])

    # going

    def go(self, place: str) -> None:
        """A place of the side menu."""
        self.dismiss()
        self.adding, self.marked = False, []
        if place == "new":
            self.new_notebook()
        elif place == "config":
            self.push(Configuration())
        else:
            self.phone.prefs(PACKAGE).set("activeFolderId", place)
            self.where = place
            self.scrolls.pop("list", None)

    def hold(self, key: str) -> None:
        """A notebook of the side menu is held."""
        self.held = key
        self.open("held")

    def fold(self, key: str) -> None:
        """The arrow of a notebook with others in it."""
        self.closed = [k for k in self.closed if k != key] if key in self.closed else [*self.closed, key]

    def dismiss(self) -> None:
        """Nothing is held any more."""
        self.held = ""
        super().dismiss()

    def search(self) -> None:
        """The magnifier."""
        self.push(Search())

    def on_back(self) -> bool:
        """BACK closes the choices of the plus, then ends marking."""
        if self.adding:
            self.adding = False
            return True
        return super().on_back()

    # notes

    def create(self, todo: bool) -> None:
        """New note, new to-do."""
        self.adding = False
        place = self.place()
        home = data.first_folder(self.phone) if place == data.ALL else place
        self.push(NotePage(home=home, is_todo=todo))

    def sort(self, key: str) -> None:
        """Another column."""
        self.phone.prefs(PACKAGE).set("notes.sortOrder.field", key)

    def flip(self, name: str, on: bool) -> None:
        """One of the three switches."""
        self.phone.prefs(PACKAGE).set(name, on)

    def mark_all(self) -> None:
        """All notes of the list."""
        self.dismiss()
        self.marked = [note["id"] for note in self.rows()]

    def delete(self) -> None:
        """The marked ones go to the trash, or from there for good."""
        data.trash(self.phone, self.marked)
        self.unmark()

    def restore(self) -> None:
        """The marked ones come back."""
        data.restore(self.phone, self.marked)
        self.unmark()

    def move(self, index: int) -> None:
        """The marked ones go to another notebook."""
        home = data.folders(self.phone)[index]["id"]
        with self.phone.db(data.DB):
            for key in self.marked:
                data.save(self.phone, key, {"parent_id": home})
        self.unmark()
        self.dismiss()

    def duplicate(self) -> None:
        """The marked ones once more."""
        with self.phone.db(data.DB):
            for key in self.marked:
                note = data.note(self.phone, key)
                if note is not None:
                    same = {name: note[name] for name in ("parent_id", "body", "is_todo", "todo_completed")}
                    new = {**same, "title": f"{note['title']} - Copy"}
                    data.save(self.phone, data.new_id(self.phone), new)
        self.unmark()

    # notebooks

    def new_notebook(self) -> None:
        """To the form."""
        self.ask(Notebook(), "notebook")

    def edit_notebook(self) -> None:
        """To the form of the one that is held, or open."""
        key = self.held or self.place()
        self.dismiss()
        self.ask(Notebook(key), "notebook")

    def on_result(self, key: str, value: object) -> None:
        """A notebook was saved: show it."""
        self.go(str(value))

    def delete_notebook(self) -> None:
        """OK."""
        data.trash_folder(self.phone, self.held or self.place())
        self.dismiss()


@dataclass
class Search(NoteScreen):
    """Notes that have the words typed."""

    query: str = ""

    def on_create(self) -> None:
        """The keyboard comes up."""
        self.focus_on("query")

    def rows(self) -> list[Row]:
        """Best first."""
        return data.search(self.phone, self.query)

    def build(self) -> View:
        """Bar, field, notes."""
        box = text_field("query", self.query, partial(self.set, "query"), hint="Search", weight=1, id="search_input",
                         on_submit=self.phone.keyboard.hide)  # fmt: skip
        parts = [box]
        if self.query:
            parts.append(button("Clear", partial(self.set, "query", ""), style="text", desc="Clear"))
        rows = self.rows()
        body = self.listing(rows) if rows else empty("No results" if self.query.strip() else "")
        return page(bar("Search", ("back", "Back", self.finish)), row(*parts, padding=(16, 8, 8, 8), gap=4), body)


def _main(intent: Intent) -> Screen:
    return NoteList()


APP = App(
    package=PACKAGE, label="Joplin", icon=("joplin", BLUE), main=MAIN, activities={MAIN: _main},
    databases={data.DATABASE: data.SCHEMA}, system=False, version="3.0.8",
)  # fmt: skip
