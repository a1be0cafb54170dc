"""SQLite databases that live as bytes in the phone's file system.

An open database is an in-memory connection made with `sqlite3.Connection.deserialize` from the file's bytes;
after every change `serialize` writes the bytes back. A connection is valid only while the file still holds the
very bytes object it was made from, so a file that was pushed, removed or restored is opened afresh.

`schemas` says which tables belong at which path: a missing file or table is created when the database is
opened, as an app's SQLiteOpenHelper does (AndroidWorld wipes a database's directory and pushes one file back).
The WAL bytes of a pushed header are turned off: there is no -wal file beside an in-memory database.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

from emulator.pocket.files import FileSystem

TABLE_NAME = re.compile(r"CREATE TABLE IF NOT EXISTS \W?(\w+)", re.IGNORECASE)
MAGIC = b"SQLite format 3\0"
ONE = (1).to_bytes(4, "big")
WRITER = (3_032_002).to_bytes(4, "big")
Values = Sequence[Any] | Mapping[str, Any]


class Row(dict[str, Any]):
    """One row: column name -> value, in the query's order."""


class Database:
    """One open database. `with db:` makes one transaction and one write of the file of several changes."""

    def __init__(self, fs: FileSystem, path: str, connection: sqlite3.Connection, source: bytes | None) -> None:
        self.fs = fs
        self.path = path
        self.connection = connection
        self.source = source
        self._depth = 0

    def query(self, sql: str, values: Values = ()) -> list[Row]:
        """Rows of a SELECT."""
        cursor = self.connection.execute(sql, values)
        names = [column[0] for column in cursor.description or ()]
        return [Row(zip(names, row, strict=True)) for row in cursor]

    def one(self, sql: str, values: Values = ()) -> Row | None:
        """First row of a SELECT, or None."""
        rows = self.query(sql, values)
        return rows[0] if rows else None

    def execute(self, sql: str, values: Values = ()) -> int:
        """One change; returns the last row id for an INSERT, else the number of rows changed."""
        cursor = self.connection.execute(sql, values)
        self._changed()
        inserted = sql.lstrip()[:6].upper() in {"INSERT", "REPLAC"}
        return (cursor.lastrowid or 0) if inserted else cursor.rowcount

    def insert(self, table: str, values: Mapping[str, Any]) -> int:
        """Insert one row given as column -> value; returns its row id."""
        columns = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" for _ in values)
        return self.execute(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', tuple(values.values()))

    def update(self, table: str, key: str, value: Any, values: Mapping[str, Any]) -> int:
        """Change the rows of `table` whose `key` equals `value`."""
        sets = ", ".join(f'"{name}" = ?' for name in values)
        return self.execute(f'UPDATE "{table}" SET {sets} WHERE "{key}" = ?', (*values.values(), value))

    def script(self, sql: str) -> None:
        """Several statements, e.g. a schema."""
        self.connection.executescript(sql)
        self._changed()

    def __enter__(self) -> Database:
        self._depth += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._depth -= 1
        if kind is not None and not self._depth:
            self.connection.rollback()
        self._changed()

    def _changed(self) -> None:
        if self._depth:
            return
        self.connection.commit()
        data = _settled(self.connection.serialize())
        if data != self.source:
            try:
                self.fs.write(self.path, data, None if self.fs.exists(self.path) else 0o660)
            except OSError:
                self._undo()
                raise
            self.source = self.fs.read(self.path)

    def _undo(self) -> None:
        """Back to what the file holds: a change that could not be written has not happened."""
        if self.source is not None:
            self.connection.deserialize(in_one_file(self.source))


def in_one_file(data: bytes) -> bytes:
    """The file with journal mode WAL turned off in its header (bytes 18 and 19)."""
    return data[:18] + b"\1\1" + data[20:]


def _settled(data: bytes) -> bytes:
    """The file with its write counters at 1: they tell how often a connection wrote, not what is in the file.

    Bytes 24-27, 92-95 and 96-99 of the header (https://sqlite.org/fileformat.html, 1.3); the third is the version of
    the library that wrote last, here that of Android 13. So the same content gives the same bytes after a restore and
    on another machine.
    """
    if len(data) < 100:
        return data
    return data[:24] + ONE + data[28:92] + ONE + WRITER + data[100:]


class Databases:
    """All databases of one phone, opened on demand."""

    def __init__(self, fs: FileSystem) -> None:
        self.fs = fs
        self.schemas: dict[str, str] = {}
        self._open: dict[str, Database] = {}

    def open(self, path: str, create: bool = True) -> Database:
        """The database at `path`; with a known schema its missing tables are made.

        Raises FileNotFoundError if there is no file, no schema and not `create`; sqlite3.DatabaseError if the
        file is not a database and no schema says how to start again (with one, the file is replaced, as
        Android's default corruption handler does).
        """
        full = self.fs.canonical(path)
        data = self.fs.read(full) if self.fs.exists(full) else None
        known = self._open.get(full)
        if known is not None and data is not None and known.source is data:
            return known
        schema = self.schemas.get(full, "")
        if data is None and not schema and not create:
            return self._raise_missing(path)
        try:
            database = self._load(full, data, schema)
        except sqlite3.DatabaseError:
            if not schema:
                raise
            database = self._load(full, None, schema)
        self._close(full)
        self._open[full] = database
        return database

    def _raise_missing(self, path: str) -> Database:
        raise FileNotFoundError(2, "No such file or directory", path)

    def _load(self, full: str, data: bytes | None, schema: str) -> Database:
        connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level="DEFERRED")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # ATTACH and VACUUM INTO would write the host's disk
        if data:
            if not data.startswith(MAGIC):
                connection.close()
                raise sqlite3.DatabaseError(f"file is not a database: {full}")
            connection.deserialize(in_one_file(data))
        database = Database(self.fs, full, connection, data)
        if schema and self._lacks(connection, schema):
            self.fs.mkdir(full.rpartition("/")[0], parents=True)
            with contextlib.suppress(OSError):  # full disk: the tables are there, the first change says that it is full
                database.script(schema)
        else:
            connection.execute("SELECT count(*) FROM sqlite_master")
        return database

    @staticmethod
    def _lacks(connection: sqlite3.Connection, schema: str) -> bool:
        have = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return not have.issuperset(TABLE_NAME.findall(schema))

    def _close(self, full: str) -> None:
        old = self._open.pop(full, None)
        if old is not None:
            old.connection.close()

    def sql(self, path: str, statements: str) -> list[tuple[Any, ...]]:
        """What the device's `sqlite3 FILE "SQL"` does: run statements, return the rows of all of them.

        Raises sqlite3.Error with SQLite's own message.
        """
        database = self.open(path)
        rows: list[tuple[Any, ...]] = []
        for statement in split_statements(statements):
            rows.extend(database.connection.execute(statement).fetchall())
        database._changed()
        return rows

    def close(self) -> None:
        """Close every connection; the files stay."""
        for full in list(self._open):
            self._close(full)


def split_statements(sql: str) -> Iterable[str]:
    """Cut at the semicolons that end a statement, by SQLite's own idea of a complete one."""
    start = 0
    for position, character in enumerate(sql):
        if character == ";" and sqlite3.complete_statement(sql[start : position + 1]):
            if sql[start:position].strip():
                yield sql[start : position + 1]
            start = position + 1
    if sql[start:].strip():
        yield sql[start:]
