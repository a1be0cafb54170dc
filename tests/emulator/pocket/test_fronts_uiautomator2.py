"""uiautomator2 against a pocket phone: one test a documented call, no unknown command or method."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

adbutils = pytest.importorskip("adbutils")
u2 = pytest.importorskip("uiautomator2")
SETTINGS = "com.android.settings"


@pytest.fixture
def d(adb: Any, handle: Any, connect: Callable[[Any], str]) -> Iterator[Any]:
    client = adbutils.AdbClient(host="127.0.0.1", port=adb.port)
    device = u2.Device(client.device(connect(handle)))
    device.settings["wait_timeout"] = 1.0
    yield device
    device.stop_uiautomator()
    assert not handle.endpoint.unknown, handle.endpoint.unknown


def first_text(d: Any) -> str:
    """A text that stands exactly once on the screen."""
    texts = re.findall(r' text="([A-Za-z][A-Za-z ]+)"', d.dump_hierarchy())
    return str(next(text for text in texts if texts.count(text) == 1))


def test_info_and_geometry(d: Any) -> None:
    assert d.info["displayWidth"] == 540 and d.info["currentPackageName"] == d.app_current()["package"]
    assert d.window_size() == (540, 1200)
    assert d.device_info["sdk"] == 33
    assert d.orientation == "natural"
    d.orientation = "left"
    assert d.orientation == "left" and d.window_size() == (1200, 540)
    d.freeze_rotation()
    assert d.wlan_ip == "10.0.2.16"


def test_screen_and_hierarchy(d: Any, handle: Any) -> None:
    assert d.screenshot().size == (540, 1200)
    assert d.screenshot(display_id=0).size == (540, 1200)
    assert d.dump_hierarchy(pretty=True).startswith("<?xml")
    assert d.xpath("//*").all()


def test_apps(d: Any) -> None:
    d.app_start(SETTINGS, stop=True)
    assert d.app_wait(SETTINGS, front=True, timeout=5) > 0
    assert d.app_current()["package"] == SETTINGS
    assert SETTINGS in d.app_list_running() and SETTINGS in d.app_list()
    assert d.app_info(SETTINGS)["versionCode"] >= 1
    d.app_start(SETTINGS, ".Settings")
    assert d.wait_activity(d.app_current()["activity"], timeout=2)
    d.app_clear(SETTINGS)
    d.app_stop(SETTINGS)
    assert d.app_current()["package"] != SETTINGS
    d.app_stop_all()


def test_find_and_click(d: Any) -> None:
    d.app_start(SETTINGS)
    text = first_text(d)
    item = d(text=text)
    assert item.exists and item.wait(timeout=1) and item.count == 1
    assert item.info["text"] == text and item.get_text() == text
    left, top, right, bottom = item.bounds()
    assert 0 <= left < right <= 540 and 0 <= top < bottom <= 1200
    item.click()
    assert d(textContains=text[:3].lower()).count >= 1 and d(textMatches=re.escape(text)).exists
    assert not d(text="no such text here").exists
    assert d(text="no such text here").wait_gone(timeout=0.2)
    assert not d(text="no such text here").click_exists()
    with pytest.raises(u2.exceptions.UiObjectNotFoundError):
        d(text="no such text here").click(timeout=0.1)
    with pytest.raises(u2.exceptions.UiObjectNotFoundError):
        print(d(text="no such text here").info)


def test_selectors_combine(d: Any) -> None:
    d.app_start(SETTINGS)
    d.orientation = "left"
    scrollable = d(scrollable=True)
    assert scrollable.exists
    children = scrollable.child(className="android.widget.TextView")
    assert children.count > 1 and len(children) == children.count
    assert children[1].info["text"] == children.info_list()[1]["text"]
    assert children[0].right() is None or children[0].right().exists
    texts = [item["text"] for item in children.info_list()]
    text = next(text for text in texts if texts.count(text) == 1)
    assert scrollable.child_by_text(text, className="android.widget.TextView").info["text"] == text
    assert scrollable.child_by_instance(1, className="android.widget.TextView").info["text"] == texts[1]


def test_gestures(d: Any, handle: Any) -> None:
    d.app_start(SETTINGS)
    before = handle.phone.clock.now()
    d.click(270, 1100)
    d.click(0.5, 0.9)
    d.double_click(270, 600)
    d.long_click(270, 600, 0.6)
    d.swipe(270, 900, 270, 300, 0.2)
    d.swipe_ext("up")
    d.drag(270, 900, 270, 300)
    d.swipe_points([(270, 900), (270, 600), (270, 300)], 0.2)
    d.touch.down(100, 100).move(100, 200).up(100, 200)
    assert handle.phone.clock.now() > before
    assert d(scrollable=True).exists or d.app_current()


def test_scrolling(d: Any) -> None:
    d.app_start(SETTINGS)
    d.orientation = "left"
    d(scrollable=True).scroll.toEnd()
    bottom = d.dump_hierarchy()
    assert not d(scrollable=True).scroll.forward()
    d(scrollable=True).scroll.toBeginning()
    assert d.dump_hierarchy() != bottom
    assert d(scrollable=True).fling.forward()
    assert not d(scrollable=True).pinch_in(), "two fingers aren't supported, and it says so"


def test_keys_clipboard_and_typing(d: Any, handle: Any) -> None:
    d.press("home")
    d.press(4)
    d.press("recent")
    d.press("back")
    d.keyevent("home")
    d.set_clipboard("Grüße 你好", label="x")
    assert d.clipboard == "Grüße 你好"
    d.long_press("home")
    d.screen_off()
    assert not handle.phone.system.awake
    d.screen_on()
    assert handle.phone.system.awake


def test_test_keyboard(d: Any, handle: Any) -> None:
    d.set_input_ime(True)
    assert d.current_ime() == "com.github.uiautomator/.AdbKeyboard" and d.is_input_ime_installed()
    d.hide_keyboard()
    d.send_action("search")
    d.set_input_ime(False)
    assert d.current_ime().startswith("com.google")


def test_shade_and_toast(d: Any, handle: Any) -> None:
    d.open_notification()
    assert handle.phone.system.shade == "notifications"
    d.press("back")
    d.open_quick_settings()
    assert handle.phone.system.shade == "quick"
    d.press("back")
    d.clear_toast()
    assert d.last_toast is None


def test_files_and_shell(d: Any, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    d.push(str(tmp_path / "f"), "/sdcard/f")
    d.pull("/sdcard/f", str(tmp_path / "g"))
    assert (tmp_path / "g").read_text() == "x"
    assert d.shell("echo a; (exit 3)").exit_code == 3
    assert d.shell(["echo", "a b"]).output == "a b\n"


def test_watcher(d: Any) -> None:
    d.app_start(SETTINGS)
    text = first_text(d)
    d.watcher("w").when(text).click()
    assert d.watcher.run()
    d.watcher.remove()


def test_the_server_restarts(d: Any) -> None:
    d.reset_uiautomator()
    assert d.info["displayWidth"] == 540
