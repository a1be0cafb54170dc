"""Simple Calendar Pro: month, month with day, day and event list; search; events are made, changed and deleted.

AndroidWorld (android_world_apps.md section 8) reads and writes `events.db` alone (data.py). Departures: no weekly and
yearly views, no event types but the one there is, no settings, reminders are kept but never ring.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.simple_calendar import data
from emulator.pocket.apps.simple_calendar.data import DB, PACKAGE, Event, day_title, moment, seconds
from emulator.pocket.apps.simple_calendar.editor import ASK_DELETE, SCOPES, EventEditor, scope_question
from emulator.pocket.apps.simple_calendar.pages import day_heading, event_row, month_grid, title_bar, weeks_of
from emulator.pocket.intents import EDIT, INSERT, VIEW, Intent, IntentFilter
from emulator.pocket.parts import Choice, choice_dialog, dialog, menu, page, toolbar
from emulator.pocket.pickers import DatePicker
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import (
    column,
    divider,
    empty,
    fab,
    icon_button,
    row,
    scroll,
    text,
    text_field,
)  # fmt: skip

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MAIN = f"{PACKAGE}.activities.MainActivity"
VIEWS = ("Daily view", "Monthly view", "Monthly and daily view", "Simple event list")
DAILY, MONTHLY, BOTH, LIST = range(4)
LIST_DAYS = 60
REMINDER = 10


@dataclass
class Calendar(Screen):
    """The main screen. `day` (epoch days) is the day or month shown; `marked`: [id, start] of events chosen.

    `single` is a day opened from the month: BACK leads back there.
    """

    day: int = 0
    single: bool = False
    creating: bool = False
    query: str = ""
    marked: list[tuple[int, int]] = field(default_factory=list)
    back_days: int = 0
    ahead_days: int = LIST_DAYS
    scope: int = 0

    def on_create(self) -> None:
        """Begin with today."""
        self.day = self.day or self.today.toordinal()

    # what is shown

    @property
    def today(self) -> date:
        """Today on the phone."""
        return self.phone.clock.datetime().date()

    @property
    def shown(self) -> date:
        """The day shown."""
        return date.fromordinal(self.day)

    @property
    def view(self) -> int:
        """Which of VIEWS."""
        return DAILY if self.single else self.phone.prefs(PACKAGE).number("view", MONTHLY)

    def listed(self) -> list[Event]:
        """Events that stand in a list now (those that can be marked)."""
        if self.query:
            return data.search(self.phone, self.query)
        if self.view == LIST:
            first = self.today - timedelta(days=self.back_days)
            return data.between(self.phone, first, self.today + timedelta(days=self.ahead_days))
        if self.view == MONTHLY:
            return []
        return data.between(self.phone, self.shown, self.shown)

    def build(self) -> View:
        """Search bar or selection bar, one of the views, the round button."""
        bar = self._selection_bar() if self.marked else self._bar()
        if self.query:
            return page(bar, self._found())
        body = (self._daily, self._monthly, self._both, self._list)[self.view]()
        return page(bar, body, fab=self._buttons())

    def _bar(self) -> View:
        if self.single:
            lead = icon_button("back", "Back", self.leave_day, color="text")
        else:
            lead = icon_button("search", "Search", partial(self.focus_on, "query", self.query))
        words = partial(self.set, "query")
        parts = [lead, text_field("query", self.query, words, hint="Search", weight=1, framed=False,
                                  id="top_toolbar_search")]  # fmt: skip
        if self.query:
            parts.append(icon_button("close", "Clear", self.end_search))
        if self.day != self.today.toordinal() and self.view != LIST:
            parts.append(icon_button("calendar_day", "Go to today", self.go_today, id="go_to_today"))
        parts.append(icon_button("grid", "Change view", partial(self.open, "view"), id="change_view"))
        parts.append(icon_button("more", "More options", partial(self.open, "menu")))
        return column(row(*parts, height=52, radius=26, background="surface_high"), padding=(12, 8, 12, 8))

    def _selection_bar(self) -> View:
        actions = [icon_button("delete", "Delete", partial(self.open, "delete"), id="cab_delete")]
        return toolbar(f"{len(self.marked)} / {len(self.listed())}", navigation=("close", "Done", self.unmark),
                       actions=actions, menu=partial(self.open, "selection_menu"), color="surface_high")  # fmt: skip

    def _buttons(self) -> View:
        if not self.creating:
            return fab("add", "New Event", partial(self.set, "creating", True), id="calendar_fab")
        choices = [
            ("check", "Task", partial(self.create, True)),
            ("calendar_day", "Event", partial(self.create, False)),
        ]
        rows = [row(text(label, bold=1, padding=(10, 6, 10, 6), on_tap=act, id=f"fab_{label.lower()}_label"),
                    fab(name, "", act, id=f"fab_{label.lower()}"), gap=8, justify="end")
                for name, label, act in choices]  # fmt: skip
        return column(*rows, fab("close", "Close", partial(self.set, "creating", False), id="calendar_fab"), gap=12,
                      width=220, align="end", background="surface_high", radius=20, padding=(12, 12, 0, 0))  # fmt: skip

    # views

    def _daily(self) -> View:
        head = title_bar(day_title(self.phone, self.shown), partial(self.turn, -1), partial(self.turn, 1), self.ask_day)
        return self._swiping(column(head, divider(), self._events_of_day(), height=FILL, weight=1))

    def _monthly(self) -> View:
        events = self._month_events()
        grid = month_grid(self.shown.year, self.shown.month, self.today, events, lambda d: partial(self.open_day, d))
        return self._swiping(column(self._month_title(), grid, height=FILL, weight=1))

    def _both(self) -> View:
        events = self._month_events()
        grid = month_grid(
            self.shown.year, self.shown.month, self.today, events, lambda d: partial(self.set, "day", d.toordinal()),
            self.shown, 42,
        )  # fmt: skip
        label = text(day_title(self.phone, self.shown), size=15, bold=1, padding=(16, 10, 16, 6), id="day_title")
        upper = self._swiping(column(self._month_title(), grid))
        upper.height, upper.weight = -2.0, 0
        return column(upper, divider(), label, self._events_of_day(), height=FILL, weight=1)

    def _list(self) -> View:
        parts: list[View] = [
            text("See previous events", color="primary", bold=1, padding=(16, 14, 16, 8), id="previous_events",
                 on_tap=self.earlier, width=FILL),
        ]  # fmt: skip
        seen = None
        for event in self.listed():
            day = max(moment(event.start).date(), self.today - timedelta(days=self.back_days))
            if day != seen:
                parts.append(day_heading(day_title(self.phone, day), day == self.today))
                seen = day
            parts.append(self._row(event))
        if seen is None:
            return column(*parts, empty("No items found."), height=FILL, weight=1)
        parts.append(text("See later events", color="primary", bold=1, padding=(16, 14, 16, 8), id="later_events",
                          on_tap=self.later, width=FILL))  # fmt: skip
        return scroll(*parts, key="events", padding=(0, 0, 0, 88))

    def _found(self) -> View:
        found = self.listed()
        if not found:
            return empty("No items found.")
        rows = [self._row(e, f"{day_title(self.phone, moment(e.start).date())}, {e.times()}") for e in found]
        return scroll(*rows, key="found", padding=(0, 8, 0, 24))

    def _month_title(self) -> View:
        year = "" if self.shown.year == self.today.year else f" {self.shown.year}"
        return title_bar(f"{self.shown:%B}{year}", partial(self.turn, -1), partial(self.turn, 1), self.ask_day)

    def _month_events(self) -> list[Event]:
        weeks = weeks_of(self.shown.year, self.shown.month)
        return data.between(self.phone, weeks[0][0], weeks[-1][-1])

    def _events_of_day(self) -> View:
        events = self.listed()
        if not events:
            return empty("No items found.")
        return scroll(*[self._row(e) for e in events], key="day_events", padding=(0, 4, 0, 88))

    def _row(self, event: Event, when: str = "") -> View:
        marked = (event.id, event.start) in self.marked
        return event_row(event, partial(self.touched, event), partial(self.mark, event), marked, when)

    def _swiping(self, view: View) -> View:
        view.on_swipe = self.swiped
        return view

    # going

    def swiped(self, way: str) -> None:
        """Sideways: to the next or the one before."""
        if way in {"left", "right"}:
            self.turn(1 if way == "left" else -1)

    def turn(self, step: int) -> None:
        """The next day or month."""
        if self.view == DAILY:
            self.day += step
        else:
            at = self.shown.year * 12 + self.shown.month - 1 + step
            first = date(at // 12, at % 12 + 1, 1)
            same = (first.year, first.month) == (self.today.year, self.today.month)
            self.day = (self.today if same else first).toordinal()
        self.scrolls.pop("day_events", None)

    def open_day(self, day: date) -> None:
        """A day of the month."""
        self.push(Calendar(day=day.toordinal(), single=True))

    def leave_day(self) -> None:
        """The arrow of a day."""
        self.finish()

    def go_today(self) -> None:
        """To today."""
        self.day = self.today.toordinal()
        self.dismiss()

    def ask_day(self) -> None:
        """Choose a day to go to."""
        self.dismiss()
        self.ask(DatePicker(self.shown.year, self.shown.month, self.shown.day), "go")

    def on_result(self, key: str, value: Any) -> None:
        """A day was chosen, or an event written."""
        if key == "go":
            self.day = date(*value).toordinal()

    def earlier(self) -> None:
        """Thirty more days of the past in the list."""
        self.back_days += 30

    def later(self) -> None:
        """More days ahead in the list."""
        self.ahead_days += LIST_DAYS

    def end_search(self) -> None:
        """Empty the field."""
        self.query, self.focus = "", ""
        self.phone.keyboard.hide()

    def on_back(self) -> bool:
        """BACK ends choosing, searching, creating first."""
        busy = bool(self.marked or self.query or self.creating)
        self.marked, self.query, self.focus, self.creating = [], "", "", False
        return busy

    # events

    def create(self, task: bool) -> None:
        """A new event at the next full hour of the day shown; in a month, of today or the first."""
        self.creating = False
        now = self.phone.clock.datetime()
        day = self.shown if self.view in {DAILY, BOTH} or self.shown.month != self.today.month else self.today
        start = seconds(day, now.hour) + 3600
        self.push(EventEditor(Event(start=start, end=start, first=start, task=task, reminders=(REMINDER, -1, -1))))

    def touched(self, event: Event) -> None:
        """Open it, or mark it while others are."""
        if self.marked:
            self.mark(event)
        else:
            self.push(EventEditor(event))

    def mark(self, event: Event) -> None:
        """Choose or not."""
        key = (event.id, event.start)
        self.marked = [m for m in self.marked if m != key] if key in self.marked else [*self.marked, key]

    def mark_all(self) -> None:
        """Everything in the list."""
        self.marked = [(e.id, e.start) for e in self.listed()]
        self.dismiss()

    def unmark(self) -> None:
        """Nothing."""
        self.marked = []
        self.dismiss()

    def delete(self) -> None:
        """Delete what is marked."""
        with self.phone.db(DB):
            for event in self._chosen():
                data.remove(self.phone, event, SCOPES[self.scope][1] if event.interval else "all")
        self.unmark()

    def _chosen(self) -> list[Event]:
        return [e for e in self.listed() if (e.id, e.start) in self.marked]

    # overlays

    def overlay(self) -> View | None:
        """Menus, views, the question before deleting."""
        if self.opened == "menu":
            return menu(
                [("Go to today", self.go_today), ("Go to date", self.ask_day), ("About", partial(self.open, "about"))]
            )
        if self.opened == "selection_menu":
            return menu([("Select all", self.mark_all)])
        if self.opened == "view":
            return choice_dialog("", VIEWS, self.view, self.set_view)
        if self.opened == "about":
            return dialog("Simple Calendar Pro", message="v 6.22.1", buttons=[("OK", self.dismiss)])
        if self.opened == "delete":
            return self._question()
        return None

    def _question(self) -> View:
        if any(e.interval for e in self._chosen()):
            buttons: list[Choice] = [("Cancel", self.dismiss), ("OK", self.delete)]
            return scope_question("Delete", self.scope, partial(self.set, "scope"), buttons)
        return dialog("", message=ASK_DELETE, buttons=[("No", self.dismiss), ("Yes", self.delete)])

    def set_view(self, number: int) -> None:
        """Another view; it is remembered. From a single day the month below changes."""
        self.phone.prefs(PACKAGE).set("view", number)
        self.single = False
        self.dismiss()


def _main(intent: Intent) -> Screen:
    return Calendar()


def _event(intent: Intent) -> Screen:
    """INSERT and EDIT with Android's extras: title, description, eventLocation, beginTime, endTime (ms)."""
    times = [int(intent.text(n)) // 1000 if intent.text(n).isdecimal() else 0 for n in ("beginTime", "endTime")]
    return EventEditor(Event(
        title=intent.text("title"), description=intent.text("description"), location=intent.text("eventLocation"),
        start=times[0], end=max(times), first=times[0], reminders=(REMINDER, -1, -1),
    ))  # fmt: skip


def _start(phone: Phone) -> None:
    """The one event type there is."""
    db = phone.db(DB)
    if db.one("SELECT id FROM event_types") is None:
        db.insert("event_types", {"title": "Regular event", "color": -15426357, "caldav_calendar_id": 0,
                                  "caldav_display_name": "", "caldav_email": "", "type": 0})  # fmt: skip


EVENTS = "content://com.android.calendar"
APP = App(
    package=PACKAGE,
    label="Simple Calendar Pro",
    icon=("calendar", (21, 101, 192)),
    main=MAIN,
    activities={MAIN: _main, EventEditor.activity: _event},
    databases={data.DATABASE: data.SCHEMA},
    filters=(
        (IntentFilter(VIEW, data=EVENTS), MAIN),
        (IntentFilter(INSERT, data=f"{EVENTS}/events"), EventEditor.activity),
        (IntentFilter(EDIT, data=f"{EVENTS}/events"), EventEditor.activity),
    ),
    start=_start,
    permissions=(
        "android.permission.READ_CALENDAR", "android.permission.WRITE_CALENDAR",
        "android.permission.POST_NOTIFICATIONS",
    ),
    system=False,
    version="6.22.1",
)  # fmt: skip
