"""My places (favourites and tracks), map markers, and the screen that saves a favourite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.osmand import data
from emulator.pocket.apps.osmand.places import distance_words, length, location
from emulator.pocket.parts import page, tabs, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import badge, button, empty, icon_button, lazy_list, list_row, row, scroll

GROUP = "Favorites"


@dataclass
class FavoriteEditor(Screen):
    """ "Add favorite", or "Edit favorite" for the `number`-th of the file. Finishes with True when it is saved."""

    activity: ClassVar[str] = "net.osmand.plus.activities.MapActivity"

    lat: float = 0.0
    lon: float = 0.0
    name: str = ""
    description: str = ""
    group: str = ""
    number: int = -1

    def build(self) -> View:
        """Fields and buttons."""
        fields = scroll(
            self.field("name", hint="Name", label="Name", id="name_edit"),
            self.field("description", hint="Add description", label="Description", id="description_edit"),
            self.field("group", hint=GROUP, label="Group", id="group_edit"),
            list_row(f"{self.lat:.5f}, {self.lon:.5f}", "Coordinates", icon_name="location"),
            gap=16, padding=(16, 16, 16, 16),
        )  # fmt: skip
        title = "Add favorite" if self.number < 0 else "Edit favorite"
        buttons = row(button("Cancel", self.finish, style="tonal", weight=1), button("Save", self.save, weight=1),
                      gap=12, padding=(16, 8, 16, 12))  # fmt: skip
        return page(toolbar(title, self.finish), fields, buttons)

    def save(self) -> None:
        """Into the file."""
        name = self.name.strip()
        if not name:
            self.toast("Please enter a name")
            return
        found = data.favorites(self.phone)
        if 0 <= self.number < len(found):
            found[self.number] = replace(found[self.number], name=name, description=self.description.strip(),
                                         group=self.group.strip())  # fmt: skip
        else:
            found.append(data.Favorite(name, self.lat, self.lon, self.description.strip(), self.group.strip(),
                                       data.stamp(self.phone)))  # fmt: skip
        data.save_favorites(self.phone, found)
        self.toast("Favorite saved")
        self.finish(True)


@dataclass
class MyPlaces(Screen):
    """Finishes with the place, or the name of the track, that is to be shown on the map."""

    activity: ClassVar[str] = "net.osmand.plus.myplaces.ui.MyPlacesActivity"

    tab: int = 0

    def build(self) -> View:
        """Two lists."""
        body = self._favorites() if self.tab == 0 else self._tracks()
        bar = toolbar("My places", self.finish)
        return page(bar, tabs(["Favorites", "Tracks"], self.tab, partial(self.set, "tab")), body)

    def _favorites(self) -> View:
        found = data.favorites(self.phone)

        def line(i: int) -> View:
            about = found[i].group or GROUP
            bin_ = icon_button("delete", f"Delete {found[i].name}", partial(self.delete_favorite, i))
            return list_row(found[i].name, about, partial(self.finish, found[i].place), trailing=[bin_],
                            leading=badge("star", (255, 160, 0)), height=72, summary_lines=1)  # fmt: skip

        return lazy_list(len(found), 72, line, key="favorites") if found else empty("You have no favorites", "star")

    def _tracks(self) -> View:
        found = data.tracks(self.phone)

        def line(i: int) -> View:
            points = data.track_points(self.phone, found[i])
            bin_ = icon_button("delete", f"Delete {found[i]}", partial(self.delete_track, found[i]))
            about = f"{distance_words(length(points))} \u2022 {len(points)} points"
            return list_row(found[i].removesuffix(".gpx"), about, partial(self.finish, found[i]), "map",
                            trailing=[bin_], height=72, summary_lines=1)  # fmt: skip

        return lazy_list(len(found), 72, line, key="tracks") if found else empty("You have no tracks yet", "map")

    def delete_favorite(self, number: int) -> None:
        """Out of the file."""
        found = data.favorites(self.phone)
        data.save_favorites(self.phone, found[:number] + found[number + 1 :])

    def delete_track(self, name: str) -> None:
        """The file."""
        self.phone.fs.remove(f"{data.TRACKS}/{name}")


@dataclass
class Markers(Screen):
    """Finishes with the place that is to be shown on the map."""

    activity: ClassVar[str] = "net.osmand.plus.activities.MapActivity"

    tab: int = 0

    def build(self) -> View:
        """What is to be reached, and what was."""
        rows = data.markers(self.phone, self.tab == 0)

        def line(i: int) -> View:
            place = data.marker_place(rows[i])
            trailing = []
            if self.tab == 0:
                mark = partial(data.pass_marker, self.phone, rows[i]["marker_id"])
                trailing = [icon_button("check", f"Mark {place.name} as passed", mark)]
            return list_row(place.name, location(place.at).name, partial(self.finish, place), trailing=trailing,
                            leading=badge("flag", (30, 136, 229)), height=72, summary_lines=1)  # fmt: skip

        body = lazy_list(len(rows), 72, line, key="markers") if rows else empty("You have no map markers", "flag")
        bar = toolbar("Map markers", self.finish)
        return page(bar, tabs(["Markers", "History"], self.tab, partial(self.set, "tab")), body)
