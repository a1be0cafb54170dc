"""Reading a phone: settings, contacts, messages, files, events, ... through its shell, as plain JSON values.

Rows have the form in which `world.py` takes them. Nothing here changes the phone.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any
from xml.etree import ElementTree

from emulator.device_errors import CommandFailed
from solar_eval.benchmarks.pocket_world import world
from solar_eval.benchmarks.pocket_world.access import Access, run

CLOCK = "com.google.android.deskclock"


class Reading:
    """The state of one phone, read when asked for."""

    def __init__(self, device: Access) -> None:
        self.device = device

    def setting(self, space: str, key: str) -> str:
        """A value of the settings tables, "null" if there is none."""
        return run(self.device, shlex.join(["settings", "get", space, key])).rstrip("\n")

    def query(self, db: str, columns: str, table: str, rest: str = "") -> list[list[Any]]:
        """Rows of a SELECT; each a list of JSON values."""
        select = f"SELECT json_array({columns}) FROM {table} {rest}"
        said = run(self.device, shlex.join(["sqlite3", db, select]))
        return [json.loads(line) for line in said.splitlines() if line]

    # people

    def contacts(self) -> list[list[Any]]:
        """[name, number, label, email, starred] by name, one row a number."""
        columns, tables = "r.display_name, p.data1, p.data2, m.data1, r.starred", "raw_contacts r"
        for name, kind in (("p", "phone_v2"), ("m", "email_v2")):
            tables += f" LEFT JOIN data {name} ON {name}.raw_contact_id = r._id"
            tables += f" AND {name}.mimetype = '{world.MIME}/{kind}'"
        rows = self.query(world.CONTACTS_DB, columns, tables, "WHERE r.deleted = 0 ORDER BY r.sort_key, p.data1")
        labels = {str(number): name for name, number in world.KINDS.items()}
        return [[name, plain(number), labels.get(kind, kind or ""), mail or "", star]
                for name, number, kind, mail, star in rows]  # fmt: skip

    def messages(self) -> list[list[Any]]:
        """[number, text, "in" or "out"] by time."""
        rows = self.query(world.SMS_DB, "address, body, type", "sms", "ORDER BY date, _id")
        return [[plain(number), body, "in" if kind == 1 else "out"] for number, body, kind in rows]

    def calls(self) -> list[list[Any]]:
        """[number, kind] by time."""
        rows = self.query(world.CALLS_DB, "number, type", "calls", "ORDER BY date, _id")
        return [[plain(number), kind] for number, kind in rows]

    def call(self) -> tuple[int, str]:
        """(state, number): 0 idle, 1 ringing, 2 in a call."""
        said = run(self.device, "dumpsys telephony.registry")
        state = re.search(r"mCallState=(\d)", said)
        return int(state[1]) if state else 0, plain(run(self.device, "getprop gsm.pocket.call_number").strip())

    # files

    def paths(self, folder: str = world.STORAGE) -> list[str]:
        """Files and folders (with "/" at the end) below a folder, in order; hidden ones left out."""
        quoted = shlex.quote(folder)
        files = run(self.device, f"cd {quoted} && find . -type f").splitlines()
        folders = run(self.device, f"cd {quoted} && find . -type d").splitlines()
        found = [f[2:] for f in files] + [f"{d[2:]}/" for d in folders if d != "."]
        return sorted(path for path in found if not any(p.startswith(".") for p in path.split("/")))

    def text(self, path: str) -> str | None:
        """A file's text, None if there is none."""
        try:
            return self.device.pull(path).decode("utf-8", "replace")
        except CommandFailed:
            return None

    # apps with a table

    def events(self) -> list[list[Any]]:
        """[title, start, end, location, description, interval, rule] by start."""
        columns = "title, start_ts, end_ts, location, description, repeat_interval, repeat_rule"
        return self.query(world.EVENTS_DB, columns, "events", "ORDER BY start_ts, title, id")

    def expenses(self) -> list[list[Any]]:
        """[name, cents, category, note], newest first."""
        return self.query(world.EXPENSES_DB, "name, amount, category, note", "expense",
                          "ORDER BY created_date DESC, expense_id DESC")  # fmt: skip

    def todos(self) -> list[list[Any]]:
        """[title, importance, due, notes, done] by title; deleted ones left out."""
        columns = "title, importance, dueDate, coalesce(notes, ''), completed > 0"
        return self.query(world.TASKS_DB, columns, "tasks", "WHERE deleted = 0 ORDER BY title, _id")

    def recipes(self) -> list[list[Any]]:
        """[title, description, servings, time, ingredients, directions, favorite] by title."""
        columns = "title, description, servings, preparationTime, ingredients, directions, favorite"
        return self.query(world.RECIPES_DB, columns, "recipes", "ORDER BY title, recipeId")

    def alarms(self) -> list[list[Any]]:
        """[hour, minutes, days, enabled, label] by time."""
        return self.query(world.ALARMS_DB, "hour, minutes, daysofweek, enabled, label", "alarm_templates",
                          "ORDER BY hour, minutes, _id")  # fmt: skip

    def preferences(self, package: str) -> dict[str, str]:
        """An app's shared preferences as text."""
        source = self.text(f"/data/data/{package}/shared_prefs/{package}_preferences.xml")
        if not source:
            return {}
        return {node.get("name", ""): node.text or node.get("value") or "" for node in ElementTree.fromstring(source)}

    def timers(self) -> list[int]:
        """Lengths of Clock's timers in seconds, oldest first."""
        kept = json.loads(self.preferences(CLOCK).get("timers", "[]"))
        return [timer["length_ms"] // 1000 for timer in kept]

    # what is in front

    def in_front(self) -> str:
        """The package in front."""
        match = re.search(r"mCurrentFocus=Window\{\S+ \S+ ([^/}\s]+)", run(self.device, "dumpsys window windows"))
        return match[1] if match else ""

    def clipboard(self) -> str:
        """What was copied last."""
        return run(self.device, "pocket clipboard").removesuffix("\n")


def plain(number: str | None) -> str:
    """A telephone number without blanks, dashes and brackets."""
    return re.sub(r"[ ()\-]", "", number or "")
