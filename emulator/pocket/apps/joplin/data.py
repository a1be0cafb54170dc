"""What Joplin keeps: notebooks, notes, the copy of the notes that the search reads.

Tables and columns are those of laurent22/joplin packages/lib/JoplinDatabase.ts as far as AndroidWorld writes and reads
them (android_world_apps.md section 19): ids of 32 hex digits, times in milliseconds; `folders` is read back by SELECT *
into exactly these columns. A note in the trash has a `deleted_time`. The search looks into `notes_normalized` (small
letters, no accents), as the app's does for short words. Left out: tags, attachments, synchronisation, revisions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from emulator.pocket.databases import Row

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "net.cozic.joplin"
DATABASE = "databases/joplin.sqlite"
DB = f"/data/data/{PACKAGE}/{DATABASE}"
_CIPHER = "encryption_cipher_text TEXT NOT NULL DEFAULT '', encryption_applied INT NOT NULL DEFAULT 0"
_SHARE = "is_shared INT NOT NULL DEFAULT 0, share_id TEXT NOT NULL DEFAULT ''"
_PLACE = (
    "latitude NUMERIC NOT NULL DEFAULT 0, longitude NUMERIC NOT NULL DEFAULT 0, altitude NUMERIC NOT NULL DEFAULT 0"
)
_TODO = "is_todo INT NOT NULL DEFAULT 0, todo_due INT NOT NULL DEFAULT 0, todo_completed INT NOT NULL DEFAULT 0"
_TIMES = "user_created_time INT NOT NULL DEFAULT 0, user_updated_time INT NOT NULL DEFAULT 0"
_MADE = "created_time INT NOT NULL, updated_time INT NOT NULL"
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS folders (id TEXT PRIMARY KEY, title TEXT NOT NULL DEFAULT '', {_MADE}, {_TIMES}, {_CIPHER},
 parent_id TEXT NOT NULL DEFAULT '', {_SHARE}, master_key_id TEXT NOT NULL DEFAULT '', icon TEXT NOT NULL DEFAULT '',
 user_data TEXT NOT NULL DEFAULT '', deleted_time INT NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, parent_id TEXT NOT NULL DEFAULT '',
 title TEXT NOT NULL DEFAULT '', body TEXT NOT NULL DEFAULT '', {_MADE}, is_conflict INT NOT NULL DEFAULT 0, {_PLACE},
 author TEXT NOT NULL DEFAULT '', source_url TEXT NOT NULL DEFAULT '', {_TODO}, source TEXT NOT NULL DEFAULT '',
 source_application TEXT NOT NULL DEFAULT '', application_data TEXT NOT NULL DEFAULT '',
 "order" NUMERIC NOT NULL DEFAULT 0, {_TIMES}, {_CIPHER}, markup_language INT NOT NULL DEFAULT 1, {_SHARE},
 conflict_original_id TEXT NOT NULL DEFAULT '', master_key_id TEXT NOT NULL DEFAULT '',
 user_data TEXT NOT NULL DEFAULT '', deleted_time INT NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS notes_normalized (id TEXT NOT NULL, title TEXT NOT NULL DEFAULT '',
 body TEXT NOT NULL DEFAULT '', {_TIMES}, {_TODO}, parent_id TEXT NOT NULL DEFAULT '', {_PLACE},
 source_url TEXT NOT NULL DEFAULT '');
"""
ALL, TRASH = "all", "trash"
SORTS = (
    ("Updated date", "user_updated_time"), ("Created date", "user_created_time"), ("Title", "title"),
    ("Custom order", "order"),
)  # fmt: skip


@dataclass(frozen=True)
class Order:
    """How a list is sorted: column, largest first, to-dos still to do on top, completed ones shown."""

    column: str = SORTS[0][1]
    reverse: bool = True
    todos_on_top: bool = True
    completed: bool = True


