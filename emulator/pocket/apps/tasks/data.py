"""What Tasks keeps: the table `tasks`, due dates, priorities, and how dates are said.

AndroidWorld writes the table and never reads it (android_world_apps.md section 10): 23 columns, dates in epoch
milliseconds, 0 for none. A due date with a time of day ends in a second above 0; one without is noon of the day here
and midnight in AndroidWorld's rows. Completed tasks and those hidden until later are left out of lists by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from emulator.pocket.databases import Row

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "org.tasks"
DATABASE = "databases/database"
DB = f"/data/data/{PACKAGE}/{DATABASE}"
SCHEMA = """
CREATE TABLE IF NOT EXISTS tasks (_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title TEXT,
 importance INTEGER NOT NULL DEFAULT 2, dueDate INTEGER NOT NULL DEFAULT 0, hideUntil INTEGER NOT NULL DEFAULT 0,
 created INTEGER NOT NULL DEFAULT 0, modified INTEGER NOT NULL DEFAULT 0, completed INTEGER NOT NULL DEFAULT 0,
 deleted INTEGER NOT NULL DEFAULT 0, notes TEXT, estimatedSeconds INTEGER NOT NULL DEFAULT 0,
 elapsedSeconds INTEGER NOT NULL DEFAULT 0, timerStart INTEGER NOT NULL DEFAULT 0,
 notificationFlags INTEGER NOT NULL DEFAULT 0, lastNotified INTEGER NOT NULL DEFAULT 0, recurrence TEXT,
 repeat_from INTEGER NOT NULL DEFAULT 0, calendarUri TEXT, remoteId TEXT, collapsed INTEGER NOT NULL DEFAULT 0,
 parent INTEGER NOT NULL DEFAULT 0, "order" INTEGER, read_only INTEGER NOT NULL DEFAULT 0);
"""
PRIORITIES = ("High", "Medium", "Low", "None")
COLORS = ((244, 67, 54), (255, 152, 0), (33, 150, 243), (158, 158, 158))
DAY_MS = 86_400_000
NOON_MS = DAY_MS // 2
FILTERS = ("My Tasks", "Today", "Recently modified")


@dataclass(frozen=True)
class View:
    """What a list shows: which filter, and whether completed and not yet started tasks too."""

    filter: str = FILTERS[0]
    completed: bool = False
    unstarted: bool = False
    query: str = ""


def when(ms: int) -> datetime:
    """Milliseconds to a date."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def has_time(ms: int) -> bool:
    """True if a due date means a time of that day."""
    return ms % 60_000 > 0


def due_ms(day: date, hour: int = -1, minute: int = 0) -> int:
    """A due date as the app writes it; `hour` -1: the day only."""
    start = round(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
    return start + NOON_MS if hour < 0 else start + (hour * 60 + minute) * 60_000 + 1000


def day_label(phone: Phone, day: date) -> str:
    """Yesterday, today, tomorrow by name, else weekday and date."""
    today = phone.clock.datetime().date()
    near = {-1: "Yesterday", 0: "Today", 1: "Tomorrow"}.get((day - today).days)
    year = f", {day.year}" if day.year != today.year else ""
    return near or f"{day:%a, %b} {day.day}{year}"


def due_label(phone: Phone, ms: int) -> str:
    """The due date as lists show it, '' for none."""
    if not ms:
        return ""
    then = when(ms)
    return day_label(phone, then.date()) + (f" {then:%H:%M}" if has_time(ms) else "")


def is_overdue(phone: Phone, task: Row) -> bool:
    """Due and not done before now; a due date without a time lasts until the day ends."""
    due, now = task["dueDate"], phone.clock.now_ms()
    if not due or task["completed"]:
        return False
    return bool(due < now if has_time(due) else due // DAY_MS < now // DAY_MS)


def listed(phone: Phone, view: View) -> list[Row]:
    """The tasks a view shows, by due date (none last), then priority, then title."""
    now = phone.clock.now_ms()
    rows = phone.db(DB).query("SELECT * FROM tasks WHERE deleted = 0")
    keep = [
        row
        for row in rows
        if (view.completed or not row["completed"])
        and (view.unstarted or row["hideUntil"] <= now)
        and view.query.strip().lower() in f"{row['title'] or ''}\n{row['notes'] or ''}".lower()
        and (view.filter != "Today" or 0 < row["dueDate"] < (now // DAY_MS + 1) * DAY_MS)
        and (view.filter != "Recently modified" or row["modified"] > now - DAY_MS)
    ]
    return sorted(keep, key=lambda r: (not r["dueDate"], r["dueDate"], r["importance"], r["title"] or "", r["_id"]))


def groups(phone: Phone, tasks: list[Row], sort: str) -> list[tuple[str, list[Row]]]:
    """Tasks under headings: by due date, by priority, or without headings by title."""
    if sort == "Title":
        return [("", sorted(tasks, key=lambda r: ((r["title"] or "").lower(), r["_id"])))]
    found: dict[str, list[Row]] = {}
    ordered = tasks if sort == "Due date" else sorted(tasks, key=lambda r: int(r["importance"]))
    for task in ordered:
        if sort == "Priority":
            head = f"{priority(task['importance'])} priority" if task["importance"] < 3 else "No priority"
        elif not task["dueDate"]:
            head = "No due date"
        else:
            head = "Overdue" if is_overdue(phone, task) else day_label(phone, when(task["dueDate"]).date())
        found.setdefault(head, []).append(task)
    return list(found.items())


def priority(importance: int) -> str:
    """Name of a priority."""
    return PRIORITIES[min(max(importance, 0), 3)]


def task(phone: Phone, number: int) -> Row | None:
    """One task."""
    return phone.db(DB).one("SELECT * FROM tasks WHERE _id = ?", (number,))


def save(phone: Phone, number: int, values: dict[str, str | int | None]) -> None:
    """Write a task (0: a new one)."""
    now = phone.clock.now_ms()
    if number:
        phone.db(DB).update("tasks", "_id", number, values | {"modified": now})
    else:
        remote = str(phone.random.getrandbits(63))
        phone.db(DB).insert("tasks", values | {"created": now, "modified": now, "remoteId": remote})


def complete(phone: Phone, number: int, done: bool) -> None:
    """Tick or untick."""
    save(phone, number, {"completed": phone.clock.now_ms() if done else 0})


def days_from(day: date, days: int) -> date:
    """A date some days later."""
    return day + timedelta(days=days)
