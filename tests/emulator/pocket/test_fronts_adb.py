"""Unmodified adb (the one adbutils ships) against a pocket phone: one test a documented call."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emulator.pocket.server import announce

Run = Callable[..., Any]


def test_connect_and_list(adb: Any, handle: Any, connect: Run) -> None:
    serial = connect(handle)
    listing = adb.run("devices", "-l").stdout.decode()
    assert re.search(rf"{re.escape(serial)}\s+device product:sdk_gphone_x86_64", listing)
    assert adb.run("-s", serial, "get-state").stdout == b"device\n"
    assert b"shell_v2" in adb.run("-s", serial, "features").stdout
    adb.run("-s", serial, "wait-for-device", timeout=5)


def test_shell_streams_and_exit_code(device: Run, handle: Any) -> None:
    result = device("shell", "echo out; echo err >&2; exit 7")
    assert (result.stdout, result.stderr, result.returncode) == (b"out\n", b"err\n", 7)
    assert device("shell", "nope").returncode == 127
    assert handle.endpoint.unknown == {"nope": 1}


def test_shell_reads_standard_input(device: Run) -> None:
    data = os.urandom(300_000)
    assert device("shell", "cat", stdin=data).stdout == data
    assert device("shell", "wc -c", stdin=data).stdout == b"300000\n"
    assert device("exec-in", "cat > /sdcard/in", stdin=data).returncode == 0
    assert device("exec-out", "cat /sdcard/in").stdout == data


def test_shell_takes_commands_from_standard_input(device: Run) -> None:
    result = device("shell", stdin=b"echo one\nif true\nthen echo two\nfi\nexit 5\n")
    assert (result.stdout, result.returncode) == (b"one\ntwo\n", 5)


def test_shell_on_a_terminal(device: Run) -> None:
    result = device("shell", "-tt", stdin=b"echo hi\nexit\n")
    assert result.stdout.replace(b"\r", b"").count(b"hi\n") >= 1 and b"pocket:/ # " in result.stdout


def test_exec_out_is_binary_clean(device: Run, handle: Any) -> None:
    assert device("exec-out", "screencap -p").stdout == handle.phone.screenshot_png()


def test_push_and_pull(device: Run, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "a b.bin").write_bytes(data)
    assert device("push", str(tmp_path / "a b.bin"), "/sdcard/Download/new/a b.bin").returncode == 0
    assert device("pull", "/sdcard/Download/new/a b.bin", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back").read_bytes() == data
    assert device("pull", "/sdcard/none", str(tmp_path / "x")).returncode == 1
    assert b"a b.bin" in device("ls", "/sdcard/Download/new").stdout


def test_push_and_pull_of_a_directory(device: Run, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("one.txt", "sub/two.txt", "sub/deep/three.txt"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    assert device("push", str(tree), "/sdcard/").returncode == 0
    assert device("pull", "/sdcard/tree", str(tmp_path / "back")).returncode == 0
    found = {
        path.relative_to(tmp_path / "back").as_posix(): path.read_text() for path in (tmp_path / "back").rglob("*.txt")
    }
    assert found == {name: name for name in ("one.txt", "sub/two.txt", "sub/deep/three.txt")}


def test_push_keeps_the_time_and_sync_skips(device: Run, handle: Any, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    os.utime(tmp_path / "f", (1_600_000_000, 1_600_000_000))
    device("push", str(tmp_path / "f"), "/sdcard/f")
    assert handle.phone.fs.stat("/sdcard/f").mtime_ns == 1_600_000_000 * 10**9
    result = device("push", "--sync", str(tmp_path / "f"), "/sdcard/f")
    assert b"1 skipped" in result.stdout + result.stderr


@pytest.mark.slow
def test_100_megabytes_there_and_back(device: Run, tmp_path: Path) -> None:
    data = os.urandom(1 << 20) * 100
    (tmp_path / "big").write_bytes(data)
    assert device("push", str(tmp_path / "big"), "/sdcard/big", timeout=100).returncode == 0
    assert device("pull", "/sdcard/big", str(tmp_path / "back"), timeout=100).returncode == 0
    assert (tmp_path / "back").read_bytes() == data


def test_push_to_a_full_disk(device: Run, handle: Any, tmp_path: Path) -> None:
    handle.phone.fs.quota = handle.phone.fs.used + 1_000_000
    (tmp_path / "f").write_bytes(bytes(2_000_000))
    result = device("push", str(tmp_path / "f"), "/sdcard/f")
    assert result.returncode == 1 and b"No space left on device" in result.stdout + result.stderr
    assert not handle.phone.fs.exists("/sdcard/f")
    assert device("shell", "echo alive").stdout == b"alive\n"


def test_sync_paths_stay_inside_the_phone(device: Run, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("phone")
    target = tmp_path / "host"
    device("push", str(tmp_path / "f"), f"/sdcard/../../../../..{target}")
    assert not target.exists()
    assert device("shell", f"cat {target}").stdout == b"phone"
    assert device("pull", "/../../etc/hostname", str(tmp_path / "x")).returncode == 1


def test_root_remount_and_friends(device: Run) -> None:
    assert b"already running as root" in device("root").stdout
    assert b"succeeded" in device("remount").stdout
    assert device("shell", "whoami").stdout == b"root\n"
    assert device("unroot").returncode == 0


def test_forward_reaches_device_ports_only(device: Run, handle: Any) -> None:
    async def echo(stream: Any) -> None:
        while data := await stream.read():
            await stream.write(data.upper())

    handle.daemon.ports["localabstract:echo"] = echo
    port = int(device("forward", "tcp:0", "localabstract:echo").stdout)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
        sock.sendall(b"hello")
        assert sock.recv(100) == b"HELLO"
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.3)
        port = int(device("forward", "tcp:0", f"tcp:{listener.getsockname()[1]}").stdout)
        with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
            assert sock.recv(10) == b"", "a host port must not be reached through the phone"
        with pytest.raises(TimeoutError):
            listener.accept()
    assert device("forward", "--remove-all").returncode == 0


def test_reverse(device: Run, handle: Any) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(5)
        host_port = listener.getsockname()[1]
        assert device("reverse", "tcp:7000", f"tcp:{host_port}").returncode == 0
        assert b"tcp:7000" in device("reverse", "--list").stdout
        assert device("reverse", "--no-rebind", "tcp:7000", "tcp:1").returncode == 1

        async def talk() -> bytes:
            stream = handle.daemon.open_reverse("tcp:7000")
            await stream.write(b"from the phone")
            return bytes(await stream.read())

        import asyncio

        answer = asyncio.run_coroutine_threadsafe(talk(), handle.daemon.loop)
        accepted, _ = listener.accept()
        with accepted:
            accepted.settimeout(5)
            assert accepted.recv(100) == b"from the phone"
            accepted.sendall(b"from the host")
            assert answer.result(timeout=5) == b"from the host"
    assert device("reverse", "--remove", "tcp:7000").returncode == 0
    assert device("reverse", "--remove", "tcp:7000").returncode == 1
    assert device("reverse", "--remove-all").returncode == 0


def test_install_and_uninstall(device: Run, handle: Any) -> None:
    u2 = pytest.importorskip("uiautomator2")
    apk = Path(u2.__file__).parent / "assets" / "app-uiautomator.apk"
    assert b"Success" in device("install", "-r", "-t", "-g", str(apk)).stdout
    assert b"package:com.github.uiautomator\n" in device("shell", "pm", "list", "packages", "-3").stdout
    assert handle.phone.packages["com.github.uiautomator"].apk_size == apk.stat().st_size
    assert b"Success" in device("uninstall", "com.github.uiautomator").stdout
    assert device("uninstall", "com.android.settings").returncode == 1


def test_install_of_junk_fails(device: Run, tmp_path: Path) -> None:
    (tmp_path / "junk.apk").write_bytes(b"not an apk")
    result = device("install", str(tmp_path / "junk.apk"))
    assert result.returncode == 1 and b"INSTALL_PARSE_FAILED" in result.stdout + result.stderr


def test_logcat_dumps_and_follows(device: Run, adb: Any, handle: Any) -> None:
    import subprocess

    handle.phone.log.write("I", "Tag", "first")
    assert b"Tag: first" in device("logcat", "-d").stdout
    process = subprocess.Popen(
        [adb.path, "-s", handle.serial, "logcat", "-v", "brief", "Tag:I", "*:S"], env=adb.env, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        while b"first" not in process.stdout.readline():
            pass
        handle.phone.log.write("I", "Tag", "second")
        assert b"second" in process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
    assert device("logcat", "-c").returncode == 0


def test_emulator_serial_and_console(adb: Any, handle: Any) -> None:
    announce(handle.adb_port, adb.port)
    for _ in range(50):
        if b"device" in adb.run("-s", handle.emulator_serial, "get-state").stdout:
            break
        time.sleep(0.1)
    assert adb.run("-s", handle.emulator_serial, "shell", "echo hi").stdout == b"hi\n"
    assert adb.run("-s", handle.emulator_serial, "emu", "avd", "name").stdout == b"pocket-0\r\nOK\r\n"
    adb.run("-s", handle.emulator_serial, "emu", "sms", "send", "+15551234", "Hello", "there")
    rows = adb.run("-s", handle.emulator_serial, "shell", "content query --uri content://sms/inbox").stdout
    assert b"address=+15551234" in rows and b"body=Hello there" in rows


def test_reboot_drops_the_connection_and_comes_back(adb: Any, device: Run, handle: Any) -> None:
    device("shell", "am start -n com.android.settings/.Settings")
    device("reboot")
    adb.run("disconnect", handle.serial)
    assert b"connected" in adb.run("connect", handle.address).stdout
    assert device("shell", "echo back").stdout == b"back\n"
    assert handle.phone.activities.foreground.home


def test_many_shells_at_once(device: Run) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: device("shell", f"echo {i}").stdout, range(40)))
    assert results == [f"{i}\n".encode() for i in range(40)]
