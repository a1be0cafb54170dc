"""Markor's main screen: a folder of the notebook, choosing and sorting of files, the bar of places below."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.files.listing import Entry, entry, size_words
from emulator.pocket.apps.markor.dialogs import TYPES, choose_folder, delete_question, new_file, search_results
from emulator.pocket.apps.markor.editor import Editor
from emulator.pocket.apps.markor.files import copy_free, found_notes, in_order, move_all, note_date, usable_name
from emulator.pocket.documents import document_uri
from emulator.pocket.files import STORAGE
from emulator.pocket.intents import SEND, ActivityNotFound, Intent
from emulator.pocket.parts import Choice, bottom_bar, choice_dialog, dialog, menu, page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import column, fab, header, icon, icon_button, lazy_list, list_row, scroll, spacer

PACKAGE = "net.gsantner.markor"
MAIN = f"{PACKAGE}.activity.MainActivity"
NOTEBOOK = f"{STORAGE}/Documents/Markor"
TITLE, ABOUT = "opoc_filesystem_item__title", "opoc_filesystem_item__description"
ROW = 68.0
TABS = (("folder", "Files"), ("check", "To-Do"), ("note", "QuickNote"), ("more", "More"))
ORDERS = ("Name", "Date", "Size", "File type")


@dataclass
class Notes(Screen):
    """`folder` is shown; `marked` are the paths chosen; `target` the folder a move or copy would go to."""

    folder: str = NOTEBOOK
    tab: int = 0
    marked: list[str] = field(default_factory=list)
    new_name: str = ""
    new_extension: str = ".md"
    new_type: int = 0
    query: str = ""
    target: str = NOTEBOOK
    copying: bool = False
    shared: str = ""

    # the list

    def entries(self) -> list[Entry]:
        """Files and folders in the chosen order; files with a dot in front are hidden."""
        if not self.phone.fs.isdir(self.folder):
            return []
        names = [n for n in self.phone.fs.listdir(self.folder) if not n.startswith(".")]
        prefs = self.phone.prefs(PACKAGE)
        return in_order(
            [entry(self.phone, f"{self.folder}/{name}") for name in names], prefs.number("sort_order"),
            prefs.flag("sort_reverse"), prefs.flag("folders_first", True),
        )  # fmt: skip

    def build(self) -> View:
        """Tool bar, list, button, bar of places."""
        bottom = bottom_bar(TABS, self.tab, self.go_tab)
        if self.tab == 3:
            return page(toolbar("More"), self._more(), bottom=bottom)
        bar = self._selection_bar() if self.marked else self._bar()
        found, up = self.entries(), self.folder != STORAGE
        rows = len(found) + up
        body = lazy_list(rows, ROW, lambda i: self._parent() if up and i == 0 else self._row(found[i - up]),
                         id="ui__filesystem_dialog__list")  # fmt: skip
        button = fab("add", "Create a new file or folder", self.create, id="fab_add_new_item")
        return page(bar, body, fab=button, bottom=bottom)

    def _bar(self) -> View:
        title = "Markor" if self.folder == NOTEBOOK else self.folder.rpartition("/")[2]
        return toolbar(
            title, menu=partial(self.open, "menu"), actions=[
                icon_button("search", "Search", self.search, id="action_search"),
                icon_button("sort", "Sort by", partial(self.open, "sort"), id="action_sort"),
            ],
        )  # fmt: skip

    def _selection_bar(self) -> View:
        actions = [icon_button("delete", "Delete", partial(self.open, "delete"), id="action_delete_selected_items"),
                   icon_button("list", "Select all", self.mark_all, id="action_check_all")]  # fmt: skip
        if len(self.marked) == 1:
            actions.insert(0, icon_button("edit", "Rename", self.ask_rename, id="action_rename_selected_item"))
        count = len(self.marked)
        return toolbar(
            f"{count} selected", navigation=("close", "Cancel", self.unmark), actions=actions,
            menu=partial(self.open, "selection_menu"), color="surface_high",
        )  # fmt: skip

    def _parent(self) -> View:
        above = self.folder.rpartition("/")[0]
        return list_row("..", above, partial(self.go, above), icon_name="folder", height=ROW, summary_lines=1,
                        title_id=TITLE, summary_id=ABOUT)  # fmt: skip

    def _row(self, note: Entry) -> View:
        chosen = note.path in self.marked
        said = note_date(note) + ("" if note.folder else f"   {size_words(note.size)}")
        mark = icon("check" if chosen else "folder" if note.folder else "note",
                    color="primary" if chosen or note.folder else "text_dim")  # fmt: skip
        kind = "Folder" if note.folder else "File"
        return list_row(
            note.name, said, partial(self.touched, note), leading=mark, height=ROW, selected=chosen, summary_lines=1,
            on_long=partial(self.mark, note),
            title_id=TITLE, summary_id=ABOUT, desc=f"{kind} {note.name}",
        )  # fmt: skip

    def _more(self) -> View:
        return scroll(
            header("Markor"), list_row("Notebook", NOTEBOOK, partial(self.go_tab, 0), icon_name="folder"),
            list_row("To-Do", f"{NOTEBOOK}/todo.txt", partial(self.go_tab, 1), icon_name="check"),
            list_row("QuickNote", f"{NOTEBOOK}/QuickNote.md", partial(self.go_tab, 2), icon_name="note"),
            header("About"), column(list_row("Version", "2.11.1", icon_name="info")), spacer(height=16), key="more",
        )  # fmt: skip

    # going

    def go(self, folder: str) -> None:
        """Show another folder."""
        self.folder = folder
        self.scrolls.pop("list", None)

    def go_tab(self, number: int) -> None:
        """The bar below."""
        if number in {1, 2}:
            self.push(Editor(f"{NOTEBOOK}/{'todo.txt' if number == 1 else 'QuickNote.md'}"))
        else:
            self.tab = number

    def touched(self, note: Entry) -> None:
        """Open, or mark while others are."""
        if self.marked:
            self.mark(note)
        elif note.folder:
            self.go(note.path)
        else:
            self.push(Editor(note.path))

    def on_resume(self) -> None:
        """What is gone is neither shown nor marked."""
        self.marked = [p for p in self.marked if self.phone.fs.exists(p)]
        if not self.phone.fs.isdir(self.folder):
            self.phone.fs.mkdir(NOTEBOOK, parents=True)
            self.go(NOTEBOOK)
        if self.shared:
            self.create()

    def on_back(self) -> bool:
        """BACK ends choosing, then goes up as far as the notebook."""
        if self.marked:
            self.unmark()
        elif self.tab:
            self.tab = 0
        elif self.folder not in {NOTEBOOK, STORAGE}:
            self.go(self.folder.rpartition("/")[0])
        else:
            return False
        return True

    # choosing

    def mark(self, note: Entry) -> None:
        """Choose or not."""
        gone = note.path in self.marked
        self.marked = [p for p in self.marked if p != note.path] if gone else [*self.marked, note.path]

    def mark_all(self) -> None:
        """Everything in the folder."""
        self.marked = [note.path for note in self.entries()]
        self.dismiss()

    def unmark(self) -> None:
        """Nothing any more."""
        self.marked = []
        self.dismiss()

    # overlays

    def overlay(self) -> View | None:
        """Menus and dialogs."""
        if self.opened in {"menu", "selection_menu"}:
            return menu(self._selection_menu() if self.marked else self._menu())
        if self.opened == "new":
            return new_file(self)
        if self.opened == "type":
            return choice_dialog("Type", [label for label, _ in TYPES], self.new_type, self.set_type)
        if self.opened == "sort":
            return self._sort()
        if self.opened == "delete":
            return delete_question(self.marked, self.dismiss, self.delete)
        if self.opened == "rename":
            asked = self.field("new_name", hint="Name", on_submit=self.rename)
            return dialog("Rename", asked, buttons=[("CANCEL", self.dismiss), ("OK", self.rename)])
        if self.opened == "target":
            return choose_folder(self)
        if self.opened == "search":
            notes = found_notes(self.phone, self.folder, self.query) if self.query else []
            return search_results(self, notes)
        return None

    def _menu(self) -> list[Choice]:
        return [("Sort by", partial(self.open, "sort")), ("Select all", self.mark_all),
                ("Go to notebook", self.go_home_folder)]  # fmt: skip

    def _selection_menu(self) -> list[Choice]:
        items: list[Choice] = [("Select all", self.mark_all), ("Move", partial(self.ask_target, False)),
                               ("Copy", partial(self.ask_target, True)), ("Share", self.share)]  # fmt: skip
        if len(self.marked) == 1:
            items.append(("Rename", self.ask_rename))
        return items

    def _sort(self) -> View:
        prefs = self.phone.prefs(PACKAGE)
        reverse, first = prefs.flag("sort_reverse"), prefs.flag("folders_first", True)
        options = [
            *ORDERS,
            f"Reverse order: {'on' if reverse else 'off'}",
            f"Folders first: {'on' if first else 'off'}",
        ]
        return choice_dialog("Sort by", options, prefs.number("sort_order"), self.sort_by)

    def sort_by(self, number: int) -> None:
        """An order, or one of the two switches below."""
        prefs = self.phone.prefs(PACKAGE)
        if number < len(ORDERS):
            prefs.set("sort_order", number)
        elif number == len(ORDERS):
            prefs.set("sort_reverse", not prefs.flag("sort_reverse"))
        else:
            prefs.set("folders_first", not prefs.flag("folders_first", True))
        self.dismiss()

    def go_home_folder(self) -> None:
        """Back to the notebook."""
        self.dismiss()
        self.go(NOTEBOOK)

    # making

    def create(self) -> None:
        """The round button."""
        self.open("new")
        self.new_name, self.new_type, self.new_extension = "", 0, TYPES[0][1]
        self.focus_on("new_name")

    def set_type(self, number: int) -> None:
        """The type brings its extension."""
        self.new_type, self.new_extension = number, TYPES[number][1]
        self.open("new")

    def make_file(self) -> None:
        """OK: the file is made and opened; one that exists is just opened."""
        name = self.new_name.strip() + self.new_extension.strip()
        if not self.new_name.strip() or not usable_name(name):
            self.toast("Invalid name")
            return
        path = f"{self.folder}/{name}"
        if self.phone.fs.isdir(path):
            self.toast("A folder of this name exists")
            return
        if not self.phone.fs.exists(path):
            self.phone.fs.write(path, self.shared)
        self.shared = ""
        self.dismiss()
        self.push(Editor(path))

    def make_folder(self) -> None:
        """FOLDER: a folder of the name alone."""
        name = self.new_name.strip()
        if not usable_name(name) or self.phone.fs.exists(f"{self.folder}/{name}"):
            self.toast("Invalid name" if not usable_name(name) else "A file or folder of this name exists")
            return
        self.phone.fs.mkdir(f"{self.folder}/{name}")
        self.dismiss()

    # changing

    def delete(self) -> None:
        """Delete what is marked."""
        for path in self.marked:
            if self.phone.fs.exists(path):
                self.phone.fs.remove(path, recursive=True)
        self.unmark()

    def ask_rename(self) -> None:
        """The dialog with the name of today."""
        self.new_name = self.marked[0].rpartition("/")[2]
        self.open("rename")
        self.focus_on("new_name", self.new_name)

    def rename(self) -> None:
        """The new name, if it is free."""
        source, name = self.marked[0], self.new_name.strip()
        target = f"{source.rpartition('/')[0]}/{name}"
        if not usable_name(name) or (target != source and self.phone.fs.exists(target)):
            self.toast("Invalid name" if not usable_name(name) else "A file or folder of this name exists")
            return
        self.phone.fs.rename(source, target)
        self.unmark()

    def ask_target(self, copying: bool) -> None:
        """Choose a folder, beginning where we are."""
        self.copying, self.target = copying, self.folder
        self.open("target")

    def to_target(self) -> None:
        """Move or copy what is marked there."""
        left = (copy_free if self.copying else move_all)(self.phone, self.marked, self.target)
        if left:
            self.toast(f"{left} not possible")
        self.unmark()

    def search(self) -> None:
        """The magnifying glass."""
        self.query = ""
        self.open("search")
        self.focus_on("query")

    def show_found(self, path: str) -> None:
        """A note found."""
        self.dismiss()
        self.push(Editor(path))

    def share(self) -> None:
        """Hand one note to another app."""
        extras = {"android.intent.extra.STREAM": document_uri(self.marked[0])}
        if self.phone.fs.isfile(self.marked[0]):
            extras["android.intent.extra.TEXT"] = self.phone.fs.read(self.marked[0]).decode("utf-8", "replace")
        self.unmark()
        try:
            self.phone.start_activity(Intent(SEND, mime="text/plain", extras=extras))
        except ActivityNotFound:
            self.toast("No apps can perform this action.")
