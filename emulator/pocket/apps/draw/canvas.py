"""A drawing: strokes on a ground, as plain data, and the PNG, JPEG and SVG files made of it.

Points are dp from the canvas's top left; files are as large as the canvas is on the display.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

Rgb = tuple[int, int, int]
Point = tuple[float, float]
EXTENSIONS = ("png", "jpg", "svg")


@dataclass(frozen=True)
class Stroke:
    """A line drawn with one move of the finger. `wide` dp."""

    points: tuple[Point, ...]
    color: Rgb
    wide: float


@dataclass(frozen=True)
class Drawing:
    """What is to be written: size in pixels, `scale` pixels a dp, ground, a picture under the strokes (file bytes)."""

    size: tuple[int, int]
    scale: float
    ground: Rgb
    strokes: Sequence[Stroke]
    below: bytes = b""


def color_name(rgb: Rgb) -> str:
    """`#RRGGBB`."""
    return "#" + "".join(f"{part:02X}" for part in rgb)


def color_of(name: str) -> Rgb | None:
    """The colour of `#RRGGBB` or `RRGGBB`; None for anything else."""
    digits = name.strip().removeprefix("#")
    if len(digits) != 6 or any(c not in "0123456789abcdefABCDEF" for c in digits):
        return None
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def encoded(drawing: Drawing, extension: str) -> bytes:
    """The file; ValueError for an extension that is none of EXTENSIONS."""
    if extension == "svg":
        return svg(drawing).encode()
    if extension not in EXTENSIONS:
        raise ValueError(f"a drawing is saved as one of {', '.join(EXTENSIONS)}, not {extension!r}")
    out = BytesIO()
    image = raster(drawing)
    if extension == "jpg":
        image.save(out, "JPEG", quality=90)
    else:
        image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def raster(drawing: Drawing) -> Image.Image:
    """The drawing as an image."""
    from PIL import Image, ImageDraw

    from emulator.pocket.images import picture

    width, height = (max(side, 1) for side in drawing.size)
    image = Image.new("RGB", (width, height), drawing.ground)
    shown = picture(drawing.below) if drawing.below else None
    if shown is not None:
        fit = min(width / shown.width, height / shown.height)
        size = max(round(shown.width * fit), 1), max(round(shown.height * fit), 1)
        placed = Image.frombytes("RGB", (shown.width, shown.height), shown.rgb).resize(size)
        image.paste(placed, ((width - size[0]) // 2, (height - size[1]) // 2))
    pen = ImageDraw.Draw(image)
    for stroke in drawing.strokes:
        points = [(x * drawing.scale, y * drawing.scale) for x, y in stroke.points]
        wide = max(round(stroke.wide * drawing.scale), 1)
        if len(points) > 1:
            pen.line(points, fill=stroke.color, width=wide, joint="curve")
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), fill=stroke.color)
    return image


def svg(drawing: Drawing) -> str:
    """Paths with round ends on a rectangle, in dp. A picture below is left out, as in the real app's SVG."""
    width, height = (side / drawing.scale for side in drawing.size)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}">',
        f'<rect width="{width:g}" height="{height:g}" fill="{color_name(drawing.ground)}"/>',
        "<g>",
    ]
    for stroke in drawing.strokes:
        points = stroke.points if len(stroke.points) > 1 else stroke.points * 2
        way = "M" + " L".join(f"{x:g},{y:g}" for x, y in points)
        lines.append(f'<path d="{way}" fill="none" stroke="{color_name(stroke.color)}" stroke-width="{stroke.wide:g}" '
                     'stroke-linecap="round" stroke-linejoin="round"/>')  # fmt: skip
    return "\n".join([*lines, "</g>", "</svg>", ""])


def color_at(point: Point, ground: Rgb, strokes: Sequence[Stroke]) -> Rgb:
    """The colour that is seen at a point (a picture below does not count)."""
    for stroke in reversed(strokes):
        ends = stroke.points if len(stroke.points) > 1 else stroke.points * 2
        if any(_distance(point, a, b) <= stroke.wide / 2 for a, b in pairwise(ends)):
            return stroke.color
    return ground


def _distance(p: Point, a: Point, b: Point) -> float:
    """From a point to a line between two."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    long = dx * dx + dy * dy
    at = 0.0 if long == 0 else min(max(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / long, 0.0), 1.0)
    return float(((p[0] - a[0] - at * dx) ** 2 + (p[1] - a[1] - at * dy) ** 2) ** 0.5)
