"""Tasks: what the list shows of AndroidWorld's rows, and what the app writes."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from emulator.pocket.apps.tasks import data
from emulator.pocket.experts.dates import day_of
from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone

COLUMNS = [
    "_id", "title", "importance", "dueDate", "hideUntil", "created", "modified", "completed", "deleted", "notes",
    "estimatedSeconds", "elapsedSeconds", "timerStart", "notificationFlags", "lastNotified", "recurrence",
    "repeat_from", "calendarUri", "remoteId", "collapsed", "parent", "order", "read_only",
]  # fmt: skip
TODAY = date(2023, 10, 15)


def midnight(day: int) -> int:
    """A date of October 2023 as AndroidWorld writes it, ms."""
    return round(datetime(2023, 10, day, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def phone() -> Phone:
    """A phone with tasks of the past, of today and of later, one done, one not yet started."""
    phone = Phone(strict=True, size=(540, 1200))
    for title, importance, due, hide, completed in (
        ("Late", 0, 12, 1, 0), ("Now", 1, 15, 1, 0), ("Done", 2, 16, 1, 10), ("Soon", 3, 16, 1, 0),
        ("Hidden", 0, 25, 20, 0),
    ):  # fmt: skip
        row = {"title": title, "importance": importance, "dueDate": midnight(due), "hideUntil": midnight(hide),
               "completed": midnight(completed) if completed else 0, "created": midnight(due) - 25200,
               "remoteId": "1"}  # fmt: skip
        phone.db(data.DB).insert("tasks", row)
    return phone


def rows(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, "SELECT * FROM tasks ORDER BY _id")


def titles(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="title")]


def open_app(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    return driver


def test_columns_are_exactly_those_of_androidworlds_dataclass(phone: Phone) -> None:
    assert [row[1] for row in phone.sqlite(data.DB, "PRAGMA table_info(tasks)")] == COLUMNS


def test_the_list_hides_what_is_done_or_not_yet_started(phone: Phone) -> None:
    driver = open_app(phone)
    assert titles(driver) == ["Late", "Now", "Soon"]
    assert [e.text for e in driver.find_all(id="header")] == ["Overdue", "Today", "Tomorrow"]
    assert [e.text for e in driver.find_all(id="due_date")] == ["Thu, Oct 12", "Today", "Tomorrow"]
    for words in ("Show unstarted", "Show completed"):
        driver.tap_description("More options")
        driver.tap_text(words)
    assert titles(driver) == ["Late", "Now", "Done", "Soon", "Hidden"]
    phone.force_stop(data.PACKAGE)
    assert titles(open_app(phone)) == ["Late", "Now", "Done", "Soon", "Hidden"]


def test_sorted_by_priority_under_headings(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Sort")
    driver.tap_text("Priority")
    shown = [e.text for e in driver.elements() if e.id in {"header", "title"}]
    assert shown == ["High priority", "Late", "Medium priority", "Now", "No priority", "Soon"]
    driver.tap_text("High priority")
    assert titles(driver) == ["Now", "Soon"]


def test_filters_and_search(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Navigation drawer")
    driver.tap_text("Today")
    assert titles(driver) == ["Late", "Now"]
    driver.tap_description("Search")
    driver.type_text("now")
    assert titles(driver) == ["Now"]


def test_a_new_task_with_date_and_priority(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("Create new task")
    driver.type_text("Buy milk")
    driver.hide_keyboard()
    driver.tap_text("No due date")
    driver.tap_text("Pick a date")
    driver.tap_description("20 October 2023")
    driver.tap_text("OK")
    driver.tap_description("High")
    driver.tap_description("Save")
    after = rows(phone)
    assert after[:-1] == before
    new = dict(zip(COLUMNS, after[-1], strict=True))
    assert (new["title"], new["importance"], new["completed"], new["deleted"]) == ("Buy milk", 0, 0, 0)
    assert data.when(new["dueDate"]).date() == date(2023, 10, 20)
    assert not data.has_time(new["dueDate"])
    assert "Fri, Oct 20" in driver.texts()


def test_ticking_writes_the_time_and_only_that_row(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_beside("Now", "Not completed")
    after = rows(phone)
    assert [b for i, b in enumerate(before) if i != 1] == [a for i, a in enumerate(after) if i != 1]
    assert dict(zip(COLUMNS, after[1], strict=True))["completed"] == phone.clock.now_ms()
    assert titles(driver) == ["Late", "Soon"]


def test_delete_keeps_the_row_marked_as_deleted(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_text("Soon")
    driver.tap_description("Delete task")
    driver.tap_text("OK")
    assert titles(driver) == ["Late", "Now"]
    assert phone.sqlite(data.DB, "SELECT deleted > 0 FROM tasks WHERE title = 'Soon'") == [(1,)]


def test_looking_changes_nothing(phone: Phone) -> None:
    before = phone.fs.read(data.DB)
    driver = open_app(phone)
    driver.tap_text("Now")
    driver.tap_description("Save")
    driver.tap_text("Late")
    driver.back()
    assert titles(driver) == ["Late", "Now", "Soon"]
    assert phone.fs.read(data.DB) == before


def test_back_with_changes_asks(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_text("Now")
    driver.tap_description("Low")
    driver.back()
    driver.tap_text("Keep editing")
    driver.back()
    driver.tap_text("Discard")
    assert phone.sqlite(data.DB, "SELECT importance FROM tasks WHERE title = 'Now'") == [(1,)]


def test_snapshot_in_the_middle_of_the_form(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Create new task")
    driver.type_text("Buy milk")
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_description("Save")
    assert len(rows(phone)) == 6
    after = phone.state_hash()
    phone.restore(kept)
    assert (phone.state_hash(), len(rows(phone))) == (name, 5)
    driver.tap_description("Save")
    assert phone.state_hash() == after


@pytest.mark.parametrize(
    ("words", "past", "day"),
    [
        ("today", False, (10, 15)), ("tomorrow", False, (10, 16)), ("yesterday", False, (10, 14)),
        ("Friday", False, (10, 20)), ("Friday", True, (10, 13)), ("this Friday", True, (10, 20)),
        ("Sunday", False, (10, 22)), ("Sunday", True, (10, 8)), ("the Monday after next", False, (10, 23)),
        ("October 17", False, (10, 17)), ("October 17 2023", False, (10, 17)),
    ],
)  # fmt: skip
def test_days_as_questions_name_them(words: str, past: bool, day: tuple[int, int]) -> None:
    assert day_of(words, TODAY, past) == date(2023, *day)


def test_words_that_are_no_day() -> None:
    with pytest.raises(ValueError, match="is no day"):
        day_of("someday", TODAY)
