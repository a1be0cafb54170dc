"""Where photos and films go, as AndroidWorld's checks expect (android_world_apps.md section 14).

/sdcard/Pictures/IMG_<date>_<time>.jpg and /sdcard/Movies/VID_<date>_<time>.mp4: real JPEG files, and MPEG-4 films of
one picture a second. Nothing else is written there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket import mp4
from emulator.pocket.apps.camera import scene
from emulator.pocket.apps.camera.scene import Lens
from emulator.pocket.files import STORAGE

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PHOTOS, VIDEOS = f"{STORAGE}/Pictures", f"{STORAGE}/Movies"
PHOTO_SIZE, VIDEO_SIZE = (960, 1280), (480, 640)
MOST_PICTURES = 120  # a longer film shows each of them for longer


def _free(phone: Phone, folder: str, stem: str, end: str) -> str:
    phone.fs.mkdir(folder, parents=True)
    name, number = stem, 0
    while phone.fs.exists(f"{folder}/{name}{end}"):
        number += 1
        name = f"{stem}_{number}"
    return f"{folder}/{name}{end}"


def take_photo(phone: Phone, lens: Lens) -> str:
    """Write a photo; returns its path."""
    now = phone.clock.datetime()
    data = scene.photo(lens, PHOTO_SIZE, f"{now:%Y:%m:%d %H:%M:%S}")
    path = _free(phone, PHOTOS, f"IMG_{now:%Y%m%d_%H%M%S}", ".jpg")
    phone.fs.write(path, data)
    return path


def save_video(phone: Phone, lens: Lens, long_ms: int) -> str:
    """Write a film of that length, named after its beginning; returns its path."""
    seconds = max(round(long_ms / 1000), 1)
    count = min(seconds, MOST_PICTURES)
    pictures = [scene.frame(lens, VIDEO_SIZE, second) for second in range(count)]
    begun = phone.clock.now() - long_ms / 1000
    data = mp4.film(pictures, VIDEO_SIZE, seconds * 1000 // count, begun)
    path = _free(phone, VIDEOS, f"VID_{phone.clock.datetime():%Y%m%d_%H%M%S}", ".mp4")
    phone.fs.write(path, data)
    return path


def taken(phone: Phone) -> list[str]:
    """Photos and films of this app, newest first."""
    found: list[tuple[int, str]] = []
    for folder, start in ((PHOTOS, "IMG_"), (VIDEOS, "VID_")):
        for name in phone.fs.listdir(folder) if phone.fs.isdir(folder) else []:
            path = f"{folder}/{name}"
            if name.startswith(start) and phone.fs.isfile(path):
                found.append((phone.fs.stat(path).mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]
