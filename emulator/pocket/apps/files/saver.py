"""DocumentsUI's picker for CREATE_DOCUMENT: where an app's new file goes, its name in a field below.

The extra `android.intent.extra.TITLE` is the name suggested. "SAVE" makes an empty file, finishes with its address; a
name that is taken gets ` (1)`, as Android's provider does where the file was not chosen in the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from emulator.pocket.apps.files.browser import BAD_NAME, Browser, valid_name
from emulator.pocket.apps.files.listing import Entry, free_name
from emulator.pocket.documents import document_uri
from emulator.pocket.parts import menu, page
from emulator.pocket.views import View
from emulator.pocket.widgets import button, icon, row

TITLE = "android.intent.extra.TITLE"


@dataclass
class Saver(Browser):
    """A folder and a name. `file_name`: what stands in the field."""

    activity: ClassVar[str] = "com.android.documentsui.picker.PickActivity"

    file_name: str = ""

    def build(self) -> View:
        """Bars, list, the name and SAVE below."""
        name = self.field("file_name", hint="File name", on_submit=self.phone.keyboard.hide, id="android:id/title",
                          weight=1)  # fmt: skip
        save = button("SAVE", self.save, style="text", id="android:id/button1",
                      enabled=self.can_create and bool(self.file_name.strip()))  # fmt: skip
        below = row(icon("file"), name, save, background="surface_high", padding=(16, 8, 8, 8), gap=12)
        return page(self.top_bar(), self.crumbs(), self.heading(), self.listed(), bottom=below)

    def touched(self, entry: Entry) -> None:
        """Into a folder; a file lends its name."""
        if entry.folder:
            self.go(entry.path)
        else:
            self.file_name = entry.name

    def overlay(self) -> View | None:
        """Menu, and what every browser has."""
        if self.opened == "menu":
            items = [("Sort by...", lambda: self.open("sort"))]
            if self.can_create:
                items.insert(0, ("New folder", lambda: self.ask_name("new")))
            return menu(items)
        return super().overlay()

    def save(self) -> None:
        """Make the file, answer with its address."""
        name = self.file_name.strip()
        if not valid_name(name):
            self.toast(BAD_NAME)
            return
        path = free_name(self.phone.fs.exists, self.folder, name)
        self.phone.fs.write(path, b"")
        self.finish(document_uri(path))

    def on_back(self) -> bool:
        """BACK goes up first."""
        return self.go_up()
