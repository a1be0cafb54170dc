"""Solutions of AndroidWorld's questions about OpenTracks, read from the screen.

Sums and kinds come from the aggregated stats with their filter of days and kinds, the longest track of a week from a
search. The list shows the kind of sport as a picture only, so where one track is meant its form is opened and read.
The fixed day the questions are asked on is a Sunday; the week began on the Monday before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from emulator.pocket.experts.dates import day_of
from emulator.pocket.experts.driver import Driver, Script
from emulator.ui_tree import Element

OPENTRACKS = "de.dennisguse.opentracks"
TODAY = date(2023, 10, 15)
MONDAY = date(2023, 10, 9)
METRES = {"mi": 1609.34, "ft": 0.3048, "km": 1000.0, "m": 1.0}
ID = "aggregated_stats_"


@dataclass(frozen=True)
class Sum:
    """One card of the aggregated stats: kind of sport, number of tracks, metres, minutes."""

    kind: str
    count: int
    metres: float
    minutes: int


@dataclass(frozen=True)
class Line:
    """One track of the list."""

    name: str
    day: str
    time: str
    metres: float
    element: Element


def _minutes(words: str) -> int:
    """`45:00` and `1:30:00` in whole minutes."""
    *hours, minutes, _ = (int(part) for part in words.split(":"))
    return 60 * sum(hours) + minutes


def _metres(number: str, unit: str) -> float:
    return float(number.replace(",", "")) * METRES[unit]


def _open(driver: Driver) -> None:
    """The list, whatever page the app was left on."""
    driver.open_app(OPENTRACKS)
    while driver.find(id="track_list_fab_action") is None or not driver.sees("More options"):
        driver.back()


# aggregated stats


def _pick_day(driver: Driver, label: str, day: date) -> None:
    driver.tap_text(label)
    wanted = f"{day.day} {day:%B %Y}"
    while not driver.sees(wanted):
        driver.tap_description("Previous month")
    driver.tap_description(wanted)
    driver.tap_text("OK")


def _filtered(driver: Driver, first: date, last: date, kind: str = "") -> list[Sum]:
    """What the aggregated stats show for these days, of one kind or of all; a kind without tracks can't be chosen."""
    _open(driver)
    driver.tap_description("More options")
    driver.tap_text("Aggregated stats")
    driver.tap_description("Filter")
    _pick_day(driver, "From", first)
    _pick_day(driver, "To", last)
    if kind:
        driver.tap_element(driver.scroll_to(kind))
    driver.tap_text("OK")
    return _cards(driver)


def _seen_cards(driver: Driver) -> list[Sum]:
    found = []
    for card in driver.find_all(id=f"{ID}item"):
        inside = {e.id.removeprefix(ID): e.text for e in driver.children(card)}
        if {"type_label", "num_tracks", "distance", "distance_unit", "time"} <= set(inside):
            metres = _metres(inside["distance"], inside["distance_unit"])
            count = int(inside["num_tracks"].strip("()"))
            found.append(Sum(inside["type_label"], count, metres, _minutes(inside["time"])))
    return found


def _cards(driver: Driver) -> list[Sum]:
    """All cards, to the end of the page."""
    found: dict[str, Sum] = {}
    before: list[Sum] = []
    while (now := _seen_cards(driver)) != before:
        found.update({card.kind: card for card in now})
        before = now
        driver.swipe_up()
    return list(found.values())


def _only(driver: Driver, first: date, last: date, kind: str) -> Sum:
    found = [card for card in _filtered(driver, first, last, kind) if card.kind == kind]
    return found[0] if found else Sum(kind, 0, 0.0, 0)


def kinds_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """Every kind of sport on a day."""
    day = day_of(params["date"], TODAY, past=True)
    driver.answer(", ".join(card.kind for card in _filtered(driver, day, day)))


def count_this_week(driver: Driver, params: Mapping[str, Any]) -> None:
    """How many of a kind since Monday."""
    driver.answer(str(_only(driver, MONDAY, TODAY, params["category"]).count))


def minutes_this_week(driver: Driver, params: Mapping[str, Any]) -> None:
    """How long all of a kind lasted since Monday."""
    driver.answer(str(_only(driver, MONDAY, TODAY, params["category"]).minutes))


def minutes_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """How long the one of a kind lasted on a day."""
    day = day_of(params["date"], TODAY, past=True)
    driver.answer(str(_only(driver, day, day, params["category"]).minutes))


def metres_between(driver: Driver, params: Mapping[str, Any]) -> None:
    """How far all of a kind went from a day to another."""
    first, last = (day_of(params[name], TODAY, past=True) for name in ("start_date", "end_date"))
    driver.answer(str(round(_only(driver, first, last, params["category"]).metres)))


# one track


def _week_days() -> set[str]:
    """How the list names the days since Monday."""
    return {"Today", "Yesterday"} | {f"{TODAY - timedelta(days=n):%A}" for n in range(2, 7)}


def _lines(driver: Driver) -> list[Line]:
    """The tracks on the screen that can be read whole."""
    found = []
    for row in driver.find_all(id="track_list_item"):
        inside = {e.id.removeprefix("track_list_item_"): e.text for e in driver.children(row)}
        if {"name", "date", "time", "time_distance"} <= set(inside) and inside["time_distance"].endswith(")"):
            number, unit = inside["time_distance"].partition("(")[2].rstrip(")").split()
            found.append(Line(inside["name"], inside["date"], inside["time"], _metres(number, unit), row))
    return found


def _kind_of(driver: Driver, line: Line) -> str:
    """Open a track's form, read its kind, go back to the list."""
    driver.tap_element(line.element)
    driver.tap_description("More options")
    driver.tap_text("Edit")
    kind = driver.get(id="track_edit_activity_type").text
    driver.tap_text("Cancel")
    driver.back()
    return kind


def longest_this_week(driver: Driver, params: Mapping[str, Any]) -> None:
    """The farthest of a kind since Monday: each track that the search finds is opened, for its kind."""
    _open(driver)
    driver.tap_description("Search")
    driver.type_text(params["category"])
    driver.hide_keyboard()
    week = _week_days()
    metres: dict[tuple[str, str, str], float] = {}
    before: list[tuple[str, str, str]] = []
    while (now := [(line.name, line.day, line.time) for line in _lines(driver)]) != before:
        for key, line in zip(now, _lines(driver), strict=True):
            if line.day in week and key not in metres:
                metres[key] = line.metres if _kind_of(driver, line) == params["category"] else 0.0
        before = now
        driver.swipe_up()
    driver.answer(str(round(max(metres.values(), default=0.0))))


TASKS: dict[str, Script] = {
    "SportsTrackerActivitiesOnDate": kinds_on,
    "SportsTrackerActivitiesCountForWeek": count_this_week,
    "SportsTrackerActivityDuration": minutes_on,
    "SportsTrackerLongestDistanceActivity": longest_this_week,
    "SportsTrackerTotalDurationForCategoryThisWeek": minutes_this_week,
    "SportsTrackerTotalDistanceForCategoryOverInterval": metres_between,
}
