"""OpenTracks (de.dennisguse.opentracks): the list of tracks, search, a track's figures, totals, recording.

AndroidWorld fills the table `tracks` (data.py) and asks about what the screen shows. Words, ids and class names are
those of OpenTracksApp/OpenTracks res/values/strings.xml, res/layout and res/menu. As in the app the list shows the kind
of sport by its picture only; in words it stands on the page of a track's figures to edit and in the totals. Departures:
the phone lies still, so a recording has no distance and no points; no sensors, maps, charts, export.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.opentracks import data
from emulator.pocket.apps.opentracks.details import Editor, Recorded
from emulator.pocket.apps.opentracks.look import Markers, track_row
from emulator.pocket.apps.opentracks.recording import Recording
from emulator.pocket.apps.opentracks.totals import Totals
from emulator.pocket.databases import Row
from emulator.pocket.intents import Intent
from emulator.pocket.parts import choice_dialog, dialog, menu, page, search_bar, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import empty, header, icon_button, lazy_list, list_row, scroll, text

PACKAGE = data.PACKAGE
MAIN = f"{PACKAGE}.TrackListActivity"
LOCATION = "android.permission.ACCESS_FINE_LOCATION"


@dataclass
class TrackList(Screen):
    """All tracks, newest first. `marked` are those chosen by holding a finger on them."""

    searching: bool = False
    query: str = ""
    marked: list[int] = field(default_factory=list)
    gps: bool = False

    def _rows(self) -> list[Row]:
        return data.tracks(self.phone, self.query if self.searching else "")

    def build(self) -> View:
        """Bar, tracks, record button."""
        rows = self._rows()

        def item(i: int) -> View:
            number = rows[i]["_id"]
            return track_row(self.phone, rows[i], partial(self.choose, number), partial(self.mark, number),
                             number in self.marked)  # fmt: skip

        nothing = "No tracks or markers matched your search" if self.searching else (
            "Start recording your next adventure here")  # fmt: skip
        body = lazy_list(len(rows), 67, item, id="track_list") if rows else empty(nothing, "run")
        return page(self._bar(), body, fab=self._button())

    def _button(self) -> View:
        on = data.recording(self.phone) is not None
        return View(
            "android.widget.ImageButton", icon="stop" if on else "record", desc="Stop" if on else "Record",
            on_tap=self.stop if on else partial(self.need, LOCATION, "record"), id="track_list_fab_action", width=60,
            height=60, radius=30, background=(190, 22, 27) if on else data.ORANGE, color="white", icon_size=30,
        )  # fmt: skip

    def _bar(self) -> View:
        if self.marked:
            tools = [icon_button("edit", "Edit", self.edit)] if len(self.marked) == 1 else []
            tools += [icon_button("delete", "Delete", partial(self.open, "delete")),
                      icon_button("list", "Select all", self.mark_all)]  # fmt: skip
            return toolbar(str(len(self.marked)), navigation=("close", "Done", self.unmark), actions=tools,
                           color="primary_soft")  # fmt: skip
        if self.searching:
            return search_bar("query", self.query, partial(self.set, "query"), self.stop_search,
                              on_submit=self.phone.keyboard.hide)  # fmt: skip
        tools = [
            icon_button("search", "Search", self.search, id="track_list_search"),
            icon_button("gps" if self.gps else "gps_off", "Stop GPS" if self.gps else "Start GPS", self.toggle_gps,
                        id="track_list_start_gps"),
            icon_button("location", "Markers", partial(self.push, Markers()), id="track_list_markers"),
        ]  # fmt: skip
        return toolbar("OpenTracks", actions=tools, menu=partial(self.open, "menu"))

    def overlay(self) -> View | None:
        """Menu, or the question before deleting."""
        if self.opened == "delete":
            one = len(self.marked) == 1
            words = ("The track and its markers will be permanently deleted from the device." if one else
                     "The selected tracks and their markers will be permanently deleted from the device.")  # fmt: skip
            return dialog("Delete track?" if one else "Delete selected?", message=words,
                          buttons=[("No", self.dismiss), ("Yes", self.delete)])  # fmt: skip
        return menu([
            ("Aggregated stats", partial(self.go, Totals())), ("Settings", partial(self.go, Settings())),
            ("Help", partial(self.go, Help())),
        ])  # fmt: skip

    def go(self, screen: Screen) -> None:
        """A place of the menu."""
        self.dismiss()
        self.push(screen)

    def choose(self, number: int) -> None:
        """A track is tapped."""
        if self.marked:
            self.mark(number)
            return
        now = data.recording(self.phone)
        self.push(Recording() if now is not None and now["_id"] == number else Recorded(number))

    def mark(self, number: int) -> None:
        """A track is held, or tapped while others are marked."""
        self.marked = [n for n in self.marked if n != number] if number in self.marked else [*self.marked, number]

    def mark_all(self) -> None:
        """All that are listed."""
        self.marked = [row["_id"] for row in self._rows()]

    def unmark(self) -> None:
        """The cross."""
        self.marked = []

    def edit(self) -> None:
        """The pencil."""
        number = self.marked[0]
        self.unmark()
        self.push(Editor(number))

    def delete(self) -> None:
        """Yes: all but the one being recorded."""
        now = data.recording(self.phone)
        data.delete(self.phone, [n for n in self.marked if now is None or n != now["_id"]])
        if now is not None and now["_id"] in self.marked:
            self.toast("This track cannot be deleted as it is currently recorded.")
        self.unmark()
        self.dismiss()

    def on_result(self, key: str, value: object) -> None:
        """The user allowed the location, or not."""
        if key == "record" and value:
            data.begin(self.phone)
            self.push(Recording())
        elif key == "record":
            self.toast("OpenTracks requires permission to use GPS.")

    def stop(self) -> None:
        """The round button while a track is recorded: to its page, where holding the button ends it."""
        self.push(Recording())

    def toggle_gps(self) -> None:
        """The satellite."""
        self.gps = not self.gps
        self.toast("Waiting for GPS signal" if self.gps else "GPS disabled")

    def search(self) -> None:
        """The magnifier."""
        self.searching, self.query = True, ""
        self.focus_on("query")

    def stop_search(self) -> None:
        """The arrow of the search field."""
        self.searching, self.query, self.focus = False, "", ""

    def on_back(self) -> bool:
        """BACK ends marking, then searching."""
        if self.marked:
            self.unmark()
            return True
        if self.searching:
            self.stop_search()
            return True
        return False


@dataclass
class Settings(Screen):
    """Units and the kind of sport of a new track."""

    activity: ClassVar[str] = f"{PACKAGE}.settings.SettingsActivity"

    def _get(self, key: str, default: str) -> str:
        return self.phone.prefs(PACKAGE).text(key, default)

    def build(self) -> View:
        """Two settings and the version."""
        return page(toolbar("Settings", back=self.finish), scroll(
            header("User interface"),
            list_row("Preferred units", self._get("units", data.UNITS[1]), partial(self.open, "units")),
            header("Recording"),
            list_row("Default activity type", self._get("type", data.DEFAULT_TYPE), partial(self.open, "type")),
            header("Advanced"), list_row("About OpenTracks", f"Version name: {APP.version}"),
        ))  # fmt: skip

    def _options(self) -> tuple[str, ...]:
        return data.UNITS if self.opened == "units" else tuple(name for name, _ in data.TYPES)

    def overlay(self) -> View | None:
        """The choices."""
        title, default = {"units": ("Preferred units", data.UNITS[1]),
                          "type": ("Default activity type", data.DEFAULT_TYPE)}[self.opened]  # fmt: skip
        options, now = self._options(), self._get(self.opened, default)
        return choice_dialog(title, options, options.index(now) if now in options else -1, self.choose)

    def choose(self, index: int) -> None:
        """One of them."""
        self.phone.prefs(PACKAGE).set(self.opened, self._options()[index])
        self.dismiss()


@dataclass
class Help(Screen):
    """What the app can do."""

    activity: ClassVar[str] = f"{PACKAGE}.HelpActivity"

    def build(self) -> View:
        """A page of text."""
        words = "\n".join(f"\u2022 {line}" for line in (
            "create GPS tracks", "create markers", "works completely offline", "totals over all tracks"))  # fmt: skip
        return page(toolbar("Help", back=self.finish), scroll(
            text("OpenTracks has the following features:", size=18, bold=1, padding=(16, 16, 16, 8)),
            text(words, padding=(16, 0, 16, 16)),
        ))  # fmt: skip


def _main(intent: Intent) -> Screen:
    return TrackList()


APP = App(
    package=PACKAGE, label="OpenTracks", icon=("run", data.ORANGE), main=MAIN, activities={MAIN: _main},
    databases={data.DATABASE: data.SCHEMA}, system=False, version="v4.9.4",
    permissions=(LOCATION, "android.permission.ACCESS_COARSE_LOCATION", "android.permission.POST_NOTIFICATIONS"),
)  # fmt: skip
