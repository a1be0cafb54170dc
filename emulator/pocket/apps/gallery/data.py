"""What Simple Gallery shows: folders of the storage with pictures and films in them, the files, small pictures of them.

Read from the files each time, as AndroidWorld pushes pictures without a media scan (android_world_apps.md section 13).
The recycle bin is the app's own directory, in which deleted files keep their path.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

from emulator.pocket import images, mp4
from emulator.pocket.files import STORAGE
from emulator.pocket.fonts import Cache
from emulator.pocket.mime import mime_type
from emulator.pocket.views import Picture

if TYPE_CHECKING:
    from PIL import Image

    from emulator.pocket.phone import Phone

PACKAGE = "com.simplemobiletools.gallery.pro"
BIN = f"/data/data/{PACKAGE}/files/recycle_bin"
SORTS = ("Name", "Path", "Size", "Last modified")
NEWEST = 3
SIDE = 240  # pixels of a small picture
_SMALL: Cache[str, Picture | None] = Cache(200)
_WHOLE: Cache[str, Image.Image] = Cache(4)
_PARTS: Cache[tuple[str, tuple[int, int, int, int]], Picture] = Cache(8)


@dataclass(frozen=True)
class Medium:
    """One picture or film."""

    path: str
    size: int
    modified_ns: int

    @property
    def name(self) -> str:
        """Without the folder."""
        return self.path.rpartition("/")[2]

    @property
    def video(self) -> bool:
        """True for a film."""
        return mime_type(self.name).startswith("video/")


@dataclass(frozen=True)
class Folder:
    """A folder with media in it; `newest` is what its tile shows."""

    path: str
    count: int
    newest: Medium

    @property
    def name(self) -> str:
        """As the app calls it."""
        return folder_name(self.path)


def folder_name(path: str) -> str:
    """`DCIM`; "Internal" for the storage itself, "Recycle Bin" for the bin."""
    return {STORAGE: "Internal", BIN: "Recycle Bin"}.get(path, path.rpartition("/")[2])


def shown(name: str) -> bool:
    """True for the name of a picture or a film."""
    return mime_type(name).startswith(("image/", "video/"))


def media(phone: Phone, folder: str, sort: int = NEWEST, down: bool = True, hidden: bool = False) -> list[Medium]:
    """The media directly in a folder, in the bin those at any depth."""
    if not phone.fs.isdir(folder):
        return []
    found: list[Medium] = []
    for here, _, names in phone.fs.walk(folder):
        if folder not in {here, BIN}:
            break
        found.extend(_medium(phone, f"{here}/{n}") for n in names if shown(n) and (hidden or not n.startswith(".")))
    return order(found, sort, down)


def everything(phone: Phone, sort: int = NEWEST, down: bool = True, hidden: bool = False) -> list[Medium]:
    """All media of all folders."""
    found = [m for f in folders(phone, hidden) if f.path != BIN for m in media(phone, f.path, sort, down, hidden)]
    return order(found, sort, down)


def order(found: list[Medium], sort: int, down: bool) -> list[Medium]:
    """By SORTS[sort]."""
    keys = (lambda m: m.name.lower(), lambda m: m.path.lower(), lambda m: m.size, lambda m: m.modified_ns)
    return sorted(sorted(found, key=lambda m: m.name.lower()), key=keys[sort], reverse=down)


def _medium(phone: Phone, path: str) -> Medium:
    node = phone.fs.stat(path)
    return Medium(path, node.size, node.mtime_ns)


def folders(phone: Phone, hidden: bool = False) -> list[Folder]:
    """Every folder that has media, the one with the newest first, the bin last."""
    found: list[Folder] = []
    for here, _, _ in phone.fs.walk(STORAGE):
        if here.startswith(f"{STORAGE}/Android") or ("/." in here and not hidden):
            continue
        inside = media(phone, here, hidden=hidden)
        if inside:
            found.append(Folder(here, len(inside), inside[0]))
    found.sort(key=lambda f: (-f.newest.modified_ns, f.name.lower()))
    gone = media(phone, BIN)
    return [*found, Folder(BIN, len(gone), gone[0])] if gone else found


# pictures


def still(phone: Phone, medium: Medium) -> bytes:
    """The picture's file; of a film this phone's camera made, its first picture."""
    data = phone.fs.read(medium.path)
    return next(iter(mp4.pictures(data)), b"") if medium.video else data


def small(phone: Phone, medium: Medium) -> Picture | None:
    """The middle of a picture, square; None for what can't be shown."""
    data = still(phone, medium)
    key = hashlib.sha256(data).hexdigest()
    if key not in _SMALL:
        image = _whole(data, key)
        _SMALL.keep(key, None if image is None else _square(image, key))
    return _SMALL[key]


def _square(image: Image.Image, key: str) -> Picture:
    side = min(image.size)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    cut = image.crop((left, top, left + side, top + side)).resize((SIDE, SIDE))
    return Picture(f"small {key}", SIDE, SIDE, cut.tobytes())


def _whole(data: bytes, key: str) -> Image.Image | None:
    """The picture in all its pixels; None if there is none or far too many."""
    from PIL import Image

    if images.picture(data) is None:
        return None
    known = _WHOLE.get(key)
    if known is None:
        with Image.open(BytesIO(data)) as opened:
            known = _WHOLE.keep(key, opened.convert("RGB"))
    return known


def dimensions(phone: Phone, medium: Medium) -> tuple[int, int] | None:
    """Width and height in pixels; None for what can't be shown."""
    data = still(phone, medium)
    image = _whole(data, hashlib.sha256(data).hexdigest())
    return image.size if image is not None else None


def part(phone: Phone, medium: Medium, box: tuple[int, int, int, int]) -> Picture | None:
    """A part of the picture (left, top, right, bottom in its own pixels)."""
    data = still(phone, medium)
    key = hashlib.sha256(data).hexdigest()
    image = _whole(data, key)
    if image is None:
        return None
    known = _PARTS.get((key, box))
    if known is None:
        cut = image.crop(box)
        cut.thumbnail((2160, 2160))
        known = _PARTS.keep((key, box), Picture(f"part {key} {box}", cut.width, cut.height, cut.tobytes()))
    return known


# words


def size_words(size: int) -> str:
    """`1.2 MB`, `34.1 kB`."""
    value, unit = float(size), "B"
    for bigger in ("kB", "MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, bigger
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"


def properties(phone: Phone, medium: Medium) -> list[tuple[str, str]]:
    """What the properties dialog lists: (label, value)."""
    when = datetime.fromtimestamp(medium.modified_ns // 10**9, UTC)
    lines = [("Name", medium.name), ("Path", medium.path.rpartition("/")[0]), ("Size", size_words(medium.size))]
    size = dimensions(phone, medium)
    if size is not None:
        lines.append(("Resolution", f"{size[0]} x {size[1]} ({size[0] * size[1] / 1e6:.1f}MP)"))
    if medium.video:
        seconds = mp4.duration_ms(phone.fs.read(medium.path)) // 1000
        lines.append(("Duration", f"{seconds // 60:02d}:{seconds % 60:02d}"))
    return [*lines, ("Last modified", f"{when.day:02d}.{when:%m.%Y, %H:%M}")]
