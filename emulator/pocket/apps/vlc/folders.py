"""VLC's page of a folder, and its page of a playlist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.apps.vlc import data
from emulator.pocket.apps.vlc.look import more, thumbnail
from emulator.pocket.apps.vlc.shelf import ROW, Shelf, orange, tool
from emulator.pocket.parts import dialog, menu, page, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import column, empty, icon, lazy_list, list_row, row, text


@dataclass
class Folder(Shelf):
    """The folders and media in a folder of the storage."""

    folder: str = ""
    title: str = ""

    def paths(self) -> list[str]:
        """The media in it."""
        return [f"{self.folder}/{n}" for n in data.folder(self.phone, self.folder)[1]]

    def build(self) -> View:
        """Bar and rows."""
        folders, files = data.folder(self.phone, self.folder)
        actions = [tool("play_all", "Play all", self.play_all)] if files else []
        bar = toolbar(self.title, back=self.finish, actions=actions)
        rows = len(folders) + len(files)

        def item(i: int) -> View:
            if i < len(folders):
                return self._folder_row(folders[i])
            path = f"{self.folder}/{files[i - len(folders)]}"
            known = data.media(path, self.phone.fs.read(path))
            return self.media_row(known, f"{data.clock(known.duration_ms)}  \u2022  {self._size(path)}")

        body = lazy_list(rows, ROW, item, id="network_list") if rows else empty("Empty", "folder")
        return page(self.marked_bar() if self.marked else bar, body)

    def _size(self, path: str) -> str:
        return data.megabytes(self.phone.fs.stat(path).size)

    def _folder_row(self, name: str) -> View:
        path = f"{self.folder}/{name}"
        inside, files = data.folder(self.phone, path)
        words = [data.some(len(inside), "subfolder")] if inside else []
        words += [data.some(len(files), "media file")] if files else []
        made = list_row(name, ", ".join(words) or "Empty", partial(self.enter, name), "folder", height=ROW,
                        summary_id="text", trailing=[more(partial(self.about, path))])  # fmt: skip
        made.padding = (24, 4, 4, 4)
        return made

    def enter(self, name: str) -> None:
        """Into a folder."""
        if not self.marked:
            self.push(Folder(folder=f"{self.folder}/{name}", title=name))

    def play_all(self) -> None:
        """All media in it."""
        self.play(self.paths())

    def menu_items(self) -> list[tuple[str, str, Callable[[], object]]]:
        """A folder has its own."""
        if not self.phone.fs.isdir(self.subject):
            return super().menu_items()
        inside = [f"{self.subject}/{n}" for n in data.folder(self.phone, self.subject)[1]]
        items: list[tuple[str, str, Callable[[], object]]] = []
        if inside:
            items = [("play_all", "Play all", partial(self.play, inside)),
                     ("playlist_add", "Add to playlist", partial(self.ask_playlist, inside))]  # fmt: skip
        return [*items, ("folder", "Browse folder", self.browse_subject)]

    def browse_subject(self) -> None:
        """Of the menu."""
        self.dismiss()
        self.enter(self.subject.rpartition("/")[2])


@dataclass
class PlaylistPage(Shelf):
    """One playlist; `position` is the place whose menu is open."""

    activity: ClassVar[str] = f"{data.PACKAGE}.gui.HeaderMediaListActivity"

    playlist: int = 0
    position: int = 0

    def paths(self) -> list[str]:
        """The files in it."""
        return [m.path for m in data.playlist_media(self.phone, self.playlist)]

    def build(self) -> View:
        """Bar, heading, media."""
        known = data.playlist_media(self.phone, self.playlist)
        name = data.playlist_name(self.phone, self.playlist)
        long = data.clock(sum(m.duration_ms for m in known))
        head = row(
            column(icon("queue", 56, "text_dim"), width=96, height=96, align="center", justify="center", radius=8,
                   background="surface_high"),
            column(text(name, size=20, bold=1, lines=2, width=FILL, id="playlist_title"),
                   text(f"{data.some(len(known))}  \u2022  {long}", size=14, color="text_dim", id="total_duration"),
                   row(orange("Play", self.play_all, "play_btn"), width=-2), weight=1, gap=4),
            gap=16, padding=(16, 8, 16, 12),
        )  # fmt: skip
        bar = toolbar(name, back=self.finish, menu=partial(self.open, "more"))
        body = lazy_list(len(known), ROW, lambda i: self._row(known[i], i), id="songs") if known else empty(
            "No media found", "queue")  # fmt: skip
        return page(bar, head, body)

    def _row(self, known: data.Media, i: int) -> View:
        there = self.phone.fs.isfile(known.path)
        lead = thumbnail(self.phone.fs.read(known.path) if there and known.video else None, 72, 48)
        words = data.clock(known.duration_ms) if there else "Missing"
        made = list_row(known.name, words, partial(self.play, self.paths(), i), leading=lead, height=ROW,
                        summary_id="subtitle", trailing=[more(partial(self.about_place, i, known.path))])  # fmt: skip
        made.padding = (12, 4, 4, 4)
        return made

    def about_place(self, i: int, path: str) -> None:
        """The menu of the `i`-th."""
        self.position = i
        self.about(path)

    def play_all(self) -> None:
        """From the beginning."""
        if self.paths():
            self.play(self.paths())

    def menu_items(self) -> list[tuple[str, str, Callable[[], object]]]:
        """Here a media can leave the playlist."""
        items = [item for item in super().menu_items() if item[1] != "Delete"]
        return [*items, ("delete", "Remove from playlist", self.remove)]

    def remove(self) -> None:
        """Of the menu."""
        data.take_out(self.phone, self.playlist, self.position)
        self.dismiss()

    def overlay(self) -> View | None:
        """The menu of the playlist and its dialogs."""
        if self.opened == "more":
            return menu([("Rename", self.ask_name), ("Delete", partial(self.open, "drop"))])
        if self.opened == "rename":
            edit = self.field("new_name", hint="Playlist name", on_submit=self.phone.keyboard.hide)
            return dialog("Rename", edit, buttons=[("Cancel", self.dismiss), ("OK", self.rename)])
        if self.opened == "drop":
            return dialog("Are you sure you want to delete this playlist?", message="This action cannot be undone.",
                          buttons=[("Cancel", self.dismiss), ("Delete", self.drop)])  # fmt: skip
        return super().overlay()

    def ask_name(self) -> None:
        """Another name."""
        self.new_name = data.playlist_name(self.phone, self.playlist)
        self.open("rename")
        self.focus_on("new_name", self.new_name)

    def rename(self) -> None:
        """Of the dialog."""
        if self.new_name.strip():
            data.rename_playlist(self.phone, self.playlist, self.new_name.strip())
            self.dismiss()

    def drop(self) -> None:
        """The playlist goes."""
        data.delete_playlist(self.phone, self.playlist)
        self.finish()
