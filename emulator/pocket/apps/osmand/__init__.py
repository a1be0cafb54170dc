"""OsmAnd: a map of Liechtenstein, search, favourites, map markers, routes and tracks.

AndroidWorld (android_world_apps.md section 22) reads favorites.gpx, the table map_markers and the GPX files below
tracks. Names and ids: osmandapp/OsmAnd 4.6 as known from its screens, not compared string by string.
Departures: the map is a sketch (drawing.py) that needs no map file, so clearing the storage does not take it away;
ways follow a sketched road net; no position, no voice, no downloads; no first-run page (AndroidWorld's set-up skips
it).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.osmand import data
from emulator.pocket.apps.osmand.board import BLUE, CENTER, Board, round_button, sheet, sheet_title
from emulator.pocket.apps.osmand.data import PACKAGE, SCHEMA
from emulator.pocket.apps.osmand.lists import FavoriteEditor, Markers, MyPlaces
from emulator.pocket.apps.osmand.places import TOWNS, LatLon, Place, coordinates, location
from emulator.pocket.apps.osmand.routes import Navigation, Plan
from emulator.pocket.apps.osmand.search import Search
from emulator.pocket.intents import VIEW, Intent, IntentFilter
from emulator.pocket.parts import bottom_sheet, dialog, drawer
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import button, column, icon, list_row, row, spacer, text

MAIN = "net.osmand.plus.activities.MapActivity"
NEAR_DP = 22.0  # how far beside a town, a favourite or a marker a long press may lie
NO_DOWNLOADS = "No internet connection"


@dataclass
class Map(Board):
    """The main screen. `chosen` is the place whose sheet is open, `shown` the track on the map."""

    activity: ClassVar[str] = MAIN

    chosen: Place | None = None
    shown: str = ""

    def on_resume(self) -> None:
        """A track that was deleted is no longer shown."""
        if self.shown and not self.phone.fs.isfile(f"{data.TRACKS}/{self.shown}"):
            self.shown = ""

    def build(self) -> View:
        """Map, buttons, the sheet of a place."""
        pin = self.chosen.at if self.chosen else None
        shown = self.map_view(line=self.track(), pin=pin)
        left = column(round_button("map", "Configure map", partial(self.open, "layers"), "map_layers_button"),
                      round_button("search", "Search", self.search, "map_search_button"), gap=12, width=48)  # fmt: skip
        compass = round_button("arrow_up", "Map orientation: North is up", self.north, "map_compass_button")
        top = row(left, spacer(weight=1), compass, padding=(16, 16, 16, 0), align="start")
        menus = row(round_button("menu", "Back to menu", partial(self.open, "drawer"), "map_menu_button"),
                    round_button("directions", "Navigation", self.navigate, "map_route_info_button"), gap=12,
                    width=108)  # fmt: skip
        tools = row(menus, spacer(weight=1), self.zoom_buttons(), padding=(16, 0, 16, 16), align="end")
        if self.chosen is None:
            return self.over_map(shown, top, tools)
        place = self._place(self.chosen)
        return self.over_map(shown, top, place if self.low else column(tools, place))

    def _place(self, place: Place) -> View:
        known = any(abs(f.lat - place.lat) < 1e-6 and abs(f.lon - place.lon) < 1e-6 for f in data.favorites(self.phone))
        marked = self._marker(place) is not None
        actions = row(
            self._action("star", "Edit" if known else "Add", partial(self.favorite, place)),
            self._action("flag", "Remove marker" if marked else "Marker", partial(self.mark, place)),
            self._action("share", "Share", self.share), self._action("more", "Actions", partial(self.open, "actions")),
            padding=(8, 0, 8, 8),
        )  # fmt: skip
        buttons = row(button("Details", partial(self.open, "details"), style="text", weight=1, id="details_button"),
                      button("Directions", partial(self.directions, place), weight=1, icon="directions",
                             id="context_menu_directions_button"), gap=8, padding=(16, 0, 16, 0))  # fmt: skip
        symbol = "star" if place.kind == "Favorite" else "flag" if place.kind == "Marker" else "location"
        return sheet(sheet_title(place.name, place.about, symbol), actions, buttons)

    @staticmethod
    def _action(name: str, label: str, action: Action) -> View:
        words = text(label, size=12, color=BLUE, bold=1, lines=1)
        return column(icon(name, color=BLUE), words, align="center", justify="center", gap=4, height=56, weight=1,
                      on_tap=action)  # fmt: skip

    def _marker(self, place: Place) -> str | None:
        for line in data.markers(self.phone):
            at = data.marker_place(line).at
            if abs(at[0] - place.lat) < 1e-6 and abs(at[1] - place.lon) < 1e-6:
                return str(line["marker_id"])
        return None

    # overlays

    def overlay(self) -> View | None:
        """Drawer, map layers, what can be done with a place."""
        if self.opened == "drawer":
            return drawer("OsmAnd", self._drawer(), color="surface", on_color="text")
        if self.opened == "layers":
            layers = (("star", "Favorites", "On"), ("flag", "Map markers", "On"), ("map", "Map source", "Offline maps"))
            rows = [list_row(label, value, icon_name=name) for name, label, value in layers]
            return dialog("Configure map", *rows, buttons=[("Close", self.dismiss)])
        if self.opened == "details" and self.chosen is not None:
            words = f"{self.chosen.about}\n{self.chosen.lat:.5f}, {self.chosen.lon:.5f}"
            return dialog(self.chosen.name, message=words, buttons=[("Close", self.dismiss)])
        if self.opened == "actions" and self.chosen is not None:
            return self._actions(self.chosen)
        if self.opened == "plan":
            rows = [list_row("Create new route", on_tap=partial(self.plan, None), icon_name="add")]
            return bottom_sheet(text("Plan a route", size=18, bold=1, padding=(16, 4, 16, 8)), *rows)
        return super().overlay()

    def _drawer(self) -> list[tuple[str, str, Action]]:
        return [
            ("flag", "Map markers", partial(self.leave_for, Markers())),
            ("star", "My places", partial(self.leave_for, MyPlaces())), ("search", "Search", self.search),
            ("directions", "Navigation", self.navigate), ("", "", self.dismiss),
            ("map", "Configure map", partial(self.open, "layers")),
            ("download", "Download maps", partial(self.toast, NO_DOWNLOADS)),
            ("edit", "Plan a route", partial(self.open, "plan")),
        ]  # fmt: skip

    def _actions(self, place: Place) -> View:
        rows = [
            list_row(label, on_tap=action, icon_name=name)
            for name, label, action in (
                ("directions", "Directions from", partial(self.directions_from, place)),
                ("search", "Search nearby", self.search),
                ("edit", "Plan a route", partial(self.plan, place)),
            )
        ]
        return bottom_sheet(text("Actions", size=18, bold=1, padding=(16, 4, 16, 8)), *rows)

    # places

    def pressed(self, at: LatLon) -> None:
        """A long press chooses what lies there."""
        self.chosen = self._at(at) or location(at)

    def touched(self, at: LatLon) -> None:
        """A touch chooses a favourite or a marker, else it closes the sheet."""
        found = self._at(at)
        self.chosen = found if found is not None and found.kind in {"Favorite", "Marker"} else None

    def _at(self, at: LatLon) -> Place | None:
        places = [f.place for f in data.favorites(self.phone)]
        places += [data.marker_place(line) for line in data.markers(self.phone)] + list(TOWNS)
        x, y = self.frame.to_dp(at)

        def far(place: Place) -> float:
            px, py = self.frame.to_dp(place.at)
            return max(abs(px - x), abs(py - y))

        nearest = min(places, key=far)
        return nearest if far(nearest) < NEAR_DP else None

    def choose(self, place: Place) -> None:
        """Show a place and its sheet."""
        self.chosen, self.shown = place, ""
        self.look_at(place.at)

    def favorite(self, place: Place) -> None:
        """Add it, or change what is there."""
        found = data.favorites(self.phone)
        for number, old in enumerate(found):
            if abs(old.lat - place.lat) < 1e-6 and abs(old.lon - place.lon) < 1e-6:
                self.ask(FavoriteEditor(old.lat, old.lon, old.name, old.description, old.group, number), "favorite")
                return
        self.ask(FavoriteEditor(place.lat, place.lon, place.name), "favorite")

    def mark(self, place: Place) -> None:
        """Add a marker; one that is there goes to the history."""
        number = self._marker(place)
        if number is None:
            data.add_marker(self.phone, place)
            self.toast("Map marker added")
        else:
            data.pass_marker(self.phone, number)

    def share(self) -> None:
        """The coordinates, for other apps to paste."""
        if self.chosen is not None:
            self.phone.clipboard = f"{self.chosen.lat:.5f}, {self.chosen.lon:.5f}"
            self.toast("Copied to clipboard")

    # going

    def leave_for(self, screen: Screen) -> None:
        """A list; what is chosen there is shown here."""
        self.dismiss()
        self.ask(screen, "show")

    def search(self) -> None:
        """The magnifying glass."""
        self.leave_for(Search(near=(self.lat, self.lon)))

    def on_result(self, key: str, value: object) -> None:
        """A place to show, or the name of a track."""
        if isinstance(value, Place):
            self.choose(value)
        elif key == "show" and isinstance(value, str):
            self.chosen, self.shown = None, value
            self.look_over(self.track())
        elif key == "favorite" and self.chosen is not None:
            at = self.chosen.at
            self.chosen = next((f.place for f in data.favorites(self.phone)[::-1] if (f.lat, f.lon) == at), self.chosen)

    def track(self) -> list[LatLon]:
        """The points of the track that is shown."""
        return data.track_points(self.phone, self.shown) if self.shown else []

    def navigate(self) -> None:
        """Without a goal yet."""
        self.dismiss()
        self.push(Navigation(self.lat, self.lon, self.zoom))

    def directions(self, place: Place) -> None:
        """To a place."""
        self.push(Navigation(self.lat, self.lon, self.zoom, stops=[place]))

    def directions_from(self, place: Place) -> None:
        """From a place."""
        self.dismiss()
        self.push(Navigation(self.lat, self.lon, self.zoom, start=place))

    def plan(self, place: Place | None) -> None:
        """Point by point, from here on."""
        self.dismiss()
        self.push(Plan(self.lat, self.lon, self.zoom, points=[place.at] if place else []))

    def north(self) -> None:
        """The compass: the map always looks north."""
        self.toast("Map orientation: North is up")

    def on_back(self) -> bool:
        """The sheet, then the track, then the app closes."""
        if self.chosen is not None:
            self.chosen = None
            return True
        was, self.shown = bool(self.shown), ""
        return was


def _main(intent: Intent) -> Screen:
    """The map, at the place of a geo: address."""
    if intent.scheme == "geo":
        at = coordinates(intent.data[len("geo:") :].partition("?")[0])
        if at is not None and at != (0.0, 0.0):
            return Map(at[0], at[1], 15, chosen=location(at))
    return Map(*CENTER)


APP = App(
    package=PACKAGE,
    label="OsmAnd",
    icon=("map", (255, 143, 0)),
    main=MAIN,
    activities={MAIN: _main},
    databases={"databases/map_markers_db": SCHEMA},
    filters=((IntentFilter(VIEW, schemes=("geo",)), MAIN),),
    start=data.start,
    permissions=("android.permission.POST_NOTIFICATIONS",),
    system=False,
    version="4.6.13",
)
