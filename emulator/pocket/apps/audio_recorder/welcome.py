"""The first run: three pages of welcome, then the settings of the recording. AndroidWorld's set-up leaves it undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.audio_recorder import records
from emulator.pocket.apps.audio_recorder.look import FAINT, GROUND, bar
from emulator.pocket.apps.audio_recorder.records import PACKAGE
from emulator.pocket.parts import page
from emulator.pocket.views import FILL, WRAP, Color, View
from emulator.pocket.widgets import BUTTON, column, icon, list_row, row, scroll, switch, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

WELCOME = f"{PACKAGE}.app.welcome.WelcomeActivity"
SETUP = f"{PACKAGE}.app.setup.SetupActivity"
PAGES = (
    ("Audio Recorder", "Welcome to the simple and fast application", "mic"),
    ("Audio Recorder", "Beautiful design and good functionality", "palette"),
    ("Recordio Audier", "Select best settings and start recording", "settings"),
)


def pill(label: str, action: Callable[[], object], chosen: bool = False, wide: bool = False, id: str = "") -> View:
    """A white button, or an outlined one where it is not chosen."""
    return View(
        BUTTON, text=label, on_tap=action, height=40, radius=20, text_align="center", bold=1, size=14, id=id,
        padding=(18, 10, 18, 10), color=GROUND if chosen else "white", background="white" if chosen else GROUND,
        border="white", selected=chosen, width=FILL if wide else WRAP, max_lines=1,
    )  # fmt: skip


@dataclass
class Welcome(Screen):
    """Pages to swipe through; "Get started" leads to the settings."""

    activity: ClassVar[str] = WELCOME
    backdrop: ClassVar[Color] = GROUND

    at: int = 0

    def on_resume(self) -> None:
        """Back from the settings."""
        if self.phone.prefs(PACKAGE).flag(records.READY):
            self.finish()

    def build(self) -> View:
        """Symbol, words, dots, button."""
        title, words, name = PAGES[self.at]
        shown = column(
            icon(name, size=96, color="white"), text(title, size=28, bold=1, color="white", id="txt_title"),
            text(words, size=18, color="white", align="center", width=FILL, id="txt_description"),
            align="center", justify="center", gap=20, padding=(40, 8, 40, 8), height=FILL, weight=1,
        )  # fmt: skip
        shown.on_swipe = self.swiped
        dots = row(*[icon("dot", size=16, color="white" if i == self.at else FAINT) for i in range(len(PAGES))], gap=8,
                   justify="center")  # fmt: skip
        go = column(pill("Get started", self.go, chosen=True, wide=True, id="btn_action"), padding=(48, 20, 48, 32))
        return page(shown, dots, go, background=GROUND)

    def swiped(self, direction: str) -> None:
        """Another page."""
        self.at = min(max(self.at + {"left": 1, "right": -1}.get(direction, 0), 0), len(PAGES) - 1)

    def go(self) -> None:
        """To the settings."""
        self.push(Setup())


@dataclass
class Setup(Screen):
    """How to record; "Apply" leads to the recorder."""

    activity: ClassVar[str] = SETUP
    backdrop: ClassVar[Color] = GROUND

    def build(self) -> View:
        """Choices, buttons."""
        main = column(pill("Apply", self.apply, chosen=True, wide=True, id="btn_apply"), weight=1)
        buttons = row(pill("Reset", self.reset, id="btn_reset"), main, gap=16, padding=(24, 12, 24, 24))
        return page(bar("Setup"), scroll(*choices(self.phone), padding=(0, 0, 0, 16)), buttons, background=GROUND)

    def reset(self) -> None:
        """Back to what is recommended."""
        self.phone.prefs(PACKAGE).remove(records.BITRATE)

    def apply(self) -> None:
        """The first run is done."""
        self.phone.prefs(PACKAGE).set(records.READY, True)
        self.finish()


def choices(phone: Phone) -> list[View]:
    """Format, sample rate, bit rate, channels: what can be chosen of the real app's, the bit rate alone."""
    prefs = phone.prefs(PACKAGE)
    now = prefs.number(records.BITRATE, 128)
    rates = [pill(f"{rate} kbps", partial(prefs.set, records.BITRATE, rate), rate == now) for rate in records.BITRATES]
    return [
        _group("Recording format:", [pill("M4a", _nothing, True)]),
        _group("Sample rate:", [pill("44.1kHz", _nothing, True)]),
        _group("Bitrate:", rates[:3], rates[3:]),
        _group("Channel count:", [pill("Stereo", _nothing, True)]),
        text(f"{now * 60 / 8000:.1f} Mb/min expected size", size=15, color=FAINT, padding=(24, 12, 24, 4)),
    ]


def _group(title: str, *lines: list[View]) -> View:
    return column(text(title, size=16, bold=1, color="white"), *[row(*line, gap=10) for line in lines], gap=10,
                  padding=(24, 12, 16, 6))  # fmt: skip


def _nothing() -> None:
    """The only choice stays chosen."""


def toggle_row(title: str, on: bool, action: Callable[[], object]) -> View:
    """A white line with a switch."""
    made = list_row(title, on_tap=action, trailing=[switch(on)], lines=2)
    for part in made.walk():
        part.color = "white" if part.text else part.color
    return made
