"""Simple Calendar Pro's event editor (EventActivity): fields, date and time, reminders, repetition, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.simple_calendar import data
from emulator.pocket.apps.simple_calendar.data import DAY, MONTH, WEEK, YEAR, Event, Scope, day_title, moment, seconds
from emulator.pocket.parts import choice_dialog, dialog, page, toolbar
from emulator.pocket.pickers import DatePicker, TimePicker
from emulator.pocket.views import View
from emulator.pocket.widgets import (
    checkbox,
    column,
    divider,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    spacer,
    switch_row,
    text,
    text_field,
)  # fmt: skip

REPEATS = (("No repetition", 0), ("Every day", DAY), ("Every week", WEEK), ("Every month", MONTH), ("Every year", YEAR))
REMINDERS = (("No reminder", -1), ("On start", 0), ("5 minutes before", 5), ("10 minutes before", 10),
             ("30 minutes before", 30), ("1 hour before", 60), ("1 day before", 1440))  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SCOPES: tuple[tuple[str, Scope], ...] = (
    ("the selected occurrence only", "this"), ("this and all future occurrences", "future"),
    ("all occurrences", "all"),
)  # fmt: skip
ASK_DELETE = "Are you sure you want to proceed with the deletion?"


def scope_label(verb: str, number: int) -> str:
    """`Delete all occurrences` and the like."""
    return f"{verb} {SCOPES[number][0]}"


@dataclass
class EventEditor(Screen):
    """`event` as it will be written, `old` as it was (id 0: a new one). Finishes with True after a change."""

    activity: ClassVar[str] = f"{data.PACKAGE}.activities.EventActivity"

    event: Event
    old: Event | None = None
    scope: int = 0

    def on_create(self) -> None:
        """Remember how it was; a new event begins with its title."""
        self.old = self.event
        if not self.event.id:
            self.focus_on("title")

    # the screen

    def build(self) -> View:
        """Tool bar and one long form."""
        kind = "Task" if self.event.task else "Event"
        actions = [icon_button("save", "Save", self.save, id="save")]
        if self.event.id:
            actions.insert(0, icon_button("delete", "Delete", partial(self.open, "delete"), id="delete"))
        title = f"{'Edit' if self.event.id else 'New'} {kind}"
        bar = toolbar(title, navigation=("back", "Back", self.leave), actions=actions)
        return page(bar, scroll(*self._texts(), divider(), *self._times(), divider(), *self._rest(), key="form"))

    def _texts(self) -> list[View]:
        parts = [self._text("title", "Title", 20), self._text("description", "Description", 16, multiline=True)]
        if not self.event.task:
            parts.insert(1, self._text("location", "Location", 16))
        return [column(*parts, padding=(16, 8, 16, 8), gap=4)]

    def _text(self, name: str, hint: str, size: float, multiline: bool = False) -> View:
        return text_field(name, getattr(self.event, name), partial(self.typed, name), hint=hint, size=size,
                          multiline=multiline, framed=False, id=f"event_{name}")  # fmt: skip

    def typed(self, name: str, value: str) -> None:
        """One of the three texts."""
        changed: dict[str, Any] = {name: value}
        self.event = replace(self.event, **changed)

    def _times(self) -> list[View]:
        rows = [switch_row("All-day", self.event.all_day, self.toggle_all_day, icon_name="clock")]
        rows.append(self._moment("start", self.event.start))
        if not self.event.task:
            rows.append(self._moment("end", self.event.end))
        return rows

    def _moment(self, name: str, at: int) -> View:
        when = moment(at)
        parts = [
            text(day_title(self.phone, when.date()), id=f"event_{name}_date", padding=(0, 14, 0, 14), weight=1,
                 on_tap=partial(self.ask_date, name)),
        ]  # fmt: skip
        if not self.event.all_day:
            parts.append(text(f"{when:%H:%M}", id=f"event_{name}_time", padding=(16, 14, 0, 14),
                              on_tap=partial(self.ask_time, name)))  # fmt: skip
        return row(spacer(width=24), *parts, gap=16, padding=(16, 0, 16, 0))

    def _rest(self) -> list[View]:
        shown = [r for r in self.event.reminders if r >= 0]
        rows = [
            list_row(_reminder(r), on_tap=partial(self.open, f"reminder{i}"), icon_name="" if i else "bell",
                     leading=spacer(width=24) if i else None)
            for i, r in enumerate(shown or [-1])
        ]  # fmt: skip
        if 0 < len(shown) < 3:
            rows.append(list_row("Add another reminder", on_tap=partial(self.open, f"reminder{len(shown)}"),
                                 leading=spacer(width=24)))  # fmt: skip
        rows += [divider(), list_row(self._repeat(), on_tap=partial(self.open, "repeat"), icon_name="repeat",
                                     title_id="event_repetition")]  # fmt: skip
        if self.event.interval == WEEK:
            names = ", ".join(DAYS[d - 1][:3] for d in data.weekdays(self.event.rule))
            rows.append(list_row("Repeat on", names, partial(self.open, "weekdays"), leading=spacer(width=24)))
        if self.event.interval:
            till = day_title(self.phone, moment(self.event.limit).date()) if self.event.limit > 0 else "Forever"
            rows.append(list_row("Repeat till", till, partial(self.open, "till"), leading=spacer(width=24)))
        kind = row(icon("label"), text("Regular event", weight=1, id="event_type"), icon("dot", color="primary"),
                   gap=16, padding=(16, 14, 16, 14))  # fmt: skip
        return [*rows, divider(), kind, spacer(height=24)]

    def _repeat(self) -> str:
        return next((label for label, n in REPEATS if n == self.event.interval), "Custom")

    # overlays

    def overlay(self) -> View | None:
        """Choices and questions."""
        if self.opened.startswith("reminder"):
            number = int(self.opened[-1])
            at = next((i for i, (_, m) in enumerate(REMINDERS) if m == self.event.reminders[number]), 0)
            return choice_dialog("", [label for label, _ in REMINDERS], at, partial(self.set_reminder, number))
        if self.opened == "repeat":
            at = next((i for i, (_, n) in enumerate(REPEATS) if n == self.event.interval), -1)
            return choice_dialog("", [label for label, _ in REPEATS], at, self.set_repeat)
        if self.opened == "weekdays":
            boxes = [checkbox(bool(self.event.rule & 1 << i), partial(self.toggle_day, i), label=name)
                     for i, name in enumerate(DAYS)]  # fmt: skip
            return dialog("", column(*boxes), buttons=[("OK", self.dismiss)])
        if self.opened == "till":
            return choice_dialog("", ["Forever", "Repeat till a date"], int(self.event.limit > 0), self.set_till)
        if self.opened == "leave":
            return dialog("", message="You have unsaved changes. Save before exit?",
                          buttons=[("Discard", self.finish), ("Save", self.save)])  # fmt: skip
        if self.opened in {"delete", "change"}:
            return self._question()
        return None

    def _question(self) -> View:
        verb, action = ("Delete", self.delete) if self.opened == "delete" else ("Edit", self.write)
        if self.old is not None and self.old.interval:
            return scope_question(
                verb, self.scope, partial(self.set, "scope"), [("Cancel", self.dismiss), ("OK", action)]
            )
        return dialog("", message=ASK_DELETE, buttons=[("No", self.dismiss), ("Yes", action)])

    # date, time, repetition

    def ask_date(self, name: str) -> None:
        """The calendar."""
        when = moment(self.event.start if name == "start" else self.event.end)
        self.ask(DatePicker(when.year, when.month, when.day), f"{name}_date")

    def ask_time(self, name: str) -> None:
        """The clock."""
        when = moment(self.event.start if name == "start" else self.event.end)
        self.ask(TimePicker(when.hour, when.minute), f"{name}_time")

    def on_result(self, key: str, value: Any) -> None:
        """A date or a time is chosen; the end keeps its distance from the start."""
        name, _, what = key.partition("_")
        if key == "till_date":
            self.event = replace(self.event, limit=seconds(date(*value)))
            return
        when = moment(self.event.start if name == "start" else self.event.end)
        if what == "date":
            at = seconds(date(*value), when.hour, when.minute)
        else:
            at = seconds(when.date(), *value)
        if name == "end":
            self.event = replace(self.event, end=at)
        else:
            self._start_at(at)

    def _start_at(self, at: int) -> None:
        event, old_day = self.event, 1 << moment(self.event.start).weekday()
        rule = 1 << moment(at).weekday() if event.interval == WEEK and event.rule == old_day else event.rule
        self.event = replace(event, start=at, end=at + event.end - event.start, rule=rule)

    def toggle_all_day(self) -> None:
        """The switch."""
        self.event = replace(self.event, all_day=not self.event.all_day)

    def set_reminder(self, number: int, choice: int) -> None:
        """One of the three."""
        made = list(self.event.reminders)
        made[number] = REMINDERS[choice][1]
        kept = [r for r in made if r >= 0]
        kept += [-1] * (3 - len(kept))
        self.event = replace(self.event, reminders=(kept[0], kept[1], kept[2]))
        self.dismiss()

    def set_repeat(self, choice: int) -> None:
        """Weeks repeat on the weekday of the start; a new month rule is the same day."""
        interval = REPEATS[choice][1]
        rule = {WEEK: 1 << moment(self.event.start).weekday(), MONTH: 1, YEAR: 1}.get(interval, 0)
        self.event = replace(self.event, interval=interval, rule=rule, limit=0)
        self.dismiss()

    def toggle_day(self, number: int) -> None:
        """A weekday; one stays."""
        rule = self.event.rule ^ (1 << number)
        self.event = replace(self.event, rule=rule or self.event.rule)

    def set_till(self, choice: int) -> None:
        """Forever, or until a day."""
        self.dismiss()
        if choice == 0:
            self.event = replace(self.event, limit=0)
        else:
            when = moment(self.event.limit or self.event.start)
            self.ask(DatePicker(when.year, when.month, when.day), "till_date")

    # the end

    def save(self) -> None:
        """Check and write; a repeated event asks how far the change goes."""
        self.dismiss()
        if not self.event.title.strip():
            self.toast("Title cannot be empty")
            self.focus_on("title", self.event.title)
        elif not self.event.task and self.event.end < self.event.start:
            self.toast("The event cannot end earlier than it starts")
        elif self.event.id and self.old is not None and self.old.interval and self.event != self.old:
            self.open("change")
        else:
            self.write()

    def write(self) -> None:
        """Into the database."""
        event = replace(self.event, title=self.event.title.strip())
        if event.task:
            event = replace(event, end=event.start)
        if event.all_day:
            event = replace(event, start=seconds(moment(event.start).date(), 12),
                            end=seconds(moment(event.end).date(), 12))  # fmt: skip
        if not event.id:
            data.add(self.phone, event)
        elif self.old is not None and event != self.old:
            scope = SCOPES[self.scope][1] if self.old.interval else "all"
            data.change(self.phone, event, self.old, scope)
        self.finish(True)

    def delete(self) -> None:
        """Yes."""
        if self.old is not None:
            data.remove(self.phone, self.old, SCOPES[self.scope][1] if self.old.interval else "all")
        self.finish(True)

    def leave(self) -> None:
        """The arrow."""
        if not self.on_back():
            self.finish()

    def on_back(self) -> bool:
        """BACK asks when something was changed."""
        if self.event == self.old:
            return False
        self.open("leave")
        return True


def scope_question(verb: str, at: int, choose: Any, buttons: Sequence[Any]) -> View:
    """How much of a repeated event is meant."""
    labels = [scope_label(verb, i) for i in range(len(SCOPES))]
    made = choice_dialog("", labels, at, choose, buttons=buttons)
    made.children.insert(0, text("The event is repetitive.", padding=(24, 20, 24, 4), color="text_dim"))
    return made


def _reminder(minutes: int) -> str:
    return next((label for label, m in REMINDERS if m == minutes), f"{minutes} minutes before")
