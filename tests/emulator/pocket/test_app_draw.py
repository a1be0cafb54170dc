"""Simple Draw Pro: what is drawn stands in the file that is saved, in the folder and with the name chosen."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from emulator.pocket.apps.draw import PACKAGE, Draw
from emulator.pocket.apps.draw.canvas import color_at, color_of
from emulator.pocket.experts.draw import create_drawing
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone

PICTURES = "/sdcard/Pictures"


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    made = Driver(phone)
    made.open_app(PACKAGE)
    return made


def screen(phone: Phone) -> Draw:
    top = phone.activities.top
    assert isinstance(top, Draw)
    return top


@pytest.mark.parametrize("extension", ["png", "jpg", "svg"])
def test_the_file_is_of_the_kind_chosen_and_shows_the_stroke(phone: Phone, driver: Driver, extension: str) -> None:
    create_drawing(driver, {"file_name": f"lorem_ipsum.{extension}"})
    assert phone.fs.listdir(PICTURES) == [f"lorem_ipsum.{extension}"]
    data = phone.fs.read(f"{PICTURES}/lorem_ipsum.{extension}")
    if extension == "svg":
        root = ElementTree.fromstring(data)
        paths = [node for node in root.iter() if node.tag.endswith("path")]
        assert [path.get("stroke") for path in paths] == ["#000000"]
        return
    with Image.open(BytesIO(data)) as image:
        grey = image.convert("L")
        assert grey.getpixel((grey.width // 2, grey.height // 2)) == 0
        assert grey.getpixel((5, 5)) == 255


def test_what_is_saved_looks_like_what_is_shown(phone: Phone, driver: Driver) -> None:
    driver.swipe(100, 300, 400, 700)
    driver.swipe(120, 800, 420, 500)
    shown = Image.fromarray(phone.screenshot().copy()).convert("L")
    create_drawing(driver, {"file_name": "same.png"})
    left, top, _, _ = driver.get(id="my_canvas").bounds
    with Image.open(BytesIO(phone.fs.read(f"{PICTURES}/same.png"))) as image:
        saved = image.convert("L")
    for x, y in ((110, 310), (250, 500), (400, 700), (130, 790), (20, 200)):
        assert abs(shown.getpixel((x, y)) - saved.getpixel((x - left, y - top))) < 60, (x, y)  # type: ignore[operator]


def test_undo_and_redo(phone: Phone, driver: Driver) -> None:
    driver.swipe(100, 300, 400, 700)
    driver.tap_at(300, 500)
    assert len(screen(phone).strokes) == 2
    driver.tap_description("Undo")
    driver.tap_description("Undo")
    assert screen(phone).strokes == []
    assert not driver.sees("Undo")
    driver.tap_description("Redo")
    assert len(screen(phone).strokes) == 1


def test_colour_brush_eraser_and_eyedropper(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Change color")
    driver.tap_description("#2196F3")
    driver.tap_text("OK")
    bar = driver.get(id="stroke_width_bar")
    driver.swipe(*bar.center, bar.bounds[0] + 4, bar.center[1])
    driver.swipe(100, 400, 400, 400)
    assert [(s.color, s.wide) for s in screen(phone).strokes] == [((33, 150, 243), 2.0)]
    driver.tap_description("Eraser")
    driver.tap_at(250, 400)
    assert screen(phone).strokes[-1].color == (255, 255, 255)
    driver.tap_description("Eyedropper")
    driver.tap_at(120, 400)
    assert (screen(phone).color, screen(phone).tool) == ((33, 150, 243), "brush")


def test_colours_by_their_name() -> None:
    assert color_of("#0a0B0c") == (10, 11, 12)
    assert [color_of(wrong) for wrong in ("", "#12345", "#gggggg", "#+1+1+1")] == [None] * 4
    assert color_at((5, 5), (1, 2, 3), []) == (1, 2, 3)


def test_a_name_that_is_taken_gets_a_number(phone: Phone, driver: Driver) -> None:
    for _ in range(2):
        create_drawing(driver, {"file_name": "twice.png"})
    assert phone.fs.listdir(PICTURES) == ["twice (1).png", "twice.png"]


def test_an_empty_name_and_one_with_a_slash_stay_in_the_dialog(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Save")
    driver.clear()
    for name in ("", "../../x"):
        driver.type_text(name)
        driver.hide_keyboard()
        driver.tap_text("OK")
        assert driver.sees("Save as")
        driver.tap_element(driver.field("save_image_filename"))


def test_leaving_a_drawing_asks(phone: Phone, driver: Driver) -> None:
    driver.tap_at(300, 500)
    driver.back()
    driver.tap_text("Discard")
    assert phone.activities.top.package != PACKAGE


def test_a_picture_to_draw_on(phone: Phone, driver: Driver) -> None:
    out = BytesIO()
    Image.new("RGB", (300, 300), (0, 128, 0)).save(out, "PNG")
    phone.fs.write("/sdcard/Download/green.png", out.getvalue())
    driver.tap_description("More options")
    driver.tap_text("Open file")
    driver.tap_text("green.png")
    create_drawing(driver, {"file_name": "on_green.png"})
    with Image.open(BytesIO(phone.fs.read(f"{PICTURES}/on_green.png"))) as image:
        assert image.convert("RGB").getpixel((image.width // 2, image.height // 2 - 80)) == (0, 128, 0)


def test_a_full_disk_is_said_and_leaves_no_file(phone: Phone, driver: Driver) -> None:
    phone.fs.quota = phone.fs.used + 100
    create_drawing(driver, {"file_name": "big.png"})
    assert driver.find("Not enough storage space", all_windows=True) is not None
    assert phone.fs.listdir(PICTURES) == []
    assert driver.sees("Undo")


def test_the_turned_phone_and_a_snapshot(phone: Phone, driver: Driver) -> None:
    driver.tap_at(300, 500)
    phone.settings["system"]["user_rotation"] = "1"
    kept, name = phone.snapshot(), phone.state_hash()
    create_drawing(driver, {"file_name": "wide.png"})
    with Image.open(BytesIO(phone.fs.read(f"{PICTURES}/wide.png"))) as image:
        assert image.width > image.height
    phone.restore(kept)
    assert phone.state_hash() == name
    assert phone.fs.listdir(PICTURES) == []


def test_through_real_adb(device: Callable[..., Any]) -> None:
    driver = Driver(ShellDevice(lambda line: str(device("shell", line).stdout.decode())))
    create_drawing(driver, {"file_name": "amet_2023.jpg"})
    found = device("shell", "find /storage/emulated/0/Pictures -type f -o -type d").stdout.decode().split()
    assert "/storage/emulated/0/Pictures/amet_2023.jpg" in found
