"""What Simple Calendar Pro keeps: `events.db`, which occurrences fall on a day, and what a change writes.

AndroidWorld (android_world_apps.md section 8) turns every row of `events` into a dataclass by column name, so the
columns are exactly its 27; times are epoch seconds UTC. Texts that are missing are '' and never NULL. A row is written
only when the user changes that event. Repetition: `repeat_interval` in seconds (a month and a year have numbers of
their own), `repeat_rule` for weeks a bit a weekday (Monday 1 .. Sunday 64), `repeat_limit` 0 forever, > 0 until then.
Departures: no CalDAV, no monthly rules but the same day, no limit by number of times.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from emulator.pocket.databases import Row

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.simplemobiletools.calendar.pro"
DATABASE = "databases/events.db"
DB = f"/data/data/{PACKAGE}/{DATABASE}"
SCHEMA = """
CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, start_ts INTEGER NOT NULL,
 end_ts INTEGER NOT NULL, title TEXT NOT NULL, location TEXT NOT NULL, description TEXT NOT NULL,
 reminder_1_minutes INTEGER NOT NULL, reminder_2_minutes INTEGER NOT NULL, reminder_3_minutes INTEGER NOT NULL,
 reminder_1_type INTEGER NOT NULL, reminder_2_type INTEGER NOT NULL, reminder_3_type INTEGER NOT NULL,
 repeat_interval INTEGER NOT NULL, repeat_rule INTEGER NOT NULL, repeat_limit INTEGER NOT NULL,
 repetition_exceptions TEXT NOT NULL, attendees TEXT NOT NULL, import_id TEXT NOT NULL, time_zone TEXT NOT NULL,
 flags INTEGER NOT NULL, event_type INTEGER NOT NULL, parent_id INTEGER NOT NULL, last_updated INTEGER NOT NULL,
 source TEXT NOT NULL, availability INTEGER NOT NULL, color INTEGER NOT NULL, type INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS event_types (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL,
 color INTEGER NOT NULL, caldav_calendar_id INTEGER NOT NULL, caldav_display_name TEXT NOT NULL,
 caldav_email TEXT NOT NULL, type INTEGER NOT NULL);
"""
DAY, WEEK, MONTH, YEAR = 86_400, 604_800, 2_592_001, 31_536_000
ALL_DAY, TASK = 1, 1
Scope = Literal["this", "future", "all"]


@dataclass(frozen=True)
class Event:
    """One occurrence of a row: `start` and `end` are this occurrence's, epoch seconds; `first` the row's own start."""

    id: int = 0
    title: str = ""
    location: str = ""
    description: str = ""
    start: int = 0
    end: int = 0
    all_day: bool = False
    task: bool = False
    interval: int = 0
    rule: int = 0
    limit: int = 0
    reminders: tuple[int, int, int] = (-1, -1, -1)
    first: int = 0

    def times(self) -> str:
        """`11:00 - 11:30`, `11:00` where both are the same, `All-day`."""
        if self.all_day:
            return "All-day"
        begin, end = f"{moment(self.start):%H:%M}", f"{moment(self.end):%H:%M}"
        return begin if self.start == self.end else f"{begin} - {end}"


def moment(seconds: int) -> datetime:
    """Epoch seconds to UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def seconds(day: date, hour: int = 0, minute: int = 0) -> int:
    """UTC day and time to epoch seconds."""
    return round(datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC).timestamp())


def event_of(row: Row) -> Event:
    """The first occurrence of a row."""
    return Event(
        row["id"], row["title"], row["location"], row["description"], row["start_ts"], row["end_ts"],
        bool(row["flags"] & ALL_DAY), row["type"] == TASK, row["repeat_interval"], row["repeat_rule"],
        row["repeat_limit"], (row["reminder_1_minutes"], row["reminder_2_minutes"], row["reminder_3_minutes"]),
        row["start_ts"],
    )  # fmt: skip


def between(phone: Phone, first: date, last: date) -> list[Event]:
    """Occurrences that touch the days `first` to `last`, by start, all-day ones first on a day."""
    begin, end = seconds(first), seconds(last + timedelta(days=1))
    rows = phone.db(DB).query(
        "SELECT * FROM events WHERE start_ts < ? AND (end_ts >= ? OR repeat_interval > 0)", (end, begin)
    )
    found = [event for row in rows for event in occurrences(row, end) if event.end >= begin and touches(event, begin)]
    return sorted(found, key=lambda e: (e.start, not e.all_day, e.end, e.title.lower(), e.id))


def touches(event: Event, begin: int) -> bool:
    """False for an event that ends exactly when the day begins (unless it takes no time at all)."""
    return event.end > begin or event.start >= begin


def occurrences(row: Row, end: int) -> Iterator[Event]:
    """Occurrences of a row that start before `end`."""
    event = event_of(row)
    if not event.interval:
        yield event
        return
    left_out = set(_exceptions(row))
    length = event.end - event.start
    for start in _starts(event, end):
        if f"{moment(start):%Y%m%d}" not in left_out:
            yield replace(event, start=start, end=start + length)


def _starts(event: Event, end: int) -> Iterator[int]:
    stop = min(end, event.limit + DAY) if event.limit > 0 else end
    at, number = event.start, 0
    if event.interval < DAY:  # no app writes that; a step of a second would never end
        stop = min(stop, at + 1)
    while at < stop:
        if event.interval % WEEK or moment(at).isoweekday() in weekdays(event.rule):
            yield at
        number += 1
        at = _step(event, at, number)


