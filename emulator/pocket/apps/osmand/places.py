"""Where things are in Liechtenstein: towns to search for, roads between them, and the sketch that the map shows.

The towns of AndroidWorld's tasks have the coordinates of its own table (android_world@d9c569f
task_evals/single/osmand.py); the others, the roads, the river and the border are rough, drawn by us.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

COUNTRY = "Liechtenstein"
LatLon = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """A point with a name. `kind` as OsmAnd calls it: City, Village, Hamlet, Location, Favorite, Marker."""

    name: str
    lat: float
    lon: float
    kind: str = "Location"

    @property
    def at(self) -> LatLon:
        """Degrees."""
        return self.lat, self.lon

    @property
    def about(self) -> str:
        """The line below the name."""
        return f"{self.kind}, {COUNTRY}" if self.kind in {"City", "Village", "Hamlet"} else self.kind


TOWNS = (
    Place("Vaduz", 47.1410, 9.5209, "City"), Place("Schaan", 47.1663432, 9.5103085, "Village"),
    Place("Balzers", 47.0688832, 9.5061564, "Village"), Place("Triesen", 47.106997, 9.5274854, "Village"),
    Place("Bendern", 47.2122151, 9.5062101, "Village"), Place("Ruggell", 47.23976, 9.5262837, "Village"),
    Place("Nendeln", 47.1973857, 9.5430636, "Village"), Place("Planken", 47.1858882, 9.5452201, "Village"),
    Place("Oberplanken", 47.1784977, 9.5450163, "Hamlet"), Place("Malbun", 47.1026191, 9.6083057, "Village"),
    Place("Rotenboden", 47.1275785, 9.5387131, "Hamlet"), Place("Schaanwald", 47.2165476, 9.5699984, "Village"),
    Place("Sch\u00f6nberg", 47.1303814, 9.5930117, "Hamlet"), Place("Triesenberg", 47.1154, 9.5427, "Village"),
    Place("Eschen", 47.2108, 9.5223, "Village"), Place("Mauren", 47.2189, 9.5442, "Village"),
    Place("Steg", 47.1128, 9.5755, "Hamlet"),
)  # fmt: skip
ROADS = (
    ("Balzers", "Triesen"), ("Triesen", "Vaduz"), ("Vaduz", "Schaan"), ("Schaan", "Bendern"), ("Bendern", "Ruggell"),
    ("Schaan", "Nendeln"), ("Nendeln", "Schaanwald"), ("Nendeln", "Eschen"), ("Eschen", "Bendern"),
    ("Eschen", "Mauren"), ("Mauren", "Schaanwald"), ("Schaan", "Oberplanken"), ("Oberplanken", "Planken"),
    ("Triesen", "Triesenberg"), ("Vaduz", "Rotenboden"), ("Rotenboden", "Triesenberg"), ("Triesenberg", "Steg"),
    ("Steg", "Malbun"), ("Steg", "Sch\u00f6nberg"),
)  # fmt: skip
RHINE: tuple[LatLon, ...] = (
    (46.98, 9.50), (47.02, 9.48), (47.053, 9.474), (47.08, 9.487), (47.10, 9.506), (47.13, 9.508), (47.155, 9.497),
    (47.18, 9.489), (47.21, 9.492), (47.235, 9.512), (47.25, 9.531), (47.272, 9.543), (47.31, 9.57), (47.36, 9.62),
)  # fmt: skip
BORDER: tuple[LatLon, ...] = (
    *RHINE[2:12], (47.262, 9.56), (47.246, 9.567), (47.232, 9.566), (47.222, 9.578), (47.208, 9.568),
    (47.19, 9.575), (47.17, 9.60), (47.15, 9.617), (47.13, 9.62), (47.10, 9.636), (47.08, 9.612), (47.06, 9.602),
    (47.05, 9.565), (47.062, 9.53), (47.052, 9.51), (47.064, 9.495),
)  # fmt: skip
FOREST: tuple[tuple[LatLon, ...], ...] = (
    ((47.08, 9.525), (47.10, 9.545), (47.105, 9.57), (47.085, 9.59), (47.065, 9.575), (47.068, 9.54)),
    ((47.145, 9.54), (47.175, 9.535), (47.19, 9.56), (47.17, 9.59), (47.145, 9.605), (47.125, 9.57)),
    ((47.225, 9.515), (47.238, 9.538), (47.228, 9.555), (47.222, 9.53)),
)
NUMBER = re.compile(r"-?\d{1,3}(?:\.\d{1,12})?", re.ASCII)


def folded(words: str) -> str:
    """Small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", words.lower()) if not unicodedata.combining(c))


