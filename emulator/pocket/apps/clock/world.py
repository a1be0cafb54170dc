"""The clock page: time and date, and the times of chosen cities.

Offsets from UTC are those of AndroidWorld's October 2023, a table, so that the host's time zone files don't matter.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.clock.alarms import PACKAGE
from emulator.pocket.apps.clock.stopwatch import button_row, round_button
from emulator.pocket.parts import page, search_bar
from emulator.pocket.views import View
from emulator.pocket.widgets import column, icon_button, lazy_list, list_row, row, scroll, text

if TYPE_CHECKING:
    from emulator.pocket.apps.clock import DeskClock
    from emulator.pocket.phone import Phone

CITIES: dict[str, tuple[str, float]] = {
    "Amsterdam": ("Netherlands", 2), "Athens": ("Greece", 3), "Auckland": ("New Zealand", 13),
    "Bangkok": ("Thailand", 7), "Beijing": ("China", 8), "Berlin": ("Germany", 2), "Buenos Aires": ("Argentina", -3),
    "Cairo": ("Egypt", 3), "Chicago": ("USA", -5), "Denver": ("USA", -6), "Dubai": ("United Arab Emirates", 4),
    "Dublin": ("Ireland", 1), "Hong Kong": ("China", 8), "Honolulu": ("USA", -10), "Istanbul": ("Turkey", 3),
    "Jakarta": ("Indonesia", 7), "Johannesburg": ("South Africa", 2), "Karachi": ("Pakistan", 5),
    "Kathmandu": ("Nepal", 5.75), "Lagos": ("Nigeria", 1), "Lisbon": ("Portugal", 1), "London": ("UK", 1),
    "Los Angeles": ("USA", -7), "Madrid": ("Spain", 2), "Mexico City": ("Mexico", -6), "Moscow": ("Russia", 3),
    "Mumbai": ("India", 5.5), "Nairobi": ("Kenya", 3), "New York": ("USA", -4), "Oslo": ("Norway", 2),
    "Paris": ("France", 2), "Rome": ("Italy", 2), "San Francisco": ("USA", -7), "Santiago": ("Chile", -3),
    "Seoul": ("South Korea", 9), "Singapore": ("Singapore", 8), "Sydney": ("Australia", 11), "Tokyo": ("Japan", 9),
    "Toronto": ("Canada", -4), "Vancouver": ("Canada", -7), "Zurich": ("Switzerland", 2),
}  # fmt: skip
CHOSEN = "cities"


def chosen(phone: Phone) -> list[str]:
    """Cities on the page."""
    return [name for name in json.loads(phone.prefs(PACKAGE).text(CHOSEN, "[]")) if name in CITIES]


def add(phone: Phone, city: str) -> None:
    """One more city."""
    if city not in chosen(phone):
        phone.prefs(PACKAGE).set(CHOSEN, json.dumps([*chosen(phone), city]))


def remove(phone: Phone, city: str) -> None:
    """One city less."""
    phone.prefs(PACKAGE).set(CHOSEN, json.dumps([name for name in chosen(phone) if name != city]))


def build(screen: DeskClock) -> tuple[View, View | None]:
    """Local time, cities, and the button for another one."""
    now = screen.phone.clock.datetime()
    rows = [
        text(f"{now:%H:%M}", size=76, padding=(24, 24, 24, 0), id="digital_clock"),
        text(f"{now:%a, %b} {now.day}", size=18, color="text_dim", padding=(28, 0, 24, 24), id="date"),
        *[_city_row(screen.phone, name, now) for name in chosen(screen.phone)],
    ]
    button = round_button("add", "Add city", partial(screen.ask, CityPicker(), "city"), main=True)
    return scroll(*rows, key="cities"), button_row(None, button, None)


def _city_row(phone: Phone, name: str, now: dt.datetime) -> View:
    offset = CITIES[name][1]
    there = now + dt.timedelta(hours=offset)
    word = {0: "Today", 1: "Tomorrow"}.get((there.date() - now.date()).days, "Yesterday")
    summary = f"{word}, {abs(offset):g} hr{'s' if abs(offset) != 1 else ''} {'ahead' if offset > 0 else 'behind'}"
    delete = icon_button("close", f"Remove {name}", partial(remove, phone, name))
    time = text(f"{there:%H:%M}", size=32, id="digital_clock")
    return row(column(text(name, size=18), text(summary, size=14, color="text_dim"), weight=1), time, delete,
               padding=(24, 12, 8, 12), gap=8)  # fmt: skip


@dataclass
class CityPicker(Screen):
    """All cities, with search. Finishes with a name."""

    activity: ClassVar[str] = "com.android.deskclock.worldclock.CitySelectionActivity"

    query: str = ""

    def build(self) -> View:
        """Field and list."""
        found = [name for name in CITIES if self.query.lower() in f"{name}, {CITIES[name][1]}".lower()]

        def city(i: int) -> View:
            return list_row(f"{found[i]}, {CITIES[found[i]][0]}", on_tap=partial(self.finish, found[i]), height=56)

        bar = search_bar("query", self.query, partial(self.set, "query"), self.finish, hint="Search for a city")
        return page(bar, lazy_list(len(found), 56, city, key="cities"))
