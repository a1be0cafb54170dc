"""Draws display lists into one persistent numpy surface, redrawing only the rows that changed.

The surface is (height, width, 4) uint8, RGB and 255, and Pillow draws straight into its memory
(`Image.frombuffer` with readonly = 0). The new display list is compared with the old one: the operations that only one
of them has cover the damaged rows. Those rows are drawn through an image that covers just them, so that everything is
clipped to whole rows for free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from emulator.pocket import display_list, fonts
from emulator.pocket.display_list import Op
from emulator.pocket.fonts import Cache
from emulator.pocket.icons import icon_mask
from emulator.pocket.theme import DIM, Rgb
from emulator.pocket.views import Bounds, Picture

OPAQUE = 255 << 24
Surface = NDArray[np.uint8]
_CORNERS: Cache[int, tuple[Image.Image, Image.Image, Image.Image, Image.Image]] = Cache(300)
_PICTURES: Cache[tuple[str, int, int, bool], Image.Image] = Cache(24)


class Renderer:
    """One surface. `draw` brings it up to date and says whether a pixel may have changed."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.surface: Surface = np.zeros((height, width, 4), np.uint8)
        self.surface[..., 3] = 255
        self._words = self.surface.view("<u4")[..., 0]
        self._layers: list[list[Op]] = []
        self._bands: Cache[tuple[int, int], tuple[Image.Image, ImageDraw.ImageDraw]] = Cache(64)

    def draw(self, layers: list[list[Op]]) -> bool:
        """Show the layers (one list a window, bottom first)."""
        rows = self._damage(layers)
        self._layers = layers
        for top, bottom in rows:
            for layer in layers:
                for op in layer:
                    if op[1][1] < bottom and op[1][3] > top:
                        self._op(op, top, bottom)
        return bool(rows)

    def forget(self) -> None:
        """Draw everything next time."""
        self._layers = []

    def _damage(self, layers: list[list[Op]]) -> list[tuple[int, int]]:
        if len(layers) != len(self._layers):
            return [(0, self.height)]
        spans: list[tuple[int, int]] = []
        for new, old in zip(layers, self._layers, strict=True):
            spans.extend((max(top, 0), min(bottom, self.height)) for top, bottom in _changed_rows(new, old))
        return _merged([s for s in spans if s[0] < s[1]])

    def _band(self, top: int, bottom: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
        known = self._bands.get((top, bottom))
        if known is None:
            rows = self.surface[top:bottom]
            image = Image.frombuffer("RGBX", (self.width, bottom - top), rows, "raw", "RGBX", 0, 1)
            image.readonly = 0
            known = self._bands.keep((top, bottom), (image, ImageDraw.Draw(image)))
        return known

    def _op(self, op: Op, top: int, bottom: int) -> None:
        kind, bounds, clip, a, b, c = op
        top, bottom = max(top, clip[1], 0), min(bottom, clip[3], self.height)
        left, right = max(bounds[0], clip[0], 0), min(bounds[2], clip[2], self.width)
        if top >= bottom or left >= right or bounds[1] >= bottom or bounds[3] <= top:
            return
        image, canvas = self._band(top, bottom)
        if kind == display_list.RECT:
            self._fill(bounds, (left, top, right, bottom), a)
        elif kind == display_list.TEXT:
            mask, x, y = fonts.mask(*a)
            _paste(image, b, mask, c[0] + x, c[1] + y - top, clip)
        elif kind == display_list.ICON:
            _paste(image, b, icon_mask(a, bounds[2] - bounds[0]), bounds[0], bounds[1] - top, clip)
        elif kind == display_list.ROUND:
            self._round(image, bounds, (left, top, right, bottom), clip, a, b)
        elif kind == display_list.GRADIENT:
            self._gradient(bounds, (left, top, right, bottom), a, b)
        elif kind == display_list.PICTURE:
            shown = _scaled(a, bounds[2] - bounds[0], bounds[3] - bounds[1], b)
            cut = shown.crop((left - bounds[0], 0, right - bounds[0], shown.height))
            image.paste(cut, (left, bounds[1] - top))
        elif kind == display_list.STROKE:
            _stroke(canvas, a, b, c, top)

    def _fill(self, bounds: Bounds, part: Bounds, color: Rgb) -> None:
        """The part of a rectangle that lies in `part`, in one colour."""
        word = color[0] | color[1] << 8 | color[2] << 16 | OPAQUE
        top, bottom = max(bounds[1], part[1]), min(bounds[3], part[3])
        left, right = max(bounds[0], part[0]), min(bounds[2], part[2])
        if top < bottom and left < right:
            self._words[top:bottom, left:right].fill(word)

    def _round(self, image: Image.Image, bounds: Bounds, part: Bounds, clip: Bounds, color: Rgb, radius: int) -> None:
        left, top, right, bottom = bounds
        if radius <= 0:
            self._fill(bounds, part, color)
            return
        self._fill((left, top + radius, right, bottom - radius), part, color)
        self._fill((left + radius, top, right - radius, top + radius), part, color)
        self._fill((left + radius, bottom - radius, right - radius, bottom), part, color)
        places = [(x, y - part[1]) for y in (top, bottom - radius) for x in (left, right - radius)]
        for mask, (x, y) in zip(_corners(radius), places, strict=True):
            _paste(image, color, mask, x, y, clip)

    def _gradient(self, bounds: Bounds, part: Bounds, first: Rgb, last: Rgb) -> None:
        top, bottom = max(part[1], bounds[1]), min(part[3], bounds[3])
        share = (np.arange(top, bottom) - bounds[1]) / max(bounds[3] - bounds[1] - 1, 1)
        start, end = np.array(first, float), np.array(last, float)
        rows = (start + (end - start) * share[:, None]).astype(np.uint32)
        words = rows[:, 0] | rows[:, 1] << 8 | rows[:, 2] << 16 | OPAQUE
        self._words[top:bottom, part[0] : part[2]] = words[:, None]


def _changed_rows(new: list[Op], old: list[Op]) -> list[tuple[int, int]]:
    """Rows (first, one behind the last) of the operations that only one of the lists has.

    A pixel follows from the operations that cover it, in their order. So where both lists have the rest in the same
    order, nothing else changed; where they don't, everything from the first to the last difference may have.
    """
    if new is old:
        return []
    was, now = set(old), set(new)
    if [op for op in new if op in was] == [op for op in old if op in now]:
        changed = [op for op in new if op not in was] + [op for op in old if op not in now]
        return [_rows(op) for op in changed]
    rows = [_rows(op) for op in _between(new, old)]
    return [(min(top for top, _ in rows), max(bottom for _, bottom in rows))]


def _rows(op: Op) -> tuple[int, int]:
    return max(op[1][1], op[2][1]), min(op[1][3], op[2][3])


def _between(new: list[Op], old: list[Op]) -> list[Op]:
    """What lies between the common beginning and the common end of two lists, of both."""
    shorter = min(len(new), len(old))
    head = 0
    while head < shorter and new[head] == old[head]:
        head += 1
    tail = 0
    while tail < shorter - head and new[-1 - tail] == old[-1 - tail]:
        tail += 1
    return new[head : len(new) - tail] + old[head : len(old) - tail]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for top, bottom in sorted(spans):
        if merged and top <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(bottom, merged[-1][1]))
        else:
            merged.append((top, bottom))
    return merged


