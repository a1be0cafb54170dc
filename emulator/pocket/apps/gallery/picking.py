"""Where to copy or move: "Select destination" with the folders that have media, "Other folder" for any other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.gallery import data
from emulator.pocket.files import STORAGE
from emulator.pocket.parts import dialog
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import IMAGE_VIEW, button, column, icon, list_row, picture, row, scroll, spacer, text

ROW = 56.0


@dataclass
class Destination(Screen):
    """Finishes with a folder. `source`: the folder that the files are in now."""

    floating: ClassVar[bool] = True

    source: str = STORAGE

    def build(self) -> View:
        """The folders with media, three in a row, and the two buttons."""
        found = [f for f in data.folders(self.phone) if f.path != data.BIN]
        tiles = [self._tile(folder) for folder in found]
        lines = [
            row(*tiles[i : i + 3], *[spacer(weight=1)] * (3 - len(tiles[i : i + 3])), gap=8)
            for i in range(0, len(tiles), 3)
        ]
        listed = (
            scroll(*lines, key="dialog_list", gap=8, id="directories_grid") if len(lines) > 2 else column(*lines, gap=8)
        )
        if len(lines) > 2:
            listed.height = 300
        buttons = row(
            button("Other folder", self.other, style="text"), spacer(weight=1),
            button("Cancel", self.finish, style="text"), padding=(0, 8, 0, 4),
        )  # fmt: skip
        return dialog("Select destination", column(listed, padding=(8, 4, 8, 4)), buttons)

    def _tile(self, folder: data.Folder) -> View:
        small = data.small(self.phone, folder.newest)
        shown = picture(small, width=FILL, height=84) if small else column(
            icon("image", 36), height=84, align="center", justify="center", background="card")  # fmt: skip
        return column(
            shown, text(folder.name, size=13, lines=1, width=FILL, align="center", id="dir_name"),
            text(str(folder.count), size=12, color="text_dim", width=FILL, align="center", id="photo_cnt"),
            weight=1, on_tap=partial(self.choose, folder.path), id="dir_holder",
        )  # fmt: skip

    def choose(self, folder: str) -> None:
        """A folder that has media."""
        if folder == self.source:
            self.toast("Source and destination cannot be the same")
        else:
            self.finish(folder)

    def other(self) -> None:
        """Any folder."""
        self.ask(FolderPicker(at=self.source, source=self.source), "folder")

    def on_result(self, key: str, value: object) -> None:
        """The other dialog's answer is this one's."""
        self.finish(value)


@dataclass
class FolderPicker(Screen):
    """Walks through the folders of the storage; finishes with the one that is shown when OK is tapped."""

    floating: ClassVar[bool] = True

    at: str = STORAGE
    source: str = ""
    new_name: str = ""

    def build(self) -> View:
        """The way here, the folders in here, the buttons."""
        inside = (
            [n for n in self.phone.fs.listdir(self.at) if not n.startswith(".")] if self.phone.fs.isdir(self.at) else []
        )
        names = sorted((n for n in inside if self.phone.fs.isdir(f"{self.at}/{n}")), key=str.lower)
        rows = [
            list_row(n, self._count(n), partial(self.go, f"{self.at}/{n}"), "folder", height=ROW, id="list_item_holder",
                     title_id="list_item_name", summary_id="list_item_details", icon_color="primary")
            for n in names
        ]  # fmt: skip
        nothing = column(text("No items found.", color="text_dim"), padding=(16, 24, 16, 24), align="center")
        listed = scroll(*(rows or [nothing]), key=f"folders {self.at}", id="filepicker_list")
        listed.height = 340
        add = View("android.widget.ImageButton", icon="new_folder", desc="Create new folder", width=48, height=48,
                   color="primary", on_tap=partial(self.open, "new"), id="filepicker_fab")  # fmt: skip
        buttons = row(add, spacer(weight=1), button("Cancel", self.finish, style="text"),
                      button("OK", self.done, style="text"), padding=(0, 4, 0, 4))  # fmt: skip
        return dialog("Select folder", self._crumbs(), listed, buttons)

    def _count(self, name: str) -> str:
        number = len([n for n in self.phone.fs.listdir(f"{self.at}/{name}") if not n.startswith(".")])
        return f"{number} item{'' if number == 1 else 's'}"

    def _crumbs(self) -> View:
        parts = self.at[len(STORAGE) + 1 :].split("/") if self.at != STORAGE else []
        paths = [STORAGE, *(f"{STORAGE}/" + "/".join(parts[: i + 1]) for i in range(len(parts)))]
        views: list[View] = []
        for path in paths:
            name = data.folder_name(path)
            views.append(text(name if path == STORAGE else f"> {name}", size=14, lines=1, padding=(4, 8, 4, 8),
                              color="primary" if path == self.at else "text_dim", id="breadcrumb_text",
                              on_tap=partial(self.go, path)))  # fmt: skip
        return row(*views, padding=(8, 0, 8, 0), height=40)

    def overlay(self) -> View | None:
        """The name of a new folder."""
        if self.opened != "new":
            return None
        name = self.field("new_name", hint="Folder name", on_submit=self.phone.keyboard.hide, id="folder_name")
        return dialog("Create new folder", name, buttons=[("Cancel", self.dismiss), ("OK", self.make)])

    def make(self) -> None:
        """A folder in here; go into it."""
        name = self.new_name.strip()
        if not name or "/" in name or len(name.encode()) > 255:
            self.toast("Invalid name" if name else "Empty name")
            return
        path = f"{self.at}/{name}"
        if self.phone.fs.exists(path):
            self.toast("Name already exists")
            return
        self.phone.fs.mkdir(path)
        self.new_name = ""
        self.dismiss()
        self.go(path)

    def go(self, path: str) -> None:
        """Another folder."""
        self.at = path

    def done(self) -> None:
        """OK."""
        if self.at == self.source:
            self.toast("Source and destination cannot be the same")
        else:
            self.finish(self.at)

    def on_back(self) -> bool:
        """BACK goes up first."""
        if self.at == STORAGE:
            return False
        self.at = self.at.rpartition("/")[0]
        return True


def tile_mark(name: str, size: float = 28) -> View:
    """A white sign on a dark disc: playing, chosen."""
    return View(IMAGE_VIEW, icon=name, icon_size=size * 0.6, width=size, height=size, radius=size / 2,
                background=(40, 42, 48), color="white")  # fmt: skip
