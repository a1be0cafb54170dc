"""Simple Gallery Pro: copies, moves, the bin, looking closer; and words read from the pixels of the screen."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw

from emulator.pocket.apps.gallery import data
from emulator.pocket.apps.gallery.data import PACKAGE
from emulator.pocket.apps.gallery.viewer import Viewer
from emulator.pocket.experts import picture_text
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.gallery import read_picture, save_copy
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.experts.written_rows import rows_of, unwrapped
from emulator.pocket.phone import Phone

DCIM, DOWNLOAD = "/sdcard/DCIM", "/sdcard/Download"
WORDS = ("Expense: Dinner Party", " amount_dollars: $270.35", " note: I may repeat this, Tuesday", "Sauté ill 1lI")


def written(lines: tuple[str, ...], size: int = 24, form: str = "JPEG") -> bytes:
    """Lines as AndroidWorld writes them into pictures."""
    font = picture_text.font(size)
    width = round(max(font.getlength(line) for line in lines)) + 20
    image = Image.new("RGB", (width, 20 + round(size * 1.4) * len(lines)), (255, 255, 255))
    for number, line in enumerate(lines):
        place = (10, 10 + number * round(size * 1.4))
        ImageDraw.Draw(image).text(place, line, fill=(0, 0, 0), font=font)
    out = BytesIO()
    image.save(out, form)
    return out.getvalue()


@pytest.fixture
def phone() -> Phone:
    phone = Phone(strict=True, size=(540, 1200))
    for name in ("a.jpg", "b.jpg", "c.png"):
        phone.fs.write(f"{DCIM}/{name}", written((name,), form="PNG" if name.endswith("png") else "JPEG"))
        phone.clock.advance(10)
    return phone


@pytest.fixture
def driver(phone: Phone) -> Driver:
    """In the folder DCIM, names shown."""
    made = Driver(phone)
    made.open_app(PACKAGE)
    made.tap_text("DCIM")
    made.tap_description("More options")
    made.tap_text("Toggle filename visibility")
    return made


def names(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="medium_name")]


def viewer(phone: Phone) -> Viewer:
    top = phone.activities.top
    assert isinstance(top, Viewer)
    return top


def test_folders_with_pictures_and_how_many(phone: Phone) -> None:
    phone.fs.write(f"{DOWNLOAD}/notes.txt", "no picture")
    driver = Driver(phone)
    driver.open_app(PACKAGE)
    assert [e.text for e in driver.find_all(id="dir_name")] == ["DCIM"]
    assert driver.get(id="photo_cnt").text == "3"
    phone.fs.write(f"{DOWNLOAD}/new.jpg", b"not really a picture")
    driver.home()
    driver.open_app(PACKAGE)
    assert [e.text for e in driver.find_all(id="dir_name")] == ["Download", "DCIM"]


def test_newest_first_and_other_orders(driver: Driver) -> None:
    assert names(driver) == ["c.png", "b.jpg", "a.jpg"]
    driver.tap_description("Sort by")
    driver.tap_text("Name (ascending)")
    assert names(driver) == ["a.jpg", "b.jpg", "c.png"]


def test_a_copy_has_the_same_bytes_and_the_original_stays(phone: Phone) -> None:
    save_copy(Driver(phone), {"file_name": "b.jpg"})
    assert phone.fs.listdir(DOWNLOAD) == ["b.jpg"]
    assert phone.fs.read(f"{DOWNLOAD}/b.jpg") == phone.fs.read(f"{DCIM}/b.jpg")


@pytest.mark.parametrize(("way", "left"), [("Skip", b"old"), ("Overwrite", b""), ("Keep both", b"old")])
def test_a_name_that_is_taken(phone: Phone, way: str, left: bytes) -> None:
    phone.fs.write(f"{DOWNLOAD}/b.jpg", b"old")
    driver = Driver(phone)
    save_copy(driver, {"file_name": "b.jpg"})
    driver.tap_text(way)
    driver.tap_text("OK")
    kept = phone.fs.read(f"{DOWNLOAD}/b.jpg")
    assert kept == (left or phone.fs.read(f"{DCIM}/b.jpg"))
    assert ("b_1.jpg" in phone.fs.listdir(DOWNLOAD)) == (way == "Keep both")


def test_several_are_moved_into_a_new_folder(phone: Phone, driver: Driver) -> None:
    driver.long_press("a.jpg")
    driver.tap_text("b.jpg")
    assert driver.sees("2 / 3")
    driver.tap_description("More options")
    driver.tap_text("Move to")
    driver.tap_text("Other folder")
    driver.tap_description("Create new folder")
    driver.type_into("folder_name", "Trip")
    driver.hide_keyboard()
    driver.tap("OK", index=-1)
    driver.tap_text("OK")
    assert phone.fs.listdir(f"{DCIM}/Trip") == ["a.jpg", "b.jpg"]
    assert names(driver) == ["c.png"]


def test_rename_in_the_viewer(phone: Phone, driver: Driver) -> None:
    driver.tap_text("a.jpg")
    driver.tap_description("More options")
    driver.tap_text("Rename")
    driver.clear()
    driver.type_text("z.jpg")
    driver.hide_keyboard()
    driver.tap_text("OK")
    assert driver.get(id="toolbar_title").text == "z.jpg"
    assert phone.fs.listdir(DCIM) == ["b.jpg", "c.png", "z.jpg"]


def test_delete_into_the_bin_and_back(phone: Phone, driver: Driver) -> None:
    before = phone.fs.read(f"{DCIM}/c.png")
    driver.tap_text("c.png")
    driver.tap_description("Delete")
    driver.tap_text("Yes")
    assert driver.get(id="toolbar_title").text == "b.jpg"
    assert phone.fs.listdir(DCIM) == ["a.jpg", "b.jpg"]
    driver.back()
    driver.back()
    driver.tap_text("Recycle Bin")
    driver.long_press("c.png")
    driver.tap_description("More options")
    driver.tap_text("Restore selected files")
    assert phone.fs.read(f"{DCIM}/c.png") == before
    assert data.media(phone, data.BIN) == []


def test_swipes_turn_two_taps_look_closer_a_drag_moves(phone: Phone, driver: Driver) -> None:
    driver.tap_text("c.png")
    driver.swipe(450, 600, 80, 600)
    assert driver.get(id="toolbar_title").text == "b.jpg"
    driver.tap_at(200, 600)
    assert not driver.sees("More options")
    driver.tap_at(200, 600)
    assert viewer(phone).zoom == 2.0
    middle = viewer(phone).middle
    driver.swipe(300, 600, 200, 600)
    assert viewer(phone).middle[0] > middle[0]
    driver.back()
    assert viewer(phone).zoom == 1.0
    driver.swipe(270, 300, 270, 800)
    assert names(driver) == ["c.png", "b.jpg", "a.jpg"]


def test_files_opens_pictures_here_and_edit_opens_draw(phone: Phone) -> None:
    driver = Driver(phone)
    driver.open_app("com.google.android.documentsui")
    driver.tap_description("Show roots")
    driver.tap_text("Images")
    driver.tap_text("a.jpg")
    assert driver.get(id="toolbar_title").text == "a.jpg"
    driver.tap_description("Edit")
    assert driver.sees("Simple Draw")


def test_search_in_all_folders(phone: Phone) -> None:
    phone.fs.write(f"{DOWNLOAD}/beach.jpg", written(("beach",)))
    driver = Driver(phone)
    driver.open_app(PACKAGE)
    driver.type_into("top_toolbar_search", "bea")
    assert len(driver.find_all(id="media_item_holder")) == 1
    driver.hide_keyboard()
    driver.back()
    assert driver.sees("DCIM")


def test_broken_and_vanished_files_are_no_crash(phone: Phone, driver: Driver) -> None:
    phone.fs.write(f"{DCIM}/broken.jpg", b"\xff\xd8 nothing")
    driver.tap_description("Sort by")
    driver.tap_text("Name (ascending)")
    driver.tap_text("broken.jpg")
    driver.tap_at(270, 600)
    driver.tap_at(270, 600)
    driver.tap_description("More options")
    driver.tap_text("Properties")
    driver.tap_text("OK")
    for name in phone.fs.listdir(DCIM):
        phone.fs.remove(f"{DCIM}/{name}")
    driver.home()
    driver.open_app(PACKAGE)
    assert driver.sees("No media files have been found.")


def test_a_full_disk_is_said_and_leaves_no_half_copy(phone: Phone) -> None:
    phone.fs.quota = phone.fs.used + 300
    driver = Driver(phone)
    driver.open_app(PACKAGE)
    driver.tap_text("DCIM")
    driver.tap_description("More options")
    driver.tap_text("Toggle filename visibility")
    phone.fs.quota = phone.fs.used + 100
    save_copy(driver, {"file_name": "b.jpg"})
    assert driver.find("Not enough storage space", all_windows=True) is not None
    assert phone.fs.listdir(DOWNLOAD) == []


def test_the_turned_phone_and_a_snapshot_of_the_viewer(phone: Phone, driver: Driver) -> None:
    driver.tap_text("b.jpg")
    phone.settings["system"]["user_rotation"] = "1"
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_at(400, 250)
    driver.tap_at(400, 250)
    assert viewer(phone).zoom == 2.0
    phone.restore(kept)
    assert phone.state_hash() == name
    assert driver.get(id="toolbar_title").text == "b.jpg"


@pytest.mark.parametrize("size", [pytest.param((540, 1200), marks=pytest.mark.slow), (1080, 2400)])
def test_words_are_read_from_the_screen_alone(size: tuple[int, int]) -> None:
    phone = Phone(strict=True, size=size)
    phone.fs.write(f"{DCIM}/words.jpg", written(WORDS))
    read = read_picture(Driver(phone), "words.jpg", (24,))
    assert read[:3] == list(WORDS[:3])
    assert read[3].startswith("Sauté")


def test_receipts_have_smaller_letters(phone: Phone) -> None:
    rows = ("2023-04-18, Webcam, $52.68", "2023-07-12, Bluetooth Keyboard, $33.39")
    phone.fs.write(f"{DCIM}/receipt.png", written(rows, 16, "PNG"))
    assert read_picture(Driver(phone), "receipt.png", (16,)) == list(rows)


def test_wrapped_lines_join_the_value_they_belong_to() -> None:
    lines = [
        "Recipe: Soup",
        " directions: Boil the",
        "water. Salt: a lot",
        " servings: 2",
        "Recipe: Pie",
        " servings: 1",
    ]
    fields = ("title", "servings", "directions")
    assert rows_of(unwrapped(lines, fields), fields) == [
        {"title": "Soup", "directions": "Boil the water. Salt: a lot", "servings": "2"},
        {"title": "Pie", "servings": "1"},
    ]


def test_through_real_adb(device: Callable[..., Any], tmp_path: Any) -> None:
    """Pushed by adb, copied by taps, read from `screencap`."""
    (tmp_path / "receipt_x.jpg").write_bytes(written(("2023-04-18, Webcam, $52.68",), 16))
    device("push", str(tmp_path / "receipt_x.jpg"), "/sdcard/DCIM")
    driver = Driver(ShellDevice(lambda line: str(device("shell", line).stdout.decode())))
    save_copy(driver, {"file_name": "receipt_x.jpg"})
    found = device("shell", "find /storage/emulated/0/Download -type f -o -type d").stdout.decode().split()
    assert "/storage/emulated/0/Download/receipt_x.jpg" in found
    assert read_picture(driver, "receipt_x.jpg", (16,)) == ["2023-04-18, Webcam, $52.68"]
