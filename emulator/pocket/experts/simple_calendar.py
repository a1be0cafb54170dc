"""Solutions of AndroidWorld's Simple Calendar Pro tasks: events are made, deleted and looked up on the screen.

Days are gone to from the month; AndroidWorld's fixed day is "today". A bare weekday in a question always means the
coming one (its dates are never in the past). SimpleCalendarNextEvent can't be solved where AndroidWorld draws a time
before 15:34: it then expects an event that is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from emulator.pocket.experts.dates import day_of
from emulator.pocket.experts.driver import Driver, Script
from emulator.ui_tree import Element

CALENDAR = "com.simplemobiletools.calendar.pro"
TODAY = date(2023, 10, 15)
NOW = time(15, 34)
TYPING = "Switch to text input mode for the time input."
REPEATS = {"daily": "Every day", "weekly": "Every week"}


@dataclass(frozen=True)
class Seen:
    """One event as a list shows it. `when`: `11:00 - 11:30`, in search results the day before that."""

    title: str
    when: str
    element: Element

    @property
    def start(self) -> time:
        """When it begins."""
        return datetime.strptime(self.when.rpartition(", ")[2].partition(" - ")[0], "%H:%M").time()

    @property
    def day(self) -> date:
        """The day of a search result, `October 17 (Tue)`."""
        words = self.when.partition(" (")[0]
        return datetime.strptime(f"{words} {TODAY.year}", "%B %d %Y").date()


def time_of(words: str) -> time:
    """`11:00am`, `4pm`, `21:45`."""
    for form in ("%H:%M", "%I:%M%p", "%I%p"):
        try:
            return datetime.strptime(words.strip(), form).time()
        except ValueError:
            continue
    raise ValueError(f"{words!r} is no time; known: 21:45, 9:45pm, 9pm")


# going and reading


def _open_day(driver: Driver, day: date) -> None:
    driver.open_app(CALENDAR)
    while driver.find(id="month_view") is None:
        driver.back()
    wanted = f"{day.day} {day:%B}"
    while not driver.sees(wanted):
        driver.tap_description("Next" if day > TODAY else "Previous")
    driver.tap_description(wanted)


def _rows(driver: Driver) -> list[Seen]:
    """Events on the screen that can be read whole."""
    found = []
    for frame in driver.find_all(id="event_item_frame"):
        inside = {e.id: e for e in driver.children(frame)}
        if {"event_item_title", "event_item_time"} <= set(inside):
            found.append(Seen(inside["event_item_title"].text, inside["event_item_time"].text, frame))
    return found


def _all(driver: Driver) -> list[Seen]:
    """Every event of the list, from where it stands to its end."""
    found: dict[tuple[str, str], Seen] = {}
    before: list[Seen] = []
    while (now := _rows(driver)) != before:
        for seen in now:
            found.setdefault((seen.title, seen.when), seen)
        before = now
        driver.swipe_up()
    return list(found.values())


def _of_day(driver: Driver, day: date) -> list[Seen]:
    _open_day(driver, day)
    return _all(driver)


def _titles(driver: Driver, events: list[Seen]) -> None:
    driver.answer(", ".join(seen.title for seen in events))


# making


def _set_time(driver: Driver, name: str, hour: int, minute: int) -> None:
    driver.tap_element(driver.get(id=f"event_{name}_time"))
    driver.tap_description(TYPING)
    driver.type_into("input_hour", f"{hour:02d}", clear=True)
    driver.type_into("input_minute", f"{minute:02d}", clear=True)
    driver.tap_text("OK")


def _set_day(driver: Driver, name: str, day: date) -> None:
    driver.tap_element(driver.get(id=f"event_{name}_date"))
    if not driver.sees(f"{day.day} {day:%B %Y}"):
        driver.tap_description("Next month")
    driver.tap_description(f"{day.day} {day:%B %Y}")
    driver.tap_text("OK")


def _add(driver: Driver, params: Mapping[str, Any], day: date, repeat: str = "") -> None:
    start = datetime(day.year, day.month, day.day, params["hour"])
    end = start + timedelta(minutes=params["duration_mins"])
    _open_day(driver, day)
    driver.tap_description("New Event")
    driver.tap_text("Event")
    driver.type_into("event_title", params["event_title"])
    driver.type_into("event_description", params["event_description"])
    driver.hide_keyboard()
    _set_time(driver, "start", start.hour, start.minute)
    _set_time(driver, "end", end.hour, end.minute)
    if end.date() != day:
        _set_day(driver, "end", end.date())
    if repeat:
        driver.tap_element(driver.scroll_to("No repetition"))
        driver.tap_text(REPEATS[repeat])
    driver.tap_description("Save")


def add(driver: Driver, params: Mapping[str, Any]) -> None:
    """On a date given in full, or by a weekday of the coming week."""
    _add(driver, params, date(params["year"], params["month"], params["day"]))


def add_tomorrow(driver: Driver, params: Mapping[str, Any]) -> None:
    """On the day after today."""
    _add(driver, params, TODAY + timedelta(days=1))


def add_in_two_weeks(driver: Driver, params: Mapping[str, Any]) -> None:
    """On the fourteenth day from today."""
    _add(driver, params, TODAY + timedelta(days=14))


def add_repeating(driver: Driver, params: Mapping[str, Any]) -> None:
    """Every day or every week, forever."""
    _add(driver, params, date(params["year"], params["month"], params["day"]), params["repeat_rule"])


# deleting


def delete_one(driver: Driver, params: Mapping[str, Any]) -> None:
    """The event with this title at this hour."""
    _open_day(driver, date(params["year"], params["month"], params["day"]))
    begins = time(params["hour"])
    before: list[Seen] = []
    while (now := _rows(driver)) != before:
        found = next((s for s in now if s.title == params["event_title"] and s.start == begins), None)
        if found is not None:
            driver.long_press_element(found.element)
            driver.tap_description("Delete")
            driver.tap_text("Yes")
            return
        before = now
        driver.swipe_up()


def delete_day(driver: Driver, params: Mapping[str, Any]) -> None:
    """Mark one, then all of the day."""
    _open_day(driver, date(params["year"], params["month"], params["day"]))
    driver.long_press_element(_rows(driver)[0].element)
    driver.tap_description("More options")
    driver.tap_text("Select all")
    driver.tap_description("Delete")
    driver.tap_text("Yes")


# questions


def events_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """Everything on a day."""
    _titles(driver, _of_day(driver, day_of(params["date"], TODAY)))


def event_at(driver: Driver, params: Mapping[str, Any]) -> None:
    """What begins at a time of a day."""
    at = time_of(params["time"])
    _titles(driver, [s for s in _of_day(driver, day_of(params["date"], TODAY)) if s.start == at])


def events_between(driver: Driver, params: Mapping[str, Any]) -> None:
    """What begins from a time to eight in the evening."""
    first, last = time_of(params["start_time"]), time(20)
    _titles(driver, [s for s in _of_day(driver, day_of(params["date"], TODAY)) if first <= s.start < last])


def first_after(driver: Driver, params: Mapping[str, Any]) -> None:
    """The first that begins at a time or later."""
    after = [s for s in _of_day(driver, day_of(params["date"], TODAY)) if s.start >= time_of(params["time"])]
    _titles(driver, after[:1])


def next_event(driver: Driver, params: Mapping[str, Any]) -> None:
    """The first of today that is still to come."""
    _titles(driver, [s for s in _of_day(driver, TODAY) if s.start >= NOW][:1])


def next_week(driver: Driver, params: Mapping[str, Any]) -> None:
    """Seven days from Monday on, read one by one; what lasts beyond midnight stands on two days."""
    found = _of_day(driver, TODAY + timedelta(days=1))
    for _ in range(6):
        driver.tap_description("Next")
        found += _all(driver)
    _titles(driver, list({(seen.title, seen.when): seen for seen in found}.values()))


def _search(driver: Driver, words: str) -> list[Seen]:
    driver.open_app(CALENDAR)
    driver.type_into("top_toolbar_search", words)
    driver.hide_keyboard()
    return _all(driver)


def location_of(driver: Driver, params: Mapping[str, Any]) -> None:
    """Found by its title, opened, read."""
    driver.tap_element(next(s for s in _search(driver, params["title"]) if s.title == params["title"]).element)
    driver.answer(driver.get(id="event_location").text)


def next_meeting(driver: Driver, params: Mapping[str, Any]) -> None:
    """The first still to come that names the person; AndroidWorld also asks where the only one is over."""
    found = _search(driver, params["person"])
    coming = [s for s in found if (s.day, s.start) >= (TODAY, NOW)]
    first = min(coming or found, key=lambda s: (s.day, s.start))
    driver.answer(f"{first.day:%B %d %Y} {first.start:%H:%M}")


TASKS: dict[str, Script] = {
    "SimpleCalendarAddOneEvent": add,
    "SimpleCalendarAddOneEventRelativeDay": add,
    "SimpleCalendarAddOneEventTomorrow": add_tomorrow,
    "SimpleCalendarAddOneEventInTwoWeeks": add_in_two_weeks,
    "SimpleCalendarAddRepeatingEvent": add_repeating,
    "SimpleCalendarDeleteOneEvent": delete_one,
    "SimpleCalendarDeleteEvents": delete_day,
    "SimpleCalendarDeleteEventsOnRelativeDay": delete_day,
    "SimpleCalendarEventsOnDate": events_on,
    "SimpleCalendarAnyEventsOnDate": events_on,
    "SimpleCalendarEventOnDateAtTime": event_at,
    "SimpleCalendarEventsInTimeRange": events_between,
    "SimpleCalendarFirstEventAfterStartTime": first_after,
    "SimpleCalendarNextEvent": next_event,
    "SimpleCalendarEventsInNextWeek": next_week,
    "SimpleCalendarLocationOfEvent": location_of,
    "SimpleCalendarNextMeetingWithPerson": next_meeting,
}
