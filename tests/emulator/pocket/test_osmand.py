"""OsmAnd: what taps leave in the files and the table that AndroidWorld's checks read; what a user sees of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from emulator.pocket.apps.osmand import data
from emulator.pocket.apps.osmand.drawing import Frame
from emulator.pocket.apps.osmand.places import TOWNS, coordinates, distance, route, search
from emulator.pocket.experts import osmand as script
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone

WPT = "{http://www.topografix.com/GPX/1/1}wpt"
SCHAAN = (47.1663432, 9.5103085)


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    return Driver(phone)


def waypoints(phone: Phone) -> list[tuple[str, float, float]]:
    root = ElementTree.fromstring(phone.fs.read(data.FAVORITES))
    return [(w[1].text or "", float(w.get("lat", "")), float(w.get("lon", ""))) for w in root.findall(WPT)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Balzers, Liechtenstein", ["Balzers"]),
        ("schonberg", ["Sch\u00f6nberg"]), ("Schaan", ["Schaan", "Schaanwald"]),
        ("47.0688832, 9.5061564", ["47.06888, 9.50616"]), ("Paris", []), ("", []), ("99.0, 9.5", []), ("1, 2, 3", []),
    ],
)  # fmt: skip
def test_search(words: str, found: list[str]) -> None:
    assert [p.name for p in search(words)] == found


def test_coordinates_keep_all_digits() -> None:
    assert coordinates(" 47.0688832,9.5061564 ") == (47.0688832, 9.5061564)


def test_a_point_of_the_map_is_where_it_is_drawn() -> None:
    frame = Frame(47.14, 9.55, 12, 411, 842)
    for town in TOWNS:
        lat, lon = frame.to_place(*frame.to_dp(town.at))
        assert abs(lat - town.lat) < 1e-6
        assert abs(lon - town.lon) < 1e-6


def test_a_route_passes_its_points_in_order_along_roads() -> None:
    at = {t.name: t.at for t in TOWNS}
    wanted = [at["Balzers"], at["Schaan"], at["Malbun"], at["Balzers"]]
    line = route(wanted)
    places = iter(line)
    assert all(w in places for w in wanted)
    assert at["Triesen"] in line
    assert max(distance(a, b) for a, b in pairwise(line)) < 400
    assert route([at["Schaan"], at["Schaan"]]) == [at["Schaan"], at["Schaan"]]


def test_a_favorite_is_saved_and_the_others_stay(phone: Phone, driver: Driver) -> None:
    ns0 = ('<ns0:gpx xmlns:ns0="http://www.topografix.com/GPX/1/1"><ns0:wpt lat="1.5" lon="2.5"><ns0:time>x</ns0:time>'
           "<ns0:name>A &amp; B</ns0:name></ns0:wpt><ns0:wpt lat='?' lon='1' /></ns0:gpx>")  # fmt: skip
    phone.fs.write(data.FAVORITES, ns0)
    script.add_favorite(driver, {"location": "Schaan, Liechtenstein"})
    assert waypoints(phone) == [("A & B", 1.5, 2.5), ("Schaan", *SCHAAN)]
    driver.tap_text("Edit")
    driver.type_into("Schaan", "Home", clear=True)
    driver.hide_keyboard()
    driver.tap_text("Save")
    assert waypoints(phone) == [("A & B", 1.5, 2.5), ("Home", *SCHAAN)]
    driver.tap("Back to menu")
    driver.tap("My places")
    driver.tap("Delete A & B")
    assert waypoints(phone) == [("Home", *SCHAAN)]


def test_a_broken_favorites_file_counts_as_empty(phone: Phone, driver: Driver) -> None:
    phone.fs.write(data.FAVORITES, "<gpx")
    script.add_favorite(driver, {"location": "Ruggell"})
    assert [name for name, _, _ in waypoints(phone)] == ["Ruggell"]


def test_markers_come_and_go_to_the_history(phone: Phone, driver: Driver) -> None:
    script.add_marker(driver, {"location": "47.1, 9.55"})
    query = "SELECT marker_lat, marker_lon, marker_active FROM map_markers"
    assert phone.sqlite(data.DB, query) == [(47.1, 9.55, 1)]
    driver.tap("Back to menu")
    driver.tap("Map markers")
    driver.tap("Mark 47.10000, 9.55000 as passed")
    assert phone.sqlite(data.DB, query) == [(47.1, 9.55, 0)]
    driver.tap("History")
    driver.tap("47.10000, 9.55000")
    assert driver.sees("Directions")


def test_a_long_press_chooses_the_point_under_the_finger(phone: Phone, driver: Driver) -> None:
    script.open_place(driver, "Schaan")
    driver.back()
    map_view = driver.get(id="map_view_with_layers")
    driver.long_press_element(map_view)
    assert driver.get(id="context_menu_line1").text == "Schaan"
    x, y = map_view.center
    phone.long_press(x + 150, y - 100)
    at = coordinates(driver.get(id="context_menu_line1").text)
    assert at is not None
    assert at[0] > SCHAAN[0]
    assert at[1] > SCHAAN[1]


def test_a_planned_route_is_saved_point_by_point(phone: Phone, driver: Driver) -> None:
    script.open_place(driver, "Schaan")
    driver.tap("Actions")
    driver.tap("Plan a route")
    driver.swipe(300, 500, 250, 400)
    driver.tap("Add point")
    driver.tap_at(200, 500)
    driver.tap("Undo")
    driver.tap_description("Navigate up")
    driver.tap("Save")
    driver.clear()
    driver.type_text("a/b")
    driver.hide_keyboard()
    driver.tap("Save")
    assert data.tracks(phone) == []
    driver.type_into("a/b", "trip & back", clear=True)
    driver.hide_keyboard()
    driver.tap("Save")
    assert data.tracks(phone) == ["trip & back.gpx"]
    points = data.track_points(phone, "trip & back.gpx")
    assert points[0] == SCHAAN
    assert len(points) == 2


def test_a_full_disk_loses_nothing_and_is_no_crash(phone: Phone, driver: Driver) -> None:
    script.open_place(driver, "Schaan")
    driver.tap("Add")
    driver.hide_keyboard()
    phone.fs.quota = 0
    driver.tap("Save")
    assert not phone.fs.isfile(data.FAVORITES)
    assert driver.sees("Add favorite")
    assert phone.crashes == []
    phone.fs.quota = 10**9
    driver.tap("Save")
    assert [name for name, _, _ in waypoints(phone)] == ["Schaan"]


def test_everything_stays_on_a_lying_display(phone: Phone, driver: Driver) -> None:
    script.open_place(driver, "Schaan")
    phone.settings["system"]["accelerometer_rotation"] = "0"
    phone.settings["system"]["user_rotation"] = "1"
    driver.tap("Directions")
    driver.tap_text("My location")
    script.search(driver, "Balzers")
    driver.tap("Details")
    assert driver.sees("Route details")


def test_over_adb(device: Callable[..., Any], handle: Any) -> None:
    """The three solutions, typed and tapped through the real adb."""
    driver = Driver(ShellDevice(lambda line: device("shell", line).stdout.decode()))
    script.add_favorite(driver, {"location": "Sch\u00f6nberg, Liechtenstein"})
    script.add_marker(driver, {"location": "47.23976, 9.5262837"})
    script.save_track(driver, {"waypoints": ["Planken, Liechtenstein", "Bendern, Liechtenstein"]})
    phone: Phone = handle.phone
    assert waypoints(phone) == [("Sch\u00f6nberg", 47.1303814, 9.5930117)]
    assert phone.sqlite(data.DB, "SELECT marker_lat, marker_lon FROM map_markers") == [(47.23976, 9.5262837)]
    (name,) = data.tracks(phone)
    points = data.track_points(phone, name)
    assert points[0] == (47.1858882, 9.5452201)
    assert points[-1] == (47.2122151, 9.5062101)
