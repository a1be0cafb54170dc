"""The part of Files that the main screen and the choice of a destination share: places, path, list, sorting, search."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.files.listing import (
    DOWNLOADS,
    PLACES,
    SORTS,
    Entry,
    date_words,
    folder_entries,
    order,
    place_entries,
    size_words,
)  # fmt: skip
from emulator.pocket.parts import Choice, choice_dialog, dialog, drawer, search_bar, toolbar
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import (
    column,
    empty,
    icon,
    icon_button,
    lazy_list,
    list_row,
    row,
    spacer,
    text,
)  # fmt: skip

PACKAGE = "com.google.android.documentsui"
ROW, CELL = 72.0, 148.0
COLUMNS = 2
BAD_NAME = "This name is not valid"


@dataclass
class Browser(Screen):
    """A place (`place`) and a folder below it (`folder`, '' in a collection), as a list or a grid."""

    place: str = "Downloads"
    folder: str = DOWNLOADS
    query: str = ""
    searching: bool = False
    sort: int = 0
    hidden: bool = False
    new_name: str = ""

    # what is there

    def entries(self) -> list[Entry]:
        """What is listed now."""
        if self.searching and self.query:
            words = self.query.lower()
            found = [e for e in self._below() if words in e.name.lower()]
            return order(found, self.sort)
        if self.folder:
            return folder_entries(self.phone, self.folder, self.sort, self.hidden)
        return place_entries(self.phone, self.place, self.sort)

    def _below(self) -> list[Entry]:
        if not self.folder:
            return place_entries(self.phone, self.place, self.sort)
        if not self.phone.fs.isdir(self.folder):
            return []
        folders = [d for d, _, _ in self.phone.fs.walk(self.folder) if "/Android/" not in d + "/"]
        return [e for d in folders for e in folder_entries(self.phone, d)]

    @property
    def here(self) -> str:
        """The name of where we are."""
        top = PLACES[self.place][1]
        return self.place if not self.folder or self.folder == top else self.folder.rpartition("/")[2]

    @property
    def grid(self) -> bool:
        """Tiles instead of rows: remembered by the app."""
        return self.phone.prefs(PACKAGE).flag("grid")

    # bars

    def top_bar(self, more: bool = True) -> View:
        """Tool bar or search field."""
        if self.searching:
            return search_bar(
                "query", self.query, partial(self.set, "query"), self.end_search, hint="Search this phone"
            )
        return toolbar(
            self.here, navigation=("menu", "Show roots", partial(self.open, "roots")),
            actions=[icon_button("search", "Search", self.search, id="option_menu_search")],
            menu=partial(self.open, "menu") if more else None,
        )  # fmt: skip

    def crumbs(self) -> View:
        """The way from the place to the folder; each part can be tapped."""
        top = PLACES[self.place][1]
        if not self.folder or self.folder == top or self.searching:
            return spacer()
        parts = self.folder[len(top) + 1 :].split("/")
        paths = [top, *(f"{top}/" + "/".join(parts[: i + 1]) for i in range(len(parts)))]
        views: list[View] = []
        for label, path in zip([self.place, *parts], paths, strict=True):
            if views:
                views.append(icon("right", size=16))
            last = path == self.folder
            views.append(text(label, size=14, color="text" if last else "text_dim", bold=int(last), lines=1,
                              padding=(4, 8, 4, 8), on_tap=partial(self.go, path), id="breadcrumb_text"))  # fmt: skip
        return row(*views, gap=2, padding=(16, 0, 16, 0), height=40)

    def heading(self, words: str = "") -> View:
        """`Files in Downloads` and the button for list or grid."""
        said = words or (
            f"Files in {self.here}" if self.folder else f"{self.here} files".replace("files files", "files")
        )
        name, desc = ("list", "List view") if self.grid else ("grid", "Grid view")
        return row(
            text(said, size=14, bold=1, weight=1, lines=1, id="header_title"),
            icon_button(name, desc, partial(self.phone.prefs(PACKAGE).set, "grid", not self.grid), id="sub_menu"),
            padding=(16, 0, 8, 0), height=48,
        )  # fmt: skip

    # the list

    def listed(self) -> View:
        """All entries, as rows or tiles."""
        found = self.entries()
        if not found:
            return empty("No matches in " + self.here if self.searching and self.query else "No items", "folder")
        if not self.grid:
            return lazy_list(len(found), ROW, lambda i: self._row(found[i]), id="dir_list")
        lines = -(-len(found) // COLUMNS)
        return lazy_list(lines, CELL, lambda i: self._tiles(found[i * COLUMNS : (i + 1) * COLUMNS]), id="dir_list")

    def about(self, entry: Entry) -> str:
        """The line below a name."""
        when = date_words(self.phone, entry.modified_ns)
        return when if entry.folder else f"{when}, {size_words(entry.size)}, {entry.kind}"

    def _row(self, entry: Entry) -> View:
        chosen = self.chosen(entry)
        made = list_row(
            entry.name, self.about(entry), partial(self.touched, entry), leading=self._mark(entry, chosen),
            on_long=partial(self.held, entry), height=ROW, selected=chosen, title_id="android:id/title",
            summary_id="details", id="item_root", summary_lines=1,
        )  # fmt: skip
        if not self.usable(entry):
            made.enabled, made.on_tap, made.on_long = False, None, None
            for part in made.walk():
                part.color = "text_faint" if part.text or part.icon else part.color
        return made

    def _mark(self, entry: Entry, chosen: bool) -> View:
        return icon("check", color="primary") if chosen else icon(
            entry.icon, color="primary" if entry.folder else "text_dim", id="icon_mime")  # fmt: skip

    def _tiles(self, entries: list[Entry]) -> View:
        return row(*[self._tile(e) for e in entries], *[spacer(weight=1)] * (COLUMNS - len(entries)), gap=8,
                   padding=(12, 4, 12, 4), height=CELL, align="start")  # fmt: skip

    def _tile(self, entry: Entry) -> View:
        chosen = self.chosen(entry)
        color = "primary" if entry.folder or chosen else "text_dim"
        made = column(
            row(icon("check" if chosen else entry.icon, size=44, color=color), height=72, justify="center"),
            text(entry.name, size=14, lines=1, id="android:id/title", width=FILL),
            text(self.about(entry), size=12, color="text_dim", lines=1, id="details", width=FILL),
            weight=1, height=CELL - 8, padding=(12, 8, 12, 8), gap=4, radius=12, id="item_root",
            background="primary_soft" if chosen else "card", on_tap=partial(self.touched, entry),
        )  # fmt: skip
        made.on_long, made.selected = partial(self.held, entry), chosen
        if not self.usable(entry):
            made.enabled, made.on_tap, made.on_long = False, None, None
        return made

    # to write in a subclass

    def chosen(self, entry: Entry) -> bool:
        """True if the entry is marked."""
        return False

    def usable(self, entry: Entry) -> bool:
        """False for what can only be seen."""
        return True

    @abstractmethod
    def touched(self, entry: Entry) -> None:
        """A tap on an entry."""

    def held(self, entry: Entry) -> None:
        """A long press on an entry."""
        self.touched(entry)

    # going

    def go(self, folder: str) -> None:
        """To a folder of this place."""
        self.folder, self.searching, self.query, self.focus = folder, False, "", ""
        self.scrolls.pop("list", None)

    def go_place(self, place: str) -> None:
        """To a place of the drawer."""
        self.place = place
        self.go(PLACES[place][1])
        self.dismiss()

    def go_up(self) -> bool:
        """Out of search, then one folder up; False at the top of the place."""
        if self.searching:
            self.end_search()
            return True
        if not self.folder or self.folder == PLACES[self.place][1]:
            return False
        self.go(self.folder.rpartition("/")[0])
        return True

    def search(self) -> None:
        """The magnifying glass."""
        self.searching, self.query = True, ""
        self.focus_on("query")

    def end_search(self) -> None:
        """The arrow of the search field."""
        self.searching, self.query, self.focus = False, "", ""
        self.phone.keyboard.hide()

    # overlays

    def overlay(self) -> View | None:
        """Drawer, sorting, new folder."""
        if self.opened == "roots":
            items: list[tuple[str, str, Action]] = [(PLACES[p][0], p, partial(self.go_place, p)) for p in PLACES]
            items.insert(len(items) - 1, ("", "", self.dismiss))
            return drawer("Files", items, selected=self.place, color="surface", on_color="text")
        if self.opened == "sort":
            return choice_dialog("Sort by", [label for label, _, _ in SORTS], self.sort, self.sort_by)
        if self.opened == "new":
            return self.name_dialog("New folder", "Folder name", self.make_folder, "OK")
        return None

    def name_dialog(self, title: str, hint: str, action: Action, ok: str) -> View:
        """A dialog that asks for a name."""
        buttons: list[Choice] = [("Cancel", self.dismiss), (ok, action)]
        return dialog(
            title, self.field("new_name", hint=hint, on_submit=action, id="android:id/text1"), buttons=buttons
        )

    def ask_name(self, overlay: str, name: str = "") -> None:
        """Open a dialog for a name, the name without its extension selected."""
        self.open(overlay)
        self.new_name = name
        self.focus_on("new_name", name)
        stem = name.rfind(".") if "." in name else len(name)
        self.selection = (0, stem)

    def sort_by(self, number: int) -> None:
        """Another order."""
        self.sort = number
        self.dismiss()

    def make_folder(self) -> None:
        """The folder named in the dialog."""
        name = self.new_name.strip()
        path = f"{self.folder}/{name}"
        if not valid_name(name):
            self.toast(BAD_NAME)
        elif self.phone.fs.exists(path):
            self.toast("An item with this name already exists here.")
        else:
            self.phone.fs.mkdir(path)
            self.go(path)
        self.dismiss()

    @property
    def can_create(self) -> bool:
        """True in a real folder."""
        return bool(self.folder) and self.phone.fs.isdir(self.folder)


def valid_name(name: str) -> bool:
    """True for a name that a file can have."""
    return bool(name) and name not in {".", ".."} and "/" not in name and len(name.encode()) <= 255
