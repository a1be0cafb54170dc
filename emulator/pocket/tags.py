"""What sound and film files say about themselves: title, artist, album, length, read from their headers.

MP3: ID3v2.3 and 2.4 text frames (id3.org) and the first MPEG audio frame with LAME's Xing/Info header, which is what
FFmpeg (and so pydub, and so AndroidWorld) writes; without that header the length follows from the bit rate. MPEG-4:
mp4.py. WAV: its `fmt ` and `data` chunks. Departures: ID3v1, ID3v2.2, unsynchronised tags and other formats are not
read: such a file has the name of the file as its title, and the length 0 where no header tells it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from emulator.pocket import mp4

UNKNOWN = "<unknown>"  # what Android's media store calls an artist it does not know
RATES = ((11025, 12000, 8000), (0, 0, 0), (22050, 24000, 16000), (44100, 48000, 32000))  # by version bits
KBPS_1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)
KBPS_2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0)
LAYER_3 = 1
CODECS = {0: "latin-1", 1: "utf-16", 2: "utf-16-be", 3: "utf-8"}


@dataclass(frozen=True)
class Tags:
    """What a file says; `title`, `artist`, `album` are '' where it says nothing."""

    title: str = ""
    artist: str = ""
    album: str = ""
    duration_ms: int = 0


def read(data: bytes) -> Tags:
    """The tags of a file's content; never raises: a broken file says nothing."""
    if data[4:8] == b"ftyp":
        return Tags(duration_ms=mp4.duration_ms(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return Tags(duration_ms=_wav_ms(data))
    frames, start = _id3(data)
    return Tags(frames.get("TIT2", ""), frames.get("TPE1", ""), frames.get("TALB", ""), _mp3_ms(data, start))


def _id3(data: bytes) -> tuple[dict[str, str], int]:
    """Text frames by name, and where the tag ends."""
    if data[:3] != b"ID3" or len(data) < 10 or data[3] not in {3, 4}:
        return {}, 0
    end = 10 + _syncsafe(data[6:10])
    at, found = 10, {}
    if data[5] & 0x40 and at + 4 <= len(data):  # an extended header, which says its own length
        at += _syncsafe(data[at : at + 4]) if data[3] == 4 else 4 + int.from_bytes(data[at : at + 4], "big")
    while at + 10 <= min(end, len(data)) and data[at]:
        size = data[at + 4 : at + 8]
        long = _syncsafe(size) if data[3] == 4 else int.from_bytes(size, "big")
        body = data[at + 10 : min(at + 10 + long, end)]
        if data[at : at + 1] == b"T" and body:
            found[data[at : at + 4].decode("latin-1")] = _text(body)
        at += 10 + long
    return found, end


def _syncsafe(four: bytes) -> int:
    return sum((byte & 0x7F) << shift for byte, shift in zip(four, (21, 14, 7, 0), strict=False))


def _text(body: bytes) -> str:
    words = body[1:].decode(CODECS.get(body[0], "latin-1"), errors="replace")
    return words.split("\0")[0].strip()


def _mp3_ms(data: bytes, start: int) -> int:
    """The length told by the first MPEG layer 3 frame within 4096 bytes behind `start`; 0 if there is none."""
    for at in range(start, min(start + 4096, len(data) - 4)):
        if data[at] == 0xFF and data[at + 1] & 0xE0 == 0xE0:
            made = _frame_ms(data, at)
            if made is not None:
                return made
    return 0


def _frame_ms(data: bytes, at: int) -> int | None:
    version, layer = data[at + 1] >> 3 & 3, data[at + 1] >> 1 & 3
    index, hertz = data[at + 2] >> 4, data[at + 2] >> 2 & 3
    if layer != LAYER_3 or version == 1 or hertz == 3:
        return None
    first, mono = version == 3, data[at + 3] >> 6 == 3
    rate, kbps = RATES[version][hertz], (KBPS_1 if first else KBPS_2)[index]
    if not kbps:
        return None
    side = (17 if mono else 32) if first else (9 if mono else 17)
    head = data[at + 4 + side : at + 16 + side]
    if head[:4] in {b"Xing", b"Info"} and len(head) == 12 and head[7] & 1:
        return int.from_bytes(head[8:12], "big") * (1152 if first else 576) * 1000 // rate
    return (len(data) - at) * 8 // kbps


def _wav_ms(data: bytes) -> int:
    at, speed = 12, 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind == b"fmt " and at + 24 <= len(data):
            speed = struct.unpack_from("<I", data, at + 16)[0]
        if kind == b"data":
            return int(size) * 1000 // speed if speed else 0
        at += 8 + size + size % 2
    return 0
