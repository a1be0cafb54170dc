"""The stopwatch page: start, pause, laps, reset. Kept as a start time, so that it runs while the app is closed."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket.apps.clock.alarms import PACKAGE
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import IMAGE_BUTTON, column, row, scroll, spacer, text

if TYPE_CHECKING:
    from emulator.pocket.apps.clock import DeskClock
    from emulator.pocket.phone import Phone

STARTED, BEFORE, LAPS = "sw_start_time", "sw_accum_time", "sw_laps"  # ms of up-time, ms, list of total ms


def round_button(name: str, desc: str, action: Action, main: bool = False) -> View:
    """A round button of the row at the bottom."""
    side = 72.0 if main else 52.0
    return View(
        IMAGE_BUTTON, icon=name, icon_size=28 if main else 22, desc=desc, width=side, height=side, radius=side / 2,
        background="primary" if main else "primary_soft", color="on_primary" if main else "on_primary_soft",
        on_tap=action, id="fab" if main else desc.lower().replace(" ", "_"),
    )  # fmt: skip


def button_row(left: View | None, middle: View | None, right: View | None) -> View:
    """The three places for buttons above the tabs."""
    places = [place or spacer(52, 52) for place in (left, middle, right)]
    return row(*places, justify="center", gap=44, height=96)


def running(phone: Phone) -> bool:
    """True while it runs."""
    return phone.prefs(PACKAGE).number(STARTED, -1) >= 0


def elapsed_ms(phone: Phone) -> int:
    """What it shows."""
    prefs = phone.prefs(PACKAGE)
    started = prefs.number(STARTED, -1)
    now = phone.clock.uptime_ns // 1_000_000
    return prefs.number(BEFORE) + (max(now - started, 0) if started >= 0 else 0)


def shown(ms: int) -> str:
    """`1:02:03.45`, `02:03.45`."""
    seconds, hundredths = ms // 1000, ms % 1000 // 10
    minutes, hours = seconds // 60 % 60, seconds // 3600
    lead = f"{hours}:" if hours else ""
    return f"{lead}{minutes:02d}:{seconds % 60:02d}.{hundredths:02d}"


def laps(phone: Phone) -> list[int]:
    """Total times of the laps in ms, first lap first."""
    return [int(ms) for ms in json.loads(phone.prefs(PACKAGE).text(LAPS, "[]"))]


def start(phone: Phone) -> None:
    """Start or go on."""
    phone.prefs(PACKAGE).set(STARTED, phone.clock.uptime_ns // 1_000_000)


def pause(phone: Phone) -> None:
    """Stop, keeping the time."""
    prefs = phone.prefs(PACKAGE)
    prefs.set(BEFORE, elapsed_ms(phone))
    prefs.remove(STARTED)


def reset(phone: Phone) -> None:
    """Back to zero, stopped."""
    for name in (STARTED, BEFORE, LAPS):
        phone.prefs(PACKAGE).remove(name)


def lap(phone: Phone) -> None:
    """Note the time."""
    phone.prefs(PACKAGE).set(LAPS, json.dumps([*laps(phone), elapsed_ms(phone)]))


def build(screen: DeskClock) -> tuple[View, View | None]:
    """The time, the laps, the buttons."""
    phone = screen.phone
    total, on, noted = elapsed_ms(phone), running(phone), laps(phone)
    face = text(shown(total), size=60, color="text" if on or not total else "primary", id="stopwatch_time_text")
    rows = [_lap_row(number, noted) for number in range(len(noted), 0, -1)]
    if noted:
        rows.insert(0, _row(len(noted) + 1, total - noted[-1], total))
    body = column(
        column(face, height=200 if noted else 420, align="center", justify="center"),
        scroll(*rows, key="laps", id="laps_list"), weight=1,
    )  # fmt: skip
    main = round_button("pause", "Pause", partial(pause, phone), main=True) if on else round_button(
        "play", "Start", partial(start, phone), main=True)  # fmt: skip
    left = round_button("refresh", "Reset", partial(reset, phone)) if on or total else None
    right = round_button("flag", "Lap", partial(lap, phone)) if on else None
    return body, button_row(left, main, right)


def _lap_row(number: int, noted: list[int]) -> View:
    before = noted[number - 2] if number > 1 else 0
    return _row(number, noted[number - 1] - before, noted[number - 1])


def _row(number: int, length: int, total: int) -> View:
    return row(
        text(f"# {number}", size=15, color="text_dim", weight=1, id="lap_number"),
        text(shown(length), size=15, weight=1, align="end", id="lap_time"),
        text(shown(total), size=15, color="text_dim", weight=1, align="end", id="lap_total"),
        height=40, padding=(48, 0, 48, 0),
    )  # fmt: skip
