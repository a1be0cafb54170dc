"""The telnet console, and the accessibility forwarder's rules."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from emulator.pocket.fronts.a11y_forwarder import SET_GRPC
from emulator.pocket.phone import Phone
from emulator.pocket.shell.endpoint import Endpoint
from emulator.pocket.shell.interpreter import Shell


def talk(handle: Any, *lines: str) -> list[str]:
    """The console's answer to each line, as a person sees them who waits for OK or KO."""
    answers = []
    with socket.create_connection(("127.0.0.1", handle.console_port), timeout=5) as sock:
        file = sock.makefile("rw", encoding="utf-8", newline="")

        def answer() -> str:
            text = ""
            while not text.endswith("OK\r\n") and "KO:" not in text:
                text += file.readline()
            return text

        assert answer() == "Android Console: type 'help' for a list of commands\r\nOK\r\n"
        for line in lines:
            file.write(line + "\r\n")
            file.flush()
            answers.append(answer())
        file.write("quit\r\n")
        file.flush()
        assert file.read() == ""
    return answers


def test_console_commands(handle: Any) -> None:
    phone = handle.phone
    assert talk(handle, "auth whatever", "ping", "avd name", "avd status") == [
        "OK\r\n",
        "I am alive!\r\nOK\r\n",
        "pocket-0\r\nOK\r\n",
        "virtual device is running\r\nOK\r\n",
    ]
    assert talk(handle, "sms send +15551234 Don't forget; $HOME") == ["OK\r\n"]
    assert phone.content.query("content://sms/inbox")[0]["body"] == "Don't forget; $HOME"
    assert talk(handle, "geo fix 8.54 47.37", "network delay none", "power display")[0] == "OK\r\n"
    assert phone.properties["gps.pocket.location"] == "47.37,8.54"
    assert "sms" in talk(handle, "help")[0]


def test_calls(handle: Any) -> None:
    shell = Shell(handle.phone, handle.endpoint)
    for command, state in (("gsm call +1555", "1"), ("gsm accept +1555", "2"), ("gsm cancel +1555", "0")):
        assert talk(handle, command) == ["OK\r\n"]
        assert f"mCallState={state}".encode() in shell.run("dumpsys telephony.registry").stdout
    assert len(handle.phone.content.query("content://call_log/calls")) == 1


def test_snapshots(handle: Any) -> None:
    handle.phone.fs.write("/sdcard/a", b"1")
    talk(handle, "avd snapshot save one")
    handle.phone.fs.remove("/sdcard/a")
    assert "one" in talk(handle, "avd snapshot list")[0]
    assert talk(handle, "avd snapshot load one") == ["OK\r\n"]
    assert handle.phone.fs.exists("/sdcard/a")
    assert talk(handle, "avd snapshot load none")[0].startswith("KO: ")
    assert talk(handle, "avd snapshot delete one") == ["OK\r\n"]


@pytest.mark.parametrize(
    "line",
    ["frobnicate", "sms", "sms send", "sms send 1", "gsm call", "geo fix a b", "geo fix 999 0", "avd x", "__init__"],
)
def test_bad_commands_are_ko(handle: Any, line: str) -> None:
    assert talk(handle, line)[0].startswith("KO: ")


def test_adbs_pipelined_way_is_understood(handle: Any) -> None:
    """adb sends the command and quit at once and skips two OK lines."""
    with socket.create_connection(("127.0.0.1", handle.console_port), timeout=5) as sock:
        sock.sendall(b"avd name\nquit\n")
        text = sock.makefile("rb").read()
    assert text.split(b"OK\r\n", 2)[2] == b"pocket-0\r\nOK\r\n"


def test_an_endless_line_is_cut_off(handle: Any) -> None:
    with socket.create_connection(("127.0.0.1", handle.console_port), timeout=5) as sock:
        try:
            for _ in range(100):
                sock.sendall(b"x" * 10_000)
            sock.recv(1000)
        except ConnectionError:
            pass
    assert talk(handle, "ping") == ["I am alive!\r\nOK\r\n"]


def test_forests_go_to_this_machine_only() -> None:
    pytest.importorskip("grpc")
    from emulator.pocket.fronts.a11y_forwarder import A11yForwarder

    phone = Phone(size=(540, 1200))
    endpoint = Endpoint(phone)
    forwarder = A11yForwarder(endpoint)
    shell = Shell(phone, endpoint)
    shell.run(f"am broadcast -a {SET_GRPC} --ei port 80 --es host example.com")
    assert forwarder._thread is None
    assert any("not this machine" in line.text for line in phone.log.lines)


def test_forests_are_sent_at_each_change_and_in_between() -> None:
    grpc = pytest.importorskip("grpc")
    from concurrent.futures import ThreadPoolExecutor

    from android_env.proto.a11y import a11y_pb2, a11y_pb2_grpc

    from emulator.pocket.fronts.a11y_forwarder import SERVICE, A11yForwarder

    arrived: list[tuple[float, Any]] = []

    class Servicer(a11y_pb2_grpc.A11yServiceServicer):  # type: ignore[misc]
        def SendForest(self, request: Any, context: Any) -> Any:
            arrived.append((time.monotonic(), request))
            return a11y_pb2.ForestResponse()

    server = grpc.server(ThreadPoolExecutor(2))
    a11y_pb2_grpc.add_A11yServiceServicer_to_server(Servicer(), server)
    port = server.add_secure_port("127.0.0.1:0", grpc.local_server_credentials())
    server.start()
    phone = Phone(size=(540, 1200))
    endpoint = Endpoint(phone)
    forwarder = A11yForwarder(endpoint)
    shell = Shell(phone, endpoint)
    shell.run(f"settings put secure enabled_accessibility_services {SERVICE}/{SERVICE}.AccessibilityForwarder")
    shell.run(f'am broadcast -a {SET_GRPC} --ei "port" {port} --es "host" 10.0.2.2')
    try:
        time.sleep(1.0)
        assert 3 <= len(arrived) <= 12
        changed = time.monotonic()
        phone.launch("com.android.settings")
        time.sleep(0.2)
        after = [request for moment, request in arrived if moment > changed]
        assert after and "com.android.settings" in str(after[-1])
    finally:
        forwarder.stop()
        server.stop(None)
