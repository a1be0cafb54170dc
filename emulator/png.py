"""Pictures as `screencap` sends them: cut out of what else stands in the stream, checked, looked at for blackness.

Definition: PNG (ISO/IEC 15948): signature, chunks with CRC, IEND. adb may put warnings before the picture
(openatx/adbutils#133) and may end in the middle of it.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

import numpy as np

from emulator.device import Screenshot, Size
from emulator.device_errors import ScreenshotFailed

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BARS = 0.06
LINES_AT_ONCE = 64
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def cut(data: bytes, where: str = "") -> bytes:
    """The PNG file in `data`, from its signature to IEND, checksums compared; ScreenshotFailed says what is wrong."""
    start = data.find(SIGNATURE)
    if start < 0:
        said = data[:200].decode(errors="replace").strip()
        raise ScreenshotFailed(f"no picture came{': ' + said if said else ''}", where)
    place = start + len(SIGNATURE)
    while place + 8 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        end = place + 12 + length
        if end > len(data):
            break
        if zlib.crc32(data[place + 4 : end - 4]) != struct.unpack_from(">I", data, end - 4)[0]:
            raise ScreenshotFailed(f"the picture is broken at byte {place - start}", where)
        if data[place + 4 : place + 8] == b"IEND":
            return data[start:end]
        place = end
    raise ScreenshotFailed(f"the picture is cut off after {len(data) - start} bytes", where)


def size(png: bytes) -> Size:
    """Width and height of a PNG file, pixels."""
    return Size(*struct.unpack_from(">II", png, 16))


def is_black(png: bytes) -> bool:
    """Whether everything is black but for the outer 6 % at the top and at the bottom, where the system's bars are.

    Cheap for an ordinary picture: two black lines in succession leave nothing but zeros after filtering, so the first
    byte that isn't one settles it. Only what passes that is decoded.
    """
    width, height = size(png)
    depth, colour, _, _, interlaced = png[24:29]
    if (
        depth == 8
        and colour in CHANNELS
        and not interlaced
        and not _could_be_black(png, width, height, CHANNELS[colour])
    ):
        return False
    from PIL import Image

    with Image.open(BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB"))
    edge = int(height * BARS)
    return not pixels[edge : height - edge].any()


def _could_be_black(png: bytes, width: int, height: int, channels: int) -> bool:
    """False as soon as a filtered line in the middle has something else than zeros outside the alpha channel."""
    line = 1 + width * channels
    first, last = int(height * BARS) + 1, height - int(height * BARS)
    colours = channels - 1 if channels in (2, 4) else channels
    inflate = _inflater()
    inflate.decompress(_image_data(png), first * line)
    count = 1
    while first < last:
        block = inflate.decompress(inflate.unconsumed_tail, min(count, last - first) * line)
        count = min(4 * count, LINES_AT_ONCE)
        lines = len(block) // line
        if not lines:
            return True
        values = np.frombuffer(block, np.uint8, lines * line).reshape(lines, line)[:, 1:]
        if values.reshape(-1, channels)[:, :colours].any():
            return False
        first += lines
    return True


def _inflater() -> Any:
    """isal's, five times as fast, or zlib's."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib.decompressobj()
    return isal_zlib.decompressobj()


def _image_data(png: bytes) -> bytes:
    parts, place = [], len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        if png[place + 4 : place + 8] == b"IDAT":
            parts.append(png[place + 8 : place + 8 + length])
        place += 12 + length
    return b"".join(parts)


def screenshot(data: bytes, where: str = "") -> Screenshot:
    """The picture in what `screencap -p` sent; ScreenshotFailed."""
    png = cut(data, where)
    return Screenshot(png, size(png), is_black(png))
