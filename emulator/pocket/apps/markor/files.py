"""What Markor does to files, without views: order, search, move, copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from emulator.pocket.apps.files.listing import Entry, entry

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

KEYS: tuple[Callable[[Entry], tuple[object, ...]], ...] = (
    lambda e: (e.name.lower(),),
    lambda e: (-e.modified_ns, e.name.lower()),
    lambda e: (e.size, e.name.lower()),
    lambda e: (e.kind, e.name.lower()),
)
FOUND_LIMIT = 60


def in_order(notes: Sequence[Entry], number: int, reverse: bool, folders_first: bool) -> list[Entry]:
    """By name, date (newest first), size or type; folders before files if asked."""
    ranked = sorted(notes, key=KEYS[number if 0 <= number < len(KEYS) else 0], reverse=reverse)
    return sorted(ranked, key=lambda e: folders_first and not e.folder)


def note_date(note: Entry) -> str:
    """`2023-10-15 15:34`."""
    return f"{datetime.fromtimestamp(note.modified_ns // 10**9, UTC):%Y-%m-%d %H:%M}"


def usable_name(name: str) -> bool:
    """True for a name a file can have."""
    return bool(name) and name not in {".", ".."} and "/" not in name and len(name.encode()) <= 255


def found_notes(phone: Phone, folder: str, words: str) -> list[Entry]:
    """Files below `folder` whose name or text holds the words, case apart."""
    wanted, found = words.lower(), list[Entry]()
    for where, _, names in phone.fs.walk(folder) if phone.fs.isdir(folder) else ():
        for name in names:
            path = f"{where}/{name}"
            if wanted in name.lower() or wanted in phone.fs.read(path).decode("utf-8", "replace").lower():
                found.append(entry(phone, path))
    return found[:FOUND_LIMIT]


def move_all(phone: Phone, paths: Sequence[str], folder: str) -> int:
    """Move paths into a folder; how many stayed because the name is taken there or the folder lies in them."""
    return _each(phone, paths, folder, phone.fs.rename)


def copy_free(phone: Phone, paths: Sequence[str], folder: str) -> int:
    """Copy paths into a folder; how many could not be."""
    return _each(phone, paths, folder, lambda src, dst: phone.fs.copy(src, dst, recursive=True))


def _each(phone: Phone, paths: Sequence[str], folder: str, act: Callable[[str, str], None]) -> int:
    left = 0
    for path in paths:
        target = f"{folder}/{path.rpartition('/')[2]}"
        if phone.fs.exists(target) or not phone.fs.exists(path) or f"{folder}/".startswith(f"{path}/"):
            left += 1
            continue
        try:
            act(path, target)
        except OSError as error:
            phone.log.write("W", "Markor", f"{path} to {target}: {error.strerror}")
            if phone.fs.exists(path) and phone.fs.exists(target):
                phone.fs.remove(target, recursive=True)
            left += 1
    return left
