"""Reports from the field (cases/device.jsonl): every certain one that a phone can express, by id, through real adb.

D08, D09 and D47 are about direction words, which a `Device` does not have: what is checked here is that the finger
goes where it is told. Their other half is tested where words become fingers (solar_eval).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from emulator import app_names, gestures, png, u2_server
from emulator.adb_server import usable
from emulator.device import to_pixel
from emulator.device_errors import (
    AppNotFound,
    AppNotInFront,
    DeviceTimeout,
    DeviceUnauthorized,
    InputMethodNotActive,
    NoFreshTree,
    ScreenshotFailed,
)
from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.shell import table
from emulator.settle import settle
from emulator.tree import made

Plug = Callable[..., Any]
Case = dict[str, Any]


def editor(plug: Plug, **options: Any) -> Any:
    """A device with the focus in an empty field."""
    device = plug(**options)
    device.open_app("Contacts")
    device.tap(*next(e for e in device.ui_tree().elements if e.label == "Create contact").center)
    device.tap(*next(e for e in device.ui_tree().elements if e.editable).center)
    return device


def types(plug: Plug, *texts: str) -> None:
    device = editor(plug)
    for text in texts:
        device.type_text(text, clear=True)
        assert device.handle.phone.editor.field().text == text


def d03(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    types(plug, case["expected"]["typed"], "😀", "naïve Åse")


def d05(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    types(plug, *case["expected"]["typed"])


d06 = d05


def d07(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug()
    before = device.foreground()
    for name in ("Waze", "Wallet", "Scanner", "Voice Recorder", "Google News"):
        assert name in case["input"]
        with pytest.raises(AppNotFound):
            device.open_app(name)
        with pytest.raises(AppNotFound):
            app_names.resolve(name, ["com.whatsapp", "com.snapchat.android", "com.google.android.apps.googlevoice"])
    assert device.foreground() == before


def d08(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug()
    device.open_app("Settings")
    element = device.ui_tree().elements[0]
    assert element.index == 0
    left, top, right, bottom = element.bounds
    x1, y1, x2, y2 = gestures.finger("up", element.bounds)
    assert left < x1 < right and top < y2 < y1 < bottom and x1 == x2


def d09(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    for direction, moves in case["expected"]["finger"].items():
        x1, y1, x2, y2 = gestures.finger(direction, (0, 0, 1000, 1000))
        assert {"left": x2 < x1, "up": y2 < y1}[moves]


def failing_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on `uiautomator dump` says that the screen is never idle, and exits with 0."""

    def never_idle(context: Any) -> int:
        context.out("ERROR: could not get idle state.\n")
        return 0

    monkeypatch.setitem(table.COMMANDS, "uiautomator", never_idle)