def coordinates(words: str) -> LatLon | None:
    """`lat, lon` in degrees if the words are just that and lie on the earth."""
    parts = [p for p in re.split(r"[,;\s]+", words.strip()) if p]
    if len(parts) != 2 or not all(NUMBER.fullmatch(p) for p in parts):
        return None
    lat, lon = float(parts[0]), float(parts[1])
    return (lat, lon) if abs(lat) <= 85 and abs(lon) <= 180 else None


def location(at: LatLon) -> Place:
    """A point without a name: its coordinates are its name."""
    return Place(f"{at[0]:.5f}, {at[1]:.5f}", *at)


def search(words: str) -> list[Place]:
    """What is found: the coordinates typed, or the towns whose name, with the country, begins so."""
    at = coordinates(words)
    if at is not None:
        return [location(at)]
    wanted = [w for w in re.split(r"[,\s]+", folded(words)) if w]
    if not wanted:
        return []
    country = [w for w in wanted if COUNTRY.lower().startswith(w)]
    rest = [w for w in wanted if w not in country]
    found = [t for t in TOWNS if all(folded(t.name).startswith(w) for w in rest or wanted)]
    return sorted(found, key=lambda t: (len(t.name) > len(wanted[0]), t.name))


def distance(a: LatLon, b: LatLon) -> float:
    """Metres on the sphere."""
    lat1, lon1, lat2, lon2 = map(math.radians, (*a, *b))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 12_742_000 * math.asin(math.sqrt(half))


def length(line: Sequence[LatLon]) -> float:
    """Metres along a line."""
    return sum(distance(a, b) for a, b in pairwise(line))


def distance_words(metres: float) -> str:
    """`850 m`, `12.3 km`."""
    return f"{metres:.0f} m" if metres < 1_000 else f"{metres / 1_000:.1f} km"


def route(points: Sequence[LatLon]) -> list[LatLon]:
    """A way along the roads through all points in order, with points every 200 m or so."""
    line: list[LatLon] = []
    for a, b in pairwise(points):
        towns = _towns_between(a, b)
        corners = [a, *[t for t in towns if t not in {a, b}], b]
        line += corners if not line else corners[1:]
    return _filled(line)


def _towns_between(a: LatLon, b: LatLon) -> list[LatLon]:
    """The shortest way over the roads from the town nearest to `a` to that nearest to `b`; none if it is the same."""
    at = {t.name: t.at for t in TOWNS}
    first, last = (min(at, key=lambda n: distance(at[n], p)) for p in (a, b))
    if first == last or distance(a, b) < distance(a, at[first]) + distance(b, at[last]):
        return []
    best = {first: 0.0}
    before: dict[str, str] = {}
    waiting = [(0.0, first)]
    while waiting:
        far, name = heapq.heappop(waiting)
        if name == last:
            break
        for pair in ROADS:
            if name in pair:
                other = pair[1] if pair[0] == name else pair[0]
                there = far + distance(at[name], at[other])
                if there < best.get(other, math.inf):
                    best[other], before[other] = there, name
                    heapq.heappush(waiting, (there, other))
    names = [last]
    while names[-1] in before:
        names.append(before[names[-1]])
    return [at[n] for n in reversed(names)]


def _filled(line: Sequence[LatLon]) -> list[LatLon]:
    filled = list(line[:1])
    for a, b in pairwise(line):
        steps = min(max(round(distance(a, b) / 200), 1), 200)
        filled += [(a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps) for i in range(1, steps)]
        filled.append(b)
    return filled
