"""Simple Calendar Pro: rows of `events`, occurrences of repeated events, what the views show."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from emulator.pocket.apps.simple_calendar import data
from emulator.pocket.apps.simple_calendar.data import DAY, MONTH, WEEK, YEAR, Event, seconds
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.simple_calendar import TYPING
from emulator.pocket.phone import Phone

COLUMNS = [
    "id", "start_ts", "end_ts", "title", "location", "description", "reminder_1_minutes", "reminder_2_minutes",
    "reminder_3_minutes", "reminder_1_type", "reminder_2_type", "reminder_3_type", "repeat_interval", "repeat_rule",
    "repeat_limit", "repetition_exceptions", "attendees", "import_id", "time_zone", "flags", "event_type", "parent_id",
    "last_updated", "source", "availability", "color", "type",
]  # fmt: skip
"""android_world@d9c569f task_evals/utils/sqlite_schema_utils.py, CalendarEvent, in the order of the app's table."""


def made(title: str, day: int, hour: int, minutes: int = 30, **fields: Any) -> Event:
    start = seconds(date(2023, 10, day), hour)
    return replace(Event(title=title, start=start, end=start + 60 * minutes), **fields)


@pytest.fixture
def phone() -> Phone:
    """A phone with an event yesterday, one today, two tomorrow and one over midnight."""
    phone = Phone(strict=True, size=(540, 1200))
    for event in (
        made("Past", 14, 9), made("Now", 15, 16, location="Room 1"), made("Early", 16, 8, description="notes"),
        made("Late", 16, 20), made("Night", 18, 23, 120), made("Until midnight", 20, 23, 60),
    ):  # fmt: skip
        data.add(phone, event)
    return phone


def rows(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, "SELECT * FROM events ORDER BY id")


def newest(phone: Phone) -> dict[str, Any]:
    return dict(zip(COLUMNS, rows(phone)[-1], strict=True))


def titles(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="event_item_title")]