def d12(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(hierarchy="dump", timeout=3.0)
    assert device.ui_tree().package
    device.open_app("Settings")
    failing_dump(monkeypatch)
    with pytest.raises(NoFreshTree, match="idle"):
        device.ui_tree()


def d14(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = editor(plug, timeout=1.0)
    keys = table.COMMANDS["input"]
    calls: list[list[str]] = []

    def slow_text(context: Any) -> int:
        calls.append(list(context.arguments))
        status = keys(context)
        if context.arguments[0] == "text":
            time.sleep(2.0)
        return status

    monkeypatch.setitem(table.COMMANDS, "input", slow_text)
    with pytest.raises(DeviceTimeout):
        device.type_text("hello")
    time.sleep(1.5)
    assert device.handle.phone.editor.field().text == "hello"
    assert [words for words in calls if words[0] == "text"] == [["text", "hello"]]


def d16(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = editor(plug)
    ime = table.COMMANDS["ime"]
    monkeypatch.setitem(table.COMMANDS, "ime", lambda c: 255 if c.arguments[:1] in (["set"], ["enable"]) else ime(c))
    with pytest.raises(InputMethodNotActive):
        device.type_text("AutoGLM é")
    assert device.handle.phone.editor.field().text == ""


def with_screencap(monkeypatch: pytest.MonkeyPatch, before: str, picture: bool) -> None:
    shot = table.COMMANDS["screencap"]

    def spoken(context: Any) -> int:
        context.out(before)
        return shot(context) if picture else 0

    monkeypatch.setitem(table.COMMANDS, "screencap", spoken)


def d19(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    with_screencap(monkeypatch, "[Warning] Multiple displays were found, but no display id was specified!\n", True)
    device = plug()
    picture = device.screenshot()
    assert picture.png.startswith(png.SIGNATURE) and picture.png == device.handle.phone.screenshot_png()
    several = plug()
    flinger, dump = table.COMMANDS["dumpsys"], []

    def two_displays(context: Any) -> int:
        dump.append(list(context.arguments))
        status = flinger(context)
        if context.arguments[:1] == ["SurfaceFlinger"]:
            context.out("Display 4619827551948147201 (HWC display 1): port=1\n")
        return status

    monkeypatch.setitem(table.COMMANDS, "dumpsys", two_displays)
    shots: list[list[str]] = []
    shot = table.COMMANDS["screencap"]
    monkeypatch.setitem(table.COMMANDS, "screencap", lambda c: shots.append(list(c.arguments)) or shot(c))
    several.screenshot()
    assert shots == [["-p", "-d", "4619827259835644672"]], "the one that is on, by its id"


def d22(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    with_screencap(monkeypatch, "Failed to open framebuffer\n", False)
    device = plug(timeout=2.0)
    with pytest.raises(ScreenshotFailed, match="Failed to open framebuffer"):
        device.screenshot()


def d24(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(timeout=0.8)
    device.handle.phone.faults.add(Fault(FaultKind.HANGING_COMMAND, times=-1))
    with pytest.raises(DeviceTimeout):
        device.screenshot()
    with pytest.raises(ScreenshotFailed):
        png.screenshot(b"")


def d25(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug()
    device.screenshot()
    device.handle.phone.faults.add(Fault(FaultKind.ROTATED_SCREEN))
    size = device.screenshot().size
    assert size == device.screen_size() == (1200, 540)
    x, y = case["expected"]["pixel"]
    assert to_pixel(0.53, 0.234, (2400, 1080)) == (int(x), int(y))
    device.tap(*to_pixel(0.99, 0.99, size))


def d28(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(timeout=3.0)
    phone = device.handle.phone
    phone.faults.add(Fault(FaultKind.UNAUTHORIZED, times=-1))
    device.handle.daemon.drop_from_any_thread()
    for call in (device.screenshot, lambda: device.tap(5, 5), device.ui_tree):
        with pytest.raises(DeviceUnauthorized, match="dialog on the phone"):
            call()


def d29(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    stale, healthy = plug(timeout=1.0), plug()
    stale.handle.phone.faults.add(Fault(FaultKind.OFFLINE, times=-1))
    stale.handle.daemon.drop_from_any_thread()
    deadline = time.monotonic() + 5
    from emulator.adb_socket import Deadline, host_request

    def states() -> dict[str, str]:
        answer = host_request(healthy.adb.port, "host:devices", Deadline(5, "devices"))
        return dict(line.split("\t") for line in answer.splitlines())

    while states().get(stale.serial) == "device" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert stale.serial not in usable(states()) and healthy.serial in usable(states())
    assert healthy.screenshot().size == (540, 1200)


def d33(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(timeout=8.0)
    start = table.COMMANDS["am"]

    def liar(context: Any) -> int:
        if context.arguments[:1] == ["start"]:
            context.out("Status: ok\nComplete\n")
            return 0
        return start(context)

    def grumbler(context: Any) -> int:
        return start(context) or 1

    monkeypatch.setitem(table.COMMANDS, "am", liar)
    with pytest.raises(AppNotInFront, match="launcher is in front"):
        device.open_app("Settings")
    monkeypatch.setitem(table.COMMANDS, "am", grumbler)
    assert device.open_app("Settings").package == "com.android.settings", "in front, whatever the exit code"


def d39(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = editor(plug)
    screen = device.handle.phone.activities.top
    assert device.hide_keyboard() is True
    assert device.hide_keyboard() is False
    assert device.handle.phone.activities.top is screen


def d41(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug()
    device.open_app("Settings")
    device.tap(*next(e for e in device.ui_tree().elements if e.text == "Display").center)
    device.handle.phone.faults.add(Fault(FaultKind.STALE_HIERARCHY))
    seen = settle(device)
    assert seen.settled and seen.looks == 3 and seen.tree is not None
    assert any(e.text == "Dark theme" for e in seen.tree.elements)


def d42(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(timeout=2.0)
    empty = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\" />"
    monkeypatch.setattr(type(device.handle.phone), "hierarchy_xml", lambda self, all_windows=False: empty)
    with pytest.raises(NoFreshTree, match="empty"):
        device.ui_tree()


def d43(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(hierarchy="dump", timeout=2.0)
    failing_dump(monkeypatch)
    seen = settle(device, cap_s=0.5)
    assert seen.tree is None and "idle" in seen.tree_error and seen.screenshot.size == (540, 1200)


def d44(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = case["expected"]["pixel"]
    assert to_pixel(651 / 720, 230 / 1600, (1080, 2400)) == (int(x), int(y))


def d46(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = editor(plug, size=(720, 1600))
    touched: list[tuple[int, int]] = []
    phone = device.handle.phone
    tap, swipe = phone.tap, phone.swipe
    monkeypatch.setattr(phone, "tap", lambda x, y: touched.append((x, y)) or tap(x, y))
    monkeypatch.setattr(phone, "swipe", lambda *way: touched.extend([way[:2], way[2:4]]) or swipe(*way))
    device.type_text("hello", clear=True)
    with pytest.raises(ValueError, match="outside"):
        device.long_press(1000, 2030)
    device.swipe(-5, 100, 5000, 5000)
    assert touched and all(0 <= x < 720 and 0 <= y < 1600 for x, y in touched)


def d47(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = plug(size=(720, 1000))
    device.open_app("Settings")
    device.shell("wm user-rotation lock 1")
    first = {e.text for e in device.ui_tree().elements if e.text}
    size = device.screen_size()
    assert case["expected"]["finger"] == "up"
    device.swipe(*gestures.finger("up", (0, 0, *size), 0.6))
    later = {e.text for e in device.ui_tree().elements if e.text}
    assert later - first, "a finger that moves up shows what lies below"


def d48(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = editor(plug)
    pressed: list[Any] = []
    phone = device.handle.phone
    key = phone.key
    monkeypatch.setattr(phone, "key", lambda code: pressed.append(code) or key(code))
    field = phone.activities.top.focus
    device.type_text("cats\n")
    assert [view.text for view in phone.app_views() if view.editable and view.key == field] == ["cats"]
    assert pressed == [66]


def d49(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    types(plug, "さくら", "ok 👍", "é")


def d51(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    device = editor(plug)
    device.handle.phone.settings["secure"]["default_input_method"] = "com.google.android.inputmethod.pinyin/.PinyinIME"
    sent: list[list[str]] = []
    keys = table.COMMANDS["input"]
    monkeypatch.setitem(table.COMMANDS, "input", lambda c: sent.append(list(c.arguments)) or keys(c))
    for text in ("yangshipin", case["expected"]["typed"]):
        device.type_text(text, clear=True)
        assert device.handle.phone.editor.field().text == text
    assert not [words for words in sent if words[0] == "text"]


def d52(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    types(plug, "it's (ok)")


def d54(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(to_pixel(1.0, 1.0, (1080, 2400))) == case["expected"]["pixel"]


def d55(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    types(plug, case["expected"]["typed"], "a$(input keyevent 3)b`input keyevent 3`")


def d56(case: Case, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "__import__('os').system('touch /tmp/solar_was_here')"
    types(plug, evil)
    with pytest.raises(AppNotFound):
        plug().open_app(evil)


CHECKS: dict[str, Callable[[Case, Plug, pytest.MonkeyPatch], None]] = {
    "D03": d03, "D05": d05, "D06": d06, "D07": d07, "D08": d08, "D09": d09, "D12": d12, "D14": d14, "D16": d16,
    "D19": d19, "D22": d22, "D24": d24, "D25": d25, "D28": d28, "D29": d29, "D33": d33, "D39": d39, "D41": d41,
    "D42": d42, "D43": d43, "D44": d44, "D46": d46, "D47": d47, "D48": d48, "D49": d49, "D51": d51, "D52": d52,
    "D54": d54, "D55": d55, "D56": d56,
}  # fmt: skip
pytestmark = pytest.mark.shared


@pytest.mark.parametrize("name", list(CHECKS))
def test_report(name: str, device_cases: dict[str, Case], plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    assert device_cases[name]["certainty"] == "certain"
    CHECKS[name](device_cases[name], plug, monkeypatch)


def test_no_certain_report_is_left_out(device_cases: dict[str, Case]) -> None:
    assert {name for name, case in device_cases.items() if case["certainty"] == "certain"} == set(CHECKS)
    assert u2_server.available()


def test_d42_of_every_source() -> None:
    with pytest.raises(NoFreshTree, match="empty"):
        made("<hierarchy rotation='0'></hierarchy>", "accessibility", "com.a", "x: ui_tree")
