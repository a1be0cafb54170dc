"""What OpenTracks keeps: the table `tracks`, kinds of sport, and how distances, times and dates are said.

Columns are those of OpenTracksApp/OpenTracks TracksColumns.java (database 36) plus `activity_type` of the later version
AndroidWorld installs, as AndroidWorld writes them: metres, milliseconds (android_world_apps.md section 18). Dates of
the list follow StringUtils.formatDateTodayRelative, also for days to come. Speeds are worked out from distance and
time, as the app does where the stored ones don't fit. Departure: a distance is in feet below half a mile and in
metres below half a kilometre; where exactly the app changes over is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from emulator.pocket.databases import Row

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "de.dennisguse.opentracks"
DATABASE = "databases/database.db"
DB = f"/data/data/{PACKAGE}/{DATABASE}"
SCHEMA = """
CREATE TABLE IF NOT EXISTS trackpoints (_id INTEGER PRIMARY KEY AUTOINCREMENT, trackid INTEGER NOT NULL,
 longitude INTEGER, latitude INTEGER, time INTEGER, elevation FLOAT, accuracy FLOAT, speed FLOAT, bearing FLOAT,
 sensor_heartrate FLOAT, sensor_cadence FLOAT, sensor_power FLOAT, elevation_gain FLOAT, elevation_loss FLOAT,
 type TEXT, sensor_distance FLOAT);
CREATE TABLE IF NOT EXISTS tracks (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, description TEXT, category TEXT,
 activity_type TEXT, starttime INTEGER, stoptime INTEGER, numpoints INTEGER, totaldistance FLOAT, totaltime INTEGER,
 movingtime INTEGER, avgspeed FLOAT, avgmovingspeed FLOAT, maxspeed FLOAT, minelevation FLOAT, maxelevation FLOAT,
 elevationgain FLOAT, icon TEXT, uuid BLOB, elevationloss FLOAT, starttime_offset INTEGER);
