"""OsmAnd's files: favourites and tracks as GPX 1.1, map markers in a database, at the places AndroidWorld looks at.

android_world_apps.md section 22. A favourites file that was written by another program (ElementTree's `ns0:` prefixes)
is read as well; one that is no XML counts as empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from emulator.pocket.apps.osmand.places import LatLon, Place
from emulator.pocket.databases import Row
from emulator.pocket.files import STORAGE

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "net.osmand"
FILES = f"{STORAGE}/Android/data/{PACKAGE}/files"
FAVORITES = f"{FILES}/favorites/favorites.gpx"
TRACKS = f"{FILES}/tracks"
BACKUP = f"/data/data/{PACKAGE}/files/backup"
DB = f"/data/data/{PACKAGE}/databases/map_markers_db"
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS map_markers (marker_id TEXT PRIMARY KEY, marker_lat DOUBLE, marker_lon DOUBLE, "
    "marker_description TEXT, marker_active INTEGER, marker_added LONG, marker_visited LONG, group_name TEXT, "
    "group_key TEXT, marker_color INTEGER, marker_next_key TEXT, marker_disabled INTEGER, marker_selected INTEGER, "
    "marker_map_object_name TEXT, title TEXT);"
)
GPX = "{http://www.topografix.com/GPX/1/1}"
HEAD = (
    "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n"
    '<gpx version="1.1" creator="OsmAnd 4.6.13" xmlns="http://www.topografix.com/GPX/1/1" '
    'xmlns:osmand="https://osmand.net" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">\n'
)
COLORS = 7  # colours that markers take in turn


@dataclass(frozen=True)
class Favorite:
    """One waypoint of favorites.gpx."""

    name: str
    lat: float
    lon: float
    description: str = ""
    group: str = ""
    time: str = ""

    @property
    def place(self) -> Place:
        """For the map."""
        return Place(self.name, self.lat, self.lon, "Favorite")


def start(phone: Phone) -> None:
    """The directories that the app makes."""
    for path in (FAVORITES.rpartition("/")[0], TRACKS, BACKUP):
        phone.fs.mkdir(path, parents=True, mode=0o770)


# favourites


def favorites(phone: Phone) -> list[Favorite]:
    """All favourites, in the file's order."""
    if not phone.fs.isfile(FAVORITES):
        return []
    try:
        root = ElementTree.fromstring(phone.fs.read(FAVORITES))
    except ElementTree.ParseError:
        return []
    return [f for f in map(_favorite, root.findall(f"{GPX}wpt")) if f is not None]


def _favorite(node: ElementTree.Element) -> Favorite | None:
    at = _point(node)
    if at is None:
        return None
    name, words, group, time = (node.findtext(f"{GPX}{tag}", "") for tag in ("name", "desc", "type", "time"))
    return Favorite(name, *at, words, group, time)


def _point(node: ElementTree.Element) -> LatLon | None:
    try:
        return float(node.get("lat", "")), float(node.get("lon", ""))
    except ValueError:
        return None


def save_favorites(phone: Phone, found: Sequence[Favorite]) -> None:
    """Write the file anew."""
    parts = [HEAD, "  <metadata>\n    <name>favorites</name>\n  </metadata>\n"]
    for f in found:
        parts.append(f'  <wpt lat="{f.lat:.7f}" lon="{f.lon:.7f}">\n')
        given = (("time", f.time), ("name", f.name), ("desc", f.description), ("type", f.group))
        parts += [f"    <{tag}>{escape(value)}</{tag}>\n" for tag, value in given if value]
        parts.append("  </wpt>\n")
    phone.fs.mkdir(FAVORITES.rpartition("/")[0], parents=True, mode=0o770)
    phone.fs.write(FAVORITES, "".join([*parts, "</gpx>\n"]))


def stamp(phone: Phone) -> str:
    """The time as GPX writes it."""
    return f"{phone.clock.datetime():%Y-%m-%dT%H:%M:%SZ}"


# markers


def markers(phone: Phone, active: bool = True) -> list[Row]:
    """Rows of the table, the newest first."""
    return phone.db(DB).query("SELECT * FROM map_markers WHERE marker_active = ? ORDER BY marker_added DESC",
                              (int(active),))  # fmt: skip


def marker_place(row: Row) -> Place:
    """A marker for the map. Its name stands behind the kind in its description."""
    words = str(row["marker_description"] or "")
    return Place(words.partition("#")[2] or words or "Marker", row["marker_lat"] or 0.0, row["marker_lon"] or 0.0,
                 "Marker")  # fmt: skip


def add_marker(phone: Phone, place: Place) -> None:
    """One more marker."""
    count = phone.db(DB).query("SELECT COUNT(*) AS n FROM map_markers")[0]["n"]
    phone.db(DB).insert("map_markers", {
        "marker_id": f"{phone.random.getrandbits(128):032x}", "marker_lat": place.lat, "marker_lon": place.lon,
        "marker_description": f"location#{place.name}", "marker_active": 1, "marker_added": phone.clock.now_ms(),
        "marker_visited": 0, "group_name": "", "group_key": "", "marker_color": count % COLORS, "marker_next_key": "",
        "marker_disabled": 0, "marker_selected": 0, "marker_map_object_name": "", "title": place.name,
    })  # fmt: skip


def pass_marker(phone: Phone, number: str) -> None:
    """To the history."""
    phone.db(DB).update("map_markers", "marker_id", number, {"marker_active": 0,
                                                             "marker_visited": phone.clock.now_ms()})  # fmt: skip


# tracks


def tracks(phone: Phone) -> list[str]:
    """Names of the GPX files, newest first."""
    if not phone.fs.isdir(TRACKS):
        return []
    names = [n for n in phone.fs.listdir(TRACKS) if n.lower().endswith(".gpx") and phone.fs.isfile(f"{TRACKS}/{n}")]
    return sorted(names, key=lambda n: -phone.fs.stat(f"{TRACKS}/{n}").mtime_ns)


def track_points(phone: Phone, name: str) -> list[LatLon]:
    """The points of a track file; [] if it can't be read."""
    try:
        root = ElementTree.fromstring(phone.fs.read(f"{TRACKS}/{name}"))
    except (ElementTree.ParseError, FileNotFoundError):
        return []
    found = [_point(node) for node in root.iterfind(f"{GPX}trk/{GPX}trkseg/{GPX}trkpt")]
    return [at for at in found if at is not None]


def save_track(phone: Phone, name: str, points: Sequence[LatLon]) -> None:
    """A new file `name`.gpx."""
    body = "".join(f'      <trkpt lat="{lat:.7f}" lon="{lon:.7f}" />\n' for lat, lon in points)
    said = escape(name)
    text = (f"{HEAD}  <metadata>\n    <name>{said}</name>\n    <time>{stamp(phone)}</time>\n  </metadata>\n  <trk>\n"
            f"    <name>{said}</name>\n    <trkseg>\n{body}    </trkseg>\n  </trk>\n</gpx>\n")  # fmt: skip
    phone.fs.mkdir(TRACKS, parents=True, mode=0o770)
    phone.fs.write(f"{TRACKS}/{name}.gpx", text)


def track_name_error(phone: Phone, name: str) -> str:
    """Why a track can't be called that; '' if it can."""
    if not name or name in {".", ".."} or "/" in name or len(name.encode()) > 200:
        return "Please enter a valid file name"
    return "A file with this name already exists" if phone.fs.exists(f"{TRACKS}/{name}.gpx") else ""
