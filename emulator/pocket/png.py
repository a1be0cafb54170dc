"""A fast PNG encoder for screenshots: RGBA, every row filtered with "Up", deflate level 1.

A phone's screen repeats from row to row, so the Up filter (PNG specification, section 9.2) leaves mostly zeros and
level 1 packs them well. `isal` deflates several times faster than zlib; without it zlib does the same job (with other
bytes).
Rows are filtered and packed a block at a time in a buffer that stays in the processor's cache and is kept per thread:
writing and reading ten megabytes of filtered rows costs more than the packing.
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
LEVEL = 1
BLOCK = 128  # rows
_kept = threading.local()


def encode(pixels: NDArray[np.uint8]) -> bytes:
    """PNG of a C-contiguous (height, width, 4) uint8 array; ValueError for another shape or type."""
    if pixels.ndim != 3 or pixels.shape[2] != 4 or pixels.dtype != np.uint8:
        raise ValueError(f"expected (height, width, 4) uint8, got {pixels.shape} {pixels.dtype}")
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, RGBA, 0, 0, 0)
    data = _packed(pixels.reshape(height, width * 4))
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _packed(rows: NDArray[np.uint8]) -> bytes:
    """The zlib stream of the filtered rows: each less the one above; above the first lies nothing."""
    block = _block(rows.shape[1] + 1)
    packer = _deflate.compressobj(LEVEL)
    parts = []
    for first in range(0, len(rows), BLOCK):
        filtered = block[: len(rows) - first]
        last = first + len(filtered)
        if first:
            np.subtract(rows[first:last], rows[first - 1 : last - 1], out=filtered[:, 1:])
        else:
            filtered[0, 1:] = rows[0]
            np.subtract(rows[1:last], rows[: last - 1], out=filtered[1:, 1:])
        parts.append(packer.compress(filtered.data))
    return b"".join([*parts, packer.flush()])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def _block(stride: int) -> NDArray[np.uint8]:
    """Room for a block of filtered rows, the filter's number in front of each."""
    known: dict[int, NDArray[np.uint8]] = _kept.__dict__.setdefault("blocks", {})
    if stride not in known:
        known.clear()
        known[stride] = np.full((BLOCK, stride), UP, np.uint8)
    return known[stride]
