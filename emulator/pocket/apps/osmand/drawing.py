"""The map as a picture: a sketch of Liechtenstein with roads, river and towns, and what the user put on it.

Web Mercator; the zoom says how many times the world's 256 dp were doubled. Pictures are kept by what is on them, so an
unchanged map is not drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator.pocket import fonts
from emulator.pocket.apps.osmand.places import BORDER, FOREST, RHINE, ROADS, TOWNS, LatLon
from emulator.pocket.theme import Rgb
from emulator.pocket.views import Picture

if TYPE_CHECKING:
    from PIL import ImageDraw

TILE = 256.0
SIZES = {"City": 15, "Village": 12, "Hamlet": 10}
DAY: dict[str, Rgb] = {
    "land": (238, 234, 224), "home": (249, 247, 241), "forest": (205, 226, 187), "water": (159, 199, 232),
    "border": (172, 110, 180), "edge": (196, 160, 110), "road": (255, 214, 138), "text": (40, 40, 44),
    "halo": (255, 255, 255),
}  # fmt: skip
NIGHT: dict[str, Rgb] = {
    "land": (38, 40, 44), "home": (48, 50, 55), "forest": (40, 58, 44), "water": (38, 66, 96),
    "border": (150, 100, 160), "edge": (70, 62, 50), "road": (128, 106, 66), "text": (226, 226, 230),
    "halo": (24, 25, 28),
}  # fmt: skip
STAR: Rgb = (255, 160, 0)
FLAG: Rgb = (30, 136, 229)
PIN: Rgb = (229, 57, 53)
LINE: Rgb = (63, 81, 255)


@dataclass(frozen=True)
class Frame:
    """The part of the world that is seen: middle, zoom, size in dp."""

    lat: float
    lon: float
    zoom: int
    width: float
    height: float

    @property
    def world(self) -> float:
        """Width of the world, dp."""
        return TILE * 2.0**self.zoom

    def to_dp(self, at: LatLon) -> tuple[float, float]:
        """Where a place is, dp from the top left."""
        x, y = _mercator(at)
        cx, cy = _mercator((self.lat, self.lon))
        return (x - cx) * self.world + self.width / 2, (y - cy) * self.world + self.height / 2

    def to_place(self, x: float, y: float) -> LatLon:
        """The place at a point in dp."""
        cx, cy = _mercator((self.lat, self.lon))
        east, south = cx + (x - self.width / 2) / self.world, cy + (y - self.height / 2) / self.world
        lat = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * south))))
        return round(min(max(lat, -85.0), 85.0), 7), round((east * 360 - 180 + 180) % 360 - 180, 7)

    def fits(self, points: Sequence[LatLon], room: float = 0.75) -> Frame:
        """The same frame over all points."""
        lats, lons = [p[0] for p in points], [p[1] for p in points]
        lat, lon = (min(lats) + max(lats)) / 2, (min(lons) + max(lons)) / 2
        for zoom in range(16, 1, -1):
            made = Frame(lat, lon, zoom, self.width, self.height)
            inner = [made.to_dp(p) for p in points]
            if all(abs(x - self.width / 2) < self.width * room / 2 and abs(y - self.height / 2) < self.height * room / 2
                   for x, y in inner):  # fmt: skip
                return made
        return Frame(lat, lon, 2, self.width, self.height)


def _mercator(at: LatLon) -> tuple[float, float]:
    """0 to 1 from west to east and north to south."""
    lat = math.radians(min(max(at[0], -85.0), 85.0))
    return (at[1] + 180) / 360, (1 - math.asinh(math.tan(lat)) / math.pi) / 2


@dataclass(frozen=True)
class Drawn:
    """All that a picture follows from. `scale` pixels a dp; `pin` a chosen point; `cross` a cross in the middle."""

    frame: Frame
    scale: float
    dark: bool
    stars: tuple[LatLon, ...] = ()
    flags: tuple[LatLon, ...] = ()
    line: tuple[LatLon, ...] = ()
    dots: tuple[LatLon, ...] = ()
    pin: LatLon | None = None
    cross: bool = False


_KNOWN: fonts.Cache[Drawn, Picture] = fonts.Cache(16)


def picture(drawn: Drawn) -> Picture:
    """The map."""
    if drawn not in _KNOWN:
        _KNOWN.keep(drawn, _Pen(drawn).picture())
    return _KNOWN[drawn]


class _Pen:
    """Draws one map."""

    def __init__(self, drawn: Drawn) -> None:
        from PIL import Image, ImageDraw

        self.drawn, self.colors = drawn, NIGHT if drawn.dark else DAY
        size = max(round(drawn.frame.width * drawn.scale), 1), max(round(drawn.frame.height * drawn.scale), 1)
        self.image = Image.new("RGB", size, self.colors["land"])
        self.pen: ImageDraw.ImageDraw = ImageDraw.Draw(self.image)
        self.written: list[tuple[float, float, float, float]] = []  # where names stand

    def at(self, place: LatLon) -> tuple[float, float]:
        """Pixels."""
        x, y = self.drawn.frame.to_dp(place)
        return round(x * self.drawn.scale, 1), round(y * self.drawn.scale, 1)

    def px(self, dp: float) -> int:
        """Whole pixels, at least one."""
        return max(round(dp * self.drawn.scale), 1)

    def picture(self) -> Picture:
        """Ground first, what the user put there last."""
        self._ground()
        self._roads()
        if self.drawn.line:
            self.pen.line([self.at(p) for p in self.drawn.line], fill=LINE, width=self.px(5), joint="curve")
        for town in sorted(TOWNS, key=lambda t: -SIZES[t.kind]):
            self._town(town.name, town.at, SIZES[town.kind])
        for number, place in enumerate(self.drawn.dots, 1):
            self._disc(place, 9, LINE, str(number))
        for place in self.drawn.stars:
            self._disc(place, 9, STAR, "\u2605")
        for place in self.drawn.flags:
            self._flag(place)
        if self.drawn.pin is not None:
            self._pin(self.drawn.pin)
        if self.drawn.cross:
            self._cross()
        return Picture(repr(self.drawn), self.image.width, self.image.height, self.image.tobytes())

    def _ground(self) -> None:
        self.pen.polygon([self.at(p) for p in BORDER], fill=self.colors["home"])
        for wood in FOREST:
            self.pen.polygon([self.at(p) for p in wood], fill=self.colors["forest"])
        self.pen.line([self.at(p) for p in RHINE], fill=self.colors["water"], width=self.px(8), joint="curve")
        self.pen.line([self.at(p) for p in (*BORDER, BORDER[0])], fill=self.colors["border"], width=self.px(1.5))

    def _roads(self) -> None:
        towns = {t.name: t.at for t in TOWNS}
        for color, wide in (("edge", 5.0), ("road", 3.5)):
            for a, b in ROADS:
                self.pen.line([self.at(towns[a]), self.at(towns[b])], fill=self.colors[color], width=self.px(wide))

    def _town(self, name: str, place: LatLon, size: int) -> None:
        if size < 12 and self.drawn.frame.zoom < 12:
            return
        x, y = self.at(place)
        self._disc(place, 3, self.colors["text"], "")
        face = fonts.font(self.px(size), 1)
        box = self.pen.textbbox((x, y - self.px(5)), name, font=face, anchor="mb")
        if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in self.written):
            return
        self.written.append(box)
        self.pen.text((x, y - self.px(5)), name, font=face, anchor="mb", fill=self.colors["text"],
                      stroke_width=self.px(1.5), stroke_fill=self.colors["halo"])  # fmt: skip

    def _disc(self, place: LatLon, radius: float, color: Rgb, letter: str) -> None:
        x, y = self.at(place)
        r = self.px(radius)
        edge = self.px(1.5) if letter else 0
        self.pen.ellipse((x - r - edge, y - r - edge, x + r + edge, y + r + edge), fill=(255, 255, 255))
        self.pen.ellipse((x - r, y - r, x + r, y + r), fill=color)
        if letter == "\u2605":
            tips = [(i * 36 - 90, r * (0.75 if i % 2 == 0 else 0.32)) for i in range(10)]
            self.pen.polygon([(x + far * math.cos(math.radians(turn)), y + far * math.sin(math.radians(turn)))
                              for turn, far in tips], fill=(255, 255, 255))  # fmt: skip
        elif letter:
            self.pen.text((x, y), letter, font=fonts.font(self.px(11), 1), anchor="mm", fill=(255, 255, 255))

    def _flag(self, place: LatLon) -> None:
        x, y = self.at(place)
        up, side = self.px(24), self.px(15)
        self.pen.line([(x, y), (x, y - up)], fill=(60, 60, 66), width=self.px(2))
        self.pen.polygon([(x, y - up), (x + side, y - up * 0.78), (x, y - up * 0.5)], fill=FLAG)

    def _pin(self, place: LatLon) -> None:
        x, y = self.at(place)
        r, up = self.px(11), self.px(26)
        self.pen.polygon([(x, y), (x - r * 0.92, y - up * 0.75), (x + r * 0.92, y - up * 0.75)], fill=PIN)
        self.pen.ellipse((x - r, y - up - r, x + r, y - up + r), fill=PIN)
        self.pen.ellipse((x - r * 0.4, y - up - r * 0.4, x + r * 0.4, y - up + r * 0.4), fill=(255, 255, 255))

    def _cross(self) -> None:
        x, y = self.image.width / 2, self.image.height / 2
        far, wide = self.px(16), self.px(2)
        self.pen.line([(x - far, y), (x + far, y)], fill=PIN, width=wide)
        self.pen.line([(x, y - far), (x, y + far)], fill=PIN, width=wide)
