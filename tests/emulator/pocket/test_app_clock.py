"""Clock, driven by taps: what AndroidWorld's checks read of it, and what it keeps."""

from __future__ import annotations

import pytest

from emulator.pocket.apps.clock import timers
from emulator.pocket.apps.clock.alarms import DB, PACKAGE
from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    made = Driver(phone, pause=phone.clock.advance)
    made.open_app(PACKAGE)
    return made


def labels(driver: Driver) -> list[str]:
    """Texts and descriptions, each by itself."""
    return [part for e in driver.elements() for part in (e.text, e.desc) if part]


def test_activity_is_named_deskclock(phone: Phone, driver: Driver) -> None:
    assert phone.activities.foreground.component == f"{PACKAGE}/com.android.deskclock.DeskClock"


@pytest.mark.parametrize(
    ("digits", "text", "desc"),
    [
        ("", "00h 00m 00s", "0 hours, 0 minutes, 0 seconds"),
        ("1635", "00h 16m 35s", "0 hours, 16 minutes, 35 seconds"),
        ("230509", "23h 05m 09s", "23 hours, 5 minutes, 9 seconds"),
    ],
)
def test_timer_entry_shows_what_was_typed(driver: Driver, digits: str, text: str, desc: str) -> None:
    driver.tap_text("Timer", index=-1)
    for digit in digits:
        driver.tap_text(digit)
    shown = driver.get(id="timer_setup_time")
    assert (shown.text, shown.desc) == (text, desc)
    assert driver.sees("Start") == bool(digits)


def test_timer_entry_takes_six_digits_and_erases(driver: Driver) -> None:
    driver.tap_text("Timer", index=-1)
    for digit in ("0", "1", "2", "00", "3", "4", "5", "6"):
        driver.tap_text(digit)
    assert driver.get(id="timer_setup_time").text == "12h 00m 34s", "leading zeros and a seventh digit aren't taken"
    driver.tap_description("Delete")
    assert driver.get(id="timer_setup_time").text == "01h 20m 03s"
    driver.long_press("Delete")
    assert driver.get(id="timer_setup_time").text == "00h 00m 00s"


def test_a_timer_runs_while_the_app_is_closed(phone: Phone, driver: Driver) -> None:
    driver.tap_text("Timer", index=-1)
    for digit in ("1", "00"):
        driver.tap_text(digit)
    driver.tap_description("Start")
    phone.force_stop(PACKAGE)
    phone.clock.advance(20)
    driver.open_app(PACKAGE)
    driver.tap_text("Timer", index=-1)
    left = driver.get(id="timer_time_text").text
    assert "00:30" < left < "00:40", left
    driver.tap_description("Pause")
    held = driver.get(id="timer_time_text").text
    driver.wait(30)
    assert driver.get(id="timer_time_text").text == held
    driver.tap_description("Add 1 minute")
    assert driver.get(id="timer_time_text").text == f"01:{held[-2:]}"
    driver.tap_description("Start")
    driver.wait(120)
    driver.tap_text("Timer", index=-1)
    assert driver.get(id="timer_time_text").text.startswith("-")
    driver.tap_description("Delete")
    assert driver.sees("00h 00m 00s")


def test_a_second_timer(driver: Driver) -> None:
    driver.tap_text("Timer", index=-1)
    driver.tap_text("5")
    driver.tap_description("Start")
    driver.tap_description("Add timer")
    driver.tap_text("9")
    driver.back()
    assert len(driver.find_all(id="timer_time_text")) == 1, "BACK leaves the entry"
    driver.tap_description("Add timer")
    driver.tap_text("9")
    driver.tap_description("Start")
    assert len(driver.find_all(id="timer_time_text")) == 2


def test_digits_of_a_length() -> None:
    assert timers.to_digits(995) == "1635" and timers.to_seconds("1635") == 995
    assert timers.to_digits(0) == "" and timers.to_digits(10**9) == ""


