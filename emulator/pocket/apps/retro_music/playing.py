"""Retro Music's now playing screen and its playing queue (fragment_player.xml, fragment_playing_queue.xml)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.retro_music import data
from emulator.pocket.apps.retro_music.data import Song
from emulator.pocket.apps.retro_music.parts import ROW, Library, tile
from emulator.pocket.parts import Choice, menu, page, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import (
    IMAGE_BUTTON,
    column,
    empty,
    fab,
    icon,
    icon_button,
    lazy_list,
    row,
    slider,
    spacer,
    text,
)


@dataclass
class NowPlaying(Screen):
    """Cover, title, slider, buttons."""

    def build(self) -> View:
        """The song that plays."""
        known = data.queue(self.phone)
        down = ("down", "Close", self.finish)
        if not known:
            return page(toolbar("", navigation=down), empty("No songs playing", "music"))
        at, passed, playing = data.where(self.phone)
        song = known[at]
        names = column(text(song.title, size=24, bold=1, lines=1, align="center", width=FILL, id="title"),
                       text(song.artist, color="text_dim", lines=1, align="center", width=FILL, id="text"),
                       gap=4, padding=(24, 8, 24, 8))  # fmt: skip
        times = row(text(data.clock(passed), size=13, color="text_dim", weight=1, id="songCurrentProgress"),
                    text(data.clock(song.duration_ms), size=13, color="text_dim", id="songTotalTime"),
                    padding=(24, 0, 24, 0))  # fmt: skip
        bar = slider(passed / max(song.duration_ms, 1), partial(data.seek, self.phone), id="progressSlider")
        wide = self.phone.size[0] <= self.phone.size[1]
        cover = column(tile(song.title, 300 if wide else 120), weight=1, align="center", justify="center", height=FILL)
        return page(toolbar("", navigation=down), cover, names, bar, times, self._buttons(at, len(known), playing),
                    self._tools())  # fmt: skip

    def _buttons(self, at: int, count: int, playing: bool) -> View:
        main = View(IMAGE_BUTTON, icon="pause" if playing else "play", icon_size=32, color="on_primary_soft",
                    background="primary_soft", width=64, height=64, radius=32, desc="Play/Pause", id="playPauseButton",
                    on_tap=partial(data.toggle, self.phone))  # fmt: skip
        before, after = max(at - 1, 0), (at + 1) % count
        return row(
            icon_button("previous", "Previous", partial(data.go_to, self.phone, before), "text", "previousButton"),
            main,
            icon_button("next", "Next", partial(data.go_to, self.phone, after), "text", "nextButton"),
            justify="center", gap=36, padding=(0, 12, 0, 12),
        )  # fmt: skip

    def _tools(self) -> View:
        queue = icon_button("queue", "Now playing queue", partial(self.push, Queue()), "text", "now_playing_queue")
        return row(spacer(weight=1), queue, spacer(weight=1), padding=(16, 0, 16, 16))


@dataclass
class Queue(Library):
    """What is played one after the other; `chosen` the place whose menu is open."""

    chosen: int = 0

    def shown(self) -> list[Song]:
        """The queue."""
        return data.queue(self.phone)

    def build(self) -> View:
        """Bar, songs, the button that empties it."""
        known = self.shown()
        at = data.where(self.phone)[0]
        left = known[at + 1 :]
        words = f"Up next  \u2022  {data.summary(left)}" if known else ""
        body = lazy_list(len(known), ROW, partial(self._row, known, at), id="recyclerView",
                         padding=(0, 0, 0, 96)) if known else empty("No songs playing", "music")  # fmt: skip
        clear = fab("close", "", self.clear, id="clearQueue", label="Clear queue") if known else None
        return page(toolbar("Now playing queue", back=self.finish, subtitle=words), body, fab=clear)

    def _row(self, known: list[Song], at: int, i: int) -> View:
        color = "primary" if i == at else "text_dim"
        lead = icon("play", 24, "primary") if i == at else text(str(i - at), size=14, color=color, width=24)
        made = self.songs_row(known, i, lead)
        dots = made.children[-1]
        dots.on_tap = partial(self.about_place, i)
        return made

    def touched(self, i: int) -> None:
        """A tap plays this one."""
        data.go_to(self.phone, i)

    def mark(self, number: int) -> None:
        """Nothing is chosen here: holding moves songs in the real app."""

    def about_place(self, i: int) -> None:
        """The menu of the `i`-th."""
        self.chosen = i
        self.about(self.shown()[i].id)

    def song_menu(self) -> list[Choice]:
        """As everywhere, and out of the queue."""
        items = [c for c in super().song_menu() if c[0] not in {"Add to playing queue", "Delete from device"}]
        items.insert(1, ("Remove from playing queue", self.remove))
        return items

    def overlay(self) -> View | None:
        """The menu of a song."""
        return menu(self.song_menu(), anchor="top") if self.opened == "song" else super().overlay()

    def remove(self) -> None:
        """Out of the queue."""
        data.unqueue(self.phone, self.chosen)
        self.dismiss()

    def clear(self) -> None:
        """The button at the bottom."""
        data.play(self.phone, [])
        data.silence(self.phone)
