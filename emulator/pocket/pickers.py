"""Dialogs that ask for a date, a time or a line of text: floating screens opened with `self.ask(...)`.

Each finishes with its value (`on_result(key, value)` of the asking screen) or with nothing when cancelled. Texts and
descriptions are those of Android's own pickers; both open in a form that can be used by tapping and by typing.
"""

from __future__ import annotations

import calendar
import datetime as dt
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.parts import dialog
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import button, column, icon_button, row, spacer, stack, text, text_field

WEEKDAYS = "SMTWTFS"
CELL = 42.0


@dataclass
class DatePicker(Screen):
    """A month to choose a day from. Finishes with (year, month, day)."""

    floating: ClassVar[bool] = True

    year: int
    month: int
    day: int
    shown_year: int = 0
    shown_month: int = 0

    def on_create(self) -> None:
        """Begin at the month of the date given."""
        self.shown_year, self.shown_month = self.year, self.month

    def build(self) -> View:
        """Year and date on top, the month below."""
        chosen = dt.date(self.year, self.month, self.day)
        top = column(
            text(str(self.year), size=14, color="on_primary", id="android:id/date_picker_header_year"),
            text(f"{chosen:%a, %b} {chosen.day}", size=30, color="on_primary", id="android:id/date_picker_header_date"),
            background="primary", padding=(20, 16, 20, 16), radius=18,
        )  # fmt: skip
        shown = dt.date(self.shown_year, self.shown_month, 1)
        months = row(
            icon_button("left", "Previous month", partial(self.turn, -1), id="android:id/prev"),
            text(f"{shown:%B %Y}", bold=1, weight=1, align="center", id="android:id/month_view_title"),
            icon_button("right", "Next month", partial(self.turn, 1), id="android:id/next"),
        )
        body = column(top, months, self._month(), gap=4)
        body.on_swipe = self.swiped
        return dialog("", body, buttons=[("CANCEL", self.finish), ("OK", self.done)])

    def _month(self) -> View:
        weeks = calendar.Calendar(firstweekday=6).monthdayscalendar(self.shown_year, self.shown_month)
        head = row(*[text(d, size=12, color="text_dim", align="center", weight=1) for d in WEEKDAYS], height=24)
        return column(head, *[row(*[self._day(d) for d in week], height=CELL) for week in weeks])

    def _day(self, day: int) -> View:
        if day == 0:
            return spacer(weight=1)
        date = dt.date(self.shown_year, self.shown_month, day)
        chosen = date == dt.date(self.year, self.month, self.day)
        cell = stack(
            text(str(day), size=14, color="on_primary" if chosen else "text", align="center", width=FILL),
            width=36, height=36, justify="center", radius=18, background="primary" if chosen else None,
        )  # fmt: skip
        made = stack(cell, weight=1, height=CELL, align="center", justify="center", on_tap=partial(self.choose, day))
        made.cls, made.desc, made.selected = "android.view.View", f"{day} {date:%B %Y}", chosen
        return made

    def turn(self, step: int) -> None:
        """Another month."""
        at = self.shown_year * 12 + self.shown_month - 1 + step
        if 1970 * 12 <= at < 2101 * 12:
            self.shown_year, self.shown_month = at // 12, at % 12 + 1

    def swiped(self, direction: str) -> None:
        """A swipe turns the month, sideways or up and down."""
        self.turn(1 if direction in {"left", "up"} else -1)

    def choose(self, day: int) -> None:
        """Mark a day."""
        self.year, self.month, self.day = self.shown_year, self.shown_month, day

    def done(self) -> None:
        """OK."""
        self.finish((self.year, self.month, self.day))