def _step(event: Event, at: int, number: int) -> int:
    if event.interval == MONTH or event.interval % YEAR == 0:
        months = number if event.interval == MONTH else 12 * (event.interval // YEAR) * number
        return _months_later(event.start, months)
    if event.interval % WEEK == 0:
        later = at + DAY
        weeks = event.interval // WEEK - 1
        return later + weeks * WEEK if moment(later).isoweekday() == 1 else later
    return at + event.interval


def _months_later(start: int, months: int) -> int:
    """The same day so many months later; the last day where there is no such day."""
    begin = moment(start)
    at = begin.year * 12 + begin.month - 1 + months
    year, month = divmod(at, 12)
    for day in range(begin.day, begin.day - 4, -1):
        try:
            return round(begin.replace(year=year, month=month + 1, day=day).timestamp())
        except ValueError:
            continue
    raise ValueError(f"no day {begin.day} near month {month + 1} of {year}")


def weekdays(rule: int) -> list[int]:
    """ISO weekdays (Monday 1) in a weekly rule."""
    return [day for day in range(1, 8) if rule & (1 << (day - 1))]


def _exceptions(row: Row) -> list[str]:
    try:
        read = json.loads(row["repetition_exceptions"] or "[]")
    except json.JSONDecodeError:
        return []
    return [str(day) for day in read] if isinstance(read, list) else []


def on_day(events: list[Event], day: date) -> list[Event]:
    """Those that touch one day."""
    begin = seconds(day)
    return [e for e in events if e.start < begin + DAY and e.end >= begin and touches(e, begin)]


def search(phone: Phone, words: str, limit: int = 200) -> list[Event]:
    """Rows with the words in title, location or description, by start."""
    like = "%" + words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = phone.db(DB).query(
        "SELECT * FROM events WHERE title LIKE :w ESCAPE '\\' OR location LIKE :w ESCAPE '\\'"
        " OR description LIKE :w ESCAPE '\\' ORDER BY start_ts, id LIMIT :n",
        {"w": like, "n": limit},
    )
    return [event_of(row) for row in rows]


# changing


def columns(event: Event) -> dict[str, Any]:
    """The columns that the editor decides."""
    one, two, three = event.reminders
    return {
        "start_ts": event.start, "end_ts": event.end, "title": event.title, "location": event.location,
        "description": event.description, "reminder_1_minutes": one, "reminder_2_minutes": two,
        "reminder_3_minutes": three, "repeat_interval": event.interval, "repeat_rule": event.rule,
        "repeat_limit": event.limit,
    }  # fmt: skip


def add(phone: Phone, event: Event, parent: int = 0) -> int:
    """A new row; returns its id."""
    fixed: dict[str, Any] = {
        "reminder_1_type": 0, "reminder_2_type": 0, "reminder_3_type": 0, "repetition_exceptions": "[]",
        "attendees": "", "import_id": f"{phone.random.getrandbits(128):032x}{phone.clock.now_ms()}", "time_zone": "UTC",
        "flags": ALL_DAY * event.all_day, "event_type": 1, "parent_id": parent, "last_updated": phone.clock.now_ms(),
        "source": "simple-calendar", "availability": 0, "color": 0, "type": TASK * event.task,
    }  # fmt: skip
    return phone.db(DB).insert("events", columns(event) | fixed)


def change(phone: Phone, event: Event, old: Event, scope: Scope = "all") -> None:
    """Write an edited occurrence: for itself, for itself and all later ones, or for all."""
    if scope == "this":
        leave_out(phone, old)
        add(phone, replace(event, interval=0, rule=0, limit=0), old.id)
    elif scope == "future" and old.start > old.first:
        end_before(phone, old)
        add(phone, event)
    else:
        shift = old.first - old.start
        moved = replace(event, start=event.start + shift, end=event.end + shift)
        flags = {"flags": ALL_DAY * event.all_day, "last_updated": phone.clock.now_ms()}
        phone.db(DB).update("events", "id", event.id, columns(moved) | flags)


def remove(phone: Phone, event: Event, scope: Scope = "all") -> None:
    """Delete an occurrence, it and all later ones, or the row."""
    if scope == "this":
        leave_out(phone, event)
    elif scope == "future" and event.start > event.first:
        end_before(phone, event)
    else:
        phone.db(DB).execute("DELETE FROM events WHERE id = ?", (event.id,))


def leave_out(phone: Phone, event: Event) -> None:
    """The day of this occurrence becomes an exception."""
    row = phone.db(DB).one("SELECT * FROM events WHERE id = ?", (event.id,))
    if row is not None:
        days = [*_exceptions(row), f"{moment(event.start):%Y%m%d}"]
        phone.db(DB).update("events", "id", event.id, {"repetition_exceptions": json.dumps(days)})


def end_before(phone: Phone, event: Event) -> None:
    """The repetition ends on the day before this occurrence."""
    phone.db(DB).update("events", "id", event.id, {"repeat_limit": event.start - DAY})


def day_title(phone: Phone, day: date) -> str:
    """`October 16 (Mon)`, with the year if it isn't this one."""
    year = "" if day.year == phone.clock.datetime().year else f", {day.year}"
    return f"{day:%B} {day.day}{year} ({day:%a})"
