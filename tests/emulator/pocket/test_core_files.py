"""The file system in memory: aliases, crooked paths, a full disk, moves and copies; databases and preferences in it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable

import pytest

from emulator.pocket.clock import Clock
from emulator.pocket.databases import Databases, split_statements
from emulator.pocket.files import STORAGE, FileSystem
from emulator.pocket.prefs import Prefs, Value

DB = "/data/data/org.example/databases/a.db"
SCHEMA = "CREATE TABLE IF NOT EXISTS notes (_id INTEGER PRIMARY KEY, words TEXT);"


@pytest.fixture
def fs() -> FileSystem:
    made = FileSystem(Clock(), quota=200_000)
    made.mkdir(f"{STORAGE}/Download", parents=True)
    made.mkdir("/data/data/org.example/databases", parents=True)
    return made


@pytest.mark.parametrize(
    ("path", "full"),
    [
        ("/sdcard/Download/a", f"{STORAGE}/Download/a"),
        ("/mnt/sdcard/./x//y", f"{STORAGE}/x/y"),
        ("/storage/self/primary/a", f"{STORAGE}/a"),
        ("/data/media/0/a", f"{STORAGE}/a"),
        ("/data/user/0/org.example", "/data/data/org.example"),
        ("/sdcard/..", "/storage/emulated"),
        ("/../../../etc/passwd", "/etc/passwd"),
        ("/data/./../data/user/0/../x", "/data/x"),
        ("/sdcards/a", "/sdcards/a"),
        ("/", "/"),
    ],
)
def test_every_path_has_one_spelling(path: str, full: str) -> None:
    assert FileSystem.canonical(path) == full


def test_a_path_never_reaches_the_host(fs: FileSystem) -> None:
    for path in ("/etc/passwd", "/sdcard/../../../../../etc/passwd", "/proc/self/environ", "../../etc/passwd"):
        assert not fs.exists(path)
        with pytest.raises(FileNotFoundError):
            fs.read(path)


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda fs: fs.read("/sdcard/none"), errno.ENOENT),
        (lambda fs: fs.read("/sdcard/Download"), errno.EISDIR),
        (lambda fs: fs.write("/sdcard/Download", b""), errno.EISDIR),
        (lambda fs: fs.write("/sdcard/none/a", b""), errno.ENOENT),
        (lambda fs: fs.write("/sdcard/file/a", b""), errno.ENOTDIR),
        (lambda fs: fs.read("/sdcard/file/a"), errno.ENOTDIR),
        (lambda fs: fs.read("/sdcard/file/"), errno.ENOTDIR),
        (lambda fs: fs.listdir("/sdcard/file"), errno.ENOTDIR),
        (lambda fs: fs.mkdir("/sdcard/Download"), errno.EEXIST),
        (lambda fs: fs.mkdir("/sdcard/file/a", parents=True), errno.ENOTDIR),
        (lambda fs: fs.remove("/sdcard"), errno.ENOTEMPTY),
        (lambda fs: fs.remove("/", recursive=True), errno.EBUSY),
        (lambda fs: fs.rename("/sdcard/Download", "/sdcard/Download/inside"), errno.EINVAL),
        (lambda fs: fs.copy("/sdcard/Download", "/sdcard/Download/inside", recursive=True), errno.EINVAL),
        (lambda fs: fs.copy("/sdcard/Download", "/sdcard/b"), errno.EISDIR),
        (lambda fs: fs.write("/sdcard/" + "a" * 256, b""), errno.ENAMETOOLONG),
        (lambda fs: fs.write("/sdcard/" + "\u4e2d" * 86, b""), errno.ENAMETOOLONG),
        (lambda fs: fs.write("/sdcard/a\0b", b""), errno.EINVAL),
    ],
)
def test_errors_are_those_of_linux(fs: FileSystem, act: Callable[[FileSystem], object], code: int) -> None:
    fs.write("/sdcard/file", b"x")
    before = fs.items()
    with pytest.raises(OSError, match=r".") as caught:
        act(fs)
    assert caught.value.errno == code
    assert fs.items() == before


def test_a_full_disk_refuses_growth_and_keeps_what_is_there(fs: FileSystem) -> None:
    fs.write("/sdcard/a", bytes(fs.quota - fs.used - 10))
    acts: tuple[Callable[[], None], ...] = (
        lambda: fs.write("/sdcard/b", bytes(11)),
        lambda: fs.append("/sdcard/a", bytes(11)),
        lambda: fs.copy("/sdcard/a", "/sdcard/c"),
    )
    for act in acts:
        with pytest.raises(OSError, match="No space left") as caught:
            act()
        assert caught.value.errno == errno.ENOSPC
    assert fs.listdir("/sdcard") == ["Download", "a"]
    fs.append("/sdcard/a", bytes(10))
    assert fs.used == fs.quota
    fs.write("/sdcard/a", b"small")
    fs.write("/sdcard/b", bytes(1000))
    assert fs.used == 1005


def test_used_is_what_lies_there_whatever_was_done(fs: FileSystem) -> None:
    fs.write("/sdcard/a", bytes(100))
    fs.write("/sdcard/Download/b", bytes(50))
    fs.copy("/sdcard/Download", "/sdcard/D2", recursive=True)
    fs.rename("/sdcard/D2", "/sdcard/D3")
    fs.rename("/sdcard/a", "/sdcard/D3/b")
    fs.append("/sdcard/Download/b", bytes(7))
    assert fs.used == sum(len(node.data) for _, node in fs.items()) == 157
    fs.remove("/sdcard/D3", recursive=True)
    assert fs.used == 57
    assert fs.glob("/sdcard/*/b") == ["/sdcard/Download/b"]


def test_snapshots_do_not_see_what_comes_later(fs: FileSystem) -> None:
    fs.write("/sdcard/a", b"1")
    kept, before = fs.snapshot(), fs.items()
    fs.write("/sdcard/a", b"2")
    fs.remove("/sdcard/Download", recursive=True)
    for _ in range(2):
        fs.restore(kept)
        assert fs.items() == before
        fs.write("/sdcard/new", b"x")


# databases


@pytest.fixture
def databases(fs: FileSystem) -> Databases:
    made = Databases(fs)
    made.schemas[DB] = SCHEMA
    return made


def test_a_change_is_in_the_file_at_once_and_a_new_file_is_read_afresh(databases: Databases, fs: FileSystem) -> None:
    db = databases.open(DB)
    assert db.insert("notes", {"words": "one"}) == 1
    kept = fs.read(DB)
    assert kept.startswith(b"SQLite format 3\0")
    db.execute("UPDATE notes SET words = 'two'")
    fs.write(DB, kept)
    assert databases.open(DB).query("SELECT words FROM notes") == [{"words": "one"}]
    fs.remove(DB)
    assert databases.open(DB).query("SELECT * FROM notes") == []


def test_what_is_no_database_is_replaced_where_the_schema_is_known(databases: Databases, fs: FileSystem) -> None:
    fs.write(DB, b"rubbish" * 100)
    assert databases.open(DB).query("SELECT * FROM notes") == []
    fs.write("/sdcard/other.db", b"rubbish" * 100)
    with pytest.raises(sqlite3.DatabaseError, match=r"not a database: .*/other.db"):
        databases.open("/sdcard/other.db")


def test_a_block_is_one_change_and_is_undone_when_it_raises(databases: Databases) -> None:
    db = databases.open(DB)
    version = db.fs.version
    with db:
        db.insert("notes", {"words": "a"})
        db.insert("notes", {"words": "b"})
        assert db.fs.version == version
    assert db.fs.version == version + 1
    with pytest.raises(ZeroDivisionError), db:
        db.execute("DELETE FROM notes")
        raise ZeroDivisionError
    assert len(db.query("SELECT * FROM notes")) == 2


def test_a_change_that_finds_no_room_has_not_happened(databases: Databases, fs: FileSystem) -> None:
    db = databases.open(DB)
    db.insert("notes", {"words": "small"})
    fs.quota = fs.used
    with pytest.raises(OSError, match="No space left"):
        db.insert("notes", {"words": "large" * 10_000})
    with pytest.raises(OSError, match="No space left"), db:
        db.insert("notes", {"words": "large" * 10_000})
    assert databases.open(DB).query("SELECT words FROM notes") == [{"words": "small"}]
    fs.quota = 10**9
    databases.open(DB).insert("notes", {"words": "more"})
    assert [row["words"] for row in databases.open(DB).query("SELECT words FROM notes")] == ["small", "more"]


def test_sql_never_writes_the_hosts_disk(databases: Databases, tmp_path: object) -> None:
    for sql in (f"ATTACH '{tmp_path}/x.db' AS x", f"VACUUM INTO '{tmp_path}/y.db'"):
        with pytest.raises(sqlite3.Error):
            databases.sql(DB, sql)


def test_statements_are_cut_where_sqlite_ends_them() -> None:
    sql = "SELECT ';'; CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; DELETE FROM c; END; SELECT 1"
    assert [s.strip()[:6] for s in split_statements(sql)] == ["SELECT", "CREATE", "SELECT"]


# preferences


def test_preferences_keep_their_kinds_in_androids_file(fs: FileSystem) -> None:
    prefs = Prefs(fs, "org.example")
    values: dict[str, Value] = {"text": "a <b> & \u4e2d", "number": -7, "share": 0.5, "on": True, "off": False}
    for name, value in values.items():
        prefs.set(name, value)
    assert Prefs(fs, "org.example").all() == values
    assert fs.isfile("/data/data/org.example/shared_prefs/org.example_preferences.xml")
    prefs.remove("text")
    assert prefs.text("text", "gone") == "gone"
    assert prefs.number("text", 3) == 3
    fs.write(prefs.path, b"<map><string name='x'>")
    assert prefs.all() == {}
    fs.write(prefs.path, b"<map><int name='n' value='x'/><boolean name='b' value='true'/></map>")
    assert prefs.all() == {"b": True}
