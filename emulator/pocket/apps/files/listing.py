"""What Files lists: places, the files in them, their order and the words said of each. No views, no state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from emulator.pocket.files import STORAGE
from emulator.pocket.mime import icon_for, mime_type

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

DEVICE = "sdk_gphone_x86_64"
DOWNLOADS = f"{STORAGE}/Download"
# label -> (icon, folder it opens or '' for a collection of files of all folders, what the collection takes)
PLACES: dict[str, tuple[str, str, str]] = {
    "Recent": ("clock", "", ""),
    "Images": ("image", "", "image/"),
    "Videos": ("video", "", "video/"),
    "Audio": ("music", "", "audio/"),
    "Documents": ("note", "", "document"),
    "Downloads": ("download", DOWNLOADS, ""),
    DEVICE: ("phone_device", STORAGE, ""),
}
SORTS = (
    ("Name (A to Z)", "name", False), ("Name (Z to A)", "name", True), ("Type (A to Z)", "type", False),
    ("Type (Z to A)", "type", True), ("Size (smallest first)", "size", False), ("Size (largest first)", "size", True),
    ("Modified (oldest first)", "modified", False), ("Modified (newest first)", "modified", True),
)  # fmt: skip
RECENT_LIMIT = 64


@dataclass(frozen=True)
class Entry:
    """One file or folder: its path and what is shown of it."""

    path: str
    name: str
    folder: bool
    size: int
    modified_ns: int

    @property
    def icon(self) -> str:
        """Name in icons.py, by the extension alone."""
        return "folder" if self.folder else icon_for(self.name)

    @property
    def kind(self) -> str:
        """The words for its type: `MP3 audio`, `JPG image`, `Folder`."""
        if self.folder:
            return "Folder"
        extension, group = self.name.rpartition(".")[2].upper(), mime_type(self.name).split("/")[0]
        words = {"image": "image", "audio": "audio", "video": "video", "text": "document"}.get(group, "file")
        return f"{extension} {words}" if "." in self.name else "File"


def entry(phone: Phone, path: str) -> Entry:
    """The entry of an existing path; FileNotFoundError if it is gone."""
    node = phone.fs.stat(path)
    return Entry(path, path.rpartition("/")[2], node.is_dir, node.size, node.mtime_ns)


def folder_entries(phone: Phone, folder: str, sort: int = 0, hidden: bool = False) -> list[Entry]:
    """What lies in a folder, folders first, in the order number `sort` of SORTS; [] if the folder is gone."""
    if not phone.fs.isdir(folder):
        return []
    names = [n for n in phone.fs.listdir(folder) if hidden or not n.startswith(".")]
    return order([entry(phone, f"{folder}/{name}") for name in names], sort)


def place_entries(phone: Phone, place: str, sort: int = 0) -> list[Entry]:
    """The files of a collection (Recent, Images, ...): those of all folders, newest first in Recent."""
    wanted = PLACES[place][2]
    found = [e for e in all_files(phone) if _takes(wanted, e.name)]
    if place == "Recent":
        return sorted(found, key=lambda e: (-e.modified_ns, e.name))[:RECENT_LIMIT]
    return order(found, sort)


def _takes(wanted: str, name: str) -> bool:
    kind = mime_type(name)
    if wanted == "document":
        return kind.startswith(("text/", "application/")) and kind != "application/octet-stream"
    return kind.startswith(wanted)


def all_files(phone: Phone) -> list[Entry]:
    """Every file of the storage that is not hidden and not an app's own."""
    found: list[Entry] = []
    for folder, _, names in phone.fs.walk(STORAGE):
        if not folder.startswith(f"{STORAGE}/Android") and "/." not in folder:
            found.extend(entry(phone, f"{folder}/{name}") for name in names if not name.startswith("."))
    return found


def order(entries: Sequence[Entry], sort: int) -> list[Entry]:
    """Folders first, then by the order number `sort` of SORTS, names breaking ties."""
    _, key, down = SORTS[sort]
    keys: dict[str, Callable[[Entry], tuple[object, ...]]] = {
        "name": lambda e: (e.name.lower(),), "type": lambda e: (e.kind, e.name.lower()), "size": lambda e: (e.size,),
        "modified": lambda e: (e.modified_ns,),
    }  # fmt: skip
    ranked = sorted(sorted(entries, key=lambda e: e.name.lower()), key=keys[key], reverse=down)
    return sorted(ranked, key=lambda e: not e.folder)


def size_words(size: int) -> str:
    """`20 B`, `2.05 kB`, `1.50 MB`: decimal units, as Android's Formatter writes them."""
    value, unit = float(size), "B"
    for bigger in ("kB", "MB", "GB"):
        if value < 900:
            break
        value, unit = value / 1000, bigger
    return f"{size} B" if unit == "B" else f"{value:.2f} {unit}" if value < 100 else f"{value:.0f} {unit}"


def date_words(phone: Phone, modified_ns: int) -> str:
    """Time of day for today, `Oct 15` in this year, with the year else."""
    when, now = datetime.fromtimestamp(modified_ns // 10**9, UTC), phone.clock.datetime()
    if when.date() == now.date():
        return f"{when:%H:%M}"
    return f"{when:%b} {when.day}" + ("" if when.year == now.year else f", {when.year}")


def free_name(taken: Callable[[str], bool], folder: str, name: str) -> str:
    """A path in the folder that is free: NAME, `STEM (1).EXT`, `STEM (2).EXT`, ..."""
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    path, number = f"{folder}/{name}", 0
    while taken(path):
        number += 1
        path = f"{folder}/{stem} ({number}){dot}{extension}"
    return path
