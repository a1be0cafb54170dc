"""Retro Music's page of a playlist, and the pages of an artist and an album.

menu_playlist_detail.xml, dialogs/SavePlaylistDialog.kt: "Save as file" asks Android where to (CREATE_DOCUMENT) and
writes an .m3u there. Departure: the name offered ends in .m3u, which Android would add when the file is made.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from emulator.pocket.app import Screen
from emulator.pocket.apps.retro_music import data
from emulator.pocket.apps.retro_music.data import Song
from emulator.pocket.apps.retro_music.parts import ROW, Library, Renaming, tile
from emulator.pocket.apps.retro_music.playing import NowPlaying
from emulator.pocket.documents import document_path
from emulator.pocket.intents import CREATE_DOCUMENT, Intent
from emulator.pocket.parts import Choice, dialog, menu, page, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import column, empty, icon_button, lazy_list, row, text

TITLE = "android.intent.extra.TITLE"
BAD = '/\\:*?"<>|'


def save_as_file(screen: Screen, playlist: int) -> None:
    """Ask where the playlist goes; the answer comes to `on_result("file", uri)`."""
    name = "".join("_" if c in BAD else c for c in data.playlist_name(screen.phone, playlist))
    screen.dismiss()
    screen.ask_app(Intent(CREATE_DOCUMENT, mime="audio/mpegurl", extras={TITLE: f"{name}.m3u"}), "file")


def write_file(screen: Screen, playlist: int, uri: str) -> None:
    """Write the playlist to the file the user chose; without room for it the empty file goes again."""
    path = document_path(uri)
    if path:
        try:
            screen.phone.fs.write(path, data.m3u(data.playlist_songs(screen.phone, playlist)))
        except OSError:
            screen.phone.fs.remove(path)
            raise
        screen.toast(f"Saved playlist to {path.rpartition('/')[2]}.")


@dataclass
class SongPage(Library):
    """A heading and songs."""

    @abstractmethod
    def heading(self) -> tuple[str, str, str]:
        """Title, subtitle, symbol."""

    def build(self) -> View:
        """Bar, heading, songs, what plays."""
        known = self.shown()
        title, words, glyph = self.heading()
        back = self.bar()
        play = icon_button("play", "Play", partial(data.play, self.phone, known), "on_primary_soft", id="play_button")
        mix = icon_button("shuffle", "Shuffle", self.shuffle, "on_primary_soft", id="shuffle_button")
        for made in (play, mix):
            made.background, made.radius, made.width, made.enabled = "primary_soft", 20, 64, bool(known)
        big, small = text(title, size=26, lines=2, id="title", width=FILL), text(words, 14, "text_dim", id="subtitle")
        names = column(big, small, row(play, mix, gap=12), weight=1, gap=8)
        head = row(tile(title, 120, glyph), names, gap=16, padding=(16, 4, 16, 16))
        body = lazy_list(len(known), ROW, partial(self.songs_row, known), id="recyclerView") if known else empty(
            "Playlist is empty" if glyph == "queue" else "You have no songs", "music")  # fmt: skip
        strip = self.mini_player(partial(self.push, NowPlaying()))
        return page(self.marked_bar() if self.marked else back, head, body, bottom=strip)

    def bar(self) -> View:
        """The bar on top."""
        return toolbar("", back=self.finish)

    def shuffle(self) -> None:
        """In another order, that of the phone's chance."""
        known = self.shown()
        self.phone.random.shuffle(known)
        data.play(self.phone, known)


@dataclass
class Group(SongPage):
    """The songs of one artist or album."""

    name: str = ""
    artist: bool = False

    def shown(self) -> list[Song]:
        """Those of that name."""
        return [s for s in data.songs(self.phone) if (s.artist if self.artist else s.album) == self.name]

    def heading(self) -> tuple[str, str, str]:
        """Its name."""
        return self.name, data.summary(self.shown()), "person" if self.artist else "music"


@dataclass
class PlaylistPage(Renaming, SongPage):
    """One playlist; `leaving` are ids on their way out."""

    leaving: list[int] = field(default_factory=list)

    def shown(self) -> list[Song]:
        """Its songs."""
        return data.playlist_songs(self.phone, self.playlist)

    def heading(self) -> tuple[str, str, str]:
        """Name, count and length."""
        return data.playlist_name(self.phone, self.playlist), data.summary(self.shown()), "queue"

    def bar(self) -> View:
        """With the playlist's menu."""
        return toolbar("", back=self.finish, menu=partial(self.open, "more"))

    def song_menu(self) -> list[Choice]:
        """Here a song can leave the playlist."""
        items = [c for c in super().song_menu() if c[0] != "Delete from device"]
        items.insert(2, ("Remove from playlist", partial(self.ask_leave, [self.song])))
        return items

    def marked_menu(self) -> list[Choice]:
        """The same for several."""
        leave = ("Remove from playlist", partial(self.ask_leave, self.marked))
        return [leave, ("Select all", self.mark_all)]

    def overlay(self) -> View | None:
        """The playlist's menu and dialogs, and those of every screen."""
        if self.opened == "more":
            return menu([
                ("Shuffle playlist", self.shuffle_all), ("Play", self.play_all),
                ("Play next", partial(self.enqueue, [s.id for s in self.shown()], True)),
                ("Add to playing queue", partial(self.enqueue, [s.id for s in self.shown()], False)),
                ("Add to playlist", partial(self.ask_playlist, [s.id for s in self.shown()])),
                ("Rename", self.ask_name), ("Delete", partial(self.open, "drop")),
                ("Save as file", partial(save_as_file, self, self.playlist)),
            ])  # fmt: skip
        name = data.playlist_name(self.phone, self.playlist)
        if self.opened == "rename":
            edit = self.field("new_name", hint="Playlist name", on_submit=self.phone.keyboard.hide)
            return dialog("Rename playlist", edit, buttons=[("Cancel", self.dismiss), ("Rename", self.rename)])
        if self.opened == "drop":
            return dialog("Delete playlist", message=f"Delete the playlist {name}?",
                          buttons=[("Cancel", self.dismiss), ("Delete", self.drop)])  # fmt: skip
        if self.opened == "leave":
            one = data.by_id(self.phone, self.leaving) if len(self.leaving) == 1 else []
            words = f"Remove the song {one[0].title} from the playlist?" if one else (
                f"Remove {len(self.leaving)} songs from the playlist?")  # fmt: skip
            title = f"Remove song{'' if len(self.leaving) == 1 else 's'} from playlist"
            return dialog(title, message=words, buttons=[("Cancel", self.dismiss), ("Remove", self.leave)])
        return super().overlay()

    def shuffle_all(self) -> None:
        """Of the menu."""
        self.shuffle()
        self.dismiss()

    def play_all(self) -> None:
        """Of the menu."""
        data.play(self.phone, self.shown())
        self.dismiss()

    def ask_leave(self, ids: list[int]) -> None:
        """Really out of the playlist?"""
        self.leaving = list(ids)
        self.open("leave")

    def leave(self) -> None:
        """Yes."""
        data.take_out(self.phone, self.playlist, self.leaving)
        self.leaving = []
        self.marked.clear()
        self.dismiss()

    def drop(self) -> None:
        """The playlist goes."""
        data.delete_playlist(self.phone, self.playlist)
        self.finish()

    def on_result(self, key: str, value: Any) -> None:
        """Where the file goes."""
        if key == "file":
            write_file(self, self.playlist, str(value))