def order(phone: Phone) -> Order:
    """The chosen order."""
    prefs = phone.prefs(PACKAGE)
    column = prefs.text("notes.sortOrder.field", SORTS[0][1])
    return Order(
        column if column in {key for _, key in SORTS} else SORTS[0][1], prefs.flag("notes.sortOrder.reverse", True),
        prefs.flag("uncompletedTodosOnTop", True), prefs.flag("showCompletedTodos", True),
    )  # fmt: skip


def folders(phone: Phone) -> list[Row]:
    """All notebooks by title."""
    rows = phone.db(DB).query("SELECT * FROM folders WHERE deleted_time = 0")
    return sorted(rows, key=lambda row: (row["title"].casefold(), row["id"]))


def tree(phone: Phone, closed: Sequence[str] = ()) -> list[tuple[Row, int, bool]]:
    """Notebooks as the side menu shows them: row, depth, whether there are others in it. Lost ones stand on top."""
    rows = folders(phone)
    known = {row["id"] for row in rows}
    below: dict[str, list[Row]] = {}
    for row in rows:
        below.setdefault(row["parent_id"] if row["parent_id"] in known - {row["id"]} else "", []).append(row)
    found: list[tuple[Row, int, bool]] = []

    def add(parent: str, depth: int) -> None:
        for row in below.pop(parent, []):
            found.append((row, depth, row["id"] in below))
            if row["id"] in closed:
                _drop(row["id"])
            add(row["id"], depth + 1)

    def _drop(parent: str) -> None:
        for row in below.pop(parent, []):
            _drop(row["id"])

    add("", 0)
    return found


def folder(phone: Phone, key: str) -> Row | None:
    """One notebook."""
    return phone.db(DB).one("SELECT * FROM folders WHERE id = ? AND deleted_time = 0", (key,))


def first_folder(phone: Phone) -> str:
    """The notebook a new note goes to where none is open; '' if there is none."""
    rows = folders(phone)
    return str(rows[0]["id"]) if rows else ""


def notes(phone: Phone, where: str, how: Order) -> list[Row]:
    """Notes of a notebook (its id), of all (`ALL`) or of the trash (`TRASH`), in order."""
    rows = phone.db(DB).query(f"SELECT * FROM notes WHERE deleted_time {'>' if where == TRASH else '='} 0")
    keep = [
        row
        for row in rows
        if (where in {ALL, TRASH} or row["parent_id"] == where) and (how.completed or not is_done(row))
    ]
    title = how.column == "title"
    keep.sort(key=lambda r: (r[how.column].casefold() if title else r[how.column], r["id"]), reverse=how.reverse)
    if how.todos_on_top:
        keep.sort(key=lambda r: not (r["is_todo"] and not is_done(r)))
    return keep


def note(phone: Phone, key: str) -> Row | None:
    """One note, in the trash or not."""
    return phone.db(DB).one("SELECT * FROM notes WHERE id = ?", (key,))


def is_done(row: Row) -> bool:
    """A to-do that is ticked."""
    return bool(row["is_todo"] and row["todo_completed"])


def title_of(row: Row) -> str:
    """The title, else the first words of the body."""
    first = next((line.strip("#*-> ") for line in str(row["body"]).splitlines() if line.strip("#*-> ")), "")
    return str(row["title"]) or first[:80] or "Untitled"


def plain(words: str) -> str:
    """Small letters without accents, as the search keeps them."""
    return "".join(c for c in unicodedata.normalize("NFD", words.lower()) if not unicodedata.combining(c))


def search(phone: Phone, query: str) -> list[Row]:
    """Notes that have every word (or its beginning), those with all of them in the title first."""
    words = plain(query).replace('"', " ").split()
    if not words:
        return []
    found = []
    rows = {row["id"]: row for row in notes(phone, ALL, Order(todos_on_top=False))}
    for copy in phone.db(DB).query("SELECT id, title, body FROM notes_normalized"):
        title, body = plain(copy["title"]), plain(copy["body"])
        if copy["id"] in rows and all(_begins(word, f"{title}\n{body}") for word in words):
            found.append((not all(_begins(word, title) for word in words), copy["id"]))
    rank = dict(zip(rows, range(len(rows)), strict=True))
    return [rows[key] for _, key in sorted(found, key=lambda pair: (pair[0], rank[pair[1]]))]


