"""Reads the words in a picture that the phone shows, from the pixels of the screenshot.

AndroidWorld writes receipts, expenses and recipes into pictures with Pillow (android_world@d9c569f
task_evals/utils/user_data_generation.py and receipt_generator.py): black on white, the first font of FONTS that the
computer has, whole lines at whole pixels. So every letter is known to the pixel, and a line is read by finding the row
of letters that explains its columns at the least cost (Viterbi over pen positions).

The picture is cut out of the screenshot and brought back to its own size, which the Gallery names in "Properties". This
is no reader for other fonts, colours or photographs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image, ImageFont

FONTS = ("arial.ttf", "Arial Unicode.ttf", "Roboto-Regular.ttf", "DejaVuSans-Bold.ttf", "LiberationSans-Regular.ttf")
LETTERS = "".join(map(chr, range(32, 127))) + "\u00e9\u00e8\u00f1"
LEFT = 10  # pen position of the first letter of every line
INK = 0.35  # share of black from which a row of pixels counts as written on
SHIFTS = (0, -1, 1, -2, -3, -4)  # pixels that kerning may move the next letter by
SHIFT_COST = 0.6
RARE = {"I": 0.4} | dict.fromkeys("|^~{}[]\\`<>", 1.0)  # a letter that is seldom written must fit better
HOPELESS = 0.9  # cost a column that says: other letters
GOOD = 0.2  # cost a column that no wrong reading has
Grey = NDArray[np.float32]  # 0 white to 1 black
Costs = NDArray[np.float64]
RARITY = np.array([RARE.get(letter, 0.0) for letter in LETTERS])


@dataclass(frozen=True)
class Alphabet:
    """All letters of a font at a size: ink (letters, rows, columns), how many columns each takes, where lines begin."""

    size: int
    ink: Grey
    steps: tuple[int, ...]
    tops: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Height of the letters' boxes."""
        return int(self.ink.shape[1])


