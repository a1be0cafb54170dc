"""Ways from place to place: navigation with start, stops and goal, and "Plan a route" point by point."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

from emulator.pocket.apps.osmand.board import Board, sheet
from emulator.pocket.apps.osmand.places import LatLon, Place, distance_words, length, route
from emulator.pocket.apps.osmand.search import Search
from emulator.pocket.parts import dialog, page, toolbar
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import button, icon_button, list_row, row, scroll, spacer, text

SPEED = 12.5  # metres a second that the times are worked out with
MAP = "net.osmand.plus.activities.MapActivity"


def duration_words(metres: float) -> str:
    """`7 min`, `1 h 12 min`."""
    minutes = max(round(metres / SPEED / 60), 1)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@dataclass
class Navigation(Board):
    """A route. `start` None is the phone's own place, which it does not know; `stops` end with the goal."""

    activity: ClassVar[str] = MAP

    start: Place | None = None
    stops: list[Place] = field(default_factory=list)
    details: bool = False

    def track(self) -> list[LatLon]:
        """The points of the route; none without a start and a goal."""
        if self.start is None or not self.stops:
            return []
        return route([self.start.at, *[p.at for p in self.stops]])

    def build(self) -> View:
        """The map over the sheet, or the details."""
        line = self.track()
        if self.details and line:
            return self._details(line)
        dots = [p.at for p in ([self.start] if self.start else []) + self.stops]
        shown = self.map_view(line, dots)
        tools = row(spacer(weight=1), self.zoom_buttons(), padding=(16, 16, 16, 16))
        return self.over_map(shown, spacer() if self.low else tools, self._sheet(line))

    def _sheet(self, line: list[LatLon]) -> View:
        rows = [self._row("From", self.start.name if self.start else "My location", "start", "location")]
        for number, stop in enumerate(self.stops[:-1]):
            rows.append(self._row("Via", stop.name, f"stop {number}", "flag", number))
        goal = self.stops[-1].name if self.stops else "Set destination"
        rows.append(self._row("To", goal, f"stop {max(len(self.stops) - 1, 0)}", "flag"))
        said = "Searching for GPS\u2026" if self.start is None else "Set the destination"
        if line:
            said = f"{distance_words(length(line))} \u2022 {duration_words(length(line))}"
        add = icon_button("add", "Add", partial(self.open, "add"), id="add_point_button", enabled=bool(self.stops))
        heading = row(text("Navigation", size=18, bold=1, weight=1), add, padding=(16, 0, 8, 0))
        listed = scroll(*rows, key="stops", weight=0)
        listed.height = min(len(rows), 2 if self.low else 4) * 60
        info = text(said, size=14, color="text_dim", padding=(16, 6, 16, 8), id="route_info")
        buttons = row(
            button("Cancel", self.finish, style="tonal", weight=1),
            button("Details", partial(self.set, "details", True), style="tonal", weight=1, enabled=bool(line)),
            button("Start", self.locate, weight=1, enabled=bool(line)), gap=8, padding=(16, 4, 16, 4),
        )  # fmt: skip
        return sheet(heading, listed, info, buttons, id="route_menu_layout")

    def _row(self, label: str, name: str, key: str, symbol: str, number: int = -1) -> View:
        trailing = []
        if number >= 0:
            trailing = [icon_button("close", f"Remove {name}", partial(self.remove, number))]
        return list_row(name, label, partial(self.look_for, key), symbol, trailing=trailing, height=60)

    def _details(self, line: list[LatLon]) -> View:
        far = length(line)
        points = [p for p in (self.start, *self.stops) if p is not None]
        rows: list[View] = [text(f"{distance_words(far)} \u2022 {duration_words(far)}", size=18, bold=1,
                                 padding=(16, 12, 16, 12))]  # fmt: skip
        for i, place in enumerate(points):
            gone = length(route([p.at for p in points[: i + 1]])) if i else 0.0
            rows.append(list_row(place.name, distance_words(gone), None, "flag" if i else "location"))
        save = icon_button("save", "Save as new track", self.ask_save, id="save_as_gpx")
        bar = toolbar("Route details", partial(self.set, "details", False), actions=[save])
        return page(bar, scroll(*rows, key="details"))

    def ask_save(self) -> None:
        """The name of a new track: from where to where."""
        if self.start is not None and self.stops:
            self.ask_track_name(f"{self.start.name} - {self.stops[-1].name}")

    def overlay(self) -> View | None:
        """What a new point is."""
        if self.opened == "add":
            kinds = (("Add destination point", "goal"), ("Add intermediate point", "via"))
            rows = [list_row(label, on_tap=partial(self.look_for, key), icon_name="flag") for label, key in kinds]
            return dialog("Add", *rows)
        return super().overlay()

    def look_for(self, key: str) -> None:
        """Search for a point."""
        self.dismiss()
        self.ask(Search(near=(self.lat, self.lon)), key)

    def on_result(self, key: str, value: object) -> None:
        """The point is found."""
        if not isinstance(value, Place):
            return
        if key == "start":
            self.start = value
        elif key == "goal" or not self.stops:
            self.stops.append(value)
        elif key == "via":
            self.stops.insert(len(self.stops) - 1, value)
        else:
            self.stops[min(int(key.split()[1]), len(self.stops) - 1)] = value
        self._look()

    def _look(self) -> None:
        """All points into the part of the map above the sheet."""
        frame = self.frame
        share, down = (0.2, 0.38) if self.low else (0.5, 0.22)
        upper = replace(frame, height=frame.height * share)
        found = upper.fits([p.at for p in ([self.start] if self.start else []) + self.stops], 0.7)
        self.zoom = found.zoom
        self.lat, self.lon = found.to_place(found.width / 2, found.height / 2 + frame.height * down)

    def remove(self, number: int) -> None:
        """A stop less."""
        del self.stops[number]

    def on_back(self) -> bool:
        """Out of the details first."""
        was, self.details = self.details, False
        return was


