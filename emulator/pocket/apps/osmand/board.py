"""What all screens with a map share: the map that can be moved and zoomed, round buttons on it, saving a track."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.osmand import data
from emulator.pocket.apps.osmand.drawing import Drawn, Frame, picture
from emulator.pocket.apps.osmand.places import LatLon
from emulator.pocket.parts import Choice, dialog
from emulator.pocket.theme import NAVIGATION_BAR, STATUS_BAR
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import IMAGE_BUTTON, column, row, spacer, stack, text

CENTER = (47.145, 9.545)
ZOOM, NEAREST, FARTHEST = 11, 19, 3
CLOSE = 15  # zoom at which a single place is shown
BLUE = (35, 122, 240)


def round_button(name: str, desc: str, action: Action, id: str) -> View:
    """A white disc on the map."""
    return View(IMAGE_BUTTON, icon=name, desc=desc, on_tap=action, id=id, width=48, height=48, radius=24,
                background="surface", border="divider", color="text_dim", icon_size=22)  # fmt: skip


@dataclass
class Board(Screen):
    """A map around (lat, lon). Subclasses say what lies on it and what a tap or a long press on it does."""

    lat: float = CENTER[0]
    lon: float = CENTER[1]
    zoom: int = ZOOM
    track_name: str = ""

    # the map

    @property
    def frame(self) -> Frame:
        """What is seen: the display without its bars, upright or lying."""
        width, height = (side / self.phone.scale for side in self.phone.display_size)
        bar = 24.0 if self.phone.gesture_navigation else NAVIGATION_BAR
        return Frame(self.lat, self.lon, self.zoom, width, max(height - STATUS_BAR - bar, 100.0))

    def map_view(
        self, line: Sequence[LatLon] = (), dots: Sequence[LatLon] = (), pin: LatLon | None = None, cross: bool = False
    ) -> View:
        """The map with favourites, markers and what is given."""
        stars = tuple((f.lat, f.lon) for f in data.favorites(self.phone))
        flags = tuple(data.marker_place(row).at for row in data.markers(self.phone))
        dark = self.phone.settings["secure"].get("ui_night_mode", "1") == "2"
        drawn = Drawn(self.frame, self.phone.scale, dark, stars, flags, tuple(line), tuple(dots), pin, cross)
        return View("android.view.View", picture=picture(drawn), width=FILL, height=FILL, on_stroke=self.moved,
                    on_long=self.held, id="map_view_with_layers")  # fmt: skip

    def moved(self, points: list[tuple[float, float]]) -> None:
        """A finger on the map: a touch, or the map goes along."""
        (x1, y1), (x2, y2) = points[0], points[-1]
        if len(points) == 1:
            self.touched(self.frame.to_place(x1, y1))
            return
        frame = self.frame
        self.lat, self.lon = frame.to_place(frame.width / 2 - (x2 - x1), frame.height / 2 - (y2 - y1))

    def held(self) -> None:
        """A long press."""
        x, y = (side / self.phone.scale for side in self.phone.gestures.held)
        self.pressed(self.frame.to_place(x, y - STATUS_BAR))

    def touched(self, at: LatLon) -> None:
        """A short touch."""

    def pressed(self, at: LatLon) -> None:
        """A long press."""
        self.touched(at)

    def zoom_by(self, steps: int) -> None:
        """The buttons."""
        self.zoom = min(max(self.zoom + steps, FARTHEST), NEAREST)

    def look_at(self, at: LatLon, zoom: int = CLOSE) -> None:
        """Put a place into the middle."""
        self.lat, self.lon, self.zoom = at[0], at[1], max(zoom, self.zoom) if zoom == CLOSE else zoom

    def look_over(self, points: Sequence[LatLon]) -> None:
        """Show all points."""
        if len(points) > 1:
            found = self.frame.fits(points, 0.6)
            self.lat, self.lon, self.zoom = found.lat, found.lon, found.zoom
        elif points:
            self.look_at(points[0])

    def zoom_buttons(self) -> View:
        """At the right: my location, nearer, farther."""
        return column(
            round_button("location", "Where am I", self.locate, "map_my_location_button"),
            round_button("add", "Zoom in", partial(self.zoom_by, 1), "map_zoom_in_button"),
            round_button("remove", "Zoom out", partial(self.zoom_by, -1), "map_zoom_out_button"), gap=12, width=48,
        )  # fmt: skip

    def locate(self) -> None:
        """There is no satellite in sight."""
        self.toast("Searching for GPS\u2026")

    @property
    def low(self) -> bool:
        """True where there is no room for buttons over a sheet: the display lies."""
        return self.frame.height < 480

    def over_map(self, map_view: View, top: View, bottom: View) -> View:
        """The map, with parts at the upper and the lower edge; what lies between is the map's."""
        return stack(map_view, column(top, spacer(weight=1), bottom, height=FILL), height=FILL, weight=1)

    # saving a track

    @abstractmethod
    def track(self) -> list[LatLon]:
        """What "Save" writes."""

    def ask_track_name(self, name: str) -> None:
        """Open the dialog."""
        self.track_name = name
        self.open("save track")
        self.focus_on("track_name", name)
        self.selection = (0, len(name))

    def overlay(self) -> View | None:
        """The dialog for a track's name."""
        if self.opened != "save track":
            return None
        edit = self.field("track_name", hint="Name", label="File name", id="name_edit_text", on_submit=self.save_track)
        buttons: list[Choice] = [("Cancel", self.dismiss), ("Save", self.save_track)]
        return dialog("Save as new track", edit, buttons=buttons)

    def save_track(self) -> None:
        """Write the file; the dialog stays where the name won't do or there is no room."""
        name = self.track_name.strip()
        wrong = data.track_name_error(self.phone, name)
        if wrong:
            self.toast(wrong)
            return
        data.save_track(self.phone, name, self.track())
        self.dismiss()
        self.toast(f"Track saved: {name}.gpx")
        self.track_saved()

    def track_saved(self) -> None:
        """After it is written."""


def sheet(*parts: View, id: str = "context_menu_layout") -> View:
    """What covers the lower part of the map."""
    made = column(*parts, background="surface", padding=(0, 12, 0, 8), id=id)
    made.on_tap = _stay
    return made


def _stay() -> None:
    """A touch on the sheet is no touch on the map."""


def sheet_title(title: str, about: str, name: str) -> View:
    """Title over a line, a symbol at the end."""
    lines = (text(title, size=20, bold=1, lines=2, width=FILL, id="context_menu_line1"),
             text(about, size=14, color="text_dim", lines=1, width=FILL, id="context_menu_line2"))  # fmt: skip
    names = column(*lines, weight=1, gap=4)
    mark = View("android.widget.ImageView", icon=name, icon_size=26, color=BLUE, width=32, height=32)
    return row(names, mark, padding=(16, 0, 16, 10), gap=12)