CREATE TABLE IF NOT EXISTS markers (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, description TEXT, category TEXT,
 icon TEXT, trackid INTEGER NOT NULL, length FLOAT, duration INTEGER, longitude INTEGER, latitude INTEGER,
 time INTEGER, elevation FLOAT, accuracy FLOAT, bearing FLOAT, photoUrl TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS tracks_uuid_index ON tracks(uuid);
"""
ORANGE = (255, 109, 0)
MILE = 1609.344
FOOT = 0.3048
UNITS = ("Metric (km, m)", "Imperial (mi, ft)")
DEFAULT_TYPE = "unknown"
TYPES: tuple[tuple[str, str], ...] = (
    ("biking", "bike"), ("climbing", "climb"), ("cross-country skiing", "ski"), ("cycling", "bike"),
    ("dirt bike", "bike"), ("driving", "car"), ("hiking", "hike"), ("horse back riding", "flag"),
    ("inline skating", "board"), ("kayaking", "boat"), ("kite surfing", "wave"), ("mountain biking", "bike"),
    ("off trail hiking", "hike"), ("other", "flag"), ("paddling", "boat"), ("road biking", "bike"),
    ("rowing", "boat"), ("running", "run"), ("sailing", "boat"), ("skate boarding", "board"), ("skating", "board"),
    ("skiing", "ski"), ("sled", "ski"), ("snow boarding", "board"), ("snow shoeing", "hike"),
    ("speed walking", "run"), ("street running", "run"), ("surfing", "wave"), ("swimming", "swim"),
    ("track cycling", "bike"), ("track running", "run"), ("trail hiking", "hike"), ("trail running", "run"),
    (DEFAULT_TYPE, "flag"), ("walking", "hike"), ("water skiing", "wave"), ("wind surfing", "wave"),
)  # fmt: skip
PACED = ("run", "hike", "swim")


def icon_of(category: str) -> str:
    """The picture of a kind of sport; a flag for one the app does not know."""
    near = {"snowboarding": "board", "skateboarding": "board"}
    return dict(TYPES).get(category.lower(), near.get(category.lower(), "flag"))


def category_of(track: Row) -> str:
    """The kind of sport as it was entered; `unknown` where nothing was."""
    return str(track["category"] or track["activity_type"] or DEFAULT_TYPE)


# reading and writing


def tracks(phone: Phone, query: str = "") -> list[Row]:
    """All tracks, newest first; with a query those that have it in their name, description or kind of sport."""
    like = "%" + query.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    words = " || char(10) || ".join(f"COALESCE({name}, '')" for name in ("name", "description", "category"))
    return phone.db(DB).query(
        f"SELECT * FROM tracks WHERE {words} LIKE ? ESCAPE '\\' ORDER BY starttime DESC, _id DESC", (like,)
    )


def track(phone: Phone, number: int) -> Row | None:
    """One track."""
    return phone.db(DB).one("SELECT * FROM tracks WHERE _id = ?", (number,))


def update(phone: Phone, number: int, values: Mapping[str, Any]) -> None:
    """Change one track."""
    phone.db(DB).update("tracks", "_id", number, values)


def delete(phone: Phone, numbers: Sequence[int]) -> None:
    """Remove tracks with their points and markers."""
    with phone.db(DB) as db:
        for number in numbers:
            db.execute("DELETE FROM trackpoints WHERE trackid = ?", (number,))
            db.execute("DELETE FROM markers WHERE trackid = ?", (number,))
            db.execute("DELETE FROM tracks WHERE _id = ?", (number,))


def begin(phone: Phone) -> int:
    """A new track that begins now, named by the time; its number."""
    now, kind = phone.clock.now_ms(), phone.prefs(PACKAGE).text("type", DEFAULT_TYPE)
    zeros = dict.fromkeys(
        ("numpoints", "totaldistance", "totaltime", "movingtime", "avgspeed", "avgmovingspeed", "maxspeed",
         "elevationgain", "elevationloss", "starttime_offset"), 0)  # fmt: skip
    values = {
        "name": f"{when(now):%Y-%m-%dT%H:%MZ}", "description": "", "category": kind, "activity_type": kind,
        "starttime": now, "stoptime": now, "uuid": phone.random.getrandbits(128).to_bytes(16, "big"),
    }  # fmt: skip
    number = phone.db(DB).insert("tracks", {**values, **zeros})
    try:
        phone.prefs(PACKAGE).set("recording", number)
    except OSError:  # a full disk: no recording, so no track either
        delete(phone, [number])
        raise
    return number


def recording(phone: Phone) -> Row | None:
    """The track that is being recorded."""
    number = phone.prefs(PACKAGE).number("recording")
    return track(phone, number) if number else None


def elapsed_ms(phone: Phone, row: Row) -> int:
    """How long a recording has been going on; the phone lies still, so this time is not moving time."""
    return max(phone.clock.now_ms() - int(row["starttime"]), 0)


def stop(phone: Phone) -> int:
    """End the recording; the number of its track, 0 if there is none."""
    row = recording(phone)
    if row is not None:
        update(phone, row["_id"], {"stoptime": phone.clock.now_ms(), "totaltime": elapsed_ms(phone, row)})
    phone.prefs(PACKAGE).remove("recording")
    return int(row["_id"]) if row is not None else 0


@dataclass(frozen=True)
class Filter:
    """What is counted together: days from and to (ordinals, 0: open), kinds of sport (none: all)."""

    first: int = 0
    last: int = 0
    kinds: tuple[str, ...] = ()

    def takes(self, row: Row) -> bool:
        """True if a track belongs to it."""
        day = when(row["starttime"]).date().toordinal()
        return (
            (not self.first or day >= self.first)
            and (not self.last or day <= self.last)
            and (not self.kinds or category_of(row) in self.kinds)
        )


@dataclass(frozen=True)
class Total:
    """All tracks of one kind together: metres, milliseconds."""

    category: str
    count: int
    distance: float
    moving_ms: int


def totals(rows: Sequence[Row]) -> list[Total]:
    """Sums by kind of sport, the most frequent first."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(category_of(row), []).append(row)
    sums = [
        Total(kind, len(of), sum(r["totaldistance"] or 0.0 for r in of), sum(r["movingtime"] or 0 for r in of))
        for kind, of in found.items()
    ]
    return sorted(sums, key=lambda total: (-total.count, total.category))


# saying


def when(ms: int | None) -> datetime:
    """Milliseconds to a date; a moment outside the years 1 to 9999 is the first of 1970."""
    try:
        return datetime.fromtimestamp((ms or 0) / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def day_label(phone: Phone, ms: int) -> str:
    """Today, yesterday, a weekday up to six days ago, else day and month (and year)."""
    day, today = when(ms).date(), phone.clock.datetime().date()
    ago = (today - day).days
    if ago in {0, 1}:
        return "Yesterday" if ago else "Today"
    if ago < 7:
        return f"{day:%A}"
    return f"{day.day} {day:%b}" + (f" {day.year}" if day.year != today.year else "")


def date_label(day: date) -> str:
    """Oct 12, 2023."""
    return f"{day:%b} {day.day}, {day.year}"


def time_label(ms: int | None) -> str:
    """45:00, 1:30:00."""
    seconds = max(int(ms or 0) // 1000, 0)
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


def is_metric(phone: Phone) -> bool:
    """The chosen units; miles until another choice is made (the phone speaks the English of the USA)."""
    return phone.prefs(PACKAGE).text("units", UNITS[1]) == UNITS[0]


def distance(phone: Phone, metres: float | None) -> tuple[str, str]:
    """Number and unit."""
    m = float(metres or 0.0)
    if is_metric(phone):
        return (f"{m / 1000:.2f}", "km") if m >= 500 else (f"{m:.0f}", "m")
    return (f"{m / MILE:.2f}", "mi") if m >= MILE / 2 else (f"{m / FOOT:.0f}", "ft")


def elevation(phone: Phone, metres: float | None) -> tuple[str, str]:
    """Number and unit of a height."""
    m = float(metres or 0.0)
    return (f"{m:.0f}", "m") if is_metric(phone) else (f"{m / FOOT:.0f}", "ft")


def rate(phone: Phone, category: str, metres: float | None, ms: int | None) -> tuple[str, str]:
    """Speed, or pace for those on foot and swimmers: number and unit."""
    far = float(metres or 0.0) / (1000 if is_metric(phone) else MILE)
    hours = int(ms or 0) / 3_600_000
    unit = "km" if is_metric(phone) else "mi"
    if icon_of(category) in PACED:
        minutes = hours * 60 / far if far else 0.0
        return f"{int(minutes)}:{int(minutes * 60) % 60:02d}", f"min/{unit}"
    return f"{far / hours if hours else 0.0:.1f}", "km/h" if unit == "km" else "mph"
