"""DocumentsUI's PickActivity: where to move or copy files (a bar `Cancel`, `Move` below), or a file for another app."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.apps.files.browser import Browser
from emulator.pocket.apps.files.listing import PLACES, Entry
from emulator.pocket.documents import document_uri
from emulator.pocket.mime import mime_type
from emulator.pocket.parts import menu, page
from emulator.pocket.views import View
from emulator.pocket.widgets import button, row, spacer


@dataclass
class Destination(Browser):
    """Finishes with the folder chosen. `verb` is "Move" or "Copy". The drawer is open at the beginning."""

    activity: ClassVar[str] = "com.android.documentsui.picker.PickActivity"

    verb: str = "Move"

    def on_create(self) -> None:
        """DocumentsUI opens the drawer first."""
        self.open("roots")

    def build(self) -> View:
        """Bars, list, the two buttons."""
        buttons = row(
            spacer(weight=1), button("Cancel", self.finish, style="text", id="android:id/button2"),
            button(self.verb, self.choose, style="text", id="android:id/button1", enabled=self.can_create),
            background="surface_high", padding=(16, 8, 16, 8), gap=8, height=56,
        )  # fmt: skip
        return page(self.top_bar(), self.crumbs(), self.heading(), self.listed(), bottom=buttons)

    def usable(self, entry: Entry) -> bool:
        """Only folders can be gone into."""
        return entry.folder

    def touched(self, entry: Entry) -> None:
        """Into a folder."""
        self.go(entry.path)

    def overlay(self) -> View | None:
        """Menu, and what every browser has."""
        if self.opened == "menu":
            items = [("Sort by...", partial(self.open, "sort"))]
            if self.can_create:
                items.insert(0, ("New folder", partial(self.ask_name, "new")))
            return menu(items)
        return super().overlay()

    def choose(self) -> None:
        """The folder that is shown."""
        if self.folder and PLACES.get(self.place):
            self.finish(self.folder)

    def on_back(self) -> bool:
        """BACK goes up first."""
        return self.go_up()


@dataclass
class Picker(Browser):
    """GET_CONTENT and OPEN_DOCUMENT: finishes with the address of the file that is tapped. `wanted`: a MIME type."""

    activity: ClassVar[str] = "com.android.documentsui.picker.PickActivity"

    wanted: str = "*/*"

    def build(self) -> View:
        """Bars and list."""
        return page(self.top_bar(more=False), self.crumbs(), self.heading(), self.listed())

    def usable(self, entry: Entry) -> bool:
        """Folders, and files of the wanted kind."""
        return entry.folder or fnmatch.fnmatchcase(mime_type(entry.name), self.wanted or "*/*")

    def touched(self, entry: Entry) -> None:
        """Into a folder; a file is the answer."""
        if entry.folder:
            self.go(entry.path)
        else:
            self.finish(document_uri(entry.path))

    def on_back(self) -> bool:
        """BACK goes up first."""
        return self.go_up()
