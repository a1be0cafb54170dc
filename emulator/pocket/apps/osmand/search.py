"""OsmAnd's search: what was looked for before, the towns, and what the typed words or coordinates find."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.osmand.data import PACKAGE
from emulator.pocket.apps.osmand.places import TOWNS, LatLon, Place, distance, distance_words, search
from emulator.pocket.parts import page, search_bar, tabs
from emulator.pocket.views import View
from emulator.pocket.widgets import empty, lazy_list, list_row, text

HISTORY = "search_history"
REMEMBERED = 10


@dataclass
class Search(Screen):
    """Finishes with the place chosen. `near`: where the map is, for the distances."""

    activity: ClassVar[str] = "net.osmand.plus.activities.MapActivity"

    near: LatLon = (0.0, 0.0)
    words: str = ""
    tab: int = 0

    def on_create(self) -> None:
        """The cursor stands in the field."""
        self.focus_on("words")

    def build(self) -> View:
        """The field; below, tabs or what is found."""
        bar = search_bar("words", self.words, partial(self.set, "words"), self.finish, hint="Type to search all",
                         on_submit=self.phone.keyboard.hide)  # fmt: skip
        if self.words.strip():
            return page(bar, self._listed(search(self.words), "Nothing found"))
        shown = self.history() if self.tab == 0 else sorted(TOWNS, key=lambda t: t.name)
        return page(bar, tabs(["History", "Address"], self.tab, partial(self.set, "tab")),
                    self._listed(shown, "Your search history is empty"))  # fmt: skip

    def _listed(self, found: list[Place], nothing: str) -> View:
        if not found:
            return empty(nothing, "search")

        def line(i: int) -> View:
            place = found[i]
            far = text(distance_words(distance(self.near, place.at)), size=13, color="text_dim", id="distance")
            return list_row(place.name, place.about, partial(self.choose, place), "location", trailing=[far], height=72,
                            id="search_list_item", summary_lines=1)  # fmt: skip

        return lazy_list(len(found), 72, line, key="found")

    def history(self) -> list[Place]:
        """The places chosen lately, the last one first."""
        found = []
        for line in self.phone.prefs(PACKAGE).text(HISTORY).splitlines():
            name = line.partition("\t")[0]
            found += [t for t in TOWNS if t.name == name] or search(name)[:1]
        return found

    def choose(self, place: Place) -> None:
        """Remember it and go."""
        names = [place.name, *[p.name for p in self.history() if p.name != place.name]][:REMEMBERED]
        self.phone.unless_full(partial(self.phone.prefs(PACKAGE).set, HISTORY, "\n".join(names)))
        self.finish(place)
