"""Simple Gallery Pro: folders, the pictures in them, one on the whole screen; copy, move, rename, delete, recycle bin.

AndroidWorld (android_world_apps.md section 13) looks for a copy in Download, and has receipts, expenses and recipes
read from pictures: their words are in the pixels only. As in the real app, names stand on the pictures only after
"Toggle filename visibility". Words and ids: SimpleMobileTools/Simple-Gallery@0c14a82 res/menu/cab_media.xml, @0207800
MediaAdapter.kt. Left out: editor and video player (other apps get them), slideshow, rotating, filters, settings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.gallery import data
from emulator.pocket.apps.gallery.actions import Acting
from emulator.pocket.apps.gallery.data import BIN, PACKAGE, Folder, Medium
from emulator.pocket.apps.gallery.picking import FolderPicker, tile_mark
from emulator.pocket.apps.gallery.viewer import Viewer
from emulator.pocket.documents import document_path
from emulator.pocket.files import STORAGE
from emulator.pocket.intents import SEND, VIEW, ActivityNotFound, Intent, IntentFilter
from emulator.pocket.parts import Choice, choice_dialog, menu, page, toolbar
from emulator.pocket.views import FILL, Picture, View
from emulator.pocket.widgets import (
    column,
    empty,
    icon,
    icon_button,
    lazy_list,
    picture,
    row,
    stack,
    text,
    text_field,
)

MAIN = f"{PACKAGE}.activities.MainActivity"
MEDIA = f"{PACKAGE}.activities.MediaActivity"
PHOTO = f"{PACKAGE}.activities.PhotoVideoActivity"
CAMERA = "android.media.action.STILL_IMAGE_CAMERA"
IMAGES = "content://media/external/images/media"
NAMES = "display_file_names"
GAP = 4.0
ORDERS = [f"{name} ({way})" for name in data.SORTS for way in ("ascending", "descending")]


def tile(shown: View, side: float, *marks: View) -> View:
    """A square picture with signs on it."""
    return stack(shown, *marks, width=side, height=side, background="card")


def square(shown: Picture | None, side: float) -> View:
    """The picture, or the sign for one that can't be shown."""
    if shown is None:
        return column(icon("image", side / 3), width=side, height=side, align="center", justify="center")
    return picture(shown, side, side)


