"""Solutions of AndroidWorld's questions about the Tasks app: answers are read from the list.

The day the questions are asked on is AndroidWorld's fixed one. AndroidWorld says "Friday" for the last one as well as
for the next; about completed tasks nobody can tell which is meant, and the script takes the day with more of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from emulator.pocket.experts.dates import day_of
from emulator.pocket.experts.driver import Driver, Script

TASKS_APP = "org.tasks"
TODAY = date(2023, 10, 15)


@dataclass(frozen=True)
class Line:
    """One task as the list shows it."""

    title: str
    due: str
    done: bool
    heading: str


def _label(day: date) -> str:
    """A day as the list writes it."""
    near = {-1: "Yesterday", 0: "Today", 1: "Tomorrow"}.get((day - TODAY).days)
    return near or f"{day:%a, %b} {day.day}"


def _open(driver: Driver, sort: str = "Due date") -> None:
    """The whole list: completed tasks and those not yet started too."""
    driver.open_app(TASKS_APP)
    for words in ("Show unstarted", "Show completed"):
        driver.tap_description("More options")
        if driver.sees(words):
            driver.tap_text(words)
        else:
            driver.back()
    driver.tap_description("Sort")
    driver.tap_text(sort)


def _lines(driver: Driver) -> list[Line]:
    """The tasks on the screen that can be read whole."""
    found: list[Line] = []
    heading = ""
    for element in driver.elements():
        if element.id == "header":
            heading = element.text
        if element.id == "rowBody":
            inside = {e.id: e for e in driver.children(element)}
            if {"title", "due_date", "completeBox"} <= set(inside):
                done = inside["completeBox"].checked
                found.append(Line(inside["title"].text, inside["due_date"].text, done, heading))
    return found


def _all(driver: Driver) -> list[Line]:
    """Every task of the list, from the top to the end."""
    found: dict[tuple[str, str, bool], Line] = {}
    before: list[Line] = []
    while (now := _lines(driver)) != before:
        for line in now:
            found.setdefault((line.title, line.due, line.done), line)
        before = now
        driver.swipe_up()
    return list(found.values())


def _answer(driver: Driver, lines: list[Line]) -> None:
    driver.answer(", ".join(line.title for line in lines))


def due_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """Everything due on a day."""
    _open(driver)
    wanted = _label(day_of(params["date"], TODAY))
    _answer(driver, [line for line in _all(driver) if line.due == wanted])


def high_priority(driver: Driver, params: Mapping[str, Any]) -> None:
    """What stands below the heading of the highest priority, first in that order."""
    _open(driver, "Priority")
    _answer(driver, [line for line in _lines(driver) if line.heading == "High priority"])


def high_priority_due_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """The same, of one day."""
    _open(driver, "Priority")
    wanted = _label(day_of(params["date"], TODAY))
    _answer(driver, [e for e in _lines(driver) if e.heading == "High priority" and e.due == wanted])


def due_next_week(driver: Driver, params: Mapping[str, Any]) -> None:
    """How many are due from Monday to Sunday."""
    _open(driver)
    week = {_label(TODAY + timedelta(days=n)) for n in range(1, 8)}
    driver.answer(str(sum(line.due in week for line in _all(driver))))


def completed_on(driver: Driver, params: Mapping[str, Any]) -> None:
    """What is due on a day and done."""
    _open(driver)
    done = [line for line in _all(driver) if line.done]
    days = [_label(day_of(params["date"], TODAY, past)) for past in (True, False)]
    _answer(driver, max(([line for line in done if line.due == day] for day in days), key=len))


def incomplete_by(driver: Driver, params: Mapping[str, Any]) -> None:
    """What is not done and due until a day."""
    _open(driver)
    last = day_of(params["date"], TODAY)
    days = {_label(last - timedelta(days=n)) for n in range(60)}
    _answer(driver, [line for line in _all(driver) if not line.done and line.due in days])


TASKS: dict[str, Script] = {
    "TasksDueOnDate": due_on,
    "TasksHighPriorityTasks": high_priority,
    "TasksHighPriorityTasksDueOnDate": high_priority_due_on,
    "TasksDueNextWeek": due_next_week,
    "TasksCompletedTasksForDate": completed_on,
    "TasksIncompleteTasksOnDate": incomplete_by,
}
