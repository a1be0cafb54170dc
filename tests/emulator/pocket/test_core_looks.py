"""What the screen says and how it lies: XML, forest, keyboard, gestures, chooser, dark, turned; a full disk."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.files import STORAGE
from emulator.pocket.hierarchy import dump, escape
from emulator.pocket.intents import SEND, Intent
from emulator.pocket.phone import Phone
from emulator.pocket.views import View, Window

SMALL = (540, 1200)
SETTINGS = "com.android.settings"
MARKOR = "net.gsantner.markor"


@pytest.fixture
def phone() -> Phone:
    return Phone(size=SMALL, strict=True)


# XML and forest


@pytest.mark.parametrize(
    "words", ["\x00\x01\x1f", "a\tb\nc\r", "<&>\"'", "\ud800 alone", "\ufffe\uffff", "\U0001f600", "]]>", "&amp;"]
)
def test_any_text_makes_xml_that_parses(words: str) -> None:
    root = View(text=words, desc=words, id="x")
    root.put((0, 0, 10, 10), (0, 0, 10, 10))
    xml = dump([Window("application", "t", "org.example", root, root.bounds)])
    node = next(ET.fromstring(xml.encode("utf-8")).iter("node"))
    allowed = "".join(c if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "."
                      for c in words)  # fmt: skip
    assert node.get("text") == node.get("content-desc") == allowed
    assert escape("plain") == "plain"


def test_names_with_control_characters_reach_the_screen_and_the_xml(phone: Phone) -> None:
    phone.fs.write(f"{STORAGE}/Documents/Markor/a\x07<b>&\n.md", "x")
    phone.launch(MARKOR)
    texts = [n.get("text") for n in ET.fromstring(phone.hierarchy_xml()).iter("node")]
    assert "a.<b>&\n.md" in texts


def test_the_forest_says_the_same_as_the_xml(phone: Phone) -> None:
    pytest.importorskip("android_env")
    phone.launch(SETTINGS)
    forest = phone.forest()
    seen = [n for w in forest.windows for n in w.tree.nodes if n.is_visible_to_user]
    nodes = list(ET.fromstring(phone.hierarchy_xml(all_windows=True)).iter("node"))
    assert sorted(n.text for n in seen) == sorted(n.get("text", "") for n in nodes)
    for window in forest.windows:
        ids = [n.unique_id for n in window.tree.nodes]
        assert ids == list(range(len(ids)))
        assert sorted(c for n in window.tree.nodes for c in n.child_ids) == ids[1:]
    assert sum(w.is_active for w in forest.windows) == 1


# keyboard


def test_a_field_at_the_bottom_moves_above_the_keyboard_unless_the_fault_says_not(phone: Phone) -> None:
    phone.launch("com.google.android.contacts")
    phone.tap_on("Create contact")
    field = [v for v in phone.app_views() if v.editable and v.visible][-1]
    phone.tap(*field.center)
    (keys,) = [w for w in phone.frame().reported if w.kind == "input_method"]
    shown = phone.editor.field()
    assert shown is not None
    assert shown.visible_bounds[3] <= keys.bounds[1]
    phone.faults.add(Fault(FaultKind.KEYBOARD_COVERS, times=-1))
    (app,) = phone.frame().app
    assert max(v.visible_bounds[3] for v in app.views() if v.visible) > keys.bounds[1]


def test_the_user_can_scroll_away_from_the_field_and_typing_brings_it_back() -> None:
    phone = Phone(size=(540, 900), strict=True)
    phone.launch("com.google.android.contacts")
    phone.tap_on("Create contact")
    first = phone.editor.field()
    assert first is not None
    phone.drag(270, 520, 270, 130)
    assert phone.keyboard.visible
    away = next(v for v in phone.app_views() if v.key == "first")
    assert not away.visible
    phone.tap_on("Email")
    phone.text("a@b.c")
    phone.drag(270, 130, 270, 520)
    phone.text("d")
    field = phone.editor.field()
    assert field is not None
    assert field.text == "a@b.cd"
    assert field.visible_bounds == field.bounds


def test_a_touch_on_a_covered_button_meets_the_keyboard(phone: Phone) -> None:
    phone.launch(SETTINGS)
    phone.tap_on("Search settings")
    phone.faults.add(Fault(FaultKind.KEYBOARD_COVERS, times=-1))
    key = phone.find("g")
    assert key is not None
    phone.tap(*key.center)
    assert phone.activities.top.query == "g"  # type: ignore[attr-defined]


# gesture navigation


def test_gesture_navigation(phone: Phone) -> None:
    phone.settings["secure"]["navigation_mode"] = "2"
    assert phone.find("Back") is None
    phone.launch(SETTINGS)
    phone.tap_on("Battery")
    phone.swipe(2, 600, 300, 600)
    assert phone.find("Battery Saver") is None
    assert phone.activities.foreground.package == SETTINGS
    phone.swipe(270, 1195, 270, 700)
    assert phone.activities.foreground.home


def test_the_edges_do_nothing_with_buttons(phone: Phone) -> None:
    phone.launch(SETTINGS)
    phone.swipe(2, 600, 300, 600)
    phone.swipe(270, 1195, 270, 1000)
    assert phone.activities.foreground.package == SETTINGS


# chooser


def test_several_apps_for_an_intent_bring_the_chooser(phone: Phone) -> None:
    phone.fs.write("/sdcard/Download/a.txt", "words")
    phone.start_activity(Intent(SEND, mime="text/plain", extras={"android.intent.extra.TEXT": "hello"}))
    assert phone.find("Open with") is not None
    once = phone.find("Just once")
    assert once is not None
    assert not once.enabled
    phone.tap_on("Markor")
    phone.tap_on("Just once")
    assert phone.activities.foreground.package == MARKOR


def test_the_chooser_closes_beside_it(phone: Phone) -> None:
    phone.start_activity(Intent(SEND, mime="text/plain", extras={"android.intent.extra.TEXT": "hello"}))
    assert phone.find("Open with") is not None
    phone.tap(270, 100)
    assert phone.find("Open with") is None


# dark, turned


def brightness(phone: Phone) -> float:
    return float(np.median(phone.screenshot()[200:1000, :, :3]))


def test_dark_looks_are_dark_and_come_back(phone: Phone) -> None:
    phone.launch(SETTINGS)
    light = phone.screenshot().copy()
    assert brightness(phone) > 200
    phone.settings["secure"]["ui_night_mode"] = "2"
    assert brightness(phone) < 60
    phone.settings["secure"]["ui_night_mode"] = "1"
    assert (phone.screenshot() == light).all()


@pytest.mark.parametrize("rotation", ["1", "3"])
def test_a_turned_phone_is_wide_and_usable(phone: Phone, rotation: str) -> None:
    phone.launch(SETTINGS)
    upright = phone.screenshot_png()
    phone.settings["system"]["user_rotation"] = rotation
    assert phone.screenshot().shape == (540, 1200, 4)
    assert f'rotation="{rotation}"' in phone.hierarchy_xml()
    phone.tap_on("Network & internet")
    phone.tap_on("Internet")
    phone.tap_on("Wi-Fi")
    assert phone.settings["global"]["wifi_on"] == "0"
    phone.settings["global"]["wifi_on"] = "1"
    phone.key("BACK")
    phone.key("BACK")
    phone.settings["system"]["user_rotation"] = "0"
    assert len(phone.screenshot_png()) == pytest.approx(len(upright), rel=0.2)


# content providers


def test_providers_answer_with_rows_and_take_changes(phone: Phone) -> None:
    uri = phone.content.insert("content://sms/inbox", {"address": "+15551234567", "body": "o'clock", "date": 1})
    assert uri.startswith("content://sms/inbox/")
    (found,) = phone.content.query(uri, ("address", "body", "type"))
    assert found == {"address": "+15551234567", "body": "o'clock", "type": 1}
    assert phone.content.query("content://sms/sent") == []
    assert phone.content.update("content://sms", {"read": 1}, "body = ?", ("o'clock",)) == 1
    assert phone.content.delete("content://sms", "address = '+15551234567'") == 1
    assert phone.content.query("content://sms") == []


def test_media_are_the_files_themselves(phone: Phone) -> None:
    phone.fs.write("/sdcard/Pictures/a.png", b"x" * 10)
    phone.fs.write("/sdcard/Music/b.mp3", b"y")
    (row,) = phone.content.query("content://media/external/images/media")
    assert (row["_data"], row["_size"], row["mime_type"]) == (f"{STORAGE}/Pictures/a.png", 10, "image/png")
    assert phone.content.delete("content://media/external/audio/media") == 1
    assert not phone.fs.exists("/sdcard/Music/b.mp3")


@pytest.mark.parametrize("uri", ["content://nobody/x", "http://a", "content://settings/none", "content://media/x/y"])
def test_addresses_nobody_answers(phone: Phone, uri: str) -> None:
    with pytest.raises(LookupError, match="Could not find provider"):
        phone.content.query(uri)


def test_settings_as_rows_and_bad_columns(phone: Phone) -> None:
    assert phone.content.query("content://settings/global/wifi_on") == [{"_id": 1, "name": "wifi_on", "value": "1"}]
    with pytest.raises(sqlite3.Error, match="no such column"):
        phone.content.query("content://sms", where="no_such = 1")


# a full disk


def full(phone: Phone) -> None:
    phone.fs.quota = phone.fs.used


def said(phone: Phone) -> str:
    return phone.system.toast


def test_markor_says_that_the_disk_is_full_and_keeps_the_words(phone: Phone) -> None:
    phone.fs.write(f"{STORAGE}/Documents/Markor/note.md", "old")
    phone.launch(MARKOR)
    phone.tap_on("note.md")
    phone.tap(*next(v for v in phone.app_views() if v.editable).center)
    phone.text("many more words")
    full(phone)
    phone.tap_on("Save")
    assert said(phone) == "Not enough storage space"
    phone.key("HOME")
    assert phone.activities.foreground.home
    assert phone.fs.read("/sdcard/Documents/Markor/note.md") == b"old"
    phone.fs.quota = 10**9
    phone.launch(MARKOR)
    phone.tap_on("Save")
    assert b"many more words" in phone.fs.read("/sdcard/Documents/Markor/note.md")
    assert not phone.crashes


def test_files_says_that_it_could_not_copy_and_leaves_nothing_half(phone: Phone) -> None:
    phone.fs.write("/sdcard/Download/a.bin", bytes(5000))
    full(phone)
    phone.launch("com.google.android.documentsui")
    entry = phone.find("a.bin")
    assert entry is not None
    phone.long_press(*entry.center)
    phone.tap_on("More options")
    phone.tap_on("Copy to\u2026")
    phone.tap_on("sdk_gphone_x86_64")
    phone.tap_on("Copy")
    assert said(phone).startswith("Couldn\u2019t copy")
    assert not phone.fs.exists("/sdcard/a.bin")
    assert phone.fs.exists("/sdcard/Download/a.bin")


def test_a_message_that_finds_no_room_is_told_and_the_phone_goes_on(phone: Phone) -> None:
    full(phone)
    for number in range(20):
        phone.sms_received("+15551234567", f"{number} " + "long " * 200)
    assert said(phone) == "Not enough storage space"
    phone.fs.quota = 10**9
    phone.sms_received("+15551234567", "room again")
    assert phone.content.query("content://sms/inbox")[0]["body"] == "room again"


def test_an_app_whose_data_was_cleared_opens_on_a_full_disk(phone: Phone) -> None:
    for app in [a for a in phone.apps.values() if a.in_drawer]:
        phone.fs.quota = 10**9
        phone.clear_package(app.package)
        full(phone)
        phone.launch(app.package)
        assert phone.hierarchy_xml()
    assert not phone.crashes
