"""Apps that ask: a file from another app (GET_CONTENT), a permission from the user; dialogs higher than their room."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from emulator.pocket.documents import document_uri
from emulator.pocket.images import picture
from emulator.pocket.intents import GET_CONTENT, OPEN_DOCUMENT, Intent
from emulator.pocket.phone import Phone

BROCCOLI = "com.flauschcode.broccoli"
SMS = "com.simplemobiletools.smsmessenger"
SEND_SMS = "android.permission.SEND_SMS"


@pytest.fixture
def phone() -> Phone:
    return Phone(size=(540, 1200), strict=True)


def red_png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (80, 60), (250, 10, 20)).save(out, "PNG")
    return out.getvalue()


def red_pixels(phone: Phone) -> int:
    return int((phone.screenshot()[:, :, :3] == (250, 10, 20)).all(axis=2).sum())


def new_recipe(phone: Phone) -> None:
    phone.launch(BROCCOLI)
    phone.tap(*[v for v in phone.app_views() if v.clickable and v.visible][-1].center)


def test_an_app_gets_the_file_that_the_user_picks(phone: Phone) -> None:
    phone.fs.write("/sdcard/Pictures/red.png", red_png())
    phone.fs.write("/sdcard/Pictures/words.txt", "no picture")
    new_recipe(phone)
    phone.tap_on("Change photo")
    assert (
        phone.activities.foreground.short
        == "com.google.android.documentsui/com.android.documentsui.picker.PickActivity"
    )
    assert phone.find("words.txt") is None
    phone.tap_on("red.png")
    assert phone.activities.foreground.package == BROCCOLI
    assert red_pixels(phone) > 1000
    phone.tap_on("Title")
    phone.text("Beetroot")
    phone.tap_on("SAVE")
    ((name,),) = phone.sqlite(f"/data/data/{BROCCOLI}/databases/broccoli", "SELECT imageName FROM recipes")
    assert phone.fs.read(f"/data/data/{BROCCOLI}/files/{name}") == red_png()
    phone.fs.remove("/sdcard/Pictures/red.png")
    phone.tap_on("Beetroot")
    assert red_pixels(phone) > 1000


def test_back_out_of_the_picker_answers_nothing(phone: Phone) -> None:
    new_recipe(phone)
    phone.tap_on("Change photo")
    phone.key("BACK")
    assert phone.activities.foreground.package == BROCCOLI
    assert phone.activities.top.photo == ""  # type: ignore[attr-defined]


def test_files_of_another_kind_can_only_be_seen(phone: Phone) -> None:
    phone.fs.write("/sdcard/Download/a.pdf", "x")
    phone.fs.write("/sdcard/Download/a.txt", "x")
    phone.start_activity(Intent(OPEN_DOCUMENT, mime="application/pdf"))
    phone.tap_on("a.txt")
    assert phone.find("a.pdf") is not None
    phone.tap_on("a.pdf")
    assert phone.activities.foreground.home


def test_anything_goes_without_a_kind(phone: Phone) -> None:
    phone.fs.write("/sdcard/Download/a.txt", "x")
    phone.launch(BROCCOLI)
    asked = phone.activities.top
    answers: list[tuple[str, object]] = []
    asked.on_result = lambda key, value: answers.append((key, value))  # type: ignore[method-assign]
    asked.ask_app(Intent(GET_CONTENT, mime="*/*"), "file")
    phone.tap_on("a.txt")
    assert answers == [("file", document_uri("/sdcard/Download/a.txt"))]


@pytest.mark.parametrize("data", [b"", b"GIF89a", red_png()[:60], b"\x89PNG\r\n\x1a\n" + b"\0" * 99, b"<svg/>"])
def test_what_is_no_picture_is_none(data: bytes) -> None:
    assert picture(data) is None


# permissions


def conversation(phone: Phone) -> None:
    phone.sms_received("+15551234567", "hello")
    phone.launch(SMS)
    phone.tap_on("hello")
    phone.tap_on("Type a message\u2026")
    phone.text("hi there")


def sent(phone: Phone) -> list[str]:
    return [row["body"] for row in phone.content.query("content://sms/sent")]


def test_an_app_without_the_permission_asks_and_goes_on_when_allowed(phone: Phone) -> None:
    phone.packages.revoke(SMS, SEND_SMS)
    conversation(phone)
    phone.tap_on("SMS")
    assert phone.find("Allow SMS Messenger to send and view SMS messages?") is not None
    assert phone.activities.foreground.package == "com.google.android.permissioncontroller"
    phone.tap(270, 100)  # beside the dialog
    assert sent(phone) == []
    phone.tap_on("Allow")
    assert sent(phone) == ["hi there"]
    assert SEND_SMS in phone.packages[SMS].granted


@pytest.mark.parametrize("no", ["button", "BACK"])
def test_refused_the_words_stay_in_the_field(phone: Phone, no: str) -> None:
    phone.packages.revoke(SMS, SEND_SMS)
    conversation(phone)
    phone.tap_on("SMS")
    if no == "button":
        phone.tap_on("Don\u2019t allow")
    else:
        phone.key("BACK")
    assert sent(phone) == []
    assert phone.find("hi there") is not None
    assert SEND_SMS not in phone.packages[SMS].granted


def test_nothing_is_asked_where_the_permission_is_held(phone: Phone) -> None:
    conversation(phone)
    phone.tap_on("SMS")
    assert sent(phone) == ["hi there"]


# dialogs


def test_a_dialog_higher_than_its_room_scrolls_to_its_buttons(phone: Phone) -> None:
    phone.settings["system"]["user_rotation"] = "1"
    phone.launch("net.gsantner.markor")
    phone.tap_on("Create a new file or folder")
    field = phone.editor.field()
    assert field is not None
    assert field.visible_bounds == field.bounds
    phone.text("turned")
    phone.key("BACK")  # the keyboard goes
    phone.drag(600, 300, 600, 100)
    phone.tap_on("OK")
    assert phone.fs.exists("/sdcard/Documents/Markor/turned.md")


def test_the_drawer_covers_the_wallpaper(phone: Phone) -> None:
    phone.swipe(270, 1000, 270, 300)
    picture = phone.screenshot()
    assert (picture[2, 270, :3] == 255).all()
    assert (picture[1195, 20, :3] == 255).all()
