"""PocketDevice: the same promises as over adb, without adb."""

from __future__ import annotations

from typing import Any

import pytest

from emulator.device import Device, Foreground, ShellResult
from emulator.device_errors import AppNotFound, AppNotInFront, CommandFailed, DeviceTimeout, NotSupported, TextNotTyped
from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.phone import Phone
from emulator.pocket_device import PocketDevice


@pytest.fixture
def device() -> PocketDevice:
    return PocketDevice(Phone(seed=3, size=(540, 1200)))


def open_field(device: PocketDevice) -> None:
    device.open_app("Contacts")
    device.phone.tap_on("Create contact")
    device.phone.tap_on("First name")


def text_of(device: PocketDevice) -> str:
    view = device.phone.editor.field()
    assert view is not None
    return view.text


def test_it_is_a_device(device: PocketDevice) -> None:
    held: Device = device
    assert held.screenshot().size == held.screen_size() == (540, 1200)
    assert held.screenshot().png == device.phone.screenshot_png()
    assert held.ui_tree().source == "pocket"
    held.close()


def test_both_devices_have_the_same_calls() -> None:
    from emulator.adb import AdbDevice

    calls = {name for name in dir(Device) if not name.startswith("_")} - {"serial"}
    for kind in (PocketDevice, AdbDevice):
        assert calls <= set(dir(kind))


def test_fingers(device: PocketDevice) -> None:
    device.open_app("settings")
    device.tap(*next(e for e in device.ui_tree().elements if e.text == "Display").center)
    assert any(e.text == "Dark theme" for e in device.ui_tree().elements)
    for touch in (device.tap, device.double_tap, device.long_press):
        with pytest.raises(ValueError, match="outside the screen"):
            touch(540, 0)
    device.press("home")
    assert device.phone.activities.foreground.home
    device.open_app("settings")
    device.swipe(270, 0, 270, 900)
    assert not device.phone.system.shade
    device.swipe(270, 0, 270, 900, edges=True)
    assert device.foreground() == Foreground("com.android.systemui", "")


@pytest.mark.parametrize("text", ["hello", "价格（元）; $HOME", "é 😀", "100%s", "a\tb"])
def test_exact_text(device: PocketDevice, text: str) -> None:
    open_field(device)
    device.type_text("before")
    device.type_text(text, clear=True)
    assert text_of(device) == text


def test_enter_between_lines_only(device: PocketDevice) -> None:
    open_field(device)
    first = device.phone.activities.top.focus
    device.type_text("Anna")
    assert device.phone.activities.top.focus == first
    device.type_text("\nSmith")
    assert device.phone.activities.top.focus != first and text_of(device) == "Smith"


def test_lost_text_is_an_error_and_no_field_is_none(device: PocketDevice) -> None:
    device.press("home")
    device.type_text("into the void")
    open_field(device)
    device.phone.faults.add(Fault(FaultKind.LOST_CHARACTERS, value="2"))
    with pytest.raises(TextNotTyped, match="holds 'llo'"):
        device.type_text("hello")


def test_apps(device: PocketDevice) -> None:
    assert device.open_app("Simple Calendar Pro").package == "com.simplemobiletools.calendar.pro"
    with pytest.raises(AppNotFound):
        device.open_app("Waze")
    device.phone.faults.add(Fault(FaultKind.NOT_RESPONDING, times=-1))
    with pytest.raises(AppNotInFront, match="android is in front"):
        device.open_app("Contacts")


def test_shell_files_console(device: PocketDevice) -> None:
    assert device.shell("echo a; echo b >&2; exit 4") == ShellResult(4, "a\n", "b\n")
    assert device.shell(["echo", "$x; y"]).stdout == "$x; y\n"
    device.push("/sdcard/new/place/x", b"\x00\xff")
    assert device.pull("/sdcard/new/place/x") == b"\x00\xff"
    with pytest.raises(CommandFailed):
        device.pull("/sdcard/none")
    with pytest.raises(CommandFailed):
        device.push("/sdcard", b"")
    device.console("sms send 555 hello")
    with pytest.raises(CommandFailed):
        device.console("nonsense")
    with pytest.raises(DeviceTimeout):
        device.shell("true", timeout=0)


def test_snapshots(device: PocketDevice) -> None:
    device.push("/sdcard/x", b"1")
    device.snapshot("a")
    state = device.phone.state_hash()
    device.push("/sdcard/x", b"2")
    device.restore("a")
    assert device.pull("/sdcard/x") == b"1" and device.phone.state_hash() == state
    with pytest.raises(NotSupported, match="there are: a"):
        device.restore("b")


def test_keyboard(device: PocketDevice) -> None:
    open_field(device)
    screen: Any = device.phone.activities.top
    assert device.hide_keyboard() and not device.hide_keyboard()
    assert device.phone.activities.top is screen
