"""Preparing a phone: collects shell lines that make contacts, messages, files, events, ... and runs them in few calls.

Rows are plain tuples or dicts of JSON values, in the same form in which `reading.py` gives them back, so that a check
compares what is with what should be. Tables and columns are those of the pocket phone's apps (emulator/pocket/apps).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from solar_eval.benchmarks.pocket_world.access import Access, run

NOW = datetime(2023, 10, 15, 15, 34, tzinfo=UTC)
"""The phone's moment after `pocket reset`, a Sunday."""
TODAY = NOW.date()
STORAGE = "/sdcard"
NOTEBOOK = f"{STORAGE}/Documents/Markor"
PROVIDERS = "/data/data/com.android.providers"
CONTACTS_DB = f"{PROVIDERS}.contacts/databases/contacts2.db"
CALLS_DB = f"{PROVIDERS}.contacts/databases/calllog.db"
SMS_DB = f"{PROVIDERS}.telephony/databases/mmssms.db"
EVENTS_DB = "/data/data/com.simplemobiletools.calendar.pro/databases/events.db"
EXPENSES_DB = "/data/data/com.arduia.expense/databases/accounting.db"
TASKS_DB = "/data/data/org.tasks/databases/database"
RECIPES_DB = "/data/data/com.flauschcode.broccoli/databases/broccoli"
ALARMS_DB = "/data/data/com.google.android.deskclock/databases/alarms.db"
MIME = "vnd.android.cursor.item"
KINDS = {"Home": 1, "Mobile": 2, "Work": 3}
CHUNK = 24_000
DAY_MS = 86_400_000


