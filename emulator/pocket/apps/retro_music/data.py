"""What Retro Music knows: songs (the files' own tags), playlists and the playing queue (two databases), what plays.

AndroidWorld (android_world_apps.md section 16) joins PlaylistEntity and SongEntity and orders by song_key, and reads
the titles of `playing_queue` in the order of the table. Columns: RetroMusicPlayer@f41a800 db/PlaylistEntity.kt,
db/SongEntity.kt, providers/MusicPlaybackQueueStore.java. Songs shorter than the filter (20 s at first, as there) are
not listed. Departures: a song's id is its file's inode; Room's own tables, history and play counts are left out;
nothing is heard, and what plays follows from when it was started.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emulator.pocket import tags
from emulator.pocket.databases import Row
from emulator.pocket.files import STORAGE
from emulator.pocket.mime import mime_type

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "code.name.monkey.retromusic"
PLAYLIST_DB = f"/data/data/{PACKAGE}/databases/playlist.db"
QUEUE_DB = f"/data/data/{PACKAGE}/databases/music_playback_state.db"
PLAYLIST_SCHEMA = """
CREATE TABLE IF NOT EXISTS PlaylistEntity (
  playlist_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, playlist_name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS SongEntity (
  song_key INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, playlist_creator_id INTEGER NOT NULL, id INTEGER NOT NULL,
  title TEXT NOT NULL, track_number INTEGER NOT NULL, year INTEGER NOT NULL, duration INTEGER NOT NULL,
  data TEXT NOT NULL, date_modified INTEGER NOT NULL, album_id INTEGER NOT NULL, album_name TEXT NOT NULL,
  artist_id INTEGER NOT NULL, artist_name TEXT NOT NULL, composer TEXT, album_artist TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS index_SongEntity_playlist_creator_id_id ON SongEntity (playlist_creator_id, id);
"""
_QUEUE_COLUMNS = """(
  _id INT NOT NULL, title STRING NOT NULL, track INT NOT NULL, year INT NOT NULL, duration LONG NOT NULL,
  _data STRING NOT NULL, date_modified LONG NOT NULL, album_id INT NOT NULL, album STRING NOT NULL,
  artist_id INT NOT NULL, artist STRING NOT NULL, composer STRING, album_artist STRING);
"""
QUEUES = ("playing_queue", "original_playing_queue")
QUEUE_SCHEMA = "".join(f"CREATE TABLE IF NOT EXISTS {name}{_QUEUE_COLUMNS}" for name in QUEUES)
AT, SINCE, BEFORE, FILTER, SORT = "POSITION", "started_ms", "POSITION_IN_TRACK", "filter_song", "song_sort_order"
SORTS = ("Ascending", "Descending", "Artist", "Album", "Date added")


@dataclass(frozen=True)
class Song:
    """One song: `path` is its file; `added` seconds since 1970."""

    id: int
    title: str
    artist: str
    album: str
    duration_ms: int
    path: str
    added: int


def songs(phone: Phone, everything: bool = False) -> list[Song]:
    """All songs on the storage in the order chosen; `everything`: also what the filter leaves out."""
    shortest = 0 if everything else phone.prefs(PACKAGE).number(FILTER, 20) * 1000
    found = [
        song
        for base, _, names in phone.fs.walk(STORAGE)
        if not base.startswith(f"{STORAGE}/Android") and "/." not in base
        for name in names
        if mime_type(name).startswith("audio/") and not name.endswith(".m3u") and not name.startswith(".")
        if (song := _song(phone, f"{base}/{name}")).duration_ms >= shortest
    ]
    sort = phone.prefs(PACKAGE).number(SORT)
    keys = {2: lambda s: s.artist.lower(), 3: lambda s: s.album.lower(), 4: lambda s: -s.added}
    found.sort(key=lambda s: (s.title.lower(), s.path), reverse=sort == 1)
    return sorted(found, key=keys[sort]) if sort in keys else found


def _song(phone: Phone, path: str) -> Song:
    node = phone.fs.stat(path)
    said = tags.read(node.data)
    folder, _, name = path.rpartition("/")
    return Song(
        node.ino, said.title or name.rpartition(".")[0], said.artist or tags.UNKNOWN,
        said.album or folder.rpartition("/")[2], said.duration_ms, path, node.mtime_ns // 10**9,
    )  # fmt: skip


def by_id(phone: Phone, ids: Sequence[int]) -> list[Song]:
    """The songs with these numbers that are still there, in this order."""
    known = {song.id: song for song in songs(phone, everything=True)}
    return [known[number] for number in ids if number in known]


def _number(words: str) -> int:
    """A number that is always the same for a name (the media store's ids of artists and albums)."""
    made = 0
    for byte in words.encode():
        made = (made * 31 + byte) & 0x7FFFFFFF
    return made


# playlists


def playlists(phone: Phone) -> list[Row]:
    """playlist_id, playlist_name, n (songs in it), by name."""
    return phone.db(PLAYLIST_DB).query(
        "SELECT p.playlist_id, p.playlist_name, count(s.song_key) AS n FROM PlaylistEntity p"
        " LEFT JOIN SongEntity s ON s.playlist_creator_id = p.playlist_id"
        " GROUP BY p.playlist_id ORDER BY lower(p.playlist_name), p.playlist_id"
    )


def playlist_name(phone: Phone, playlist: int) -> str:
    """Its name, '' if it is gone."""
    found = phone.db(PLAYLIST_DB).one("SELECT playlist_name FROM PlaylistEntity WHERE playlist_id = ?", (playlist,))
    return str(found["playlist_name"]) if found else ""


def playlist_songs(phone: Phone, playlist: int) -> list[Song]:
    """The songs of a playlist in the order they were added."""
    rows = phone.db(PLAYLIST_DB).query(
        "SELECT * FROM SongEntity WHERE playlist_creator_id = ? ORDER BY song_key", (playlist,)
    )
    return [
        Song(r["id"], r["title"], r["artist_name"], r["album_name"], r["duration"], r["data"], r["date_modified"])
        for r in rows
    ]


def make_playlist(phone: Phone, name: str, chosen: Sequence[Song]) -> str:
    """A new playlist with songs, or the one that has that name already; returns what the user reads."""
    db = phone.db(PLAYLIST_DB)
    known = db.one("SELECT playlist_id FROM PlaylistEntity WHERE playlist_name = ?", (name,))
    with db:
        number = known["playlist_id"] if known else db.insert("PlaylistEntity", {"playlist_name": name})
        add(phone, number, chosen)
    return "Playlist already exists" if known and not chosen else f"Added {len(chosen)} song(s) to {name}"


def add(phone: Phone, playlist: int, chosen: Sequence[Song]) -> None:
    """Put songs behind those of a playlist; one that is in it already moves to the end."""
    db = phone.db(PLAYLIST_DB)
    with db:
        for song in chosen:
            db.execute("DELETE FROM SongEntity WHERE playlist_creator_id = ? AND id = ?", (playlist, song.id))
            db.insert("SongEntity", {
                "playlist_creator_id": playlist, "id": song.id, "title": song.title, "track_number": 0, "year": 0,
                "duration": song.duration_ms, "data": song.path, "date_modified": song.added,
                "album_id": _number(song.album), "album_name": song.album, "artist_id": _number(song.artist),
                "artist_name": song.artist, "composer": None, "album_artist": None,
            })  # fmt: skip


def take_out(phone: Phone, playlist: int, ids: Sequence[int]) -> None:
    """Remove songs from a playlist."""
    db = phone.db(PLAYLIST_DB)
    with db:
        for number in ids:
            db.execute("DELETE FROM SongEntity WHERE playlist_creator_id = ? AND id = ?", (playlist, number))


def rename_playlist(phone: Phone, playlist: int, name: str) -> None:
    """Another name."""
    phone.db(PLAYLIST_DB).update("PlaylistEntity", "playlist_id", playlist, {"playlist_name": name})


def delete_playlist(phone: Phone, playlist: int) -> None:
    """The playlist and its rows."""
    db = phone.db(PLAYLIST_DB)
    with db:
        db.execute("DELETE FROM SongEntity WHERE playlist_creator_id = ?", (playlist,))
        db.execute("DELETE FROM PlaylistEntity WHERE playlist_id = ?", (playlist,))


def m3u(chosen: Sequence[Song]) -> str:
    """The playlist as a file (helper/M3UWriter.kt): the length stands there in milliseconds, as the app has it."""
    lines = [f"\n#EXTINF:{s.duration_ms},{s.artist} - {s.title}\n{s.path}" for s in chosen]
    return "#EXTM3U" + "".join(lines) if chosen else ""


# playing


def queue(phone: Phone) -> list[Song]:
    """What is played one after the other."""
    rows = phone.db(QUEUE_DB).query("SELECT * FROM playing_queue ORDER BY rowid")
    return [Song(r["_id"], str(r["title"]), str(r["artist"]), str(r["album"]), r["duration"], r["_data"],
                 r["date_modified"]) for r in rows]  # fmt: skip


def set_queue(phone: Phone, chosen: Sequence[Song]) -> None:
    """Replace the queue."""
    db = phone.db(QUEUE_DB)
    with db:
        for table in QUEUES:
            db.execute(f"DELETE FROM {table}")
            for s in chosen:
                db.insert(table, {
                    "_id": s.id, "title": s.title, "track": 0, "year": 0, "duration": s.duration_ms, "_data": s.path,
                    "date_modified": s.added, "album_id": _number(s.album), "album": s.album,
                    "artist_id": _number(s.artist), "artist": s.artist, "composer": None, "album_artist": None,
                })  # fmt: skip


def play(phone: Phone, chosen: Sequence[Song], at: int = 0) -> None:
    """Play these from the `at`-th on."""
    set_queue(phone, chosen)
    go_to(phone, at)


def enqueue(phone: Phone, chosen: Sequence[Song], next_: bool = False) -> str:
    """Put songs at the end of the queue, or behind the one that plays; returns what the user reads."""
    old = queue(phone)
    at = where(phone)[0] + 1 if next_ and old else len(old)
    playing = where(phone)
    set_queue(phone, [*old[:at], *chosen, *old[at:]])
    _keep(phone, *(playing if old else (0, 0, False)))
    if len(chosen) == 1:
        return "Added 1 title to the playing queue."
    return f"Added {len(chosen)} titles to the playing queue."


def where(phone: Phone) -> tuple[int, int, bool]:
    """(number in the queue, milliseconds into the song, playing). At the end of the queue it stops."""
    prefs, known = phone.prefs(PACKAGE), queue(phone)
    at, since = prefs.number(AT), prefs.number(SINCE, -1)
    passed = prefs.number(BEFORE) + (_now(phone) - since if since >= 0 else 0)
    if at >= len(known):
        return 0, 0, False
    while since >= 0 and passed >= known[at].duration_ms:
        if at == len(known) - 1:
            return at, known[at].duration_ms, False
        passed -= known[at].duration_ms
        at += 1
    return at, passed, since >= 0


def _now(phone: Phone) -> int:
    return phone.clock.uptime_ns // 1_000_000


def _keep(phone: Phone, at: int, passed: int, playing: bool) -> None:
    prefs = phone.prefs(PACKAGE)
    values: dict[str, Any] = {AT: at, BEFORE: passed, SINCE: _now(phone) if playing else -1}
    for name, value in values.items():
        prefs.set(name, value)


def go_to(phone: Phone, at: int) -> None:
    """Play the `at`-th song of the queue from its beginning."""
    _keep(phone, at, 0, True)


def toggle(phone: Phone) -> None:
    """Pause, or go on."""
    at, passed, playing = where(phone)
    known = queue(phone)
    over = bool(known) and passed >= known[at].duration_ms
    _keep(phone, at, 0 if over else passed, not playing and bool(known))


def seek(phone: Phone, share: float) -> None:
    """To a place in the song, 0 to 1."""
    at, _, playing = where(phone)
    known = queue(phone)
    if known:
        _keep(phone, at, int(known[at].duration_ms * share), playing)


def unqueue(phone: Phone, at: int) -> None:
    """Take the `at`-th out of the queue."""
    now, passed, playing = where(phone)
    known = queue(phone)
    set_queue(phone, known[:at] + known[at + 1 :])
    gone = at == now
    left = len(known) - 1
    _keep(phone, min(now - (at < now), max(left - 1, 0)), 0 if gone else passed, playing and left > 0)


def silence(phone: Phone) -> None:
    """The app's process has ended: what played stands still where it was."""
    prefs = phone.prefs(PACKAGE)
    if prefs.number(SINCE, -1) >= 0:
        at, passed, _ = where(phone)
        _keep(phone, at, passed, False)


# words


def clock(ms: int) -> str:
    """`04:05`, `01:02:03`."""
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes:02d}:{seconds:02d}" if minutes < 60 else f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"


def count(n: int) -> str:
    """`1 Song`, `7 Songs`."""
    return f"{n} Song{'' if n == 1 else 's'}"


def summary(chosen: Sequence[Song]) -> str:
    """`7 Songs  •  28:10`."""
    return f"{count(len(chosen))}  \u2022  {clock(sum(s.duration_ms for s in chosen))}"
