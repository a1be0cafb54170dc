"""What VLC knows: the media on the storage, kept in its database, and playlists of them.

AndroidWorld (android_world_apps.md section 17) joins Playlist, PlaylistMediaRelation and Media and reads `filename` and
`position`, which counts from 0; it empties these tables and pushes the file back, so media are indexed anew whenever
the app comes to the front. The columns are those of VLC's medialibrary as far as anything here uses them. Departures:
no groups of films with like names, no folders, artists or albums in the database; a title is the file's or its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from emulator.pocket import tags
from emulator.pocket.databases import Database, Row
from emulator.pocket.files import STORAGE
from emulator.pocket.mime import mime_type

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "org.videolan.vlc"
DB = f"/data/data/{PACKAGE}/app_db/vlc_media.db"
VIDEO, AUDIO = 1, 2
SCHEMA = """
CREATE TABLE IF NOT EXISTS Media (
  id_media INTEGER PRIMARY KEY AUTOINCREMENT, type INTEGER, subtype INTEGER NOT NULL DEFAULT 0,
  duration INTEGER DEFAULT -1, play_count INTEGER NOT NULL DEFAULT 0, last_played_date INTEGER,
  insertion_date INTEGER, title TEXT COLLATE NOCASE, filename TEXT COLLATE NOCASE,
  is_favorite BOOLEAN NOT NULL DEFAULT 0, is_present BOOLEAN NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS File (
  id_file INTEGER PRIMARY KEY AUTOINCREMENT, media_id INTEGER NOT NULL, mrl TEXT NOT NULL, type INTEGER,
  last_modification_date INTEGER, size INTEGER);
CREATE TABLE IF NOT EXISTS Playlist (
  id_playlist INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE, creation_date INTEGER NOT NULL,
  artwork_mrl TEXT);
CREATE TABLE IF NOT EXISTS PlaylistMediaRelation (media_id INTEGER, playlist_id INTEGER, position INTEGER);
"""
SORTS = ("Name", "Length", "Recently added")


@dataclass(frozen=True)
class Media:
    """One film or sound. `name` is the file's, `title` what lists show."""

    path: str
    name: str
    title: str
    duration_ms: int
    video: bool


def media(path: str, data: bytes) -> Media:
    """What a file is."""
    name = path.rpartition("/")[2]
    said = tags.read(data)
    return Media(
        path, name, said.title or name.rpartition(".")[0] or name, said.duration_ms, kind_of(name) == "video"
    )  # fmt: skip


def kind_of(name: str) -> str:
    """`video`, `audio`, or '' for what VLC does not list."""
    kind = mime_type(name).partition("/")[0]
    return kind if kind in {"video", "audio"} and not name.endswith(".m3u") else ""


def library(phone: Phone, video: bool, sort: int = 0) -> list[Media]:
    """All films, or all sounds, of the storage."""
    found = [
        media(path, phone.fs.read(path)) for path in _paths(phone) if (kind_of(path) == "video") == video
    ]  # fmt: skip
    keys = (lambda m: 0, lambda m: m.duration_ms, lambda m: -phone.fs.stat(m.path).mtime_ns)
    return sorted(sorted(found, key=lambda m: (m.title.lower(), m.path)), key=keys[sort])


def _paths(phone: Phone) -> list[str]:
    return [
        f"{base}/{name}"
        for base, _, names in phone.fs.walk(STORAGE)
        if not base.startswith(f"{STORAGE}/Android") and "/." not in base
        for name in names
        if kind_of(name) and not name.startswith(".")
    ]


def folder(phone: Phone, path: str) -> tuple[list[str], list[str]]:
    """(names of the folders, names of the media) in a folder, as its page lists them."""
    names = [n for n in phone.fs.listdir(path) if not n.startswith(".")] if phone.fs.isdir(path) else []
    order = sorted(names, key=lambda n: (n.lower(), n))
    inside = [n for n in order if phone.fs.isdir(f"{path}/{n}")]
    return inside, [n for n in order if n not in inside and kind_of(n)]


# the index


def _mrl(path: str) -> str:
    return "file://" + quote(path)


def index(phone: Phone) -> None:
    """Bring the table of media up to date with the storage; writes only if something is to be changed."""
    db, now = phone.db(DB), {_mrl(p): p for p in _paths(phone)}
    known = {row["mrl"]: row for row in db.query(
        "SELECT f.mrl, m.id_media, m.is_present, (SELECT count(*) FROM PlaylistMediaRelation r"
        " WHERE r.media_id = m.id_media) AS n FROM File f JOIN Media m ON m.id_media = f.media_id"
    )}  # fmt: skip
    loose = db.one("SELECT 1 AS x FROM File WHERE media_id NOT IN (SELECT id_media FROM Media)")
    new, gone = [now[m] for m in now if m not in known], [known[m] for m in known if m not in now]
    back = [row for mrl, row in known.items() if mrl in now and not row["is_present"]]
    gone = [row for row in gone if row["is_present"] or not row["n"]]
    if not (new or gone or back or loose):
        return

    def write() -> None:
        with db:
            db.execute("DELETE FROM File WHERE media_id NOT IN (SELECT id_media FROM Media)")
            for row in gone:
                _lose(db, row)
            for row in back:
                db.update("Media", "id_media", row["id_media"], {"is_present": 1})
            for path in new:
                _insert(phone, db, path)

    phone.unless_full(write)


def _lose(db: Database, row: Row) -> None:
    if row["n"]:
        db.update("Media", "id_media", row["id_media"], {"is_present": 0})
        return
    db.execute("DELETE FROM File WHERE media_id = ?", (row["id_media"],))
    db.execute("DELETE FROM Media WHERE id_media = ?", (row["id_media"],))


def _insert(phone: Phone, db: Database, path: str) -> None:
    node = phone.fs.stat(path)
    known = media(path, node.data)
    number = db.insert("Media", {
        "type": VIDEO if known.video else AUDIO, "duration": known.duration_ms, "title": known.title,
        "filename": known.name, "insertion_date": int(phone.clock.now()),
    })  # fmt: skip
    modified = node.mtime_ns // 10**9
    db.insert("File", {"media_id": number, "mrl": _mrl(path), "type": 1, "last_modification_date": modified,
                       "size": node.size})  # fmt: skip


# playlists


def playlists(phone: Phone) -> list[Row]:
    """id_playlist, name, n (media in it), by name."""
    return phone.db(DB).query(
        "SELECT p.id_playlist, p.name, count(r.media_id) AS n FROM Playlist p"
        " LEFT JOIN PlaylistMediaRelation r ON r.playlist_id = p.id_playlist"
        " GROUP BY p.id_playlist ORDER BY p.name, p.id_playlist"
    )


def playlist_name(phone: Phone, playlist: int) -> str:
    """Its name, '' if it is gone."""
    found = phone.db(DB).one("SELECT name FROM Playlist WHERE id_playlist = ?", (playlist,))
    return str(found["name"]) if found else ""


def playlist_media(phone: Phone, playlist: int) -> list[Media]:
    """What is in a playlist, in its order; files that are gone included."""
    rows = phone.db(DB).query(
        "SELECT m.*, f.mrl FROM PlaylistMediaRelation r JOIN Media m ON m.id_media = r.media_id"
        " LEFT JOIN File f ON f.media_id = m.id_media WHERE r.playlist_id = ? ORDER BY r.position", (playlist,),
    )  # fmt: skip
    return [Media(unquote(str(r["mrl"] or ""))[len("file://") :], str(r["filename"]), str(r["title"]),
                  max(int(r["duration"]), 0), r["type"] == VIDEO) for r in rows]  # fmt: skip


def make_playlist(phone: Phone, name: str) -> int:
    """A new, empty playlist; 0 if there is one of that name."""
    db = phone.db(DB)
    if db.one("SELECT 1 AS x FROM Playlist WHERE name = ?", (name,)):
        return 0
    return db.insert("Playlist", {"name": name, "creation_date": int(phone.clock.now())})


def add(phone: Phone, playlist: int, paths: Sequence[str], replace: bool = False) -> None:
    """Put files at the end of a playlist, or in place of what is in it."""
    index(phone)
    db = phone.db(DB)
    with db:
        if replace:
            db.execute("DELETE FROM PlaylistMediaRelation WHERE playlist_id = ?", (playlist,))
        found = db.one("SELECT count(*) AS n FROM PlaylistMediaRelation WHERE playlist_id = ?", (playlist,))
        at = int(found["n"]) if found else 0
        for path in paths:
            row = db.one("SELECT media_id FROM File WHERE mrl = ?", (_mrl(path),))
            if row is not None:
                db.insert(
                    "PlaylistMediaRelation", {"media_id": row["media_id"], "playlist_id": playlist, "position": at}
                )
                at += 1


def take_out(phone: Phone, playlist: int, position: int) -> None:
    """Remove one; those behind it move up."""
    db = phone.db(DB)
    with db:
        db.execute("DELETE FROM PlaylistMediaRelation WHERE playlist_id = ? AND position = ?", (playlist, position))
        db.execute("UPDATE PlaylistMediaRelation SET position = position - 1 WHERE playlist_id = ? AND position > ?",
                   (playlist, position))  # fmt: skip


def rename_playlist(phone: Phone, playlist: int, name: str) -> None:
    """Another name."""
    phone.db(DB).update("Playlist", "id_playlist", playlist, {"name": name})


def delete_playlist(phone: Phone, playlist: int) -> None:
    """The playlist and its rows."""
    db = phone.db(DB)
    with db:
        db.execute("DELETE FROM PlaylistMediaRelation WHERE playlist_id = ?", (playlist,))
        db.execute("DELETE FROM Playlist WHERE id_playlist = ?", (playlist,))


# words


def clock(ms: int) -> str:
    """`0:24`, `1:02:03`."""
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


def some(n: int, words: str = "media") -> str:
    """`1 media`, `3 media files`."""
    plural = words if words == "media" else f"{words}s"
    return f"{n} {words if n == 1 else plural}"


def megabytes(size: int) -> str:
    """`1.9 MB`."""
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"
