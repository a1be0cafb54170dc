"""Audio Recorder: the files that stopping, naming and deleting leave, in process and through adb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emulator.pocket import mp4
from emulator.pocket.apps.audio_recorder import records
from emulator.pocket.apps.audio_recorder.records import PACKAGE, RECORDS
from emulator.pocket.experts.audio_recorder import FIRST_RUN, RECORD
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    """Past the first run."""
    made = Driver(phone, pause=lambda seconds: passed(phone, seconds))
    made.open_app(PACKAGE)
    for label in FIRST_RUN:
        made.tap_text(label)
    return made


def passed(phone: Phone, seconds: float) -> None:
    phone.clock.advance(seconds)
    phone.touched()


def stop(driver: Driver) -> None:
    driver.tap_element(driver.get(id="btn_record_stop"))


def files(phone: Phone) -> dict[str, int]:
    return {name: phone.fs.stat(f"{RECORDS}/{name}").size for name in phone.fs.listdir(RECORDS)}


def test_the_records_directory_is_there_from_the_beginning(phone: Phone) -> None:
    assert files(phone) == {}


def test_a_recording_is_empty_until_it_is_stopped_and_then_plays_as_long_as_it_took(
    phone: Phone, driver: Driver
) -> None:
    driver.tap_description(RECORD)
    driver.wait(9)
    assert files(phone) == {"Record-1.m4a": 0}
    assert driver.get(id="txt_progress").text == "00:09"
    stop(driver)
    driver.tap_text("Cancel")
    data = phone.fs.read(f"{RECORDS}/Record-1.m4a")
    assert data[4:8] == b"ftyp"
    assert abs(mp4.duration_ms(data) - 10_000) < 50
    assert driver.get(id="txt_name").text == "Record-1"


def test_a_pause_is_not_recorded(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    driver.wait(3)
    driver.tap_description(RECORD)
    assert driver.sees("Paused")
    driver.wait(60)
    driver.tap_description(RECORD)
    stop(driver)
    driver.tap_text("Save")
    assert 4_000 < mp4.duration_ms(phone.fs.read(f"{RECORDS}/Record-1.m4a")) < 6_000


def test_m4a_comes_behind_whatever_is_typed(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    stop(driver)
    driver.clear()
    driver.type_text("memo_final.m4a\n")
    driver.tap_text("Save")
    assert list(files(phone)) == ["memo_final.m4a.m4a"]


def test_a_name_that_is_taken_is_refused_and_the_dialog_stays(phone: Phone, driver: Driver) -> None:
    for name in ("one", "one"):
        driver.tap_description(RECORD)
        stop(driver)
        driver.clear()
        driver.type_text(name)
        driver.tap_text("Save")
    assert driver.find("File with this name is already exists!", all_windows=True) is not None
    assert sorted(files(phone)) == ["Record-2.m4a", "one.m4a"]
    assert driver.sees("New name")


def test_a_crooked_name_stays_in_the_directory(phone: Phone) -> None:
    assert records.clean("../../etc/\x07passwd ") == "etcpasswd"
    assert records.clean("x" * 999) == "x" * 240


def test_discarding_leaves_nothing(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    driver.tap_description("Delete")
    driver.tap_text("Yes")
    assert files(phone) == {}
    assert driver.get(id="txt_progress").text == "00:00"


def test_trash_and_back_and_for_good(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    stop(driver)
    driver.tap_text("Save")
    driver.tap_element(driver.get(id="btn_records_list"))
    driver.tap_element(driver.get(id="list_item_more"))
    driver.tap_text("Delete")
    driver.tap_text("Yes")
    assert list(files(phone)) == ["Record-1.m4a.deleted"]
    driver.tap_element(driver.get(id="btn_trash"))
    driver.tap_text("Record-1")
    driver.tap_text("Restore")
    assert list(files(phone)) == ["Record-1.m4a"]


def test_playing_runs_to_the_end_and_the_list_knows_the_length(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    driver.wait(4)
    stop(driver)
    driver.tap_text("Save")
    driver.tap_element(driver.get(id="btn_records_list"))
    assert driver.get(id="list_item_description").text == "00:05"
    driver.tap_text("Record-1")
    driver.wait(2)
    assert driver.get(id="txt_progress").text == "00:02"
    driver.wait(60)
    assert driver.get(id="txt_progress").text == "00:05"


def test_it_goes_on_in_the_background_and_ends_with_the_process(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    driver.home()
    driver.wait(20)
    driver.open_app(PACKAGE)
    assert driver.get(id="txt_progress").text >= "00:20"
    phone.force_stop(PACKAGE)
    driver.open_app(PACKAGE)
    assert driver.find(id="btn_record_stop") is None


def test_a_full_disk_ends_the_recording_with_a_message(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    driver.wait(5)
    phone.fs.quota = phone.fs.used
    stop(driver)
    assert driver.find("Not enough storage space", all_windows=True) is not None
    phone.fs.quota = phone.fs.used + 10**6
    stop(driver)
    driver.tap_text("Save")
    assert files(phone)["Record-1.m4a"] > 0


def test_nothing_begins_on_a_full_disk(phone: Phone, driver: Driver) -> None:
    phone.fs.quota = phone.fs.used
    driver.tap_description(RECORD)
    assert driver.find("Not enough storage space", all_windows=True) is not None
    assert files(phone) == {}
    assert driver.find(id="btn_record_stop") is None


def test_the_turned_phone_has_the_buttons(phone: Phone, driver: Driver) -> None:
    driver.tap_description(RECORD)
    phone.settings["system"]["user_rotation"] = "1"
    stop(driver)
    driver.hide_keyboard()
    driver.tap_text("Save")
    assert list(files(phone)) == ["Record-1.m4a"]


def test_refused_without_the_microphone(phone: Phone, driver: Driver) -> None:
    phone.packages.revoke(PACKAGE, "android.permission.RECORD_AUDIO")
    driver.tap_description(RECORD)
    driver.tap_text("Don\u2019t allow")
    assert files(phone) == {}


def test_through_real_adb(device: Callable[..., Any], handle: Any) -> None:
    """The same taps over `adb shell`, the file read back over `adb`."""
    driver = Driver(ShellDevice(lambda line: str(device("shell", line).stdout.decode())))
    driver.open_app(PACKAGE)
    for label in FIRST_RUN:
        driver.tap_text(label)
    driver.tap_description(RECORD)
    stop(driver)
    driver.clear()
    driver.type_text("over adb")
    driver.tap_text("Save")
    listing = device("shell", f"ls {RECORDS} -ll -au").stdout.decode()
    assert listing.rstrip().endswith("over adb.m4a")
    assert mp4.duration_ms(device("exec-out", f"cat '{RECORDS}/over adb.m4a'").stdout) > 0
