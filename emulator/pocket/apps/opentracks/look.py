"""OpenTracks: parts that several screens share: a value under its label, the row of a track, the markers' page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.opentracks import data
from emulator.pocket.databases import Row
from emulator.pocket.parts import page, toolbar
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import column, divider, empty, icon, row, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone


def value(label: str, number: str, unit: str = "", id: str = "", small: bool = False) -> View:
    """A number in large figures under its label."""
    size = 20.0 if small else 32.0
    shown = [text(number, size=size, id=f"stats_{id}_value")]
    if unit:
        shown.append(
            text(unit, size=14, color="text_dim", padding=(0, 0 if small else 12, 0, 0), id=f"stats_{id}_unit")
        )
    name = text(label, size=14, color=data.ORANGE, bold=1, id=f"stats_{id}_label")
    return column(name, row(*shown, gap=4, justify="center"), weight=1, align="center", gap=2, padding=(4, 10, 4, 6))


def pair(left: View, right: View) -> View:
    """Two values beside each other."""
    return row(left, right, align="start", padding=(8, 0, 8, 0))


def track_row(phone: Phone, track: Row, on_tap: Action, on_long: Action | None = None, marked: bool = False) -> View:
    """One track as the list shows it: picture, name, day; time and distance, hour."""
    now = data.recording(phone)
    going_on = now is not None and now["_id"] == track["_id"]
    spent = data.time_label(data.elapsed_ms(phone, track) if going_on else track["totaltime"])
    far = " ".join(data.distance(phone, track["totaldistance"]))
    top = row(
        text(track["name"] or "", lines=1, weight=1, id="track_list_item_name"),
        text(data.day_label(phone, track["starttime"]), size=13, color="text_dim", id="track_list_item_date"),
        gap=8,
    )  # fmt: skip
    under = row(
        text("Recording\u2026" if going_on else f"{spent} ({far})", size=13,
             color=data.ORANGE if going_on else "text_dim", weight=1, id="track_list_item_time_distance"),
        text(f"{data.when(track['starttime']):%H:%M}", size=13, color="text_dim", id="track_list_item_time"),
        gap=8,
    )  # fmt: skip
    picture = icon(data.icon_of(data.category_of(track)), 26, "text", desc="Track", id="track_list_item_icon")
    made = row(picture, column(top, under, weight=1, gap=3), gap=14, padding=(14, 10, 14, 10), on_tap=on_tap,
               id="track_list_item")  # fmt: skip
    made.on_long, made.selected = on_long, marked
    made.background = "primary_soft" if marked else None
    return column(made, divider(), width=FILL)


@dataclass
class Markers(Screen):
    """The list of markers: a phone that lies still has set none, those of a pushed database are shown."""

    activity: ClassVar[str] = f"{data.PACKAGE}.MarkerListActivity"

    number: int = 0

    def build(self) -> View:
        """Bar and rows."""
        where, values = ("WHERE trackid = ?", (self.number,)) if self.number else ("", ())
        found = self.phone.db(data.DB).query(f"SELECT * FROM markers {where} ORDER BY _id", values)
        rows = [text(m["name"] or "", padding=(16, 14, 16, 14), width=FILL, id="marker_list_item_name") for m in found]
        body = column(*rows, height=FILL, weight=1) if rows else empty("You don't have any markers", "location")
        return page(toolbar("Markers", back=self.finish), body)
