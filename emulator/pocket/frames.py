"""Single pictures out of film files: what a player shows at a moment.

Films of JPEG pictures (mp4.py, the phone's own camera) are cut out directly. Everything else is decoded by OpenCV, read
from memory (4.11 and later can); where it is not installed such a film has no picture, and `frame` gives None.
AndroidWorld makes its films with OpenCV, so it is there wherever those films come from.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from io import BytesIO
from typing import Any

from emulator.pocket import images, mp4
from emulator.pocket.fonts import Cache
from emulator.pocket.views import Picture

_KNOWN: Cache[tuple[int, int, int], Picture | None] = Cache(96)
_LARGEST = 1920 * 1088


def can_decode() -> bool:
    """True if films other than the camera's own can be shown."""
    return importlib.util.find_spec("cv2") is not None


def frame(data: bytes, ms: int) -> Picture | None:
    """The picture `ms` milliseconds into a film, the last one behind its end; None if there is none to see."""
    long = mp4.duration_ms(data)
    if long <= 0:
        return None
    shots = mp4.pictures(data)
    if shots:
        return images.picture(shots[min(max(ms, 0) * len(shots) // long, len(shots) - 1)])
    key = (hash(data), len(data), min(max(ms, 0), long))
    if key not in _KNOWN:
        _KNOWN.keep(key, _decoded(data, key[2]) if can_decode() else None)
    return _KNOWN[key]


def _decoded(data: bytes, ms: int) -> Picture | None:
    cv2: Any = importlib.import_module("cv2")
    stream = BytesIO(data)  # OpenCV does not keep it: it must outlive `release`, or the process crashes
    opened = cv2.VideoCapture(stream, cv2.CAP_FFMPEG, [])
    try:
        count, speed = int(opened.get(cv2.CAP_PROP_FRAME_COUNT)), opened.get(cv2.CAP_PROP_FPS)
        if not opened.isOpened() or count < 1 or speed <= 0:
            return None
        opened.set(cv2.CAP_PROP_POS_FRAMES, min(int(ms * speed / 1000), count - 1))
        read, shown = opened.read()
    finally:
        opened.release()
    if not read or shown.shape[0] * shown.shape[1] > _LARGEST:
        return None
    rgb = cv2.cvtColor(shown, cv2.COLOR_BGR2RGB).tobytes()
    return Picture(hashlib.sha256(rgb).hexdigest(), int(shown.shape[1]), int(shown.shape[0]), rgb)
