"""Content providers: rows behind content:// addresses, as `content query|insert|update|delete` reaches them.

sms, contacts and call log are tables of their databases; media is what lies on the storage, read from the files
themselves (no scan is ever needed); settings are the settings tables. Default orders are Android's: messages and
calls newest first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emulator.pocket.contacts import CALLS_DB, CONTACTS_DB, PHONE
from emulator.pocket.databases import Databases, Row
from emulator.pocket.device_settings import DeviceSettings
from emulator.pocket.files import STORAGE, FileSystem
from emulator.pocket.messages import MESSAGES_DB
from emulator.pocket.mime import mime_type


@dataclass(frozen=True)
class Source:
    """Where an address leads: a database, what to select from, which table to change, a default order."""

    db: str
    select: str
    table: str
    where: str = ""
    order: str = "_id"


_PHONES = (
    f"(SELECT d._id AS _id, r.display_name AS display_name, r.display_name AS name, d.data1 AS number,"
    f" CAST(d.data2 AS INTEGER) AS type, d.data3 AS label, d.data1 AS data1, r._id AS person, r._id AS contact_id,"
    f" r.starred AS starred FROM data d JOIN raw_contacts r ON r._id = d.raw_contact_id"
    f" WHERE d.mimetype = '{PHONE}' AND r.deleted = 0)"
)
_PEOPLE = (
    "(SELECT _id, display_name, display_name AS name, starred, times_contacted FROM raw_contacts WHERE deleted = 0)"
)
SOURCES: dict[str, Source] = {
    "sms": Source(MESSAGES_DB, "sms", "sms", order="date DESC, _id DESC"),
    "sms/inbox": Source(MESSAGES_DB, "sms", "sms", "type = 1", "date DESC, _id DESC"),
    "sms/sent": Source(MESSAGES_DB, "sms", "sms", "type = 2", "date DESC, _id DESC"),
    "sms/draft": Source(MESSAGES_DB, "sms", "sms", "type = 3", "date DESC, _id DESC"),
    "mms-sms/conversations": Source(MESSAGES_DB, "threads", "threads", order="date DESC"),
    "contacts/phones": Source(CONTACTS_DB, _PHONES, "data"),
    "contacts/people": Source(CONTACTS_DB, _PEOPLE, "raw_contacts"),
    "com.android.contacts/contacts": Source(CONTACTS_DB, _PEOPLE, "raw_contacts"),
    "com.android.contacts/raw_contacts": Source(CONTACTS_DB, "raw_contacts", "raw_contacts"),
    "com.android.contacts/data": Source(CONTACTS_DB, "data", "data"),
    "com.android.contacts/data/phones": Source(CONTACTS_DB, _PHONES, "data"),
    "call_log/calls": Source(CALLS_DB, "calls", "calls", order="date DESC, _id DESC"),
}
MEDIA = {"images": "image/", "audio": "audio/", "video": "video/", "file": "", "downloads": ""}


class Content:
    """All providers of a phone. LookupError for an address nobody answers."""

    def __init__(self, databases: Databases, fs: FileSystem, settings: DeviceSettings) -> None:
        self.databases = databases
        self.fs = fs
        self.settings = settings

    def query(
        self, uri: str, projection: Sequence[str] = (), where: str = "", args: Sequence[Any] = (), sort: str = ""
    ) -> list[Row]:
        """Rows as ordered dicts, with the columns of `projection` or all of them.

        Raises LookupError (no provider), sqlite3.Error (bad column or condition).
        """
        path = _path(uri)
        if path.startswith("media/"):
            return [_pick(row, projection) for row in self.media(path)]
        if path.startswith("settings/"):
            return [_pick(row, projection) for row in self._settings_rows(path)]
        source, condition = self._source(path)
        wanted = ", ".join(projection) or "*"
        clause = " AND ".join(f"({c})" for c in (source.where, condition, where) if c)
        sql = f"SELECT {wanted} FROM {source.select}{' WHERE ' + clause if clause else ''}"
        return self.databases.open(source.db).query(f"{sql} ORDER BY {sort or source.order}", args)

    def insert(self, uri: str, values: Mapping[str, Any]) -> str:
        """Add a row; returns its address."""
        path = _path(uri)
        if path.startswith("settings/"):
            self.settings[path.split("/")[1]][str(values["name"])] = str(values["value"])
            return f"{uri}/{values['name']}"
        source, _ = self._source(path)
        row = dict(values)
        if source.where.startswith("type ="):
            row.setdefault("type", int(source.where.split("=")[1]))
        return f"{uri.rstrip('/')}/{self.databases.open(source.db).insert(source.table, row)}"

    def update(self, uri: str, values: Mapping[str, Any], where: str = "", args: Sequence[Any] = ()) -> int:
        """Change rows; returns how many."""
        source, condition = self._source(_path(uri))
        sets = ", ".join(f'"{name}" = ?' for name in values)
        clause = " AND ".join(f"({c})" for c in (source.where, condition, where) if c)
        sql = f'UPDATE "{source.table}" SET {sets}{" WHERE " + clause if clause else ""}'
        return self.databases.open(source.db).execute(sql, (*values.values(), *args))

    def delete(self, uri: str, where: str = "", args: Sequence[Any] = ()) -> int:
        """Remove rows (for media: the files themselves); returns how many."""
        path = _path(uri)
        if path.startswith("media/"):
            rows = self.media(path)
            for row in rows:
                self.fs.remove(row["_data"])
            return len(rows)
        if path.startswith("settings/"):
            return 1 if self.settings[path.split("/")[1]].pop(path.split("/")[2], None) is not None else 0
        source, condition = self._source(path)
        clause = " AND ".join(f"({c})" for c in (source.where, condition, where) if c)
        sql = f'DELETE FROM "{source.table}"{" WHERE " + clause if clause else ""}'
        return self.databases.open(source.db).execute(sql, args)

    @staticmethod
    def _source(path: str) -> tuple[Source, str]:
        """The source of a path, and a condition where the path ends in a row's number."""
        if path in SOURCES:
            return SOURCES[path], ""
        parent, _, last = path.rpartition("/")
        if parent in SOURCES and last.isdecimal():
            return SOURCES[parent], f"_id = {last}"
        raise LookupError(f"Could not find provider: {path.split('/', maxsplit=1)[0]}")

    def _settings_rows(self, path: str) -> list[Row]:
        parts = path.split("/")
        if parts[1] not in self.settings:
            raise LookupError(f"Could not find provider: settings/{parts[1]}")
        table = self.settings[parts[1]]
        keys = sorted(table) if len(parts) < 3 else [k for k in [parts[2]] if k in table]
        return [Row(_id=i + 1, name=key, value=table[key]) for i, key in enumerate(keys)]

    def media(self, path: str = "media/external/file") -> list[Row]:
        """Files of a kind on the storage: media/external/{images,audio,video}/media, .../file, .../downloads."""
        parts = path.split("/")
        if len(parts) < 3 or parts[2] not in MEDIA:
            raise LookupError(f"Could not find provider: {path}")
        top = f"{STORAGE}/Download" if parts[2] == "downloads" else STORAGE
        rows = [self._media_row(f"{base}/{name}") for base, _, names in self._walk(top) for name in names]
        rows = [row for row in rows if str(row["mime_type"]).startswith(MEDIA[parts[2]])]
        for number, row in enumerate(rows, 1):
            row["_id"] = number
        wanted = int(parts[-1]) if parts[-1].isdecimal() else None
        return [row for row in rows if wanted is None or row["_id"] == wanted]

    def _walk(self, top: str) -> list[tuple[str, list[str], list[str]]]:
        return list(self.fs.walk(top)) if self.fs.isdir(top) else []

    def _media_row(self, path: str) -> Row:
        node = self.fs.stat(path)
        folder, _, name = path.rpartition("/")
        return Row(
            _id=0, _data=path, _display_name=name, title=name.rpartition(".")[0] or name, _size=node.size,
            mime_type=mime_type(name), date_added=node.mtime_ns // 1_000_000_000,
            date_modified=node.mtime_ns // 1_000_000_000, relative_path=folder[len(STORAGE) + 1 :] + "/",
            bucket_display_name=folder.rpartition("/")[2],
        )  # fmt: skip


def _path(uri: str) -> str:
    if not uri.startswith("content://"):
        raise LookupError(f"Could not find provider: {uri}")
    return uri[len("content://") :].strip("/").partition("?")[0]


def _pick(row: Row, projection: Sequence[str]) -> Row:
    return Row((name, row.get(name)) for name in projection) if projection else row
