"""Text measured and drawn with one pinned font, Roboto from the `font-roboto` package (Apache-2.0).

Widths, line breaks and glyph masks are cached for the whole process: many phones share them. Basic layout (no
Raqm) is asked for, so that pixels do not depend on which libraries Pillow was built with.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from importlib import util
from pathlib import Path
from typing import TypeVar

from PIL import Image, ImageFont

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
FACES = ("Roboto-Regular.ttf", "Roboto-Medium.ttf", "Roboto-Bold.ttf")
LINE_HEIGHT = 1.25
ASCENT = 0.97
ELLIPSIS = "\u2026"


class Cache(dict[K, V]):
    """A dictionary that starts again when it is full; what is in it can always be made again."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def keep(self, key: K, value: V) -> V:
        """Remember and return `value`."""
        if len(self) >= self.limit:
            self.clear()
        self[key] = value
        return value


_WIDTHS: Cache[tuple[str, int, int], float] = Cache(50_000)
_BROKEN: Cache[tuple[str, int, int, int, int], tuple[str, ...]] = Cache(10_000)
_MASKS: Cache[tuple[str, int, int], tuple[Image.Image, int, int]] = Cache(3_000)


@cache
def font_directory() -> Path:
    """Where the font files lie; ImportError saying what to install."""
    spec = util.find_spec("font_roboto")
    if spec is None or spec.origin is None:
        raise ImportError("the pocket phone draws with Roboto: pip install font-roboto==0.0.1")
    return Path(spec.origin).parent / "files"


@cache
def font(size: int, bold: int) -> ImageFont.FreeTypeFont:
    """Roboto at `size` pixels; `bold` 0 regular, 1 medium, 2 bold."""
    path = str(font_directory() / FACES[bold])
    return ImageFont.truetype(path, max(size, 1), layout_engine=ImageFont.Layout.BASIC)


def line_height(size: int) -> int:
    """Pixels from one line of text to the next."""
    return round(size * LINE_HEIGHT)


def ascent(size: int) -> int:
    """Pixels from the top of a line to its base line."""
    return round(size * ASCENT)


def width(text: str, size: int, bold: int = 0) -> float:
    """Advance width of one line, pixels."""
    key = (text, size, bold)
    known = _WIDTHS.get(key)
    if known is None:
        known = _WIDTHS.keep(key, float(font(size, bold).getlength(text)))
    return known


def mask(text: str, size: int, bold: int) -> tuple[Image.Image, int, int]:
    """Coverage of a line of text (mode L) and where its top left lies against the base line's start."""
    key = (text, size, bold)
    known = _MASKS.get(key)
    if known is None:
        face = font(size, bold)
        left, top, right, bottom = face.getbbox(text, anchor="ls")
        x, y = int(left) - 1, int(top) - 1
        image = Image.new("L", (max(int(right) - x + 1, 1), max(int(bottom) - y + 1, 1)))
        core = face.getmask2(text, mode="L", anchor="ls")
        image.im.paste(core[0], (core[1][0] - x, core[1][1] - y, core[1][0] - x + core[0].size[0],
                                 core[1][1] - y + core[0].size[1]))  # fmt: skip
        known = _MASKS.keep(key, (image, x, y))
    return known


def break_lines(text: str, size: int, bold: int, room: int, max_lines: int = 0) -> tuple[str, ...]:
    """Lines no wider than `room` pixels, broken at spaces, else inside the word; `max_lines` ends in an ellipsis."""
    key = (text, size, bold, room, max_lines)
    known = _BROKEN.get(key)
    if known is not None:
        return known
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_break_paragraph(paragraph, size, bold, room))
    if max_lines and len(lines) > max_lines:
        last = " ".join(lines[max_lines - 1 :]) if max_lines == 1 else lines[max_lines - 1] + ELLIPSIS
        lines = [*lines[: max_lines - 1], shorten(last, size, bold, room)]
    return _BROKEN.keep(key, tuple(lines))


def _break_paragraph(paragraph: str, size: int, bold: int, room: int) -> list[str]:
    if width(paragraph, size, bold) <= room:
        return [paragraph]
    lines: list[str] = []
    line = ""
    for word in paragraph.split(" "):
        longer = f"{line} {word}" if line else word
        if width(longer, size, bold) <= room:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while len(line) > 1 and width(line, size, bold) > room:
            fit = _fitting(line, size, bold, room)
            lines.append(line[:fit])
            line = line[fit:]
    return [*lines, line]


def _fitting(text: str, size: int, bold: int, room: float) -> int:
    """How many characters of `text` fit into `room` (at least one)."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle], size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def shorten(text: str, size: int, bold: int, room: int) -> str:
    """`text`, or its beginning with an ellipsis where it is wider than `room` pixels."""
    if width(text, size, bold) <= room:
        return text
    keep = _fitting(text, size, bold, room - width(ELLIPSIS, size, bold))
    return text[:keep].rstrip() + ELLIPSIS


def index_at(text: str, size: int, bold: int, x: float) -> int:
    """Number of characters of a line left of `x` pixels, rounded to the nearer side of a character."""
    best, low = 0, abs(x)
    for index in range(1, len(text) + 1):
        distance = abs(width(text[:index], size, bold) - x)
        if distance > low:
            break
        best, low = index, distance
    return best
