"""AdbDevice on a pocket phone through a real adb server: each call does what it says."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emulator.adb_server import AdbServer, find_adb, free_port, usable
from emulator.device import Device, Foreground, ShellResult, Size
from emulator.device_errors import (
    AppNotFound,
    CommandFailed,
    DeviceOffline,
    DeviceTimeout,
    NotSupported,
    TruncatedOutput,
)

SETTINGS = "com.android.settings"
CONTACTS = "com.google.android.contacts"


def check_protocol(device: Device) -> None:
    """For mypy: both devices are `Device`s."""


def test_seeing(device: Any) -> None:
    check_protocol(device)
    phone = device.handle.phone
    picture = device.screenshot()
    assert picture.png == phone.screenshot_png() and picture.size == Size(540, 1200)
    assert not picture.black and picture.secure is None
    assert (picture.pixels() == phone.screenshot()[:, :, :3]).all()
    assert device.screen_size() == (540, 1200)
    assert device.foreground().package == phone.activities.foreground.package


@pytest.mark.parametrize("hierarchy", ["uiautomator2", "dump"])
def test_both_sources_give_the_same_tree(plug: Callable[..., Any], hierarchy: str) -> None:
    device = plug(hierarchy=hierarchy)
    device.open_app("Settings")
    tree = device.ui_tree()
    assert tree.source == {"dump": "uiautomator dump"}.get(hierarchy, hierarchy)
    assert tree.package == SETTINGS and tree.xml.strip() == device.handle.phone.hierarchy_xml()
    assert not device.handle.endpoint.unknown


def test_fingers_and_keys(device: Any) -> None:
    phone = device.handle.phone
    before = device.ui_tree()
    device.swipe(270, 900, 270, 300)
    assert device.ui_tree().elements != before.elements, "the drawer of apps"
    device.open_app("Settings")
    item = next(e for e in device.ui_tree().elements if e.text == "Display")
    device.tap(*item.center)
    assert any(e.text == "Dark theme" for e in device.ui_tree().elements)
    device.press("back")
    device.long_press(270, 1100)
    device.double_tap(270, 1100)
    device.open_app("Settings")
    device.swipe(270, 0, 270, 900)
    assert not phone.system.shade, "kept off the edge"
    device.swipe(270, 0, 270, 900, edges=True)
    assert phone.system.shade, "the shade, when it is meant"
    assert device.foreground() == Foreground("com.android.systemui", "")
    assert device.ui_tree().package == "com.android.systemui"
    device.press("home")
    assert phone.activities.foreground.home and not phone.system.shade


@pytest.mark.parametrize("place", [(540, 10), (10, 1200), (-1, 5), (5, -1), (2000, 2000)])
def test_no_touch_outside_the_screen(device: Any, place: tuple[int, int]) -> None:
    before = device.handle.phone.clock.now()
    for touch in (device.tap, device.double_tap, device.long_press):
        with pytest.raises(ValueError, match="outside the screen of 540 x 1200"):
            touch(*place)
    assert device.handle.phone.clock.now() == before


def test_the_screen_turns(device: Any) -> None:
    device.screenshot()
    device.shell("wm user-rotation lock 1")
    assert device.screen_size() == (1200, 540)
    device.tap(1100, 500)
    with pytest.raises(ValueError, match="1200 x 540"):
        device.tap(500, 1100)
    assert device.screenshot().size == (1200, 540)


def test_shell_tells_the_truth(device: Any) -> None:
    assert device.shell("echo out; echo err >&2; exit 7") == ShellResult(7, "out\n", "err\n")
    assert device.shell(["echo", "a b", "$HOME", "`x`", "é;"]).stdout == "a b $HOME `x` é;\n"
    assert device.shell("printf 'no line end'").stdout == "no line end"
    assert device.shell("cat").stdout == "", "nothing on standard input, so nothing waits for it"
    assert device.shell("echo 'open").exit_code != 0
    assert device.shell("true # a comment").exit_code == 0
    assert device.shell("false").exit_code == 1
    assert device.shell("no_such_command").exit_code == 127
    assert len(device.shell("i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done").stdout) == 33000


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_no_time_is_no_time_limit(device: Any, seconds: float) -> None:
    with pytest.raises(ValueError, match="more than 0 s"):
        device.shell("true", timeout=seconds)


def test_files(device: Any) -> None:
    content = bytes(range(256)) * 1000
    device.push("/sdcard/Download/é b.bin", content)
    assert device.pull("/sdcard/Download/é b.bin") == content
    device.push("/sdcard/empty", b"")
    assert device.pull("/sdcard/empty") == b""
    with pytest.raises(CommandFailed, match="No such file"):
        device.pull("/sdcard/none")
    with pytest.raises(CommandFailed):
        device.push("/sdcard", b"x")


def test_open_app(device: Any) -> None:
    assert device.open_app("contacts").package == CONTACTS
    assert device.open_app(SETTINGS).package == SETTINGS
    with pytest.raises(AppNotFound):
        device.open_app("Waze")
    device.shell(f"pm disable {CONTACTS}")
    with pytest.raises(AppNotFound):
        device.open_app("Contacts")


def test_snapshots_of_an_emulator(plug: Callable[..., Any]) -> None:
    device = plug(emulator=True)
    device.push("/sdcard/kept", b"1")
    device.snapshot("one")
    device.push("/sdcard/kept", b"2")
    device.restore("one")
    assert device.pull("/sdcard/kept") == b"1"
    with pytest.raises(CommandFailed):
        device.restore("none")
    with pytest.raises(ValueError, match="letters"):
        device.snapshot("a b")
    device.console("sms send 5551234 hello there")
    assert "hello there" in device.shell("content query --uri content://sms/inbox").stdout
    with pytest.raises(CommandFailed):
        device.console("nonsense")


def test_a_restore_that_does_nothing_is_noticed(plug: Callable[..., Any]) -> None:
    class Lazy:
        def save(self, name: str) -> None:
            """Says OK."""

        load = save

    device = plug(snapshots=Lazy())
    device.snapshot("one")
    with pytest.raises(CommandFailed, match="changed nothing"):
        device.restore("one")


def test_a_phone_without_snapshots_says_so(device: Any) -> None:
    for call in (lambda: device.snapshot("a"), lambda: device.restore("a"), lambda: device.console("help")):
        with pytest.raises(NotSupported):
            call()


def test_unknown_serial_and_no_server(server: Any) -> None:
    from emulator.adb import AdbDevice

    with pytest.raises(DeviceOffline, match="not found"):
        AdbDevice("nobody", server_port=server.port, timeout=2).shell("true")
    port = free_port()
    with pytest.raises(DeviceOffline, match="no adb server"):
        AdbDevice("nobody", server_port=port, timeout=2).screenshot()
    with socket.socket() as sock:
        assert sock.connect_ex(("127.0.0.1", port)) != 0, "no server was started by the way"


def test_a_server_that_says_nothing_is_a_time_out() -> None:
    from emulator.adb import AdbDevice

    with socket.create_server(("127.0.0.1", 0)) as silent:
        device = AdbDevice("x", server_port=silent.getsockname()[1], timeout=0.3)
        start = time.monotonic()
        for call in (device.screenshot, device.ui_tree, device.foreground, lambda: device.tap(1, 1)):
            with pytest.raises(DeviceTimeout):
                call()
        assert time.monotonic() - start < 10


@pytest.mark.parametrize("answer", [b"", b"OK", b"HTTP/1.1 400 Bad", b"FAILzzzz", b"OKAYOKAY\x01\xff\xff\xff\xff"])
def test_a_server_that_talks_nonsense_is_an_error(answer: bytes) -> None:
    from emulator.adb import AdbDevice

    def speak(listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            with peer:
                peer.recv(4096)
                peer.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=speak, args=(listener,), daemon=True).start()
        device = AdbDevice("x", server_port=listener.getsockname()[1], timeout=1.0)
        with pytest.raises((DeviceOffline, TruncatedOutput, DeviceTimeout)):
            device.shell("true")


def test_servers_are_of_ones_own() -> None:
    with AdbServer() as one, AdbServer(find_adb()) as two:
        assert one.port != two.port and 5037 not in (one.port, two.port)
        assert one.devices() == {} and two.devices() == {}
        assert one.alive() and two.alive()
        with pytest.raises(DeviceOffline):
            one.connect(f"127.0.0.1:{free_port()}")
    assert not one.alive() and not two.alive()


def test_only_devices_are_usable() -> None:
    states = {"emulator-5554": "offline", "a": "unauthorized", "b": "device", "c": "authorizing", "d": "device"}
    assert usable(states) == ["b", "d"]


def test_adb_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    own = tmp_path / "adb"
    own.write_text("")
    monkeypatch.setenv("ADB_PATH", str(own))
    assert find_adb() == str(own)


def listens(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def gone(port: int, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while listens(port) and time.monotonic() < end:
        time.sleep(0.02)
    return not listens(port)


def test_a_server_ends_with_the_process_that_started_it() -> None:
    code = (
        "import time\nfrom emulator.adb_server import AdbServer\n"
        "server = AdbServer().start()\nprint(server.port, flush=True)\ntime.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])
    assert process.stdout is not None
    port = int(process.stdout.readline())
    assert listens(port)
    process.kill()
    process.communicate()
    assert gone(port)


def test_a_server_that_ends_by_itself_is_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "adb"
    broken.write_text("#!/bin/sh\necho no such luck >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(DeviceOffline, match="no such luck"):
        AdbServer(str(broken)).start()
    server = AdbServer().start()
    assert gone(server.port, 0) is False
    server.stop()
    assert gone(server.port) and not server.alive()
    server.stop()
