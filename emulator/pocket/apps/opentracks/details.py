"""OpenTracks: the figures of a recorded track, and the page to edit it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.opentracks import data
from emulator.pocket.apps.opentracks.look import Markers, pair, value
from emulator.pocket.databases import Row
from emulator.pocket.parts import dialog, list_dialog, menu, page, tabs, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import button, column, divider, empty, icon, icon_button, row, scroll, text

TABS = ("Stats", "Intervals", "Chart")


@dataclass
class Recorded(Screen):
    """One track. `number` is its key; a track that is gone closes the page."""

    activity: ClassVar[str] = f"{data.PACKAGE}.TrackRecordedActivity"

    number: int
    tab: int = 0

    def build(self) -> View:
        """Bar, tabs, figures."""
        track = data.track(self.phone, self.number)
        bar = toolbar(
            (track["name"] or "") if track else "", back=self.finish, menu=partial(self.open, "menu"),
            actions=[icon_button("location", "Markers", partial(self.push, Markers(self.number)))] if track else [],
        )  # fmt: skip
        if track is None:
            return page(bar, empty("This track no longer exists"))
        body = self._stats(track) if self.tab == 0 else empty(
            "There are not any interval yet" if self.tab == 1 else "No chart data available", "chart")  # fmt: skip
        return page(bar, tabs(TABS, self.tab, partial(self.set, "tab")), body)

    def _stats(self, track: Row) -> View:
        kind, far, moving = data.category_of(track), track["totaldistance"], track["movingtime"]
        paced = data.icon_of(kind) in data.PACED
        words = ("Fastest pace", "Avg moving pace", "Avg pace") if paced else (
            "Max speed", "Avg moving speed", "Avg speed")  # fmt: skip
        began = data.when(track["starttime"])
        names = column(
            text(track["name"] or "", size=20, bold=1, width=FILL, id="stats_name_value"),
            text(track["description"] or "", width=FILL, color="text_dim", id="stats_description_value"),
            weight=1, gap=2,
        )  # fmt: skip
        top = row(icon(data.icon_of(kind), 44, data.ORANGE, id="stats_activity_type_icon"), names, gap=16,
                  padding=(16, 14, 16, 4), align="start")  # fmt: skip
        date = text(f"{data.date_label(began.date())}, {began:%H:%M:%S}", size=14, color="text_dim", width=FILL,
                    align="end", padding=(16, 4, 16, 8), id="stats_start_datetime_value")  # fmt: skip
        fastest = max(float(track["maxspeed"] or 0.0), float(far or 0.0) / (moving / 1000) if moving else 0.0)
        speed = data.rate(self.phone, kind, fastest * 3600, 3_600_000)
        rates = [data.rate(self.phone, kind, far, spent) for spent in (moving, track["totaltime"])]
        return scroll(
            top, date, divider(),
            pair(value("Distance", *data.distance(self.phone, far), id="distance"), column(
                value("Moving time", data.time_label(moving), id="moving_time"),
                value("Total time", data.time_label(track["totaltime"]), id="total_time", small=True), weight=1)),
            divider(),
            pair(value(words[0], *speed, id="max_speed"), column(
                value(words[1], *rates[0], id="moving_speed"),
                value(words[2], *rates[1], id="average_speed", small=True), weight=1)),
            divider(),
            pair(value("Gain", *data.elevation(self.phone, track["elevationgain"]), id="altitude_gain"),
                 value("Loss", *data.elevation(self.phone, track["elevationloss"]), id="altitude_loss")),
            id="stats",
        )  # fmt: skip

    def overlay(self) -> View | None:
        """Menu, or the question before deleting."""
        if self.opened == "delete":
            return dialog("Delete track?", buttons=[("No", self.dismiss), ("Yes", self.delete)],
                          message="The track and its markers will be permanently deleted from the device.")  # fmt: skip
        return menu([("Edit", self.edit), ("Delete", partial(self.open, "delete"))])

    def edit(self) -> None:
        """To the form."""
        self.dismiss()
        if data.track(self.phone, self.number) is not None:
            self.push(Editor(self.number))

    def delete(self) -> None:
        """Yes."""
        data.delete(self.phone, [self.number])
        self.finish()


@dataclass
class Editor(Screen):
    """Name, activity type and description. `fresh`: the track was just recorded, so it can also be discarded."""

    activity: ClassVar[str] = f"{data.PACKAGE}.TrackEditActivity"

    number: int
    fresh: bool = False
    name: str = ""
    kind: str = ""
    description: str = ""

    def on_create(self) -> None:
        """Fill in what is known."""
        track = data.track(self.phone, self.number)
        if track is not None:
            self.name, self.description = track["name"] or "", track["description"] or ""
            self.kind = data.category_of(track)

    def build(self) -> View:
        """Three fields, two buttons."""
        choose = icon_button(data.icon_of(self.kind), "Choose activity type", partial(self.open, "types"), color="text",
                             id="track_edit_activity_type_icon")  # fmt: skip
        leave = button("Discard", partial(self.open, "discard"), style="text") if self.fresh else (
            button("Cancel", self.finish, style="text", id="track_edit_cancel"))  # fmt: skip
        return page(
            toolbar("New Track" if self.fresh else "Edit", back=None if self.fresh else self.finish),
            scroll(
                self.field("name", label="Name", id="track_edit_name"),
                row(self.field("kind", label="Activity type", id="track_edit_activity_type", weight=1), choose, gap=8),
                self.field("description", label="Description", id="track_edit_description", multiline=True),
                padding=(16, 16, 16, 16), gap=14,
            ),
            row(leave, button("Save", self.save, id="track_edit_save"), justify="end", gap=12, padding=(16, 8, 16, 12)),
        )  # fmt: skip

    def overlay(self) -> View | None:
        """The kinds of sport, or the question before discarding."""
        if self.opened == "discard":
            return dialog("Delete track?", buttons=[("No", self.dismiss), ("Yes", self.discard)],
                          message="The track and its markers will be permanently deleted from the device.")  # fmt: skip
        return list_dialog("Activity type", [name for name, _ in data.TYPES], self.choose)

    def choose(self, index: int) -> None:
        """One of the kinds."""
        self.kind = data.TYPES[index][0]
        self.dismiss()

    def save(self) -> None:
        """Write what changed."""
        kind = self.kind.strip()
        track = data.track(self.phone, self.number)
        if track is not None:
            new = {"name": self.name, "description": self.description, "category": kind, "activity_type": kind}
            if any((track[key] or "") != word for key, word in new.items()):
                data.update(self.phone, self.number, new)
        self.finish()

    def discard(self) -> None:
        """Yes: the new track is thrown away."""
        data.delete(self.phone, [self.number])
        self.finish()

    def on_back(self) -> bool:
        """BACK keeps a new track as it is."""
        return False
