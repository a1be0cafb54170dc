"""A fast PNG encoder for screenshots: RGBA, every row filtered with "Up", deflate level 1.

A phone's screen repeats from row to row, so the Up filter (PNG specification, section 9.2) leaves mostly zeros
and level 1 packs them well. `isal` deflates several times faster than zlib; without it zlib does the same job.
Buffers are kept per thread and size: fresh ones cost more (page faults) than the encoding.
"""

from __future__ import annotations

import struct
import threading
import zlib

import numpy as np
from numpy.typing import NDArray

try:
    from isal import isal_zlib as _deflate
except ImportError:  # pragma: no cover - the android extra brings isal
    _deflate = zlib  # type: ignore[misc, assignment, unused-ignore]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
UP = 2
RGBA = 6
_buffers = threading.local()


def encode(pixels: NDArray[np.uint8]) -> bytes:
    """PNG of a C-contiguous (height, width, 4) uint8 array."""
    height, width, channels = pixels.shape
    if channels != 4 or pixels.dtype != np.uint8:
        raise ValueError(f"expected (height, width, 4) uint8, got {pixels.shape} {pixels.dtype}")
    rows = pixels.reshape(height, width * 4)
    filtered = _buffer(height, width * 4 + 1)
    filtered[:, 0] = UP
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, RGBA, 0, 0, 0)
    data = _deflate.compress(filtered.data, 1)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def _buffer(height: int, width: int) -> NDArray[np.uint8]:
    known: dict[tuple[int, int], NDArray[np.uint8]] = _buffers.__dict__.setdefault("known", {})
    if (height, width) not in known:
        known.clear()
        known[height, width] = np.empty((height, width), np.uint8)
    return known[height, width]
