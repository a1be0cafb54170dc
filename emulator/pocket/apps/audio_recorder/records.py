"""What Audio Recorder keeps: .m4a files in its own directory of the storage, and the recording that goes on now.

AndroidWorld (android_world_apps.md section 15) lists the directory and takes files that are not empty: a recording is
an empty file until it is stopped, then real AAC silence as long as it took. The trash is the app's own: a file with
`.deleted` behind its name. Departures: no database (duration and bit rate are read from the file), no other formats.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from emulator.pocket import mp4
from emulator.pocket.files import STORAGE

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.dimowner.audiorecorder"
RECORDS = f"{STORAGE}/Android/data/{PACKAGE}/files/Music/records"
SUFFIX = ".m4a"
TRASHED = ".deleted"
STARTED, BEFORE, NAME, COUNTER = "rec_start_time", "rec_before", "rec_name", "record_counter"
BITRATE, ASK, READY = "setting_bitrate", "is_ask_rename_after_stop_recording", "first_run_done"
BITRATES = (48, 96, 128, 192, 256)
SORTS = ("By date (newest)", "By date (oldest)", "By name (A-Z)", "By name (Z-A)", "By duration (longest)",
         "By duration (shortest)")  # fmt: skip


@dataclass(frozen=True)
class Record:
    """One recording: path, name without the extension, bytes, length, time of creation (ns since 1970)."""

    path: str
    name: str
    size: int
    duration_ms: int
    created_ns: int


def records(phone: Phone, sort: int = 0, trashed: bool = False) -> list[Record]:
    """All finished recordings in the order SORTS[sort], or those in the trash."""
    suffix = SUFFIX + TRASHED if trashed else SUFFIX
    found: list[Record] = []
    for name in phone.fs.listdir(RECORDS) if phone.fs.isdir(RECORDS) else []:
        path = f"{RECORDS}/{name}"
        if name.endswith(suffix) and phone.fs.isfile(path) and path != going_on(phone):
            node = phone.fs.stat(path)
            long = mp4.duration_ms(node.data)
            found.append(Record(path, name.removesuffix(suffix), node.size, long, node.mtime_ns))
    keys = (lambda r: (r.created_ns, r.name), lambda r: (r.name.lower(), r.name), lambda r: (r.duration_ms, r.name))
    return sorted(found, key=keys[sort // 2], reverse=sort in {0, 3, 4})


# recording


def going_on(phone: Phone) -> str:
    """The path of the file that is being recorded, '' if none is."""
    name = phone.prefs(PACKAGE).text(NAME)
    return f"{RECORDS}/{name}{SUFFIX}" if name else ""


def paused(phone: Phone) -> bool:
    """True while a recording waits."""
    return bool(going_on(phone)) and phone.prefs(PACKAGE).number(STARTED, -1) < 0


def elapsed_ms(phone: Phone) -> int:
    """How much has been recorded."""
    prefs = phone.prefs(PACKAGE)
    started = prefs.number(STARTED, -1)
    return prefs.number(BEFORE) + (max(_now(phone) - started, 0) if started >= 0 else 0)


def _now(phone: Phone) -> int:
    return phone.clock.uptime_ns // 1_000_000


def start(phone: Phone) -> None:
    """Begin `Record-N`: an empty file, filled when the recording stops."""
    prefs = phone.prefs(PACKAGE)
    number = prefs.number(COUNTER, 1)
    while taken(phone, f"Record-{number}"):
        number += 1
    phone.fs.mkdir(RECORDS, parents=True)
    phone.fs.write(f"{RECORDS}/Record-{number}{SUFFIX}", b"")
    try:
        for name, value in ((COUNTER, number + 1), (BEFORE, 0), (STARTED, _now(phone)), (NAME, f"Record-{number}")):
            prefs.set(name, value)
    except OSError:
        discard(phone)
        phone.fs.remove(f"{RECORDS}/Record-{number}{SUFFIX}")
        raise


def pause(phone: Phone) -> None:
    """Stop for a while, or go on."""
    prefs = phone.prefs(PACKAGE)
    if paused(phone):
        prefs.set(STARTED, _now(phone))
    else:
        prefs.set(BEFORE, elapsed_ms(phone))
        prefs.remove(STARTED)


def stop(phone: Phone) -> str:
    """End the recording and write it; returns its path."""
    path, rate = going_on(phone), phone.prefs(PACKAGE).number(BITRATE, 128)
    phone.fs.write(path, mp4.sound(elapsed_ms(phone) / 1000, phone.clock.now(), rate * 1000))
    forget(phone)
    return path


def discard(phone: Phone) -> None:
    """End the recording and delete it."""
    path = going_on(phone)
    forget(phone)
    if path and phone.fs.exists(path):
        phone.fs.remove(path)


def forget(phone: Phone) -> None:
    """No recording goes on."""
    for name in (NAME, BEFORE, STARTED):
        phone.prefs(PACKAGE).remove(name)


# changing


def taken(phone: Phone, name: str) -> bool:
    """True if a recording has that name, also one in the trash."""
    return any(phone.fs.exists(f"{RECORDS}/{name}{end}") for end in (SUFFIX, SUFFIX + TRASHED))


def clean(name: str) -> str:
    """The name without what a file's can't hold: `/`, control characters, and no longer than fits with `.m4a`."""
    kept = "".join(c for c in name.strip() if c.isprintable() and c not in '/\\:*?"<>|').strip(".")
    return kept.encode()[:240].decode(errors="ignore")


def rename(phone: Phone, path: str, name: str) -> str:
    """Give a recording another name; returns what went wrong in words, or ''."""
    name = clean(name)
    target = f"{RECORDS}/{name}{SUFFIX}"
    if target == path:
        return ""
    if not name:
        return "Failed to rename the record!"
    if taken(phone, name):
        return "File with this name is already exists!"
    phone.fs.rename(path, target)
    return ""


def trash(phone: Phone, path: str) -> None:
    """Into the trash."""
    phone.fs.rename(path, path + TRASHED)


def restore(phone: Phone, path: str) -> None:
    """Out of the trash."""
    phone.fs.rename(path, path.removesuffix(TRASHED))


# words


def clock(ms: int) -> str:
    """`00:05`, `01:02:03`."""
    seconds = ms // 1000
    lead = f"{seconds // 3600:02d}:" if seconds >= 3600 else ""
    return f"{lead}{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def day(phone: Phone, created_ns: int) -> str:
    """`Today`, `Yesterday`, `12 Oct`."""
    when, now = datetime.fromtimestamp(created_ns // 10**9, UTC), phone.clock.datetime()
    days = (now.date() - when.date()).days
    year = "" if when.year == now.year else f" {when.year}"
    return {0: "Today", 1: "Yesterday"}.get(days, f"{when.day} {when:%b}{year}")


def about(phone: Phone) -> str:
    """How is recorded: `M4a, 44.1kHz, 128kbps, Stereo`."""
    return f"M4a, 44.1kHz, {phone.prefs(PACKAGE).number(BITRATE, 128)}kbps, Stereo"
