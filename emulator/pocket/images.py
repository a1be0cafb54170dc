"""Pictures in files of the phone, made ready to show."""

from __future__ import annotations

import hashlib
from io import BytesIO

from emulator.pocket.fonts import Cache
from emulator.pocket.views import Picture

LARGEST = 24_000_000  # pixels of a file that is opened at all
SHOWN = (1080, 1080)
_KNOWN: Cache[str, Picture | None] = Cache(32)


def picture(data: bytes) -> Picture | None:
    """The picture in a PNG, JPEG, GIF, BMP or WebP file, no larger than SHOWN; None if it is none or too large."""
    key = hashlib.sha256(data).hexdigest()
    if key not in _KNOWN:
        _KNOWN.keep(key, _decoded(data, key))
    return _KNOWN[key]


def _decoded(data: bytes, key: str) -> Picture | None:
    from PIL import Image

    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG", "GIF", "BMP", "WEBP")) as opened:
            if opened.width * opened.height > LARGEST:
                return None
            opened.draft("RGB", SHOWN)
            image = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # what Pillow raises for broken files
        return None
    image.thumbnail(SHOWN)
    return Picture(key, image.width, image.height, image.tobytes())