def open_app(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    return driver


def set_time(driver: Driver, name: str, hour: str, minute: str) -> None:
    driver.tap_element(driver.get(id=f"event_{name}_time"))
    driver.tap_description(TYPING)
    driver.type_into("input_hour", hour, clear=True)
    driver.type_into("input_minute", minute, clear=True)
    driver.tap_text("OK")


def test_columns_are_exactly_those_of_androidworlds_dataclass(phone: Phone) -> None:
    table = phone.sqlite(data.DB, "PRAGMA table_info(events)")
    assert [row[1] for row in table] == COLUMNS
    assert [row[5] for row in table] == [1] + [0] * 26


def test_looking_rewrites_nothing(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("16 October")
    assert titles(driver) == ["Early", "Late"]
    driver.tap_text("Early")
    assert driver.get(id="event_description").text == "notes"
    driver.back()
    driver.back()
    phone.force_stop(data.PACKAGE)
    open_app(phone)
    assert rows(phone) == before


def test_a_new_event(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("21 October")
    assert driver.sees("No items found.")
    driver.tap_description("New Event")
    driver.tap_text("Event")
    driver.type_into("event_title", "Call with Bob")
    driver.enter()
    driver.hide_keyboard()
    set_time(driver, "start", "09", "00")
    set_time(driver, "end", "09", "45")
    driver.tap_description("Save")
    assert rows(phone)[:-1] == before
    new, start = newest(phone), seconds(date(2023, 10, 21), 9)
    assert (new["start_ts"], new["end_ts"], new["title"]) == (start, start + 2700, "Call with Bob")
    assert (new["location"], new["description"], new["repeat_rule"], new["repeat_interval"]) == ("", "", 0, 0)
    assert (new["time_zone"], new["event_type"], new["type"], new["repetition_exceptions"]) == ("UTC", 1, 0, "[]")
    assert titles(driver) == ["Call with Bob"] and driver.sees("09:00 - 09:45")


def test_no_title_and_an_end_before_the_start_are_refused(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("New Event")
    driver.tap_text("Event")
    driver.tap_description("Save")
    driver.type_text("x")
    driver.hide_keyboard()
    set_time(driver, "end", "01", "00")
    driver.tap_description("Save")
    assert rows(phone) == before and driver.sees("New Event")
    driver.back()
    driver.tap_text("Discard")
    assert rows(phone) == before and driver.find(id="month_view") is not None


@pytest.mark.parametrize("label, interval, rule", [("Every day", DAY, 0), ("Every week", WEEK, 8)])
def test_a_repeated_event(phone: Phone, label: str, interval: int, rule: int) -> None:
    driver = open_app(phone)
    driver.tap_description("16 October")
    driver.tap_description("New Event")
    driver.tap_text("Event")
    driver.type_into("event_title", "Again")
    driver.hide_keyboard()
    driver.tap_text("No repetition")
    driver.tap_text(label)
    driver.tap_element(driver.get(id="event_start_date"))
    driver.tap_description("19 October 2023")
    driver.tap_text("OK")
    driver.tap_description("Save")
    new = newest(phone)
    assert (new["repeat_interval"], new["repeat_rule"], new["repeat_limit"]) == (interval, rule, 0)


def test_edit_changes_one_row_only(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("15 October")
    driver.tap_text("Now")
    driver.type_into("event_title", "Then", clear=True)
    driver.hide_keyboard()
    driver.tap_description("Save")
    after = rows(phone)
    assert [a for a, b in zip(after, before, strict=True) if a == b] == [before[0], *before[2:]]
    assert (after[1][3], after[1][4], after[1][1]) == ("Then", "Room 1", before[1][1])


@pytest.mark.parametrize("answer, gone", [("No", 0), ("Yes", 1)])
def test_delete_in_the_editor(phone: Phone, answer: str, gone: int) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("16 October")
    driver.tap_text("Late")
    driver.tap_description("Delete")
    driver.tap_text(answer)
    assert rows(phone) == [row for row in before if not (gone and row[3] == "Late")]


def test_delete_everything_of_a_day(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("16 October")
    driver.long_press("Early")
    assert driver.sees("1 / 2")
    driver.tap_description("More options")
    driver.tap_text("Select all")
    driver.tap_description("Delete")
    driver.tap_text("Yes")
    assert [row[3] for row in rows(phone)] == ["Past", "Now", "Night", "Until midnight"]


@pytest.mark.parametrize("scope, days", [("the selected occurrence only", [16, 18, 19]), ("this and all future", [16]),
                                         ("all occurrences", [])])  # fmt: skip
def test_delete_one_of_many_occurrences(phone: Phone, scope: str, days: list[int]) -> None:
    data.add(phone, made("Daily", 16, 10, interval=DAY))
    driver = open_app(phone)
    driver.tap_description("17 October")
    driver.tap_text("Daily")
    driver.tap_description("Delete")
    driver.tap_containing(scope)
    driver.tap_text("OK")
    shown = data.between(phone, date(2023, 10, 16), date(2023, 10, 19))
    assert [data.moment(e.start).day for e in shown if e.title == "Daily"] == days


@pytest.mark.parametrize("event, days", [
    (made("w", 16, 9, interval=WEEK, rule=1 | 16), ["1016", "1020", "1023", "1027", "1030"]),
    (made("2w", 16, 9, interval=2 * WEEK, rule=1), ["1016", "1030"]),
    (made("d", 28, 9, interval=DAY, limit=seconds(date(2023, 10, 30))), ["1028", "1029", "1030"]),
    (made("m", 31, 9, interval=MONTH, rule=1), ["1031", "1130", "1231"]),
    (made("y", 20, 9, interval=YEAR), ["1020"]),
    (made("broken", 20, 9, interval=1), ["1020"]),
])  # fmt: skip
def test_occurrences(phone: Phone, event: Event, days: list[str]) -> None:
    data.add(phone, event)
    last = date(2023, 12, 31) if event.interval == MONTH else date(2023, 10, 31)
    found = [e for e in data.between(phone, date(2023, 10, 1), last) if e.title == event.title]
    assert [f"{data.moment(e.start):%m%d}" for e in found] == days
    assert all(e.end - e.start == event.end - event.start for e in found)


@pytest.mark.parametrize("day, shown", [(18, ["Night"]), (19, ["Night"]), (20, ["Until midnight"]), (21, [])])
def test_midnight(phone: Phone, day: int, shown: list[str]) -> None:
    driver = open_app(phone)
    driver.tap_description(f"{day} October")
    assert titles(driver) == shown


def test_views(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Change view")
    driver.tap_text("Simple event list")
    assert titles(driver)[:3] == ["Now", "Early", "Late"]
    assert "October 15 (Sun)" in driver.texts()
    driver.tap_text("See previous events")
    assert titles(driver)[0] == "Past"
    driver.tap_description("Change view")
    driver.tap_text("Monthly and daily view")
    assert titles(driver) == ["Now"]
    driver.tap_description("16 October")
    assert titles(driver) == ["Early", "Late"]
    driver.tap_description("Change view")
    driver.tap_text("Daily view")
    driver.swipe_left()
    assert driver.sees("October 17 (Tue)")
    driver.tap_description("Go to today")
    assert titles(driver) == ["Now"]


def test_months_turn(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Next")
    assert driver.sees("November")
    for _ in range(11):
        driver.tap_description("Previous")
    assert driver.sees("December 2022")


def test_search_is_literal(phone: Phone) -> None:
    data.add(phone, made("100% sure", 21, 9))
    driver = open_app(phone)
    driver.type_into("top_toolbar_search", "%")
    driver.hide_keyboard()
    assert titles(driver) == ["100% sure"]
    driver.tap_text("100% sure")
    assert driver.sees("Edit Event")


def test_a_database_pushed_over_is_read_afresh_and_not_changed(phone: Phone) -> None:
    pushed = phone.fs.read(data.DB)
    phone.sqlite(data.DB, "DELETE FROM events")
    phone.fs.remove(data.DB.rpartition("/")[0], recursive=True)
    phone.force_stop(data.PACKAGE)
    phone.fs.mkdir(data.DB.rpartition("/")[0])
    phone.fs.write(data.DB, pushed, mode=0o777)
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("16 October")
    assert titles(driver) == ["Early", "Late"] and rows(phone) == before


def test_restored_in_the_middle_of_an_editor(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("16 October")
    driver.tap_text("Early")
    driver.type_into("event_title", "X", clear=True)
    kept, state = phone.snapshot(), phone.state_hash()
    driver.tap_description("Save")
    assert rows(phone) != before
    phone.restore(kept)
    assert phone.state_hash() == state and rows(phone) == before
    driver.tap_description("Save")
    assert rows(phone)[2][3] == "X"
