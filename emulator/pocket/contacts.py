"""The contacts and call log providers: databases and the few operations that apps need.

contacts2.db and calllog.db lie where Android has them. The tables are AOSP ContactsProvider's raw_contacts and
data cut to what anything reads; departure: `data.mimetype` holds the type itself, not a key into a table of
types.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from emulator.pocket.clock import Clock
from emulator.pocket.databases import Database, Databases, Row

CONTACTS_DB = "/data/data/com.android.providers.contacts/databases/contacts2.db"
CALLS_DB = "/data/data/com.android.providers.contacts/databases/calllog.db"
CONTACTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS raw_contacts (
    _id INTEGER PRIMARY KEY AUTOINCREMENT, display_name TEXT, sort_key TEXT, starred INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0, times_contacted INTEGER NOT NULL DEFAULT 0, last_updated INTEGER DEFAULT 0
);
CREATE TABLE IF NOT EXISTS data (
    _id INTEGER PRIMARY KEY AUTOINCREMENT, raw_contact_id INTEGER NOT NULL, mimetype TEXT NOT NULL,
    is_primary INTEGER NOT NULL DEFAULT 0, data1 TEXT, data2 TEXT, data3 TEXT, data4 TEXT, data5 TEXT
);
CREATE INDEX IF NOT EXISTS data_raw_contact_id ON data (raw_contact_id);
"""
CALLS_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    _id INTEGER PRIMARY KEY AUTOINCREMENT, number TEXT, date INTEGER, duration INTEGER NOT NULL DEFAULT 0,
    type INTEGER, name TEXT, is_read INTEGER NOT NULL DEFAULT 0
);
"""
NAME = "vnd.android.cursor.item/name"
PHONE = "vnd.android.cursor.item/phone_v2"
EMAIL = "vnd.android.cursor.item/email_v2"
ORGANIZATION = "vnd.android.cursor.item/organization"
PHONE_TYPES = {1: "Home", 2: "Mobile", 3: "Work", 4: "Work Fax", 5: "Home Fax", 6: "Pager", 7: "Other", 12: "Main"}
INCOMING, OUTGOING, MISSED = 1, 2, 3


@dataclass
class PhoneNumber:
    """A number and its type (a key of PHONE_TYPES)."""

    number: str
    type: int = 2

    @property
    def label(self) -> str:
        """The type in words."""
        return PHONE_TYPES.get(self.type, "Other")


@dataclass
class Contact:
    """One contact; `id` 0 until it is saved."""

    id: int = 0
    first: str = ""
    last: str = ""
    company: str = ""
    phones: list[PhoneNumber] = field(default_factory=list)
    emails: list[str] = field(default_factory=list)
    starred: bool = False

    @property
    def name(self) -> str:
        """Display name: given and family name, else company, number or mail address."""
        full = f"{self.first} {self.last}".strip()
        return full or self.company or next((p.number for p in self.phones), "") or next(iter(self.emails), "")


class Contacts:
    """The contacts provider."""

    def __init__(self, databases: Databases, clock: Clock) -> None:
        self.databases = databases
        self.clock = clock
        databases.schemas[CONTACTS_DB] = CONTACTS_SCHEMA
        databases.schemas[CALLS_DB] = CALLS_SCHEMA

    @property
    def db(self) -> Database:
        """contacts2.db."""
        return self.databases.open(CONTACTS_DB)

    @property
    def calls(self) -> Database:
        """calllog.db."""
        return self.databases.open(CALLS_DB)

    def all(self) -> list[Contact]:
        """Every contact by display name."""
        rows = self.db.query("SELECT * FROM raw_contacts WHERE deleted = 0 ORDER BY sort_key, _id")
        data = self.db.query("SELECT * FROM data ORDER BY _id")
        return [_contact(row, [d for d in data if d["raw_contact_id"] == row["_id"]]) for row in rows]

    def get(self, contact_id: int) -> Contact | None:
        """One contact, None if it is gone."""
        row = self.db.one("SELECT * FROM raw_contacts WHERE _id = ? AND deleted = 0", (contact_id,))
        if row is None:
            return None
        return _contact(row, self.db.query("SELECT * FROM data WHERE raw_contact_id = ? ORDER BY _id", (contact_id,)))

    def save(self, contact: Contact) -> int:
        """Insert (id 0) or replace; returns the id."""
        values = {
            "display_name": contact.name, "sort_key": contact.name.lower(), "starred": int(contact.starred),
            "last_updated": self.clock.now_ms(),
        }  # fmt: skip
        with self.db as db:
            if contact.id:
                db.update("raw_contacts", "_id", contact.id, values)
                db.execute("DELETE FROM data WHERE raw_contact_id = ?", (contact.id,))
            else:
                contact.id = db.insert("raw_contacts", values)
            self._data(db, contact.id, NAME, contact.name, contact.first, contact.last)
            for phone in contact.phones:
                if phone.number.strip():
                    self._data(db, contact.id, PHONE, phone.number.strip(), str(phone.type), "")
            for mail in contact.emails:
                if mail.strip():
                    self._data(db, contact.id, EMAIL, mail.strip(), "1", "")
            if contact.company:
                self._data(db, contact.id, ORGANIZATION, contact.company, "1", "")
        return contact.id

    @staticmethod
    def _data(db: Database, contact_id: int, mimetype: str, data1: str, data2: str, data3: str) -> None:
        row = {"raw_contact_id": contact_id, "mimetype": mimetype, "data1": data1, "data2": data2, "data3": data3}
        db.insert("data", row)

    def delete(self, contact_id: int) -> None:
        """Remove a contact and its data."""
        with self.db as db:
            db.execute("DELETE FROM raw_contacts WHERE _id = ?", (contact_id,))
            db.execute("DELETE FROM data WHERE raw_contact_id = ?", (contact_id,))

    def find(self, number: str) -> Contact | None:
        """The contact with this number (same digits, or the same last ten)."""
        wanted = _digits(number)
        if not wanted:
            return None
        for row in self.db.query("SELECT raw_contact_id, data1 FROM data WHERE mimetype = ?", (PHONE,)):
            have = _digits(row["data1"] or "")
            if have == wanted or (min(len(have), len(wanted)) >= 10 and have[-10:] == wanted[-10:]):
                return self.get(row["raw_contact_id"])
        return None

    def name_of(self, number: str) -> str:
        """Display name for a number, the number itself where nobody has it."""
        contact = self.find(number)
        return contact.name if contact is not None else number

    def log_call(self, number: str, kind: int, duration_s: int = 0) -> int:
        """Write a call into the log; returns its id."""
        known = self.find(number)
        return self.calls.insert(
            "calls",
            {
                "number": number, "date": self.clock.now_ms(), "duration": duration_s, "type": kind,
                "name": known.name if known else None, "is_read": 1,
            },
        )  # fmt: skip


def _digits(number: str) -> str:
    return "".join(c for c in number if c.isdigit())


def _contact(row: Row, data: list[Row]) -> Contact:
    contact = Contact(id=row["_id"], starred=bool(row["starred"]))
    for item in data:
        if item["mimetype"] == NAME:
            contact.first, contact.last = item["data2"] or "", item["data3"] or ""
        elif item["mimetype"] == PHONE:
            kind = str(item["data2"] or "")
            contact.phones.append(PhoneNumber(item["data1"] or "", int(kind) if kind.isdecimal() else 7))
        elif item["mimetype"] == EMAIL:
            contact.emails.append(item["data1"] or "")
        elif item["mimetype"] == ORGANIZATION:
            contact.company = item["data1"] or ""
    return contact