def _begins(word: str, words: str) -> bool:
    at = words.find(word)
    while at > 0 and words[at - 1].isalnum():
        at = words.find(word, at + 1)
    return at >= 0


# writing


def new_id(phone: Phone) -> str:
    """32 hex digits."""
    return f"{phone.random.getrandbits(128):032x}"


def save(phone: Phone, key: str, values: dict[str, Any]) -> None:
    """Write a note (a key that is not there yet: a new one) and its copy for the search."""
    now = phone.clock.now_ms()
    times = {"updated_time": now, "user_updated_time": now}
    with phone.db(DB) as db:
        if note(phone, key) is None:
            made = {"created_time": now, "user_created_time": now, "order": now, "source": "joplin"}
            db.insert("notes", {"id": key, **values, **times, **made, "source_application": f"{PACKAGE}-mobile"})
        else:
            db.update("notes", "id", key, values | times)
        _copy(phone, key)


def _copy(phone: Phone, key: str) -> None:
    db, row = phone.db(DB), note(phone, key)
    db.execute("DELETE FROM notes_normalized WHERE id = ?", (key,))
    if row is not None and not row["deleted_time"]:
        same = ("id", "user_created_time", "user_updated_time", "is_todo", "todo_due", "todo_completed", "parent_id",
                "latitude", "longitude", "altitude", "source_url")  # fmt: skip
        words = {"title": plain(row["title"]), "body": plain(row["body"])}
        db.insert("notes_normalized", {name: row[name] for name in same} | words)


def tick(phone: Phone, key: str, done: bool) -> None:
    """A to-do's box."""
    save(phone, key, {"todo_completed": phone.clock.now_ms() if done else 0})


def trash(phone: Phone, keys: Sequence[str]) -> None:
    """Move notes to the trash; what lies there already goes for good."""
    with phone.db(DB) as db:
        for key in keys:
            row = note(phone, key)
            if row is not None and row["deleted_time"]:
                db.execute("DELETE FROM notes WHERE id = ?", (key,))
            elif row is not None:
                db.update("notes", "id", key, {"deleted_time": phone.clock.now_ms()})
            _copy(phone, key)


def restore(phone: Phone, keys: Sequence[str]) -> None:
    """Take notes out of the trash, into their notebook or, if that is gone, into the first one."""
    with phone.db(DB) as db:
        for key in keys:
            row = note(phone, key)
            if row is not None:
                home = row["parent_id"] if folder(phone, row["parent_id"]) else first_folder(phone)
                db.update("notes", "id", key, {"deleted_time": 0, "parent_id": home})
                _copy(phone, key)


def save_folder(phone: Phone, key: str, title: str, parent: str) -> str:
    """Write a notebook ('': a new one); its id."""
    now = phone.clock.now_ms()
    values = {"title": title, "parent_id": parent, "updated_time": now, "user_updated_time": now}
    if key:
        phone.db(DB).update("folders", "id", key, values)
        return key
    made = new_id(phone)
    phone.db(DB).insert("folders", {"id": made, **values, "created_time": now, "user_created_time": now})
    return made


def trash_folder(phone: Phone, key: str) -> None:
    """A notebook, those in it and all their notes go to the trash."""
    within = [key]
    for row, _, _ in tree(phone):
        if row["parent_id"] in within:
            within.append(row["id"])
    with phone.db(DB) as db:
        for one in within:
            for row in db.query("SELECT id FROM notes WHERE parent_id = ? AND deleted_time = 0", (one,)):
                trash(phone, [row["id"]])
            db.update("folders", "id", one, {"deleted_time": phone.clock.now_ms()})


def time_label(ms: int) -> str:
    """15/10/2023 15:34, the app's default form."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%d/%m/%Y %H:%M}" if 0 < ms < 253_402_300_800_000 else ""
