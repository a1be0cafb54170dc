"""The timer page: entry by digits, and the timers that exist. Kept as end times, so that they run while closed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket.apps.clock.alarms import PACKAGE
from emulator.pocket.apps.clock.stopwatch import button_row, round_button
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import BUTTON, button, column, icon_button, progress, row, scroll, spacer, text

if TYPE_CHECKING:
    from emulator.pocket.apps.clock import DeskClock
    from emulator.pocket.phone import Phone

TIMERS = "timers"
LONGEST = 6


@dataclass
class Timer:
    """A timer; `ends_ms` is the up-time at which it runs out while it runs (-1: paused), `left_ms` else."""

    id: int
    length_ms: int
    left_ms: int
    ends_ms: int = -1
    label: str = ""


def all_timers(phone: Phone) -> list[Timer]:
    """The timers, oldest first."""
    return [Timer(**entry) for entry in json.loads(phone.prefs(PACKAGE).text(TIMERS, "[]"))]


def _keep(phone: Phone, timers: list[Timer]) -> None:
    phone.prefs(PACKAGE).set(TIMERS, json.dumps([asdict(timer) for timer in timers]))


def _now(phone: Phone) -> int:
    return phone.clock.uptime_ns // 1_000_000


def left_ms(phone: Phone, timer: Timer) -> int:
    """Time left, below zero once it has run out."""
    return timer.ends_ms - _now(phone) if timer.ends_ms >= 0 else timer.left_ms


def to_seconds(digits: str) -> int:
    """Seconds that typed digits mean: the last two are seconds, the two before minutes, then hours."""
    padded = digits.rjust(LONGEST, "0")
    return int(padded[:2]) * 3600 + int(padded[2:4]) * 60 + int(padded[4:])


def to_digits(seconds: int) -> str:
    """The digits one types for a length."""
    if not 0 < seconds < 100 * 3600:
        return ""
    return f"{seconds // 3600:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}".lstrip("0")


def shown(ms: int) -> str:
    """`1:02:03`, `02:03`, `-00:05`."""
    seconds = -(-abs(ms) // 1000) if ms > 0 else abs(ms) // 1000
    lead = f"{seconds // 3600}:" if seconds >= 3600 else ""
    return f"{'-' if ms < 0 and seconds else ''}{lead}{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def build(screen: DeskClock) -> tuple[View, View | None]:
    """Entry if there is no timer or one is being added, else the list."""
    timers = all_timers(screen.phone)
    if screen.entering or not timers:
        return _entry(screen, bool(timers))
    cards = [_card(screen, timer) for timer in timers]
    add = round_button("add", "Add timer", partial(screen.set, "entering", True), main=True)
    return scroll(*cards, key="timers", padding=(16, 8, 16, 8), gap=12), button_row(None, add, None)


# entry


def _entry(screen: DeskClock, others: bool) -> tuple[View, View | None]:
    padded = screen.digits.rjust(LONGEST, "0")
    hours, minutes, seconds = padded[:2], padded[2:4], padded[4:]
    time = text(
        f"{hours}h {minutes}m {seconds}s",
        size=46,
        color="primary" if screen.digits else "text",
        id="timer_setup_time",
        desc=f"{int(hours)} hours, {int(minutes)} minutes, {int(seconds)} seconds",
    )
    keys = [row(*[_digit(screen, d) for d in line.split()], justify="center", gap=18)
            for line in ("1 2 3", "4 5 6", "7 8 9")]  # fmt: skip
    erase = _key("", "Delete", partial(_erase, screen), "backspace")
    erase.on_long = partial(screen.set, "digits", "")
    keys.append(row(_digit(screen, "00"), _digit(screen, "0"), erase, justify="center", gap=18))
    body = column(column(time, height=120, align="center", justify="center"), *keys, gap=14, weight=1)
    start = round_button("play", "Start", partial(_start, screen), main=True) if screen.digits.strip("0") else None
    cancel = round_button("delete", "Delete timer", partial(_cancel, screen)) if others else None
    return body, button_row(cancel, start, None)


def _digit(screen: DeskClock, digit: str) -> View:
    return _key(digit, "", partial(_type, screen, digit))


def _key(label: str, desc: str, action: Action, icon: str = "") -> View:
    return View(
        BUTTON, text=label, desc=desc, icon=icon, icon_size=26, size=28, width=86, height=72, radius=36,
        background="surface_high", text_align="center", on_tap=action,
        id=f"timer_setup_digit_{label}" if label else "timer_setup_delete",
    )  # fmt: skip


def _type(screen: DeskClock, digit: str) -> None:
    """A digit goes in at the right; leading zeros and a seventh digit are not taken."""
    grown = (screen.digits + digit).lstrip("0")
    if len(grown) <= LONGEST:
        screen.digits = grown


def _erase(screen: DeskClock) -> None:
    screen.digits = screen.digits[:-1]


def _cancel(screen: DeskClock) -> None:
    screen.digits, screen.entering = "", False


def _start(screen: DeskClock) -> None:
    phone = screen.phone
    timers, length = all_timers(phone), to_seconds(screen.digits) * 1000
    number = max((t.id for t in timers), default=0) + 1
    _keep(phone, [*timers, Timer(number, length, length, _now(phone) + length)])
    _cancel(screen)


# list


def _card(screen: DeskClock, timer: Timer) -> View:
    phone = screen.phone
    left, on = left_ms(phone, timer), timer.ends_ms >= 0
    label = text(timer.label or _length_name(timer.length_ms), size=15, color="text_dim", weight=1, id="timer_label",
                 on_tap=partial(screen.pick_label, f"timer {timer.id}", timer.label))  # fmt: skip
    act = partial(_act, phone, timer.id)
    state = "pause" if on else "play"
    return column(
        row(label, icon_button("close", "Delete", partial(act, "delete"))),
        row(text(shown(left), size=44, color="error" if left < 0 else "text", id="timer_time_text"), spacer(weight=1),
            round_button(state, "Pause" if on else "Start", partial(act, state))),
        progress(min(max(left / max(timer.length_ms, 1), 0.0), 1.0)),
        row(button("+ 1:00", partial(act, "minute"), style="tonal", desc="Add 1 minute"),
            button("Reset", partial(act, "reset"), style="text"), gap=8),
        background="card", radius=22, padding=(20, 8, 16, 16), gap=10,
    )  # fmt: skip


def _length_name(ms: int) -> str:
    seconds = ms // 1000
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return " ".join(f"{n}{unit}" for n, unit in parts if n) + " timer"


def _act(phone: Phone, number: int, what: str) -> None:
    """A button of a timer: pause, play, minute, reset, delete."""
    timers = all_timers(phone)
    timer = next(t for t in timers if t.id == number)
    left = left_ms(phone, timer)
    if what == "pause":
        timer.left_ms, timer.ends_ms = left, -1
    elif what == "play":
        timer.ends_ms = _now(phone) + left
    elif what == "minute":
        timer.left_ms = left + 60_000
        timer.ends_ms = _now(phone) + timer.left_ms if timer.ends_ms >= 0 else -1
    elif what == "reset":
        timer.left_ms, timer.ends_ms = timer.length_ms, -1
    else:
        timers.remove(timer)
    _keep(phone, timers)


def rename(phone: Phone, number: int, label: str) -> None:
    """Give a timer a label."""
    timers = all_timers(phone)
    for timer in timers:
        if timer.id == number:
            timer.label = label
    _keep(phone, timers)