@dataclass(frozen=True)
class Line:
    """One line read: its words, first row of its ink, size of its letters, cost a column (0 is perfect)."""

    text: str
    top: int
    size: int
    cost: float


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font AndroidWorld draws with on this computer."""
    from PIL import ImageFont

    for name in FONTS:
        try:
            return ImageFont.truetype(name, float(size))
        except OSError:
            continue
    return ImageFont.load_default(float(size))


@cache
def alphabet(size: int) -> Alphabet:
    """The letters drawn one by one."""
    from PIL import Image, ImageDraw

    face = font(size)
    rows, columns = round(size * 1.5), round(size * 1.4)
    ink = np.zeros((len(LETTERS), rows, columns), np.float32)
    for number, letter in enumerate(LETTERS):
        image = Image.new("L", (columns, rows), 255)
        ImageDraw.Draw(image).text((0, 0), letter, fill=0, font=face)
        ink[number] = 1 - np.asarray(image, np.float32) / 255
    steps = tuple(max(round(face.getlength(letter)), 1) for letter in LETTERS)
    tops = dict.fromkeys(round(face.getbbox(letter)[1]) for letter in "dA$0t\u00e9x,-")  # the likely ones first
    return Alphabet(size, ink, steps, tuple(tops))


def read(picture: Image.Image, sizes: Sequence[int]) -> list[Line]:
    """The lines of a picture in its own size, top first. `sizes`: pixels that its letters may have."""
    grey = (1 - np.asarray(picture.convert("L"), np.float32) / 255).astype(np.float32)
    lines = [_line(grey, top, bottom, sizes) for top, bottom in _bands(grey)]
    return [line for line in lines if line.text]


def _bands(grey: Grey) -> list[tuple[int, int]]:
    """Rows that are written on, in runs; the dots of a line without tall letters belong to it."""
    written = np.concatenate(([False], grey.max(axis=1) > INK, [False]))
    edges = np.flatnonzero(written[1:] != written[:-1])
    runs = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    joined: list[tuple[int, int]] = []
    for top, bottom in runs:
        if joined and top - joined[-1][1] <= 3 and (joined[-1][1] - joined[-1][0] <= 6 or bottom - top <= 3):
            joined[-1] = (joined[-1][0], bottom)
        else:
            joined.append((top, bottom))
    return joined


def _line(grey: Grey, top: int, bottom: int, sizes: Sequence[int]) -> Line:
    best = Line("", top, 0, np.inf)
    for size in sizes:
        letters = alphabet(size)
        if bottom - top > letters.rows:
            continue
        own = np.inf
        for shift in (0, -1, 1):
            if shift and own > HOPELESS:
                break
            for start in [top - t + shift for t in letters.tops]:
                text, cost = _decode(_strip(grey, start, letters.rows, top, bottom), letters)
                own = min(own, cost)
                if cost < best.cost:
                    best = Line(text, top, size, cost)
                if best.cost < GOOD:
                    return best
    return best


def _strip(grey: Grey, start: int, rows: int, top: int, bottom: int) -> Grey:
    """The rows from `start` on, with no ink but that of the line itself."""
    strip = np.zeros((rows, grey.shape[1]), np.float32)
    first, last = max(start, top - 1, 0), min(start + rows, bottom + 1, grey.shape[0])
    if first < last:
        strip[first - start : last - start] = grey[first:last]
    return strip


def _decode(strip: Grey, letters: Alphabet) -> tuple[str, float]:
    """The row of letters with the least squared difference, and that difference a column."""
    inked = np.flatnonzero(strip.max(axis=0) > INK)
    if not inked.size:
        return "", np.inf
    end = int(inked[-1]) + 1
    costs = _costs(strip, letters, end) + RARITY[:, None]
    steps = np.array(letters.steps)
    widths = sorted(set(letters.steps))
    groups = [np.flatnonzero(steps == width) for width in widths]
    chosen = np.array([group[costs[group].argmin(axis=0)] for group in groups])  # the best letter of each width
    least = np.take_along_axis(costs, chosen, axis=0)
    return _cheapest(widths, least, chosen, end)


def _cheapest(widths: Sequence[int], least: Costs, chosen: NDArray[np.intp], end: int) -> tuple[str, float]:
    """The cheapest way of pen positions from LEFT to the end of the ink: each is reached from the best one before."""
    ways = [
        (k, w + shift, SHIFT_COST if shift else 0.0) for k, w in enumerate(widths) for shift in SHIFTS if w > -shift
    ]
    of, ahead, extra = (np.array(part) for part in zip(*ways, strict=True))
    room, long = int(ahead.max()), end + widths[-1] + 2
    best = np.full(room + long, np.inf)
    best[room + LEFT] = 0.0
    price = np.full((len(widths), room + long), np.inf)
    price[:, room : room + end] = least
    flat, row, before = price.ravel(), of * price.shape[1], room - ahead
    back = np.zeros(long, np.intp)
    for x in range(LEFT + 1, long):
        offered = best[before + x] + flat[row + before + x] + extra
        back[x] = offered.argmin()
        best[room + x] = offered[back[x]]
    last = end + int(best[room + end :].argmin())
    cost, found = float(best[room + last]), list[str]()
    while last > LEFT and np.isfinite(best[room + last]):
        way = back[last]
        last -= int(ahead[way])
        found.append(LETTERS[chosen[of[way], last]])
    return "".join(reversed(found)), cost / max(end - LEFT, 1)


def _costs(strip: Grey, letters: Alphabet, end: int) -> NDArray[np.float64]:
    """Squared difference of each letter at each pen position, over its own columns: (letters, positions)."""
    rows, columns = letters.ink.shape[1:]
    padded = np.pad(strip, ((0, 0), (0, columns)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, columns, axis=1)[:, :end]
    mask = np.arange(columns)[None, :] < np.array(letters.steps)[:, None]
    own = letters.ink * mask[:, None, :]
    flat = windows.transpose(1, 0, 2).reshape(end, rows * columns)
    products = own.reshape(len(own), -1) @ flat.T
    squares = np.concatenate(([0.0], np.cumsum((padded.astype(np.float64) ** 2).sum(axis=0))))
    at = np.arange(end)
    observed = squares[at[None, :] + np.array(letters.steps)[:, None].clip(max=columns)] - squares[at][None, :]
    ideal = (own.astype(np.float64) ** 2).sum(axis=(1, 2))
    return np.asarray(observed - 2 * products + ideal[:, None])


def cut(screenshot: bytes, bounds: tuple[int, int, int, int], size: tuple[int, int]) -> Image.Image:
    """A picture of `size` pixels, shown whole in the middle of `bounds` of a PNG screenshot, in its own size again."""
    from PIL import Image

    left, top, right, bottom = bounds
    fit = min((right - left) / size[0], (bottom - top) / size[1])
    wide, high = max(round(size[0] * fit), 1), max(round(size[1] * fit), 1)
    x, y = left + (right - left - wide) // 2, top + (bottom - top - high) // 2
    with Image.open(BytesIO(screenshot)) as opened:
        shown = opened.convert("L").crop((x, y, x + wide, y + high))
    return shown.resize(size, Image.Resampling.BICUBIC if fit < 1 else Image.Resampling.BOX)