@dataclass
class Plan(Board):
    """ "Plan a route": points set one by one, by a touch or by the cross in the middle."""

    activity: ClassVar[str] = MAP

    points: list[LatLon] = field(default_factory=list)
    undone: list[LatLon] = field(default_factory=list)
    saved: int = 0

    def track(self) -> list[LatLon]:
        """The points themselves."""
        return list(self.points)

    def build(self) -> View:
        """Bar, map, the tools below."""
        save = button("Save", self.ask_save, style="text", enabled=len(self.points) > 1, id="done_button")
        bar = toolbar("Plan a route", self.leave, actions=[save], color="surface",
                      navigation=None, subtitle=self._said())  # fmt: skip
        tools = row(
            icon_button("undo", "Undo", self.undo, enabled=bool(self.points), id="undo_point_button"),
            icon_button("redo", "Redo", self.redo, enabled=bool(self.undone), id="redo_point_button"),
            icon_button("delete", "Clear all", self.clear, enabled=bool(self.points)), spacer(weight=1),
            button("Add point", self.add_middle, icon="add", id="add_point_button"), padding=(8, 0, 16, 0),
        )  # fmt: skip
        right = row(spacer(weight=1), self.zoom_buttons(), padding=(16, 16, 16, 16))
        shown = self.map_view(self.points, self.points, cross=True)
        return self.over_map(shown, bar, _below(right, sheet(tools, id="measurement_layout")))

    def _said(self) -> str:
        count = len(self.points)
        return f"{distance_words(length(self.points))}, points: {count}" if count else "Add at least one point"

    def touched(self, at: LatLon) -> None:
        """A point on the map."""
        self.points.append(at)
        self.undone = []

    def add_middle(self) -> None:
        """The cross."""
        self.touched((self.lat, self.lon))

    def undo(self) -> None:
        """The last point."""
        self.undone.append(self.points.pop())

    def redo(self) -> None:
        """Back again."""
        self.points.append(self.undone.pop())

    def clear(self) -> None:
        """All of them."""
        self.points, self.undone = [], []

    def ask_save(self) -> None:
        """The time is the name, as in the real app."""
        self.ask_track_name(f"{self.phone.clock.datetime():%Y-%m-%d_%H-%M_%a}")

    def track_saved(self) -> None:
        """Nothing is lost any more."""
        self.saved = len(self.points)

    def overlay(self) -> View | None:
        """Leaving with points that are not saved."""
        if self.opened == "leave":
            buttons: list[tuple[str, Action]] = [("Cancel", self.dismiss), ("Save", self.ask_save),
                                                 ("Exit", self.finish)]  # fmt: skip
            return dialog("Exit without saving?", buttons=buttons,
                          message="All unsaved changes in the planned route will be lost.")  # fmt: skip
        return super().overlay()

    def leave(self) -> None:
        """The arrow."""
        if not self.on_back():
            self.finish()

    def on_back(self) -> bool:
        """Ask where there is something to lose."""
        if len(self.points) == self.saved:
            return False
        self.open("leave")
        return True


def _below(first: View, second: View) -> View:
    return View("android.widget.LinearLayout", kind="column", children=[first, second], width=-1.0)
