"""adbutils against a pocket phone: one test a documented call, no unknown command."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

adbutils = pytest.importorskip("adbutils")
SETTINGS = "com.android.settings"


@pytest.fixture
def d(adb: Any, handle: Any, connect: Callable[[Any], str]) -> Iterator[Any]:
    client = adbutils.AdbClient(host="127.0.0.1", port=adb.port)
    yield client.device(connect(handle))
    assert not handle.endpoint.unknown, handle.endpoint.unknown


def test_shell_forms(d: Any) -> None:
    assert d.shell("echo hi") == "hi"
    assert d.shell(["echo", "a b", "$HOME"]) == "a b $HOME"
    assert d.shell2("(exit 3)").returncode == 3
    result = d.shell2("echo out; echo err >&2; exit 4", v2=True)
    assert (result.returncode, result.stdout, result.stderr) == (4, "out\n", "err\n")
    assert d.shell("screencap -p", encoding=None).startswith(b"\x89PNG")


def test_properties_and_geometry(d: Any, handle: Any) -> None:
    assert d.getprop("ro.build.version.sdk") == "33"
    assert (d.prop.name, d.prop.model, d.prop.device) == ("sdk_gphone_x86_64", "sdk_gphone_x86_64", "pocket")
    assert tuple(d.window_size()) == (540, 1200)
    assert d.rotation() == 0
    handle.phone.settings["system"]["user_rotation"] = "1"
    assert d.rotation() == 1 and tuple(d.window_size()) == (1200, 540)


def test_screenshot_and_framebuffer(d: Any, handle: Any) -> None:
    pixels = handle.phone.screenshot()[:, :, :3].tobytes()
    assert d.screenshot().tobytes() == pixels
    assert d.screenshot(display_id=0).tobytes() == pixels
    assert d.framebuffer().convert("RGB").tobytes() == pixels


def test_apps(d: Any) -> None:
    d.app_start(SETTINGS)
    assert d.app_current().package == SETTINGS
    d.app_stop(SETTINGS)
    assert d.app_current().package != SETTINGS
    d.app_start(SETTINGS, ".Settings")
    assert d.app_current().package == SETTINGS
    info = d.app_info(SETTINGS)
    assert info.package_name == SETTINGS and info.version_code >= 1 and "SYSTEM" in info.flags
    assert d.app_info("no.such.package") is None
    d.app_clear(SETTINGS)
    assert SETTINGS in d.list_packages() and SETTINGS in d.list_packages(["-s"])
    assert SETTINGS not in d.list_packages(["-3"])


def test_install(d: Any, handle: Any) -> None:
    u2 = pytest.importorskip("uiautomator2")
    d.install(str(Path(u2.__file__).parent / "assets" / "app-uiautomator.apk"), nolaunch=True, silent=True)
    assert "com.github.uiautomator" in d.list_packages(["-3"])
    assert d.uninstall("com.github.uiautomator") == "Success"


def test_input(d: Any, handle: Any) -> None:
    before = handle.phone.clock.now()
    d.click(100, 100)
    d.click(0.5, 0.5)
    d.swipe(270, 900, 270, 300, 0.3)
    d.drag(270, 900, 270, 300, 0.5)
    d.send_keys("hello")
    d.keyevent("HOME")
    d.keyevent(4)
    assert handle.phone.clock.now() == before + 7
    assert handle.phone.activities.foreground.home


def test_settings_and_radios(d: Any, handle: Any) -> None:
    d.brightness_value = 77
    assert d.brightness_value == 77
    d.brightness_mode = adbutils.BrightnessMode.AUTO
    assert d.brightness_mode == adbutils.BrightnessMode.AUTO
    d.switch_wifi(False)
    assert handle.phone.settings["global"]["wifi_on"] == "0"
    d.switch_wifi(True)
    assert d.wlan_ip() == "10.0.2.16"
    d.switch_airplane(True)
    assert handle.phone.settings["global"]["airplane_mode_on"] == "1"
    d.switch_screen(False)
    assert not handle.phone.system.awake
    d.switch_screen(True)
    assert d.is_screen_on()
    assert d.battery().level == 100
    d.volume_mute()


def test_files(d: Any, tmp_path: Path) -> None:
    data = os.urandom(500_000)
    assert d.sync.push(data, "/sdcard/up/file.bin", check=True) == len(data)
    assert d.sync.read_bytes("/sdcard/up/file.bin") == data
    assert d.sync.stat("/sdcard/up/file.bin").size == len(data)
    assert not d.sync.exists("/sdcard/nothing") and d.sync.exists("/sdcard/up")
    assert [item.path for item in d.sync.list("/sdcard/up") if item.path not in (".", "..")] == ["file.bin"]
    assert d.sync.pull("/sdcard/up", tmp_path / "back", exist_ok=True) == len(data)
    d.sync.push(b"text", "/sdcard/up/a.txt")
    assert d.sync.read_text("/sdcard/up/a.txt") == "text"
    d.remove("/sdcard/up/a.txt")
    d.rmtree("/sdcard/up")
    assert not d.sync.exists("/sdcard/up")
    with pytest.raises(adbutils.AdbError, match="No such file"):
        d.sync.read_bytes("/sdcard/up/file.bin")


def test_dump_hierarchy(d: Any) -> None:
    assert d.dump_hierarchy().startswith("<?xml")


def test_forward_and_reverse(d: Any, handle: Any) -> None:
    async def hello(stream: Any) -> None:
        await stream.write(b"hello")
        await stream.finish()

    handle.daemon.ports["tcp:1234"] = hello
    with d.create_connection(adbutils.Network.TCP, 1234) as sock:
        assert sock.recv(5) == b"hello"
    with pytest.raises(adbutils.AdbError):
        d.create_connection(adbutils.Network.TCP, 4321)
    assert d.forward_port(1234) == d.forward_port(1234)
    assert [item.remote for item in d.forward_list()] == ["tcp:1234"]
    d.forward_remove_all()
    d.reverse("tcp:7000", "tcp:7001")
    assert [(item.remote, item.local) for item in d.reverse_list()] == [("tcp:7000", "tcp:7001")]
    with pytest.raises(adbutils.AdbError):
        d.reverse("tcp:7000", "tcp:7002", norebind=True)
    d.reverse_remove("tcp:7000")
    d.reverse_remove_all()
    assert d.reverse_list() == []


def test_logcat_stops(d: Any, handle: Any, tmp_path: Path) -> None:
    stream = d.logcat(tmp_path / "log.txt", clear=True, re_filter="needle")
    time.sleep(0.3)
    handle.phone.log.write("I", "Tag", "a needle")
    time.sleep(0.7)
    stream.stop(timeout=5)
    assert "a needle" in (tmp_path / "log.txt").read_text()


def test_root_tcpip_and_browser(d: Any, handle: Any) -> None:
    assert "already running as root" in d.root()
    assert "5556" in d.tcpip(5556)
    d.open_browser("https://example.com")  # nothing opens it unless a browser is installed; the command is known


def test_server_calls(adb: Any, handle: Any) -> None:
    client = adbutils.AdbClient(host="127.0.0.1", port=adb.port)
    assert client.server_version() >= 41
    assert "connected" in client.connect(handle.address, timeout=5)
    client.wait_for(handle.serial, timeout=5)
    assert (handle.serial, "device") in [(item.serial, item.state) for item in client.list()]
    event = next(iter(client.track_devices()))
    assert event.present
    client.disconnect(handle.serial)
