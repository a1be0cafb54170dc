"""Solutions of AndroidWorld's OsmAnd tasks: everything is found by the app's search."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

OSMAND = "net.osmand"


def typed(words: str) -> str:
    """The words without accents, which `input text` can't type and the search does not need."""
    return "".join(c for c in unicodedata.normalize("NFKD", words) if not unicodedata.combining(c))


def search(driver: Driver, place: str) -> None:
    """Type into the open search, take the first thing found."""
    driver.type_text(typed(place))
    driver.hide_keyboard()
    driver.tap_element(driver.get(id="search_list_item"))


def open_place(driver: Driver, place: str) -> None:
    """The sheet of a place."""
    driver.open_app(OSMAND)
    driver.tap_description("Search")
    search(driver, place)


def add_favorite(driver: Driver, params: Mapping[str, Any]) -> None:
    """Search, "Add", save."""
    open_place(driver, params["location"])
    driver.tap_text("Add")
    driver.hide_keyboard()
    driver.tap_text("Save")


def add_marker(driver: Driver, params: Mapping[str, Any]) -> None:
    """Search, "Marker"."""
    open_place(driver, params["location"])
    driver.tap_text("Marker")


def save_track(driver: Driver, params: Mapping[str, Any]) -> None:
    """Directions from the first to the second, then one goal more each time; saved as a track."""
    first, *others = params["waypoints"]
    open_place(driver, others[0])
    driver.tap_text("Directions")
    driver.tap_text("My location")
    search(driver, first)
    for place in others[1:]:
        driver.tap_description("Add")
        driver.tap_text("Add destination point")
        search(driver, place)
    driver.tap_text("Details")
    driver.tap_description("Save as new track")
    driver.hide_keyboard()
    driver.tap_text("Save")


TASKS: dict[str, Script] = {"OsmAndFavorite": add_favorite, "OsmAndMarker": add_marker, "OsmAndTrack": save_track}