def test_stopwatch_says_start_pause_lap(phone: Phone, driver: Driver) -> None:
    driver.tap_text("Stopwatch", index=-1)
    assert labels(driver).count("Stopwatch") == 2 and "Start" in labels(driver)
    driver.tap_description("Start")
    assert {"Pause", "Lap", "Reset"} <= set(labels(driver)) and "Start" not in labels(driver)
    driver.wait(61)
    driver.tap_description("Lap")
    driver.tap_description("Pause")
    shown = driver.get(id="stopwatch_time_text").text
    assert shown == "01:03.00", "a wait of 61 s and two actions of 1 s"
    phone.force_stop(PACKAGE)
    driver.open_app(PACKAGE)
    driver.tap_text("Stopwatch", index=-1)
    assert driver.get(id="stopwatch_time_text").text == shown and len(driver.find_all(id="lap_number")) == 2
    driver.tap_description("Reset")
    assert driver.get(id="stopwatch_time_text").text == "00:00.00" and not driver.find_all(id="lap_number")


def test_only_the_stopwatch_page_says_stopwatch_twice(driver: Driver) -> None:
    for tab in ("Alarm", "Clock", "Timer"):
        driver.tap_text(tab, index=-1)
        assert labels(driver).count("Stopwatch") == 1, tab


def test_clear_package_resets_everything(phone: Phone, driver: Driver) -> None:
    fresh = phone.sqlite(DB, "SELECT * FROM alarm_templates")
    driver.tap_text("Stopwatch", index=-1)
    driver.tap_description("Start")
    phone.clear_package(PACKAGE)
    assert phone.activities.foreground.home
    driver.open_app(PACKAGE)
    driver.tap_text("Stopwatch", index=-1)
    assert driver.sees("Start") and driver.get(id="stopwatch_time_text").text == "00:00.00"
    assert phone.sqlite(DB, "SELECT * FROM alarm_templates") == fresh


def test_alarms(phone: Phone, driver: Driver) -> None:
    driver.tap_text("Alarm", index=-1)
    driver.tap_description("Add alarm")
    driver.tap_text("7")
    driver.tap_text("30")
    driver.tap_text("OK")
    driver.tap_description("Monday")
    driver.tap_text("Add label")
    driver.type_text("Run")
    driver.tap_text("OK")
    wanted = "SELECT hour, minutes, daysofweek, enabled, label FROM alarm_templates WHERE _id = 3"
    assert phone.sqlite(DB, wanted) == [(7, 30, 1, 1, "Run")]
    driver.tap_description("07:30")
    assert phone.sqlite(DB, wanted) == [(7, 30, 1, 0, "Run")]
    driver.tap_text("Delete")
    assert phone.sqlite(DB, wanted) == []
    assert phone.sqlite(DB, "SELECT count(*) FROM alarm_templates") == [(2,)]


def test_world_clock(driver: Driver) -> None:
    driver.tap_description("Add city")
    driver.type_into("Search for a city", "tok")
    driver.tap_text("Tokyo, Japan")
    assert driver.sees("Tokyo") and driver.sees("Tomorrow, 9 hrs ahead") and driver.sees("00:34")
    driver.tap_description("Remove Tokyo")
    assert not driver.sees("Tokyo")


def test_looking_changes_nothing_and_snapshots_bring_back(phone: Phone, driver: Driver) -> None:
    driver.tap_text("Timer", index=-1)
    driver.tap_text("4")
    kept, name = phone.snapshot(), phone.state_hash()
    phone.screenshot()
    phone.hierarchy_xml()
    phone.forest()
    assert phone.state_hash() == name
    driver.tap_text("2")
    driver.tap_description("Start")
    assert phone.state_hash() != name
    phone.restore(kept)
    assert phone.state_hash() == name and driver.sees("00h 00m 04s")
    driver.tap_text("2")
    assert driver.sees("00h 00m 42s")