def _paste(image: Image.Image, color: Rgb, mask: Image.Image, x: int, y: int, clip: Bounds) -> None:
    """Colour through a mask at (x, y) of the band, cut at the clip's left and right."""
    first, last = max(clip[0] - x, 0), min(clip[2] - x, mask.width)
    if first >= last:
        return
    if first > 0 or last < mask.width:
        mask = mask.crop((first, 0, last, mask.height))
        x += first
    image.paste(color, (x, y, x + mask.width, y + mask.height), mask)


def _corners(radius: int) -> tuple[Image.Image, Image.Image, Image.Image, Image.Image]:
    """Coverage of the quarters of a disc: top left, top right, bottom left, bottom right."""
    known = _CORNERS.get(radius)
    if known is None:
        big = Image.new("L", (radius * 4, radius * 4))
        ImageDraw.Draw(big).ellipse((0, 0, radius * 8 - 1, radius * 8 - 1), fill=255)
        first = big.resize((radius, radius), Image.Resampling.BOX)
        flip = Image.Transpose
        ways = (flip.FLIP_LEFT_RIGHT, flip.FLIP_TOP_BOTTOM, flip.ROTATE_180)
        second, third, fourth = (first.transpose(way) for way in ways)
        known = _CORNERS.keep(radius, (first, second, third, fourth))
    return known


def _scaled(picture: Picture, width: int, height: int, dimmed: bool) -> Image.Image:
    key = (picture.key, width, height, dimmed)
    known = _PICTURES.get(key)
    if known is None:
        image = Image.frombytes("RGB", (picture.width, picture.height), picture.rgb)
        image = image.resize((width, height), Image.Resampling.BILINEAR)
        if dimmed:
            image = image.point([int(i * DIM) for i in range(256)] * 3)
        known = _PICTURES.keep(key, image.convert("RGBX"))
    return known


def _stroke(
    canvas: ImageDraw.ImageDraw, points: tuple[tuple[float, float], ...], color: Rgb, wide: int, top: int
) -> None:
    moved = [(x, y - top) for x, y in points]
    half = wide / 2
    if len(moved) > 1:
        canvas.line(moved, fill=color, width=wide, joint="curve")
    for x, y in (moved[0], moved[-1]):
        canvas.ellipse((x - half, y - half, x + half, y + half), fill=color)
