"""Camera: exactly one file a photo or film, where AndroidWorld looks, of a kind that others can read."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from emulator.pocket import mp4
from emulator.pocket.apps.camera import PACKAGE, shots
from emulator.pocket.experts.camera import take_photo, take_video
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    def pause(seconds: float) -> None:
        phone.clock.advance(seconds)
        phone.touched()

    made = Driver(phone, pause=pause)
    made.open_app(PACKAGE)
    return made


def photos(phone: Phone) -> list[str]:
    return phone.fs.listdir(shots.PHOTOS)


def films(phone: Phone) -> list[str]:
    return phone.fs.listdir(shots.VIDEOS)


def test_a_photo_is_one_jpeg_in_pictures_with_the_time_it_was_taken(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Shutter")
    assert photos(phone) == ["IMG_20231015_153401.jpg"]
    assert films(phone) == []
    with Image.open(BytesIO(phone.fs.read(f"{shots.PHOTOS}/{photos(phone)[0]}"))) as image:
        assert (image.format, image.size) == ("JPEG", shots.PHOTO_SIZE)
        assert image.getexif()[0x0132] == "2023:10:15 15:34:01"


def test_the_other_lens_sees_something_else(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Shutter")
    driver.tap_description("Options")
    driver.tap_description("Back camera")
    driver.tap_description("Shutter")
    first, second = (phone.fs.read(f"{shots.PHOTOS}/{name}") for name in photos(phone))
    assert first != second


def test_a_film_is_one_mp4_in_movies_as_long_as_it_took(phone: Phone, driver: Driver) -> None:
    take_video(driver, {})
    assert (len(films(phone)), photos(phone)) == (1, [])
    data = phone.fs.read(f"{shots.VIDEOS}/{films(phone)[0]}")
    assert mp4.duration_ms(data) == 4_000
    assert len(mp4.pictures(data)) == 4


def test_nothing_is_in_movies_while_a_film_is_made_and_leaving_saves_it(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Mode list")
    driver.tap_text("Video")
    driver.tap_description("Shutter")
    driver.wait(5)
    assert driver.get(id="recording_time").text == "00:05"
    assert films(phone) == []
    driver.home()
    assert len(films(phone)) == 1
    driver.open_app(PACKAGE)
    assert driver.find(id="recording_time") is None


def test_a_long_film_keeps_its_length(phone: Phone) -> None:
    path = shots.save_video(phone, "back", 1_000_000)
    data = phone.fs.read(path)
    assert abs(mp4.duration_ms(data) - 1_000_000) < 2_000
    assert len(mp4.pictures(data)) == shots.MOST_PICTURES


def test_swipes_lead_to_the_modes_and_to_the_film_strip(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Shutter")
    driver.swipe(100, 500, 450, 500)
    assert {"Camera", "Video", "Settings"} <= set(driver.texts())
    driver.back()
    driver.swipe(450, 500, 100, 500)
    driver.tap_description("Delete")
    driver.tap_text("DELETE")
    assert photos(phone) == []
    assert driver.sees("No photos")
    driver.swipe(100, 500, 450, 500)
    assert driver.sees("Shutter")


def test_after_pm_clear_the_first_question_waits_for_next(phone: Phone, driver: Driver) -> None:
    phone.clear_package(PACKAGE)
    driver.open_app(PACKAGE)
    driver.tap_at(20, 20)
    driver.tap_text("NEXT")
    driver.tap_description("Shutter")
    assert len(photos(phone)) == 1


def test_a_full_disk_is_said_and_leaves_no_file(phone: Phone, driver: Driver) -> None:
    phone.fs.quota = phone.fs.used + 100
    driver.tap_description("Shutter")
    assert driver.find("Not enough storage space", all_windows=True) is not None
    driver.tap_description("Mode list")
    driver.tap_text("Video")
    driver.tap_description("Shutter")
    driver.home()
    assert (photos(phone), films(phone)) == ([], [])
    driver.open_app(PACKAGE)
    assert driver.sees("Mode list")


def test_the_turned_phone_takes_photos_too(phone: Phone, driver: Driver) -> None:
    phone.settings["system"]["user_rotation"] = "1"
    take_photo(driver, {})
    assert len(photos(phone)) == 1


def test_a_snapshot_in_the_middle_of_a_film(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Mode list")
    driver.tap_text("Video")
    driver.tap_description("Shutter")
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_description("Shutter")
    phone.restore(kept)
    assert (phone.state_hash(), films(phone)) == (name, [])
    driver.tap_description("Shutter")
    assert len(films(phone)) == 1


def test_through_real_adb(device: Callable[..., Any]) -> None:
    """AndroidWorld's own look: `ls` before and after."""
    driver = Driver(ShellDevice(lambda line: str(device("shell", line).stdout.decode())))
    before = device("shell", "ls /sdcard/Pictures").stdout
    take_photo(driver, {})
    after = device("shell", "ls /sdcard/Pictures").stdout.decode().split()
    assert before == b""
    assert len(after) == 1
    data = device("exec-out", f"cat /sdcard/Pictures/{after[0]}").stdout
    with Image.open(BytesIO(data)) as image:
        image.load()
