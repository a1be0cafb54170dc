"""The phone as a user meets it: apps, keys, typing, system parts, keeping and bringing back."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.intents import ActivityNotFound, Intent
from emulator.pocket.phone import Phone

SMALL = (540, 1200)
SETTINGS = "com.android.settings"


@pytest.fixture
def phone() -> Phone:
    return Phone(size=SMALL, strict=True)


def open_page(phone: Phone, *titles: str) -> None:
    phone.launch(SETTINGS)
    for title in titles:
        phone.tap_on(title)


def test_a_fresh_phone_shows_the_launcher_at_the_androidworld_moment(phone: Phone) -> None:
    assert phone.clock.now() == 1697384040.0
    assert phone.activities.foreground.package == "com.google.android.apps.nexuslauncher"
    assert phone.find("15:34") is not None


def test_drawer_opens_by_a_swipe_up_and_starts_an_app(phone: Phone) -> None:
    phone.swipe(270, 1080, 270, 360)
    phone.tap_on("Settings")
    assert phone.activities.foreground.component == "com.android.settings/com.android.settings.Settings"


@pytest.mark.parametrize(
    ("pages", "title", "key"),
    [
        (("Network & internet", "Internet"), "Wi-Fi", "wifi_on"),
        (("Network & internet",), "Airplane mode", "airplane_mode_on"),
        (("Connected devices", "Connection preferences", "Bluetooth"), "Use Bluetooth", "bluetooth_on"),
        (("Battery", "Battery Saver"), "Use Battery Saver", "low_power"),
    ],
)
def test_switches_write_the_keys_the_checks_read(phone: Phone, pages: tuple[str, ...], title: str, key: str) -> None:
    open_page(phone, *pages)
    before = phone.settings["global"].flag(key)
    phone.tap_on(title)
    assert phone.settings["global"][key] == ("0" if before else "1")
    phone.tap_on(title)
    assert phone.settings["global"].flag(key) is before


@pytest.mark.parametrize(("to_x", "level"), [(0, "1"), (539, "255")])
def test_the_brightness_slider_reaches_both_ends(phone: Phone, to_x: int, level: str) -> None:
    open_page(phone, "Display", "Brightness level")
    slider = phone.find("Display brightness")
    assert slider is not None
    x, y = slider.center
    phone.swipe(x, y, to_x, y)
    assert phone.settings["system"]["screen_brightness"] == level


def test_the_shade_has_the_same_tiles(phone: Phone) -> None:
    phone.swipe(270, 5, 270, 600)
    phone.tap_on("Bluetooth, Off")
    assert phone.settings["global"]["bluetooth_on"] == "1"
    phone.swipe(270, 300, 270, 900)
    assert phone.find("Display brightness") is not None
    phone.key("BACK")
    assert phone.system.shade == ""


def test_typing_with_shell_text_and_with_the_keys(phone: Phone) -> None:
    open_page(phone, "Search settings")
    phone.text("blue")
    phone.tap_on("t")
    assert phone.activities.top.query == "bluet"  # type: ignore[attr-defined]
    phone.tap_on("Delete")
    phone.key_combination(["CTRL_LEFT", "A"])
    phone.key("DEL")
    phone.text("wi-fi")
    phone.key("BACK")
    assert not phone.keyboard.visible
    assert phone.find("Internet") is None


def test_copy_and_paste_through_the_text_menu(phone: Phone) -> None:
    open_page(phone, "Search settings")
    phone.text("display")
    field = phone.editor.field()
    assert field is not None
    phone.long_press(field.bounds[0] + 20, field.center[1])
    phone.tap_on("Copy")
    assert phone.clipboard == "display"
    phone.key("MOVE_END")
    phone.long_press(*field.center)
    phone.tap_on("Paste")
    assert "display" in phone.activities.top.query  # type: ignore[attr-defined]


def test_back_home_and_recents(phone: Phone) -> None:
    open_page(phone, "Battery")
    phone.key("HOME")
    assert phone.activities.foreground.home
    phone.key("APP_SWITCH")
    phone.tap_on("Settings")
    assert phone.find("Battery Saver") is not None
    phone.key("BACK")
    phone.key("BACK")
    assert phone.activities.foreground.home
    assert phone.activities.find(SETTINGS) is not None
    phone.force_stop(SETTINGS)
    assert phone.activities.find(SETTINGS) is None


def test_unknown_components_and_intents_are_refused(phone: Phone) -> None:
    with pytest.raises(ActivityNotFound):
        phone.start_activity(Intent(component="com.android.settings/.Nothing"))
    with pytest.raises(ActivityNotFound):
        phone.start_activity(Intent(action="android.intent.action.NOTHING"))


def test_snapshot_brings_back_the_same_bytes(phone: Phone) -> None:
    open_page(phone, "Display")
    kept, name, picture = phone.snapshot(), phone.state_hash(), phone.screenshot().copy()
    phone.tap_on("Dark theme")
    phone.fs.write("/sdcard/Download/new.txt", "x")
    phone.sms_received("+15551234567", "hello")
    assert phone.state_hash() != name
    phone.restore(kept)
    assert phone.state_hash() == name
    assert (phone.screenshot() == picture).all()
    assert phone.content.query("content://sms/inbox") == []


def test_equal_seeds_and_actions_give_equal_phones() -> None:
    def run(seed: int) -> Phone:
        phone = Phone(seed=seed, size=SMALL)
        open_page(phone, "Network & internet", "Airplane mode")
        phone.sms_received("+15551234567", "hello")
        return phone

    first, second, other = run(3), run(3), run(4)
    assert first.state_hash() == second.state_hash() != other.state_hash()
    assert (first.screenshot() == second.screenshot()).all()
    assert first.hierarchy_xml(all_windows=True) == second.hierarchy_xml(all_windows=True)


def test_generation_grows_only_with_what_can_be_seen(phone: Phone) -> None:
    before = phone.generation
    phone.touch("down", 270, 300)
    assert phone.generation == before
    phone.settings["global"]["wifi_on"] = "0"
    assert phone.generation == before + 1


def test_every_clickable_node_lies_on_the_screen(phone: Phone) -> None:
    open_page(phone)
    for node in ET.fromstring(phone.hierarchy_xml(all_windows=True)).iter("node"):
        left, top, right, bottom = (int(n) for n in node.get("bounds", "").strip("[]").replace("][", ",").split(","))
        assert 0 <= left < right <= 540
        assert 0 <= top < bottom <= 1200


@pytest.mark.parametrize(
    ("kind", "button"),
    [
        (FaultKind.NOT_RESPONDING, "Wait"),
        (FaultKind.PERMISSION_DIALOG, "While using the app"),
        (FaultKind.POPUP, "Not now"),
    ],
)
def test_dialog_faults_cover_the_app_until_answered(phone: Phone, kind: FaultKind, button: str) -> None:
    open_page(phone)
    phone.faults.add(Fault(kind))
    assert phone.find("Battery") is None
    phone.tap_on(button)
    assert phone.find("Battery") is not None


def test_other_core_faults(phone: Phone) -> None:
    open_page(phone)
    phone.faults.add(Fault(FaultKind.BLACK_SCREEN, times=-1))
    assert not phone.screenshot()[100:1000, :, :3].any()
    phone.faults.clear()
    phone.faults.add(Fault(FaultKind.STALE_HIERARCHY))
    phone.tap_on("Display")
    assert "Dark theme" not in phone.hierarchy_xml().replace("Dark theme, font size", "")
    assert "Adaptive brightness" in phone.hierarchy_xml()
    phone.faults.add(Fault(FaultKind.ROTATED_SCREEN, times=-1))
    assert phone.screenshot().shape == (540, 1200, 4)
    assert 'rotation="1"' in phone.hierarchy_xml()
    phone.faults.clear()
    open_page(phone)
    phone.launch(SETTINGS)
    phone.key("BACK")
    phone.tap_on("Search settings")
    phone.faults.add(Fault(FaultKind.LOST_CHARACTERS, value="2"))
    phone.text("display")
    assert phone.activities.top.query == "splay"  # type: ignore[attr-defined]
