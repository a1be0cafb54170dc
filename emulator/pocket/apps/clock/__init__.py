"""Clock (Google's DeskClock): alarms, world clock, timers, stopwatch, as tabs of one activity.

AndroidWorld reads the screen (android_world_apps.md section 2): text `00h 16m 35s` of the timer entry, descriptions
`Pause`, `Lap`, `Start`, and `Stopwatch` as page title and tab. Alarms lie in alarms.db under DeskClock's column names,
timers and stopwatch in the preferences, so that `pm clear` resets all. Departures: a tab has its label as text only
(the real one repeats it as description, with which the paused stopwatch check also holds on the timer page); nothing
rings, a timer that ran out shows below zero; Google's Bedtime tab is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.clock import alarms, stopwatch, timers, world
from emulator.pocket.intents import Intent, IntentFilter
from emulator.pocket.parts import menu, page, toolbar
from emulator.pocket.pickers import TextPrompt, TimePicker
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import FRAME, IMAGE_VIEW, column, row, text

PACKAGE = alarms.PACKAGE
MAIN = "com.android.deskclock.DeskClock"
TABS = (("alarm", "Alarm"), ("clock", "Clock"), ("timer", "Timer"), ("stopwatch", "Stopwatch"))


@dataclass
class DeskClock(Screen):
    """The one screen. `tab` is an index into TABS; the other fields belong to the pages."""

    tab: int = 1
    digits: str = ""  # of the timer entry, as typed
    entering: bool = False  # timer entry although timers exist
    expanded: int = 0  # alarm whose card is open

    def build(self) -> View:
        """Title, page, button, tabs."""
        body, button = PAGES[self.tab](self)
        parts = [toolbar(TABS[self.tab][1], menu=partial(self.open, "menu")), body]
        return page(*parts, bottom=column(button, self._tabs()) if button else self._tabs())

    def _tabs(self) -> View:
        tabs = [self._tab(i, name, label) for i, (name, label) in enumerate(TABS)]
        return row(*tabs, height=68, background="surface_high", id="tabs")

    def _tab(self, index: int, name: str, label: str) -> View:
        on = index == self.tab
        color: Color = "primary" if on else "text_dim"
        mark = View(IMAGE_VIEW, icon=name, icon_size=22, color=color, width=60, height=30, radius=15)
        mark.background = "primary_soft" if on else None
        tab = column(mark, text(label, size=12, bold=1, color=color, lines=1), align="center", justify="center", gap=2,
                     weight=1, height=FILL, on_tap=partial(self.select, index), id=f"tab_menu_{name}")  # fmt: skip
        tab.cls, tab.selected = FRAME, on
        return tab

    def select(self, index: int) -> None:
        """A tab."""
        self.tab, self.entering = index, False

    def overlay(self) -> View | None:
        """The menu of the tool bar."""
        if self.opened != "menu":
            return None
        return menu([("Date & time settings", self.show_settings)])

    def show_settings(self) -> None:
        """Menu: the system's date settings."""
        self.dismiss()
        self.phone.start_activity(Intent(action="android.settings.DATE_SETTINGS"))

    def on_back(self) -> bool:
        """BACK leaves the timer entry when there are timers to go back to."""
        if self.tab == 2 and self.entering:
            self.entering, self.digits = False, ""
            return True
        return False

    def pick_time(self, key: str, hour: int, minute: int) -> None:
        """Ask for the time of an alarm."""
        self.ask(TimePicker(hour, minute), key)

    def pick_label(self, key: str, label: str) -> None:
        """Ask for a label."""
        self.ask(TextPrompt("Label", label), key)

    def on_result(self, key: str, value: Any) -> None:
        """A picker's answer: `new`, `time N`, `label N` of alarms, `city`, `timer N`."""
        what, _, number = key.partition(" ")
        if what == "new":
            self.expanded = alarms.add(self.phone, *value)
        elif what == "time":
            alarms.change(self.phone, int(number), {"hour": value[0], "minutes": value[1], "enabled": 1})
        elif what == "label":
            alarms.change(self.phone, int(number), {"label": value})
        elif what == "city":
            world.add(self.phone, value)
        elif what == "timer":
            timers.rename(self.phone, int(number), value)


PAGES = (alarms.build, world.build, timers.build, stopwatch.build)


def _tab_screen(tab: int) -> Screen:
    return DeskClock(tab=tab)


def _main(intent: Intent) -> Screen:
    return DeskClock()


def _handle(intent: Intent) -> Screen:
    """SET_ALARM, SET_TIMER, SHOW_ALARMS, SHOW_TIMERS."""
    if "TIMER" in intent.action:
        length = intent.extras.get("android.intent.extra.alarm.LENGTH", 0)
        return DeskClock(tab=2, digits=timers.to_digits(length) if isinstance(length, int) else "")
    return DeskClock(tab=0)


HANDLER = "com.android.deskclock.HandleApiCalls"
ACTIONS = ("SET_ALARM", "SHOW_ALARMS", "SET_TIMER", "SHOW_TIMERS")
APP = App(
    package=PACKAGE,
    label="Clock",
    icon=("clock", (66, 100, 200)),
    main=MAIN,
    activities={MAIN: _main, HANDLER: _handle},
    databases={"databases/alarms.db": alarms.SCHEMA},
    filters=tuple((IntentFilter(f"android.intent.action.{name}"), HANDLER) for name in ACTIONS),
    start=alarms.defaults,
    permissions=("android.permission.POST_NOTIFICATIONS",),
    version="7.5",
)