def sql(value: Any) -> str:
    """A value as an SQL literal."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def insert(table: str, values: Mapping[str, Any]) -> str:
    """One INSERT."""
    return f'INSERT INTO "{table}" ({", ".join(values)}) VALUES ({", ".join(map(sql, values.values()))});'


def epoch(day: date, hour: int = 0, minute: int = 0) -> int:
    """Epoch seconds of a moment on the phone (UTC)."""
    return round(datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC).timestamp())


class World:
    """A phone being prepared."""

    def __init__(self) -> None:
        self.lines = ["pocket reset"]

    def run(self, device: Access) -> None:
        """Do it all. CommandFailed where a line fails."""
        batch: list[str] = []
        for line in [*self.lines, ""]:
            if batch and (not line or sum(map(len, batch)) + len(line) > CHUNK):
                run(device, " && ".join(batch))
                batch = []
            batch.append(line)

    def shell(self, *words: str) -> None:
        """One more command, its words quoted."""
        self.lines.append(shlex.join(words))

    def sqlite(self, db: str, statements: Sequence[str]) -> None:
        """Statements on a database."""
        if statements:
            self.shell("sqlite3", db, "BEGIN; " + " ".join(statements) + " COMMIT;")

    def setting(self, space: str, key: str, value: str) -> None:
        """A value of the settings tables."""
        self.shell("settings", "put", space, key, value)

    def fault(self, kind: str, times: int = 1, value: str = "", over: str = "") -> None:
        """Something goes wrong; see emulator/pocket/faults.py."""
        self.shell("pocket", "fault", "add", kind, str(times), value, *(["--over", over] if over else []))

    # people

    def contacts(self, people: Sequence[Mapping[str, Any]]) -> None:
        """People: name, number, and where given label, email, starred."""
        made = []
        for at, person in enumerate(people, 1):
            first, _, last = person["name"].partition(" ")
            made.append(insert("raw_contacts", {
                "_id": at, "display_name": person["name"], "sort_key": person["name"].lower(),
                "starred": person.get("starred", 0)}))  # fmt: skip
            rows = [("name", person["name"], first, last),
                    ("phone_v2", person["number"], str(KINDS[person.get("label", "Mobile")]), "")]  # fmt: skip
            if person.get("email"):
                rows.append(("email_v2", person["email"], "1", ""))
            made += [insert("data", {"raw_contact_id": at, "mimetype": f"{MIME}/{kind}", "data1": one, "data2": two,
                                     "data3": three}) for kind, one, two, three in rows]  # fmt: skip
        self.sqlite(CONTACTS_DB, made)

    def messages(self, messages: Sequence[Sequence[Any]]) -> None:
        """(number, text, "in" or "out") each, oldest first, ten minutes apart, the last one ten minutes ago."""
        numbers = list(dict.fromkeys(m[0] for m in messages))
        made = []
        for at, number in enumerate(numbers, 1):
            made += [insert("canonical_addresses", {"_id": at, "address": number}),
                     insert("threads", {"_id": at, "recipient_ids": str(at)})]  # fmt: skip
        for at, (number, body, way) in enumerate(messages):
            ms = round(NOW.timestamp() * 1000) - (len(messages) - at) * 600_000
            made.append(insert("sms", {
                "thread_id": numbers.index(number) + 1, "address": number, "date": ms, "read": 1, "seen": 1,
                "type": 1 if way == "in" else 2, "body": body}))  # fmt: skip
        self.sqlite(SMS_DB, made)

    def calls(self, calls: Sequence[Sequence[Any]]) -> None:
        """(number, kind) each, oldest first: 1 incoming, 2 outgoing, 3 missed."""
        now = round(NOW.timestamp() * 1000)
        self.sqlite(CALLS_DB, [
            insert("calls", {"number": number, "date": now - (len(calls) - at) * 1_800_000, "duration": 60,
                             "type": kind, "is_read": 1})
            for at, (number, kind) in enumerate(calls)
        ])  # fmt: skip

    # files

    def files(self, files: Mapping[str, str], folder: str = STORAGE) -> None:
        """Path below `folder` -> text; the first one is the oldest, an hour apart; "/" at the end: a folder."""
        for at, (name, words) in enumerate(files.items()):
            path = f"{folder}/{name}"
            if name.endswith("/"):
                self.shell("mkdir", "-p", path)
                continue
            when = NOW - timedelta(hours=len(files) - at)
            self.shell("mkdir", "-p", path.rpartition("/")[0])
            self.lines.append(f"printf %s {shlex.quote(words)} > {shlex.quote(path)}")
            self.shell("touch", "-d", f"{when:%Y-%m-%d %H:%M:%S}", path)

    # apps with a table

    def events(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Events: title, start and end (epoch seconds), and where given location, description, interval, rule."""
        blank = {"reminder_1_minutes": -1, "reminder_2_minutes": -1, "reminder_3_minutes": -1, "reminder_1_type": 0,
                 "reminder_2_type": 0, "reminder_3_type": 0, "repeat_limit": 0, "repetition_exceptions": "[]",
                 "attendees": "", "import_id": "", "time_zone": "UTC", "flags": 0, "event_type": 1, "parent_id": 0,
                 "last_updated": 0, "source": "simple-calendar", "availability": 0, "color": 0, "type": 0}  # fmt: skip
        self.sqlite(EVENTS_DB, [
            insert("events", {"start_ts": e["start"], "end_ts": e["end"], "title": e["title"],
                              "location": e.get("location", ""), "description": e.get("description", ""),
                              "repeat_interval": e.get("interval", 0), "repeat_rule": e.get("rule", 0), **blank})
            for e in events
        ])  # fmt: skip

    def expenses(self, rows: Sequence[Sequence[Any]]) -> None:
        """(name, cents, category number, note) each, the first one the newest, six hours apart."""
        now = round(NOW.timestamp() * 1000)
        self.sqlite(EXPENSES_DB, [
            insert("expense", {"name": name, "amount": cents, "category": kind, "note": note,
                               "created_date": now - (at + 1) * DAY_MS // 4, "modified_date": now})
            for at, (name, cents, kind, note) in enumerate(rows)
        ])  # fmt: skip

    def todos(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Tasks: title, and where given importance (0 high .. 3 none), due (epoch ms), notes, done."""
        now = round(NOW.timestamp() * 1000)
        self.sqlite(TASKS_DB, [
            insert("tasks", {"title": r["title"], "importance": r.get("importance", 2), "dueDate": r.get("due", 0),
                             "created": now - DAY_MS, "modified": now - DAY_MS, "notes": r.get("notes"),
                             "completed": now - DAY_MS if r.get("done") else 0})
            for r in rows
        ])  # fmt: skip

    def recipes(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Recipes: title, and where given the other texts and favorite."""
        self.sqlite(RECIPES_DB, [insert("recipes", row) for row in rows])

    def alarms(self, rows: Sequence[Sequence[Any]]) -> None:
        """(hour, minutes, days of week as bits, enabled, label) each, instead of the two a new Clock has."""
        names = ("hour", "minutes", "daysofweek", "enabled", "label")
        made = [insert("alarm_templates", dict(zip(names, row, strict=True))) for row in rows]
        self.sqlite(ALARMS_DB, ["DELETE FROM alarm_templates;", *made])
