"""The telephony provider: text messages and their threads in mmssms.db.

Table and column names are AOSP TelephonyProvider's (sms, threads, canonical_addresses), without the columns
nobody reads. AndroidWorld empties `sms` and `threads` by raw SQL: a thread is found again, or made, when a
message arrives, and lists are read from `sms`, so an emptied table is an emptied list.
"""

from __future__ import annotations

from dataclasses import dataclass

from emulator.pocket.clock import Clock
from emulator.pocket.databases import Database, Databases, Row

MESSAGES_DB = "/data/data/com.android.providers.telephony/databases/mmssms.db"
MESSAGES_SCHEMA = """
CREATE TABLE IF NOT EXISTS sms (
    _id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER, address TEXT, person INTEGER, date INTEGER,
    date_sent INTEGER DEFAULT 0, protocol INTEGER, read INTEGER DEFAULT 0, status INTEGER DEFAULT -1, type INTEGER,
    reply_path_present INTEGER, subject TEXT, body TEXT, service_center TEXT, locked INTEGER DEFAULT 0,
    sub_id INTEGER DEFAULT -1, error_code INTEGER DEFAULT -1, creator TEXT, seen INTEGER DEFAULT 0
);
CREATE TABLE IF NOT EXISTS threads (
    _id INTEGER PRIMARY KEY AUTOINCREMENT, date INTEGER DEFAULT 0, message_count INTEGER DEFAULT 0,
    recipient_ids TEXT, snippet TEXT, read INTEGER DEFAULT 1, archived INTEGER DEFAULT 0, type INTEGER DEFAULT 0
);
CREATE TABLE IF NOT EXISTS canonical_addresses (_id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT);
"""
INBOX, SENT, DRAFT = 1, 2, 3


@dataclass(frozen=True)
class Message:
    """One text message. `box` is INBOX, SENT or DRAFT; `date_ms` milliseconds since 1970."""

    id: int
    thread_id: int
    address: str
    body: str
    date_ms: int
    box: int
    read: bool


class Messages:
    """The telephony provider."""

    def __init__(self, databases: Databases, clock: Clock) -> None:
        self.databases = databases
        self.clock = clock
        databases.schemas[MESSAGES_DB] = MESSAGES_SCHEMA

    @property
    def db(self) -> Database:
        """mmssms.db."""
        return self.databases.open(MESSAGES_DB)

    def add(self, address: str, body: str, box: int, read: bool = True, creator: str = "") -> Message:
        """Store a message with the phone's time; returns it."""
        with self.db as db:
            thread = self.thread_for(address)
            now = self.clock.now_ms()
            row = {
                "thread_id": thread, "address": address, "date": now, "date_sent": 0 if box == INBOX else now,
                "read": int(read), "type": box, "body": body, "seen": int(read), "creator": creator or None,
                "reply_path_present": 0, "protocol": 0 if box == INBOX else None,
            }  # fmt: skip
            number = db.insert("sms", row)
            count = db.query("SELECT count(*) AS n FROM sms WHERE thread_id = ?", (thread,))[0]["n"]
            db.update(
                "threads", "_id", thread, {"date": now, "snippet": body, "message_count": count, "read": int(read)}
            )
        return Message(number, thread, address, body, now, box, read)

    def thread_for(self, address: str) -> int:
        """The id of the thread with an address, made if there is none."""
        db = self.db
        plain = plain_number(address)
        for row in db.query("SELECT _id, address FROM canonical_addresses"):
            if plain_number(row["address"]) == plain:
                recipient = row["_id"]
                break
        else:
            recipient = db.insert("canonical_addresses", {"address": address})
        known = db.one("SELECT _id FROM threads WHERE recipient_ids = ?", (str(recipient),))
        return int(known["_id"]) if known else db.insert("threads", {"recipient_ids": str(recipient)})

    def latest(self) -> list[Message]:
        """The newest message of each thread, newest thread first."""
        rows = self.db.query("SELECT * FROM sms ORDER BY date DESC, _id DESC")
        seen: dict[int, Message] = {}
        for row in rows:
            seen.setdefault(row["thread_id"], _message(row))
        return list(seen.values())

    def of_thread(self, thread_id: int) -> list[Message]:
        """All messages of a thread, oldest first."""
        rows = self.db.query("SELECT * FROM sms WHERE thread_id = ? ORDER BY date, _id", (thread_id,))
        return [_message(row) for row in rows]

    def mark_read(self, thread_id: int) -> None:
        """Everything in the thread is read."""
        if self.db.one("SELECT 1 AS one FROM sms WHERE thread_id = ? AND read = 0", (thread_id,)):
            self.db.execute("UPDATE sms SET read = 1, seen = 1 WHERE thread_id = ?", (thread_id,))

    def delete(self, message_id: int) -> None:
        """Delete one message."""
        self.db.execute("DELETE FROM sms WHERE _id = ?", (message_id,))

    def delete_thread(self, thread_id: int) -> None:
        """Delete a conversation."""
        with self.db as db:
            db.execute("DELETE FROM sms WHERE thread_id = ?", (thread_id,))
            db.execute("DELETE FROM threads WHERE _id = ?", (thread_id,))


def plain_number(address: str) -> str:
    """A number without spaces, dashes and brackets; other addresses in lower case."""
    plain = "".join(c for c in address if c not in " -()")
    return plain if plain.lstrip("+").isdigit() else address.strip().lower()


def _message(row: Row) -> Message:
    return Message(
        row["_id"], row["thread_id"] or 0, row["address"] or "", row["body"] or "", row["date"] or 0, row["type"] or 0,
        bool(row["read"]),
    )  # fmt: skip
