"""What Retro Music's screens share: rows of songs, choosing several, the menu of a song, adding to playlists.

Words: RetroMusicPlayer@f41a800 res/values/strings.xml; menus: res/menu/menu_item_song.xml, menu_media_selection.xml,
menu_playlists_songs_selection.xml; dialogs: dialogs/AddToPlaylistDialog.kt, CreatePlaylistDialog.kt. Songs chosen
together are taken in the order they were touched, as there. Left out: tag editor, ringtone, blacklist, sharing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.retro_music import data
from emulator.pocket.apps.retro_music.data import Song
from emulator.pocket.parts import Choice, dialog, list_dialog, menu, toolbar
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import IMAGE_VIEW, column, icon, icon_button, list_row, progress, row, stack, text

ROW = 68.0
TILES: tuple[Color, ...] = ((121, 134, 203), (77, 182, 172), (229, 115, 115), (149, 117, 205), (79, 195, 247),
                            (255, 138, 101), (174, 213, 129))  # fmt: skip


def tile(words: str, size: float = 45, glyph: str = "music", round_: bool = False) -> View:
    """What stands for a missing cover: a note on a colour that always is the same for a name."""
    color = TILES[sum(words.encode()) % len(TILES)]
    return stack(icon(glyph, size * 0.5, "white"), width=size, height=size, align="center", justify="center",
                 background=color, radius=size / 2 if round_ else min(size / 5, 20), id="image")  # fmt: skip


def dots(action: Callable[[], object]) -> View:
    """The three dots of a row; the real ones have no description."""
    return View(IMAGE_VIEW, icon="more", color="text_dim", width=48, height=48, on_tap=action, id="menu")


def song_row(song: Song, on_tap: Callable[[], object], on_long: Callable[[], object], more: Callable[[], object] | None,
             marked: bool, lead: View | None = None) -> View:  # fmt: skip
    """Cover, title over artist, dots."""
    leading = tile(song.title) if not marked else stack(
        icon("check", 22, "on_primary"), width=45, height=45, align="center", justify="center", background="primary",
        radius=9)  # fmt: skip
    made = list_row(song.title, song.artist, on_tap, leading=leading if lead is None else row(lead, leading, width=-2),
                    trailing=[] if more is None else [dots(more)], on_long=on_long, height=ROW, selected=marked,
                    summary_id="text", summary_lines=1)  # fmt: skip
    made.padding = (16, 6, 0, 6)
    return made


@dataclass
class Library(Screen):
    """A screen with songs. marked: song ids chosen, in order; adding: ids on their way into a playlist; song: the one
    whose menu is open; new_name: the name being typed.
    """

    marked: list[int] = field(default_factory=list)
    adding: list[int] = field(default_factory=list)
    song: int = 0
    new_name: str = ""

    def shown(self) -> list[Song]:
        """The songs of this screen, in its order."""
        return data.songs(self.phone)

    # rows

    def songs_row(self, known: Sequence[Song], i: int, lead: View | None = None) -> View:
        """The `i`-th song."""
        song = known[i]
        more = None if self.marked else partial(self.about, song.id)
        mark = partial(self.mark, song.id)
        return song_row(song, partial(self.touched, i), mark, more, song.id in self.marked, lead)

    def touched(self, i: int) -> None:
        """A tap plays the list from here, or chooses too."""
        known = self.shown()
        if self.marked:
            self.mark(known[i].id)
        else:
            data.play(self.phone, known, i)

    def mark(self, number: int) -> None:
        """Choose a song, or no longer."""
        if number in self.marked:
            self.marked.remove(number)
        else:
            self.marked.append(number)

    def about(self, number: int) -> None:
        """The menu of a song."""
        self.song = number
        self.open("song")

    def marked_bar(self) -> View:
        """The bar while songs are chosen."""
        tools = [
            icon_button("redo", "Play next", partial(self.queue_marked, True), color="text", id="action_play_next"),
            icon_button("queue_add", "Add to playing queue", partial(self.queue_marked, False), color="text",
                        id="action_add_to_current_playing"),
            icon_button("playlist_add", "Add to playlist", self.add_marked, color="text", id="action_add_to_playlist"),
        ]  # fmt: skip
        return toolbar(f"{len(self.marked)} selected", navigation=("close", "Close", self.marked.clear), actions=tools,
                       menu=partial(self.open, "marked"), color="surface_high")  # fmt: skip

    def on_back(self) -> bool:
        """BACK ends the choosing first."""
        was = bool(self.marked)
        self.marked.clear()
        return was

    # overlays

    def song_menu(self) -> list[Choice]:
        """What can be done with a song."""
        return [
            ("Play next", partial(self.enqueue, [self.song], True)),
            ("Add to playing queue", partial(self.enqueue, [self.song], False)),
            ("Add to playlist", partial(self.ask_playlist, [self.song])),
            ("Details", partial(self.open, "details")),
            ("Delete from device", partial(self.open, "delete")),
        ]

    def marked_menu(self) -> list[Choice]:
        """What else can be done with the chosen songs."""
        return [("Delete from device", partial(self.open, "delete")), ("Select all", self.mark_all)]

    def overlay(self) -> View | None:
        """Menus and dialogs by name."""
        makers: dict[str, Callable[[], View]] = {
            "song": lambda: menu(self.song_menu(), anchor="top"), "marked": lambda: menu(self.marked_menu()),
            "playlist": self._playlists, "create": self._create, "details": self._details, "delete": self._delete,
        }  # fmt: skip
        return makers[self.opened]() if self.opened in makers else None

    def _playlists(self) -> View:
        names = ["New playlist", *(str(p["playlist_name"]) for p in data.playlists(self.phone))]
        return list_dialog("Add to playlist", names, self.add_to)

    def _create(self) -> View:
        name = self.field("new_name", hint="Playlist name", on_submit=self.phone.keyboard.hide, id="actionNewPlaylist")
        return dialog("New playlist", name, buttons=[("Cancel", self.dismiss), ("Create", self.create)])

    def _details(self) -> View:
        found = data.by_id(self.phone, [self.song])
        lines = []
        for song in found:
            name = song.path.rpartition("/")[2]
            size = self.phone.fs.stat(song.path).size
            lines = [("File name", name), ("File path", song.path), ("Size", f"{size / 1024 / 1024:.2f} MB"),
                     ("Format", name.rpartition(".")[2].upper()), ("Length", data.clock(song.duration_ms))]  # fmt: skip
        rows = [text(f"{label}: {value}", size=15, padding=(12, 4, 12, 4), width=FILL) for label, value in lines]
        return dialog("Details", column(*rows), buttons=[("OK", self.dismiss)])

    def _delete(self) -> View:
        chosen = data.by_id(self.phone, self.marked or [self.song])
        words = f"Delete the song {chosen[0].title}?" if len(chosen) == 1 else f"Delete {len(chosen)} songs?"
        return dialog("Delete song" if len(chosen) == 1 else "Delete songs", message=words,
                      buttons=[("Cancel", self.dismiss), ("Delete", self.delete)])  # fmt: skip

    # doing

    def enqueue(self, ids: Sequence[int], next_: bool) -> None:
        """Into the playing queue."""
        self.toast(data.enqueue(self.phone, data.by_id(self.phone, ids), next_))
        self.dismiss()

    def queue_marked(self, next_: bool) -> None:
        """The chosen songs into the playing queue."""
        self.enqueue(self.marked, next_)
        self.marked.clear()

    def mark_all(self) -> None:
        """All songs of the screen."""
        self.marked.extend(s.id for s in self.shown() if s.id not in self.marked)
        self.dismiss()

    def ask_playlist(self, ids: Sequence[int]) -> None:
        """Into which playlist?"""
        self.adding = list(ids)
        self.open("playlist")

    def add_marked(self) -> None:
        """The chosen songs into a playlist."""
        self.ask_playlist(self.marked)

    def add_to(self, index: int) -> None:
        """A playlist is chosen; the first row is a new one."""
        if index == 0:
            self.new_name = ""
            self.open("create")
            self.focus_on("new_name")
            return
        known, chosen = data.playlists(self.phone)[index - 1], data.by_id(self.phone, self.adding)
        data.add(self.phone, known["playlist_id"], chosen)
        self._added(f"Added {len(chosen)} song(s) to {known['playlist_name']}")

    def create(self) -> None:
        """A new playlist with the songs."""
        name = self.new_name.strip()
        if not name:
            self.toast("Playlist name can't be empty")
            return
        chosen = data.by_id(self.phone, self.adding)
        said = data.make_playlist(self.phone, name, chosen)
        self._added(said if chosen else f"{name} created successfully")

    def _added(self, said: str) -> None:
        self.toast(said)
        self.marked.clear()
        self.adding = []
        self.dismiss()

    def delete(self) -> None:
        """The files themselves."""
        chosen = data.by_id(self.phone, self.marked or [self.song])
        for song in chosen:
            self.phone.fs.remove(song.path)
        self._added(f"Deleted {len(chosen)} songs.")

    # the strip of what plays

    def mini_player(self, on_tap: Callable[[], object]) -> View | None:
        """What plays, above the bar at the bottom; None without a queue."""
        known = data.queue(self.phone)
        if not known:
            return None
        at, passed, playing = data.where(self.phone)
        song = known[at]
        words = text(f"{song.title}  \u2022  {song.artist}", size=15, lines=1, weight=1, id="miniPlayerTitle")
        button = icon_button("pause" if playing else "play", "Play/Pause", partial(data.toggle, self.phone),
                             color="text", id="miniPlayerPlayPauseButton")  # fmt: skip
        strip = row(tile(song.title, 40), words, button, height=56, gap=12, padding=(12, 0, 8, 0), on_tap=on_tap,
                    background="card", id="miniPlayerContent")  # fmt: skip
        return column(progress(passed / max(song.duration_ms, 1), 2), strip)


@dataclass
class Renaming(Library):
    """A screen that gives a playlist another name; `playlist` is the number of the one that is meant."""

    playlist: int = 0

    def ask_name(self) -> None:
        """The dialog with the name as it is."""
        self.new_name = data.playlist_name(self.phone, self.playlist)
        self.open("rename")
        self.focus_on("new_name", self.new_name)

    def rename(self) -> None:
        """OK in the dialog; an empty name changes nothing."""
        if self.new_name.strip():
            data.rename_playlist(self.phone, self.playlist, self.new_name.strip())
            self.dismiss()
