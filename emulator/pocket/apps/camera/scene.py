"""What the lenses see: a room in front of the back camera, a person in front of the other, drawn, never photographed.

The same picture for the same size, lens and second, so that a phone's photos follow from what was done with it.
"""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from emulator.pocket.views import Picture

if TYPE_CHECKING:
    from PIL import Image

Lens = Literal["back", "front"]
WALL, FLOOR, SKIRTING = (222, 208, 186), (150, 108, 74), (245, 240, 232)
SKY, HILL, FRAME = (150, 200, 240), (110, 160, 96), (250, 250, 248)
TABLE, SHADE, POT, LEAF, BALL = (112, 72, 46), (128, 90, 62), (190, 92, 64), (62, 130, 74), (214, 70, 60)
SKIN, SHIRT, HAIR, BEHIND = (226, 178, 146), (72, 104, 160), (70, 48, 36), (196, 206, 212)


def drawn(size: tuple[int, int], lens: Lens, second: int = 0) -> Image.Image:
    """The scene as an image of (width, height). `second` moves a ball on the table, or the person's hand."""
    from PIL import Image, ImageDraw

    width, height = size
    image = Image.new("RGB", (width * 2, height * 2), WALL if lens == "back" else BEHIND)
    canvas = ImageDraw.Draw(image)
    unit = min(width, height) * 2 / 100
    middle, ground = width, height * 2
    if lens == "back":
        _room(canvas, unit, middle, ground, second)
    else:
        _person(canvas, unit, middle, ground, second)
    return image.resize(size, Image.Resampling.BOX)


def _room(canvas: object, unit: float, middle: float, ground: float, second: int) -> None:
    from PIL import ImageDraw

    assert isinstance(canvas, ImageDraw.ImageDraw)
    floor = ground * 0.72
    wide = middle * 2
    canvas.rectangle((0, floor, wide, ground), fill=FLOOR)
    for line in range(1, 6):
        y = floor + (ground - floor) * (line / 6) ** 1.6
        canvas.line((0, y, wide, y), fill=SHADE, width=max(int(unit / 3), 1))
    canvas.rectangle((0, floor - 3 * unit, wide, floor), fill=SKIRTING)
    left, top, right, bottom = middle - 30 * unit, ground * 0.16, middle + 18 * unit, ground * 0.16 + 46 * unit
    canvas.rectangle((left - 2 * unit, top - 2 * unit, right + 2 * unit, bottom + 2 * unit), fill=FRAME)
    canvas.rectangle((left, top, right, bottom), fill=SKY)
    canvas.ellipse((right - 14 * unit, top + 4 * unit, right - 5 * unit, top + 13 * unit), fill=(255, 236, 160))
    canvas.polygon(
        [
            (left, bottom),
            (left, bottom - 12 * unit),
            (left + 16 * unit, bottom - 18 * unit),
            (left + 32 * unit, bottom - 9 * unit),
            (right, bottom - 15 * unit),
            (right, bottom),
        ],
        fill=HILL,
    )
    canvas.rectangle(((left + right) / 2 - unit, top, (left + right) / 2 + unit, bottom), fill=FRAME)
    table = floor - 8 * unit
    for x in (middle - 28 * unit, middle + 30 * unit):
        canvas.rectangle((x, table, x + 4 * unit, floor + 14 * unit), fill=SHADE)
    canvas.rectangle((middle - 36 * unit, table - 4 * unit, middle + 42 * unit, table), fill=TABLE)
    x = middle + 24 * unit
    for dx, dy in ((-7, -22), (0, -28), (7, -21), (-4, -15), (5, -14)):
        canvas.ellipse(
            (x + (dx - 5) * unit, table + (dy - 4) * unit, x + (dx + 5) * unit, table + (dy + 8) * unit), fill=LEAF
        )
    canvas.polygon(
        [
            (x - 8 * unit, table - 14 * unit),
            (x + 8 * unit, table - 14 * unit),
            (x + 6 * unit, table - 4 * unit),
            (x - 6 * unit, table - 4 * unit),
        ],
        fill=POT,
    )
    at = middle + (-26 + second * 5 % 36) * unit
    canvas.ellipse((at - 5 * unit, table - 14 * unit, at + 5 * unit, table - 4 * unit), fill=BALL)
    canvas.ellipse((at - 3 * unit, table - 12 * unit, at - unit, table - 10 * unit), fill=(244, 160, 150))


def _person(canvas: object, unit: float, middle: float, ground: float, second: int) -> None:
    from PIL import ImageDraw

    assert isinstance(canvas, ImageDraw.ImageDraw)
    top = ground * 0.3
    canvas.rounded_rectangle(
        (middle - 34 * unit, top + 46 * unit, middle + 34 * unit, ground + 40 * unit), 18 * unit, fill=SHIRT
    )
    canvas.rectangle((middle - 7 * unit, top + 34 * unit, middle + 7 * unit, top + 50 * unit), fill=SKIN)
    canvas.ellipse((middle - 21 * unit, top - 10 * unit, middle + 21 * unit, top + 38 * unit), fill=HAIR)
    canvas.ellipse((middle - 18 * unit, top - 4 * unit, middle + 18 * unit, top + 42 * unit), fill=SKIN)
    for x in (-7, 7):
        canvas.ellipse((middle + (x - 2) * unit, top + 14 * unit, middle + (x + 2) * unit, top + 18 * unit), fill=HAIR)
    canvas.arc(
        (middle - 8 * unit, top + 20 * unit, middle + 8 * unit, top + 32 * unit),
        20,
        160,
        fill=HAIR,
        width=max(int(unit * 1.2), 1),
    )
    hand = top + (40 - second % 4 * 6) * unit
    canvas.ellipse((middle + 34 * unit, hand, middle + 46 * unit, hand + 13 * unit), fill=SKIN)


@lru_cache(maxsize=32)
def preview(size: tuple[int, int], lens: Lens, second: int) -> Picture:
    """The scene to show on the screen."""
    image = drawn(size, lens, second)
    return Picture(f"scene {lens} {size} {second}", *size, image.tobytes())


def photo(lens: Lens, size: tuple[int, int], taken: str, quality: int = 88) -> bytes:
    """A JPEG file with the time it was taken (`2023:10:15 15:34:00`) in its EXIF part."""
    from PIL import Image

    tags = Image.Exif()
    tags[0x010F], tags[0x0110], tags[0x0132] = "Google", "sdk_gphone_x86_64", taken
    out = BytesIO()
    drawn(size, lens).save(out, "JPEG", quality=quality, exif=tags)
    return out.getvalue()


@lru_cache(maxsize=128)
def frame(lens: Lens, size: tuple[int, int], second: int) -> bytes:
    """A picture of a film: a JPEG file."""
    out = BytesIO()
    drawn(size, lens, second).save(out, "JPEG", quality=75)
    return out.getvalue()
