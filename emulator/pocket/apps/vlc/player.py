"""VLC's player: the film, and over it, when touched, title, times, a bar to seek in, buttons (layout player_hud.xml).

The picture is that of the moment (emulator/pocket/frames.py), black with a sentence where the computer that runs the
phone can't decode it. The controls go four seconds after the last touch, as there, while it plays. Departures: nothing
is heard; at the end the last picture stays, paused; no tracks, subtitles, locking, resizing, gestures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket import frames
from emulator.pocket.app import Screen
from emulator.pocket.apps.vlc import data
from emulator.pocket.apps.vlc.look import ORANGE, cone
from emulator.pocket.documents import document_path
from emulator.pocket.intents import Intent
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import IMAGE_VIEW, SEEK_BAR, column, picture, row, spacer, stack, text

SHOWN_MS = 4000
STEP_MS = 10_000
VEIL = (20, 20, 20)
LACKS = "The computer that runs this phone can't decode this video (pip install opencv-python-headless)."


@dataclass
class Player(Screen):
    """paths: what is played one after the other; at: the one now; since: up-time ms when it began to play, -1 while
    paused; before: ms played until then; touched: up-time ms of the last touch.
    """

    activity: ClassVar[str] = f"{data.PACKAGE}.gui.video.VideoPlayerActivity"
    fullscreen: ClassVar[bool] = True
    backdrop: ClassVar[tuple[int, int, int]] = (0, 0, 0)

    paths: list[str] = field(default_factory=list)
    at: int = 0
    since: int = -1
    before: int = 0
    touched: int = 0

    def _uptime(self) -> int:
        return self.phone.clock.uptime_ns // 1_000_000

    def on_create(self) -> None:
        """It plays at once."""
        self.since = self.touched = self._uptime()

    def on_pause(self) -> None:
        """Another app comes to the front: it stands still."""
        self.set_playing(False)

    def _media(self, i: int) -> data.Media | None:
        path = self.paths[i] if i < len(self.paths) else ""
        return data.media(path, self.phone.fs.read(path)) if path and self.phone.fs.isfile(path) else None

    def now(self) -> tuple[int, int, bool]:
        """(which one, milliseconds into it, playing)."""
        at, passed = self.at, self.before + (self._uptime() - self.since if self.since >= 0 else 0)
        while self.since >= 0:
            known = self._media(at)
            long = known.duration_ms if known else 0
            if passed < long:
                return at, passed, True
            if at + 1 >= len(self.paths):
                return at, long, False
            at, passed = at + 1, passed - long
        return at, passed, False

    def build(self) -> View:
        """The picture, the controls over it."""
        at, passed, playing = self.now()
        known = self._media(at)
        shown = frames.frame(self.phone.fs.read(known.path), passed) if known and known.video else None
        if shown is not None:
            film = picture(shown, height=FILL)
        elif known is not None and not known.video:
            film = column(cone(180), height=FILL, align="center", justify="center")
        else:
            words = "" if known is None or frames.can_decode() else LACKS
            film = column(text(words, color="white", align="center", padding=(32, 0, 32, 0)), height=FILL,
                          align="center", justify="center")  # fmt: skip
        ground = stack(film, height=FILL, background="black", on_tap=self.touch, desc="Video player",
                       id="player_surface_frame")  # fmt: skip
        controls = not playing or self._uptime() - self.touched < SHOWN_MS
        return stack(ground, *([self._controls(known, at, passed, playing)] if controls else []), height=FILL)

    def _controls(self, known: data.Media | None, at: int, passed: int, playing: bool) -> View:
        long = known.duration_ms if known else 0
        top = row(_tool("back", "Navigate up", self.finish, "player_overlay_navmenu"),
                  text(known.title if known else "", 18, "white", lines=1, weight=1, id="player_overlay_title"),
                  height=56, background=VEIL, padding=(4, 24, 16, 0), gap=8)  # fmt: skip
        top.height = 80
        times = row(text(data.clock(passed), color="white", weight=1, id="player_overlay_time"),
                    text(data.clock(long), color="white", id="player_overlay_length"),
                    padding=(20, 8, 20, 0))  # fmt: skip
        share, slide = passed / max(long, 1), partial(self.seek, long)
        seek = View(SEEK_BAR, paint="slider", value=share, on_slide=slide, width=FILL, height=40,
                    padding=(20, 0, 20, 0), desc="Seek", id="player_overlay_seekbar")  # fmt: skip
        buttons = row(
            _tool("previous", "Previous", partial(self.go, at - 1), "playlist_previous") if at else spacer(width=48),
            _tool("rewind", "Rewind", partial(self.skip, -STEP_MS), "player_overlay_rewind"),
            _tool("pause" if playing else "play", "Pause" if playing else "Play", self.toggle, "player_overlay_play",
                  64),
            _tool("fast_forward", "Forward", partial(self.skip, STEP_MS), "player_overlay_forward"),
            _tool("next", "Next", partial(self.go, at + 1), "playlist_next") if at + 1 < len(self.paths) else spacer(
                width=48), justify="center", gap=12, padding=(0, 0, 0, 16),
        )  # fmt: skip
        below = column(times, seek, buttons, background=VEIL, id="progress_overlay")
        return column(top, stack(on_tap=self.touch, weight=1, height=FILL), below, height=FILL)

    # doing

    def touch(self) -> None:
        """The film itself: the controls come, or go."""
        shown = self._uptime() - self.touched < SHOWN_MS
        self.touched = self._uptime() - (SHOWN_MS if shown else 0)

    def set_playing(self, on: bool) -> None:
        """Go on or stand still, from where it is."""
        self.at, self.before, _ = self.now()
        self.since = self._uptime() if on else -1

    def toggle(self) -> None:
        """Play, pause; at the end from the beginning."""
        at, passed, playing = self.now()
        known = self._media(at)
        over = not playing and known is not None and passed >= known.duration_ms
        self.set_playing(not playing)
        self.before = 0 if over else self.before
        self.touched = self._uptime()

    def seek(self, long: int, share: float) -> None:
        """To a place, 0 to 1."""
        playing = self.now()[2]
        self.set_playing(playing)
        self.before, self.touched = int(long * share), self._uptime()

    def skip(self, ms: int) -> None:
        """Some seconds on or back."""
        at, passed, _ = self.now()
        known = self._media(at)
        long = known.duration_ms if known else 0
        self.seek(max(long, 1), min(max(passed + ms, 0), max(long - 1, 0)) / max(long, 1))

    def go(self, at: int) -> None:
        """Another one of those that are played."""
        self.at, self.before = min(max(at, 0), max(len(self.paths) - 1, 0)), 0
        self.since = self.touched = self._uptime()


def _tool(name: str, desc: str, action: Action, id: str, side: float = 48) -> View:
    made = View(IMAGE_VIEW, icon=name, icon_size=side / 2, desc=desc, color="white", width=side, height=side, id=id)
    made.on_tap = action
    if side > 48:
        made.color = ORANGE
    return made


def opened(intent: Intent) -> Screen:
    """Another app's film or sound."""
    path = document_path(intent.data)
    return Player(paths=[path] if path else [])
