"""OpenTracks: what the list, the figures and the totals show of AndroidWorld's rows, and what the app writes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from emulator.pocket.apps.opentracks import data
from emulator.pocket.experts import opentracks
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone

INSERTED = {
    "name", "description", "category", "activity_type", "starttime", "stoptime", "numpoints", "totaldistance",
    "totaltime", "movingtime", "avgspeed", "avgmovingspeed", "maxspeed", "minelevation", "maxelevation",
    "elevationgain", "icon", "uuid", "elevationloss", "starttime_offset",
}  # fmt: skip
TRACKS = (
    ("Morning Run", "running", (10, 15, 7), 45, 8047.0), ("River Paddle", "kayaking", (10, 14, 10), 90, 5600.0),
    ("Sprint Session", "running", (10, 9, 18), 30, 700.0), ("Trail Run", "trail running", (10, 12, 9), 130, 24000.0),
    ("City Stroll", "walking", (10, 5, 12), 20, 1500.0), ("Evening Run", "running", (9, 30, 19), 60, 10000.0),
)  # fmt: skip


def rows_of() -> list[dict[str, Any]]:
    found = []
    for number, (name, kind, (month, day, hour), minutes, metres) in enumerate(TRACKS):
        start = round(datetime(2023, month, day, hour, tzinfo=UTC).timestamp() * 1000)
        found.append({
            "name": name, "description": "Felt 100% good" if not number else "", "category": kind,
            "activity_type": kind, "starttime": start, "stoptime": start + minutes * 60_000,
            "totaltime": minutes * 60_000, "movingtime": minutes * 60_000, "totaldistance": metres,
            "elevationgain": 120, "elevationloss": 80, "uuid": bytes([number]) * 16, "avgspeed": 0.001,
        })  # fmt: skip
    return found


@pytest.fixture
def phone() -> Phone:
    """A phone with six tracks."""
    phone = Phone(strict=True, size=(540, 1200))
    for row in rows_of():
        phone.db(data.DB).insert("tracks", row)
    return phone


def tracks(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, "SELECT * FROM tracks ORDER BY _id")


def open_app(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    return driver


def shown(driver: Driver, part: str) -> list[str]:
    return [e.text for e in driver.find_all(id=f"track_list_item_{part}")]


def test_the_table_takes_androidworlds_rows(phone: Phone) -> None:
    columns = [row[1] for row in phone.sqlite(data.DB, "PRAGMA table_info(tracks)")]
    assert set(columns) == {"_id", *INSERTED}


def test_the_list_newest_first_with_days_times_and_miles(phone: Phone) -> None:
    driver = open_app(phone)
    assert shown(driver, "name") == [
        "Morning Run", "River Paddle", "Trail Run", "Sprint Session", "City Stroll", "Evening Run"]  # fmt: skip
    assert shown(driver, "date") == ["Today", "Yesterday", "Thursday", "Monday", "5 Oct", "30 Sep"]
    assert shown(driver, "time_distance") == [
        "45:00 (5.00 mi)", "1:30:00 (3.48 mi)", "2:10:00 (14.91 mi)", "30:00 (2297 ft)", "20:00 (0.93 mi)",
        "1:00:00 (6.21 mi)"]  # fmt: skip
    assert shown(driver, "time")[:2] == ["07:00", "10:00"]


def test_search_reads_name_description_and_kind(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Search")
    driver.type_text("running")
    assert shown(driver, "name") == ["Morning Run", "Trail Run", "Sprint Session", "Evening Run"]
    driver.clear()
    driver.type_text("100%")
    assert shown(driver, "name") == ["Morning Run"]
    driver.clear()
    driver.type_text("nothing like it")
    assert driver.sees("No tracks or markers matched your search")


def test_figures_follow_distance_and_time_not_the_stored_speed(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_text("Morning Run")
    for name, wanted in (("distance", "5.00"), ("moving_time", "45:00"), ("moving_speed", "8:59"),
                         ("altitude_gain", "394"), ("start_datetime", "Oct 15, 2023, 07:00:00")):  # fmt: skip
        assert driver.get(id=f"stats_{name}_value").text == wanted, name
    assert driver.get(id="stats_moving_speed_unit").text == "min/mi"


def test_totals_with_a_filter_of_days_and_kinds(phone: Phone) -> None:
    driver = open_app(phone)
    found = {card.kind: card for card in opentracks._filtered(driver, opentracks.MONDAY, opentracks.TODAY)}
    assert {kind: (card.count, card.minutes) for kind, card in found.items()} == {
        "running": (2, 75), "kayaking": (1, 90), "trail running": (1, 130)}  # fmt: skip
    assert found["running"].metres == pytest.approx(8747, abs=10)
    driver.tap_description("Clear filter")
    assert next(e.text for e in driver.find_all(id="aggregated_stats_num_tracks")) == "(3)"


def test_the_longest_of_a_kind_is_told_from_others_that_the_search_finds(phone: Phone) -> None:
    driver = Driver(phone)
    opentracks.longest_this_week(driver, {"category": "running"})
    assert float(driver.answered) == pytest.approx(8047, abs=10)


def test_edit_changes_that_row_only_and_looking_changes_nothing(phone: Phone) -> None:
    before = phone.fs.read(data.DB)
    driver = open_app(phone)
    driver.tap_text("River Paddle")
    driver.tap_description("More options")
    driver.tap_text("Edit")
    driver.tap_text("Save")
    assert phone.fs.read(data.DB) == before
    old = tracks(phone)
    driver.tap_description("More options")
    driver.tap_text("Edit")
    driver.type_into("Name", "Lake", clear=True)
    driver.hide_keyboard()
    driver.tap_description("Choose activity type")
    driver.tap_element(driver.scroll_to("sailing"))
    driver.tap_text("Save")
    new = tracks(phone)
    assert [b for i, b in enumerate(old) if i != 1] == [a for i, a in enumerate(new) if i != 1]
    assert new[1][1:5] == ("Lake", "", "sailing", "sailing")


def test_delete_asks(phone: Phone) -> None:
    driver = open_app(phone)
    driver.long_press("City Stroll")
    driver.tap_text("Evening Run")
    driver.tap_description("Delete")
    driver.tap_text("No")
    assert len(tracks(phone)) == 6
    driver.tap_description("Delete")
    driver.tap_text("Yes")
    assert [row[1] for row in tracks(phone)] == [row[0] for row in TRACKS[:4]]


def test_a_recording_goes_on_while_the_app_is_closed(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Record")
    phone.force_stop(data.PACKAGE)
    phone.clock.advance(600)
    driver = open_app(phone)
    assert driver.sees("Recording\u2026")
    driver.tap_description("Stop")
    driver.tap_description("Stop")
    assert len(tracks(phone)) == 7 and data.recording(phone) is not None
    driver.long_press("Stop")
    driver.tap_description("Choose activity type")
    driver.tap_element(driver.scroll_to("running"))
    driver.tap_text("Save")
    row = data.tracks(phone)[0]
    assert (row["name"], row["category"], row["totaldistance"]) == ("2023-10-15T15:34Z", "running", 0)
    assert 600_000 <= row["totaltime"] == row["stoptime"] - row["starttime"] < 620_000
    assert len(row["uuid"]) == 16 and data.recording(phone) is None


def test_units(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("More options")
    driver.tap_text("Settings")
    driver.tap_text("Preferred units")
    driver.tap_text("Metric (km, m)")
    driver.back()
    assert shown(driver, "time_distance")[:4] == [
        "45:00 (8.05 km)", "1:30:00 (5.60 km)", "2:10:00 (24.00 km)", "30:00 (0.70 km)"]  # fmt: skip


def test_a_full_disk_is_said_and_leaves_no_track(phone: Phone) -> None:
    driver = open_app(phone)
    before = tracks(phone)
    phone.fs.quota = phone.fs.used
    driver.tap_description("Record")
    assert phone.system.toast.startswith("Not enough storage")
    assert (tracks(phone), data.recording(phone)) == (before, None)


def test_turned_in_the_middle_of_the_form(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_text("Morning Run")
    driver.tap_description("More options")
    driver.tap_text("Edit")
    driver.type_into("Name", "Sunday", clear=True)
    phone.settings["system"]["accelerometer_rotation"] = "0"
    phone.settings["system"]["user_rotation"] = "1"
    driver.hide_keyboard()
    assert driver.field("Name").text == "Sunday"
    driver.tap_text("Save")
    assert tracks(phone)[0][1] == "Sunday"


def test_through_real_adb(device: Callable[..., Any]) -> None:
    """Rows pushed with sqlite3, read with uiautomator, answered by the scripts."""
    device("shell", f"am start -n {data.PACKAGE}/.TrackListActivity")
    lines = []
    for row in rows_of():
        names = [name for name in row if name != "uuid"]
        values = ", ".join(repr(row[name]) for name in names)
        lines.append(f"INSERT INTO tracks ({', '.join(names)}) VALUES ({values})")
    device("shell", f'sqlite3 {data.DB} "{"; ".join(lines)}"')
    driver = Driver(ShellDevice(lambda line: str(device("shell", line).stdout.decode())))
    opentracks.minutes_this_week(driver, {"category": "running"})
    assert driver.answered == "75"
    opentracks.kinds_on(driver, {"date": "yesterday"})
    assert driver.answered == "kayaking"
