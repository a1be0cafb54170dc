"""MPEG-4 files made and read: silent sound (AAC) and films of JPEG pictures, with headers that any player reads.

Boxes and their fields: ISO/IEC 14496-12 (ftyp, mdat, moov with mvhd and one trak) and 14496-14 (mp4a, esds). Sound is
AAC-LC silence, one frame after another; pictures stand under the sample entry `jpeg` of QuickTime, which FFmpeg and
OpenCV decode. Departures: one track, one chunk, no edit list, times in the first version of the boxes (32 bits).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

EPOCH_1904 = 2_082_844_800  # seconds from 1904, where the format's time begins, to 1970
SCALE = 1000  # units a second of the film's own times
MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
RATE = 44_100
FRAME = 1024  # samples of an AAC frame
SILENCE = bytes.fromhex("2100499002190023 80".replace(" ", ""))  # one frame of AAC-LC, two channels, nothing to hear
STEREO_44100 = bytes.fromhex("1210")  # AudioSpecificConfig: AAC-LC, 44.1 kHz, two channels


def box(kind: str, *parts: bytes) -> bytes:
    """Size, four letters, content."""
    content = b"".join(parts)
    return struct.pack(">I", len(content) + 8) + kind.encode() + content


def full(kind: str, flags: int, *parts: bytes) -> bytes:
    """A box with version 0 and flags."""
    return box(kind, struct.pack(">I", flags), *parts)


@dataclass(frozen=True)
class Track:
    """What tells sound from pictures. `unit`: its time units a second; `step`: units of one sample."""

    handler: str
    name: str
    header: bytes
    entry: bytes
    unit: int
    step: int
    size: tuple[int, int]
    volume: int


def sound(seconds: float, created_s: float, bitrate: int = 128_000) -> bytes:
    """An .m4a of silence: stereo, 44.1 kHz. `created_s` since 1970; at least one frame."""
    frames = max(math.ceil(seconds * RATE / FRAME), 1)
    config = _descriptor(5, STEREO_44100)
    rates = struct.pack(">II", bitrate, bitrate)
    decoder = _descriptor(4, bytes([0x40, 0x15]), (6144).to_bytes(3, "big"), rates, config)
    esds = full("esds", 0, _descriptor(3, struct.pack(">HB", 1, 0), decoder, _descriptor(6, b"\x02")))
    entry = box("mp4a", bytes(6), struct.pack(">H8xHHI", 1, 2, 16, 0), struct.pack(">I", RATE << 16), esds)
    track = Track("soun", "SoundHandle", full("smhd", 0, bytes(4)), entry, RATE, FRAME, (0, 0), 0x0100)
    return _file(b"mp42", track, [SILENCE] * frames, created_s)


def film(pictures: Sequence[bytes], size: tuple[int, int], picture_ms: int, created_s: float) -> bytes:
    """An .mp4 that shows JPEG files of one size (width, height) for `picture_ms` each; ValueError without pictures."""
    if not pictures:
        raise ValueError("a film needs a picture")
    name = b"\x04JPEG".ljust(32, b"\0")
    shape = struct.pack(">HHIIIH", *size, 0x480000, 0x480000, 0, 1)
    entry = box("jpeg", bytes(6), struct.pack(">H", 1), bytes(16), shape, name, struct.pack(">Hh", 24, -1))
    head = full("vmhd", 1, bytes(8))
    track = Track("vide", "VideoHandle", head, entry, SCALE, picture_ms, size, 0)
    return _file(b"mp42", track, pictures, created_s)


def _descriptor(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes([tag, len(content)]) + content


def _file(brand: bytes, track: Track, samples: Sequence[bytes], created_s: float) -> bytes:
    start = box("ftyp", brand, bytes(4), b"isom", b"mp42")
    data = box("mdat", *samples)
    return start + data + _moov(track, samples, len(start) + 8, created_s)


def _moov(track: Track, samples: Sequence[bytes], offset: int, created_s: float) -> bytes:
    made = int(created_s) + EPOCH_1904
    own = len(samples) * track.step
    long = round(own * SCALE / track.unit)
    mvhd = full("mvhd", 0, struct.pack(">IIIIIH10x", made, made, SCALE, long, 0x10000, 0x100), MATRIX, bytes(24),
                struct.pack(">I", 2))  # fmt: skip
    width, height = track.size
    tkhd = full("tkhd", 7, struct.pack(">IIIIIQHHHH", made, made, 1, 0, long, 0, 0, 0, track.volume, 0), MATRIX,
                struct.pack(">II", width << 16, height << 16))  # fmt: skip
    mdhd = full("mdhd", 0, struct.pack(">IIIIHH", made, made, track.unit, own, 0x55C4, 0))
    hdlr = full("hdlr", 0, bytes(4), track.handler.encode(), bytes(12), track.name.encode() + b"\0")
    here = box("dinf", full("dref", 0, struct.pack(">I", 1), full("url ", 1)))
    minf = box("minf", track.header, here, _table(track, samples, offset))
    return box("moov", mvhd, box("trak", tkhd, box("mdia", mdhd, hdlr, minf)))


def _table(track: Track, samples: Sequence[bytes], offset: int) -> bytes:
    """Where each sample lies and how long it lasts: all in one chunk."""
    sizes = [len(sample) for sample in samples]
    return box(
        "stbl",
        full("stsd", 0, struct.pack(">I", 1), track.entry),
        full("stts", 0, struct.pack(">III", 1, len(samples), track.step)),
        full("stsc", 0, struct.pack(">IIII", 1, 1, len(samples), 1)),
        full("stsz", 0, struct.pack(">II", 0, len(sizes)), struct.pack(f">{len(sizes)}I", *sizes)),
        full("stco", 0, struct.pack(">II", 1, offset)),
    )


# reading


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """(kind, first byte of the content, one behind the last) of the boxes in a part of a file; stops at nonsense."""
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1 and start + 16 <= end:
            size, head = struct.unpack_from(">Q", data, start + 8)[0], 16
        elif size == 0:
            size = end - start
        if size < head or start + size > end:
            return
        yield kind, start + head, start + size
        start += size


def _find(data: bytes, kinds: Sequence[bytes], start: int, end: int) -> tuple[int, int] | None:
    for kind, first, last in _boxes(data, start, end):
        if kind == kinds[0]:
            return (first, last) if len(kinds) == 1 else _find(data, kinds[1:], first, last)
    return None


def duration_ms(data: bytes) -> int:
    """How long an MPEG-4 file plays, from its movie header; 0 if it has none."""
    found = _find(data, (b"moov", b"mvhd"), 0, len(data))
    if found is None or found[1] - found[0] < 32:
        return 0
    form, at = (">IQ", found[0] + 20) if data[found[0]] == 1 else (">II", found[0] + 12)
    unit, long = struct.unpack_from(form, data, at)
    return int(long) * 1000 // int(unit) if unit else 0


def pictures(data: bytes) -> list[bytes]:
    """The JPEG pictures of a file that `film` made; empty for any other."""
    place = (b"moov", b"trak", b"mdia", b"minf", b"stbl")
    kinds = (b"stsd", b"stsz", b"stco")
    found = [_find(data, (*place, kind), 0, len(data)) for kind in kinds]
    if None in found or any(f is not None and f[1] - f[0] < 12 for f in found):
        return []
    (entry, _), (sizes, last), (where, end) = (f for f in found if f is not None)
    count, at = struct.unpack_from(">I", data, sizes + 8)[0], 0
    if data[entry + 12 : entry + 16] != b"jpeg" or last - sizes < 12 + 4 * count or end - where < 12:
        return []
    at = struct.unpack_from(">I", data, where + 8)[0]
    made: list[bytes] = []
    for size in struct.unpack_from(f">{count}I", data, sizes + 12):
        made.append(data[at : at + size])
        at += size
    return made