@dataclass
class TimePicker(Screen):
    """Hours and minutes, 24 hour clock, in text input form. Finishes with (hour, minute)."""

    floating: ClassVar[bool] = True

    hour: int
    minute: int
    hour_text: str = ""
    minute_text: str = ""
    wrong: bool = False
    dial: bool = True
    part: str = "hour"

    def on_create(self) -> None:
        """The fields begin with the time given."""
        self.hour_text, self.minute_text = f"{self.hour:02d}", f"{self.minute:02d}"

    def build(self) -> View:
        """Two numbers on top; below the numbers to choose from (as on a clock face), or the fields to type in."""
        body = self._dial() if self.dial else self._fields()
        mode = icon_button(
            "keyboard" if self.dial else "clock",
            f"Switch to {'text input' if self.dial else 'clock'} mode for the time input.",
            self.switch_mode, id="android:id/toggle_mode",
        )  # fmt: skip
        buttons = row(
            mode, spacer(weight=1), button("CANCEL", self.finish, style="text", id="android:id/button2"),
            button("OK", self.done, style="text", id="android:id/button1"), padding=(4, 8, 4, 0),
        )  # fmt: skip
        return dialog("", column(body, buttons))

    def _fields(self) -> View:
        parts = [
            text("Set time", size=14, color="text_dim", padding=(4, 8, 0, 8)),
            row(self._field("hour_text", "hour"), text(":", size=40, padding=(8, 0, 8, 0)),
                self._field("minute_text", "minute")),
        ]  # fmt: skip
        if self.wrong:
            parts.append(
                text("Enter a valid time", size=14, color="error", padding=(4, 4, 0, 4), id="android:id/label_error")
            )
        return column(*parts)

    def _field(self, name: str, label: str) -> View:
        return column(
            text_field(name, getattr(self, name), partial(self.typed, name), numeric=True, size=34, weight=1,
                       id=f"android:id/input_{label}"),
            text(label, size=12, color="text_dim"), weight=1,
        )  # fmt: skip

    def _dial(self) -> View:
        head = row(
            self._part("hour", self.hour), text(":", size=40, padding=(6, 0, 6, 0)), self._part("minute", self.minute),
            justify="center", padding=(0, 8, 0, 8),
        )  # fmt: skip
        values = range(24) if self.part == "hour" else range(0, 60, 5)
        per_row = 6
        cells = [self._value(v) for v in values]
        rows = [row(*cells[i : i + per_row], height=44) for i in range(0, len(cells), per_row)]
        return column(head, *rows)

    def _part(self, name: str, value: int) -> View:
        on = self.part == name
        made = text(f"{value:02d}", size=44, color="primary" if on else "text_dim",
                    on_tap=partial(self.set, "part", name), id=f"android:id/{name}s", padding=(8, 0, 8, 0))  # fmt: skip
        made.selected = on
        return made

    def _value(self, value: int) -> View:
        on = value == (self.hour if self.part == "hour" else self.minute)
        label = text(str(value) if self.part == "hour" else f"{value:02d}", size=15, align="center", width=FILL,
                     color="on_primary" if on else "text")  # fmt: skip
        disc = stack(label, width=38, height=38, radius=19, justify="center", background="primary" if on else None)
        made = stack(disc, weight=1, height=44, align="center", justify="center", on_tap=partial(self.pick, value))
        made.desc, made.selected = f"{value}", on
        return made

    def typed(self, name: str, value: str) -> None:
        """Only two digits fit."""
        setattr(self, name, "".join(c for c in value if c.isdigit())[-2:])
        self.wrong = False

    def pick(self, value: int) -> None:
        """A number of the clock face; after the hour come the minutes."""
        if self.part == "hour":
            self.hour, self.part = value, "minute"
        else:
            self.minute = value
        self.hour_text, self.minute_text = f"{self.hour:02d}", f"{self.minute:02d}"

    def switch_mode(self) -> None:
        """Clock face or typing."""
        if not self.dial and not self._read():
            return
        self.dial = not self.dial
        if not self.dial:
            self.focus_on("hour_text", self.hour_text)

    def _read(self) -> bool:
        hour, minute = self.hour_text or "x", self.minute_text or "x"
        self.wrong = not (hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60)
        if not self.wrong:
            self.hour, self.minute = int(hour), int(minute)
        return not self.wrong

    def done(self) -> None:
        """OK; a wrong time stays open with a message."""
        if self.dial or self._read():
            self.finish((self.hour, self.minute))


@dataclass
class TextPrompt(Screen):
    """A line of text with OK and Cancel. Finishes with the text."""

    floating: ClassVar[bool] = True

    title: str
    value: str = ""
    hint: str = ""
    ok: str = "OK"

    def on_create(self) -> None:
        """The keyboard opens at once, everything selected."""
        self.focus_on("value", self.value)
        self.selection = (0, len(self.value))

    def build(self) -> View:
        """The dialog."""
        return dialog(self.title, self.field("value", hint=self.hint, on_submit=self.done, id="edit"),
                      buttons=[("Cancel", self.finish), (self.ok, self.done)])  # fmt: skip

    def done(self) -> None:
        """OK."""
        self.finish(self.value)