@dataclass
class Grid(Acting):
    """Media in rows. `marked`: paths chosen by long presses; `sort`: a place in ORDERS."""

    marked: list[str] = field(default_factory=list)
    sort: int = 2 * data.NEWEST + 1
    hidden: bool = False

    def found(self) -> list[Medium]:
        """The media listed now."""
        return []

    def columns(self) -> tuple[int, float]:
        """How many in a row, and the side of one, dp."""
        width = self.phone.display_size[0] / self.phone.scale
        count = max(round(width / 137), 1)
        return count, (width - GAP * (count + 1)) / count

    def listed(self, found: list[Medium]) -> View:
        """The rows."""
        count, side = self.columns()
        return lazy_list(
            -(-len(found) // count), side + GAP, lambda i: self._row(found[i * count : (i + 1) * count], side),
            id="media_grid",
        )  # fmt: skip

    def _row(self, found: list[Medium], side: float) -> View:
        return row(*[self._tile(m, side) for m in found], gap=GAP, padding=(GAP, GAP, 0, 0), height=side + GAP)

    def _tile(self, medium: Medium, side: float) -> View:
        marks: list[View] = []
        if medium.video:
            marks.append(column(tile_mark("play"), height=FILL, padding=(6, 6, 6, 6)))
        if self.phone.prefs(PACKAGE).flag(NAMES):
            name = text(medium.name, size=13, color="white", lines=1, width=FILL, id="medium_name")
            marks.append(column(row(name, background=(60, 60, 64), padding=(6, 4, 6, 4)), height=FILL, justify="end"))
        chosen = medium.path in self.marked
        if chosen:
            marks.append(column(tile_mark("check"), height=FILL, align="end", padding=(6, 6, 6, 6)))
        made = tile(square(data.small(self.phone, medium), side), side, *marks)
        made.id, made.selected = "media_item_holder", chosen
        made.on_tap, made.on_long = partial(self.touched, medium), partial(self.held, medium)
        return made

    # choosing

    def acted_on(self) -> list[Medium]:
        """What is marked."""
        return [m for m in self.found() if m.path in self.marked]

    def acted(self) -> None:
        """Choosing ends."""
        self.marked = []

    def touched(self, medium: Medium) -> None:
        """Open it; while choosing, mark or not."""
        if self.marked:
            self.held(medium)
            return
        paths = [m.path for m in self.found()]
        self.push(Viewer(paths=paths, at=paths.index(medium.path)))

    def held(self, medium: Medium) -> None:
        """Mark or not."""
        path = medium.path
        self.marked = [p for p in self.marked if p != path] if path in self.marked else [*self.marked, path]

    def selection_bar(self) -> View:
        """In place of the tool bar while choosing."""
        return toolbar(
            f"{len(self.marked)} / {len(self.found())}", color="surface_high",
            navigation=("close", "Close", self.acted),
            actions=[icon_button("delete", "Delete", partial(self.open, "delete"), id="cab_delete"),
                     icon_button("share", "Share", partial(self.hand_over, SEND), id="cab_share")],
            menu=partial(self.open, "selection_menu"),
        )  # fmt: skip

    def on_resume(self) -> None:
        """What is gone is no longer marked."""
        self.marked = [p for p in self.marked if self.phone.fs.exists(p)]

    def on_back(self) -> bool:
        """BACK ends choosing first."""
        if not self.marked:
            return False
        self.marked = []
        return True

    def overlay(self) -> View | None:
        """Sorting, the menu of what is marked, and what every acting screen has."""
        if self.opened == "sort":
            return choice_dialog("Sort by", ORDERS, self.sort, self.sort_by)
        if self.opened == "selection_menu":
            return menu([*self.menu_items(), ("Select all", self.mark_all)])
        return super().overlay()

    def sort_by(self, number: int) -> None:
        """Another order."""
        self.sort = number
        self.dismiss()

    def mark_all(self) -> None:
        """Everything that is listed."""
        self.marked = [m.path for m in self.found()]
        self.dismiss()

    def toggle_names(self) -> None:
        """Names below the pictures, or not."""
        prefs = self.phone.prefs(PACKAGE)
        prefs.set(NAMES, not prefs.flag(NAMES))
        self.dismiss()

    def toggle_hidden(self) -> None:
        """Files with a dot in front."""
        self.hidden = not self.hidden
        self.dismiss()

    def common_menu(self) -> list[Choice]:
        """What both screens' menus have."""
        shown = "Stop showing hidden media" if self.hidden else "Temporarily show hidden"
        return [("Toggle filename visibility", self.toggle_names), (shown, self.toggle_hidden)]


@dataclass
class Media(Grid):
    """One folder, or all of them (`folder` empty)."""

    activity: ClassVar[str] = MEDIA

    folder: str = ""

    def found(self) -> list[Medium]:
        """In the order chosen."""
        order, down = self.sort // 2, self.sort % 2 == 1
        if not self.folder:
            return data.everything(self.phone, order, down, self.hidden)
        return data.media(self.phone, self.folder, order, down, self.hidden)

    def build(self) -> View:
        """Bar and pictures."""
        found = self.found()
        name = data.folder_name(self.folder) if self.folder else "All folders"
        bar = self.selection_bar() if self.marked else toolbar(
            name, back=self.finish, back_desc="Back", menu=partial(self.open, "menu"),
            actions=[icon_button("sort", "Sort by", partial(self.open, "sort"), id="sort")],
        )  # fmt: skip
        return page(bar, self.listed(found) if found else empty("No media files have been found.", "image"))

    def overlay(self) -> View | None:
        """The three dots."""
        if self.opened == "menu":
            items = self.common_menu()
            if self.folder == BIN:
                items.append(("Empty Recycle Bin", self.empty_bin))
            return menu(items)
        return super().overlay()

    def empty_bin(self) -> None:
        """For good."""
        if self.phone.fs.exists(BIN):
            self.phone.fs.remove(BIN, recursive=True)
        self.dismiss()


@dataclass
class Folders(Grid):
    """The first screen: folders as tiles, or what a search finds in all of them."""

    query: str = ""

    def found(self) -> list[Medium]:
        """What the search finds."""
        words = self.query.lower().strip()
        return [m for m in data.everything(self.phone, hidden=self.hidden) if words and words in m.name.lower()]

    def build(self) -> View:
        """The search field, tiles."""
        bar = self.selection_bar() if self.marked else self._search()
        if self.query.strip():
            found = self.found()
            return page(bar, self.listed(found) if found else empty("No items found.", "search"))
        folders = data.folders(self.phone, self.hidden)
        if not folders:
            return page(bar, empty("No media files have been found.", "image"))
        count, side = self._folder_columns()
        lines = -(-len(folders) // count)
        return page(bar, lazy_list(lines, side + 52, lambda i: self._line(folders[i * count : (i + 1) * count], side),
                                   id="directories_grid"))  # fmt: skip

    def _folder_columns(self) -> tuple[int, float]:
        width = self.phone.display_size[0] / self.phone.scale
        count = max(round(width / 205), 1)
        return count, (width - 12 * (count + 1)) / count

    def _search(self) -> View:
        bar = row(
            icon("search", size=22),
            text_field("query", self.query, partial(self.set, "query"), hint="Search in all folders", weight=1,
                       framed=False, id="top_toolbar_search", on_submit=self.phone.keyboard.hide),
            icon_button("camera", "Open camera", self.camera, id="open_camera"),
            icon_button("more", "More options", partial(self.open, "menu")),
            height=52, radius=26, background="surface_high", padding=(16, 0, 0, 0), gap=12,
        )  # fmt: skip
        return column(bar, padding=(12, 8, 12, 8))

    def _line(self, folders: list[Folder], side: float) -> View:
        return row(*[self._folder(f, side) for f in folders], gap=12, padding=(12, 0, 12, 0), height=side + 52,
                   align="start")  # fmt: skip

    def _folder(self, folder: Folder, side: float) -> View:
        shown = square(data.small(self.phone, folder.newest), side)
        if folder.path == BIN:
            shown = column(icon("delete", side / 3), width=side, height=side, align="center", justify="center")
        return column(
            tile(shown, side), text(folder.name, size=15, lines=1, width=FILL, id="dir_name", padding=(2, 4, 2, 0)),
            text(str(folder.count), size=13, color="text_dim", id="photo_cnt", padding=(2, 0, 2, 0)),
            width=side, on_tap=partial(self.push, Media(folder=folder.path)), id="dir_holder",
        )  # fmt: skip

    def overlay(self) -> View | None:
        """The three dots."""
        if self.opened == "menu":
            return menu([("Show all folders content", self.show_all), *self.common_menu(),
                         ("Create new folder", self.new_folder)])  # fmt: skip
        return super().overlay()

    def show_all(self) -> None:
        """Every picture of every folder."""
        self.dismiss()
        self.push(Media())

    def new_folder(self) -> None:
        """Somewhere in the storage."""
        self.dismiss()
        self.ask(FolderPicker(at=STORAGE), "new")

    def on_result(self, key: str, value: object) -> None:
        """A new folder has nothing to show yet."""
        if key != "new":
            super().on_result(key, value)

    def camera(self) -> None:
        """The other app."""
        try:
            self.phone.start_activity(Intent(CAMERA))
        except ActivityNotFound:
            self.toast("No app found to perform this action")

    def on_back(self) -> bool:
        """BACK ends choosing, then the search."""
        if super().on_back():
            return True
        if not self.query:
            return False
        self.query, self.focus = "", ""
        return True


def _main(intent: Intent) -> Screen:
    return Folders()


def _media(intent: Intent) -> Screen:
    return Media()


def _photo(intent: Intent) -> Screen:
    """A picture that another app wants to be seen; those beside it are a swipe away."""
    return Viewer(paths=[document_path(intent.data)])


APP = App(
    package=PACKAGE,
    label="Simple Gallery Pro",
    icon=("image", (255, 152, 0)),
    main=MAIN,
    activities={MAIN: _main, MEDIA: _media, PHOTO: _photo},
    filters=((IntentFilter(VIEW, mime="image/*"), PHOTO), (IntentFilter(VIEW, data=IMAGES), MAIN)),
    permissions=("android.permission.READ_MEDIA_IMAGES", "android.permission.READ_MEDIA_VIDEO",
                 "android.permission.WRITE_EXTERNAL_STORAGE", "android.permission.POST_NOTIFICATIONS"),
    system=False,
    version="6.28.1",
)  # fmt: skip
