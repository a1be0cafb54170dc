"""Broken and hostile adb peers: the phone stays up, others are untouched, the log says what happened."""

from __future__ import annotations

import resource
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emulator.pocket.fronts import adb_packets as wire

pytest.importorskip("grpc")


class Peer:
    """A raw adb host."""

    def __init__(self, port: int, *, connect: bool = True) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=5)
        if connect:
            self.send(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, b"host::features=shell_v2", checksum=True)
            assert self.packet()[0] == wire.CNXN

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"", *, checksum: bool = False) -> None:
        self.sock.sendall(wire.encode(command, arg0, arg1, payload, checksum=checksum))

    def packet(self) -> tuple[int, int, int, bytes]:
        header = self.sock.recv(24, socket.MSG_WAITALL)
        if len(header) < 24:
            raise EOFError
        command, arg0, arg1, length, _, _ = wire.HEADER.unpack(header)
        return command, arg0, arg1, self.sock.recv(length, socket.MSG_WAITALL) if length else b""

    def run(self, service: str, number: int = 1) -> bytes:
        """Open a service and collect what it writes."""
        self.send(wire.OPEN, number, 0, service.encode() + b"\0")
        output = b""
        while True:
            command, arg0, _, payload = self.packet()
            if command == wire.WRTE:
                output += payload
                self.send(wire.OKAY, number, arg0)
            elif command == wire.CLSE:
                return output

    def closed(self) -> bool:
        """Whether the phone has closed the connection."""
        try:
            return self.sock.recv(1) == b""
        except ConnectionError:
            return True


@pytest.fixture
def pair() -> Iterator[list[Any]]:
    """A phone to be mistreated, and another."""
    from emulator.pocket.server import pocket_phones

    with pocket_phones(2, size=(540, 1200)) as handles:
        yield handles
        for handle in handles:
            assert Peer(handle.adb_port).run("exec:echo alive") == b"alive\n"
            assert Peer(handle.adb_port).run("exec:screencap -p").startswith(b"\x89PNG")


def log_of(handle: Any) -> str:
    """The phone's log; waits a moment for the last entry."""
    time.sleep(0.1)
    return "\n".join(line.text for line in handle.phone.log.lines)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3, "bad magic"),
        (struct.pack("<6I", wire.CNXN, 0, 0, 0, 0, 0), "bad magic"),
        (struct.pack("<6I", 0x1234, 0, 0, 0, 0, 0x1234 ^ 0xFFFFFFFF), "unknown command"),
        (struct.pack("<6I", wire.CNXN, 0, 0, 0xFFFFFFFF, 0, wire.CNXN ^ 0xFFFFFFFF), "at most 1048576"),
        (struct.pack("<6I", wire.CNXN, wire.VERSION, 4096, 5, 1, wire.CNXN ^ 0xFFFFFFFF) + b"host:", "wrong checksum"),
        (wire.encode(wire.OPEN, 1, 0, b"shell:ls\0", checksum=True), "OPEN before CNXN"),
    ],
)
def test_malformed_packets_end_the_connection(pair: list[Any], data: bytes, words: str) -> None:
    peer = Peer(pair[0].adb_port, connect=False)
    peer.sock.sendall(data)
    assert peer.closed()
    assert words in log_of(pair[0])
    assert words not in log_of(pair[1])


def test_a_host_of_the_old_version_is_held_to_its_checksums(pair: list[Any]) -> None:
    peer = Peer(pair[0].adb_port, connect=False)
    peer.send(wire.CNXN, wire.VERSION_WITH_CHECKSUMS, 4096, b"host::", checksum=True)
    assert peer.packet()[0] == wire.CNXN
    peer.send(wire.OPEN, 1, 0, b"shell:echo hi\0", checksum=True)
    assert peer.packet()[0] == wire.OKAY
    peer.send(wire.OPEN, 2, 0, b"shell:echo hi\0", checksum=False)
    while True:
        try:
            peer.packet()
        except (EOFError, ConnectionError):
            break
    assert "wrong checksum" in log_of(pair[0])


def test_packets_for_streams_that_do_not_exist(pair: list[Any]) -> None:
    peer = Peer(pair[0].adb_port)
    peer.send(wire.WRTE, 5, 99, b"x")
    assert peer.packet()[0] == wire.CLSE
    peer.send(wire.OKAY, 5, 99)
    peer.send(wire.CLSE, 5, 99)
    peer.send(wire.OPEN, 6, 0, b"no-such-service:\0")
    assert peer.packet()[:3] == (wire.CLSE, 0, 6)
    peer.send(wire.OPEN, 7, 0, b"\xff\xfe\0")
    assert peer.packet()[:3] == (wire.CLSE, 0, 7)
    assert peer.run("exec:echo fine", 8) == b"fine\n"


def test_writing_without_waiting_for_okay(pair: list[Any]) -> None:
    peer = Peer(pair[0].adb_port)
    peer.send(wire.OPEN, 1, 0, b"exec:wc -c\0")
    _, local, _, _ = peer.packet()
    for _ in range(20):
        peer.send(wire.WRTE, 1, local, bytes(100_000))
    peer.send(wire.CLSE, 1, local)
    assert Peer(pair[0].adb_port).run("exec:echo fine") == b"fine\n"


def test_a_host_that_never_acknowledges_holds_up_nobody(pair: list[Any]) -> None:
    stuck = Peer(pair[0].adb_port)
    for number in range(1, 6):
        stuck.send(wire.OPEN, number, 0, b"exec:seq 1 1000000\0")
    assert Peer(pair[0].adb_port).run("exec:input tap 1 1; echo fine") == b"fine\n"
    stuck.sock.close()


def test_a_killed_client_ends_its_commands(pair: list[Any]) -> None:
    peer = Peer(pair[0].adb_port)
    peer.send(wire.OPEN, 1, 0, b"shell:logcat\0")
    peer.send(wire.OPEN, 2, 0, b"shell:while true; do :; done\0")
    peer.send(wire.OPEN, 3, 0, b"shell:sleep 1000\0")
    peer.send(wire.OPEN, 4, 0, b"shell:cat\0")
    time.sleep(0.2)
    peer.sock.close()
    for _ in range(100):
        if pair[0].daemon.threads._work_queue.empty() and pair[0].daemon.threads._idle_semaphore._value >= 4:
            break
        time.sleep(0.05)
    assert pair[0].daemon.threads._idle_semaphore._value >= 4, "threads are still busy"
    assert "went away with 4 streams open" in log_of(pair[0])


def test_1000_connections(pair: list[Any]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip(f"needs 4096 open files, the limit here is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    first = Peer(pair[0].adb_port)
    silent = []
    try:
        for _ in range(1000):
            silent.append(socket.create_connection(("127.0.0.1", pair[0].adb_port), timeout=5))
        assert first.run("exec:echo first") == b"first\n", "a working connection survives"
        assert Peer(pair[0].adb_port).run("exec:echo new") == b"new\n", "and new ones get in"
        assert len(pair[0].daemon.connections) <= 256
        assert "dropped the oldest silent connection" in log_of(pair[0])
    finally:
        for sock in silent:
            sock.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def sync(*messages: bytes) -> bytes:
    return b"".join(messages)


def request(kind: bytes, payload: bytes) -> bytes:
    return kind + struct.pack("<I", len(payload)) + payload


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (request(b"STAT", b"/../../../etc/passwd"), b"STAT" + bytes(12)),
        (request(b"RECV", b"/../../../etc/passwd"), b"FAIL"),
        (request(b"SEND", b"/sdcard,33188") + b"DONE" + bytes(4), b"FAIL"),
        (request(b"SEND", b"/sdcard/l,41471") + request(b"DATA", b"target") + b"DONE" + bytes(4), b"FAIL"),
        (request(b"SEND", b"/sdcard/f,33188") + b"DATA" + struct.pack("<I", 1 << 20), b"FAIL"),
        (request(b"SEND", b"/sdcard/f,33188") + b"JUNK" + bytes(4), b"FAIL"),
        (b"STAT" + struct.pack("<I", 1 << 30), b"FAIL"),
        (request(b"WHAT", b"x"), b"FAIL"),
        (request(b"LIST", b"/nope"), b"DONE"),
        (request(b"SEND", b"/a\0b,33188") + b"DONE" + bytes(4), b"FAIL"),
        (request(b"SEND", b"/" + b"n" * 300 + b",33188") + b"DONE" + bytes(4), b"FAIL"),
    ],
)
def test_sync_requests_that_must_fail(pair: list[Any], data: bytes, answer: bytes) -> None:
    peer = Peer(pair[0].adb_port)
    peer.send(wire.OPEN, 1, 0, b"sync:\0")
    _, local, _, _ = peer.packet()
    peer.send(wire.WRTE, 1, local, data)
    while (packet := peer.packet())[0] != wire.WRTE:
        pass
    assert packet[3].startswith(answer)


def test_a_push_cut_off_leaves_nothing(pair: list[Any]) -> None:
    peer = Peer(pair[0].adb_port)
    peer.send(wire.OPEN, 1, 0, b"sync:\0")
    _, local, _, _ = peer.packet()
    peer.send(wire.WRTE, 1, local, request(b"SEND", b"/sdcard/half,33188") + request(b"DATA", b"x" * 1000))
    peer.packet()
    peer.sock.close()
    time.sleep(0.2)
    assert not pair[0].phone.fs.exists("/sdcard/half")


def test_shell_v2_frames_that_lie(pair: list[Any]) -> None:
    peer = Peer(pair[0].adb_port)
    peer.send(wire.OPEN, 1, 0, b"shell,v2,raw:cat\0")
    _, local, _, _ = peer.packet()
    peer.send(wire.WRTE, 1, local, struct.pack("<BI", 0, 0xFFFFFFF0) + b"x" * 100)
    while peer.packet()[0] != wire.CLSE:
        pass
    assert "frame of 4294967280 bytes refused" in log_of(pair[0])


@pytest.mark.parametrize(
    "data",
    [b"NONSENSE\r\n\r\n", b"POST /jsonrpc/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{{{", b"\0" * 100_000],
)
def test_junk_for_uiautomator2s_server(pair: list[Any], data: bytes) -> None:
    pair[0].endpoint.ports["tcp:9008"] += 1
    peer = Peer(pair[0].adb_port)
    peer.send(wire.OPEN, 1, 0, b"tcp:9008\0")
    _, local, _, _ = peer.packet()
    peer.send(wire.WRTE, 1, local, data)
    peer.send(wire.CLSE, 1, local)


def test_json_rpc_calls_that_must_fail(pair: list[Any]) -> None:
    from emulator.pocket.fronts.uiautomator2 import call

    session = pair[0].daemon.u2
    for body in (
        b"",
        b"[]",
        b"null",
        b'{"method": "click"}',
        b'{"method": "click", "params": ["a", "b"]}',
        b'{"method": "nope", "params": []}',
        b'{"method": 5, "params": []}',
        b'{"method": "exist", "params": [{"textMatches": "("}]}',
        b'{"method": "exist", "params": [{"bogus": 1}]}',
        b'{"method": "objInfo", "params": [{"text": "none"}]}',
        b'{"method": "takeScreenshot", "params": [1e9, 80]}',
        b'{"method": "setOrientation", "params": ["x"]}',
        b'{"method": "swipe", "params": [{"scrollable": false}, "sideways"]}',
        b'{"method": "click", "params": [1e400, 5]}',
    ):
        assert "error" in call(session, body), body


@pytest.fixture(scope="module")
def tough() -> Iterator[Any]:
    from emulator.pocket.server import pocket_phones

    with pocket_phones(1, size=(540, 1200)) as handles:
        yield handles[0]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from([wire.OPEN, wire.OKAY, wire.WRTE, wire.CLSE, wire.CNXN, wire.AUTH]),
            st.integers(0, 5),
            st.integers(0, 5),
            st.sampled_from(
                [b"", b"sync:\0", b"shell:cat\0", b"shell,v2:\0", b"STAT\1\0\0\0/", b"reverse:forward:x;y\0"]
            )
            | st.binary(max_size=40),
        ),
        max_size=12,
    )
)
def test_any_sequence_of_packets(tough: Any, packets: list[tuple[int, int, int, bytes]]) -> None:
    peer = Peer(tough.adb_port)
    try:
        for packet in packets:
            peer.send(*packet)
    except ConnectionError:
        pass
    peer.sock.close()
    assert Peer(tough.adb_port).run("exec:echo alive") == b"alive\n"


def test_a_full_disk_is_told_to_every_front_and_the_other_phone_has_room(pair: list[Any]) -> None:
    """sync, the shell, an SMS from the console: each says so, what was there stays, the log knows."""
    phone = pair[0].phone
    phone.fs.write("/sdcard/kept", b"kept")
    with phone.lock:
        phone.fs.quota = phone.fs.used
    for handle, answer in zip(pair, (b"FAIL", b"OKAY"), strict=True):
        peer = Peer(handle.adb_port)
        peer.send(wire.OPEN, 1, 0, b"sync:\0")
        _, local, _, _ = peer.packet()
        data = request(b"SEND", b"/sdcard/kept,33188") + request(b"DATA", b"x" * 5000) + b"DONE" + bytes(4)
        peer.send(wire.WRTE, 1, local, data)
        while (packet := peer.packet())[0] != wire.WRTE:
            pass
        assert packet[3].startswith(answer)
    assert phone.fs.read("/sdcard/kept") == b"kept"
    said = Peer(pair[0].adb_port).run("exec:echo 0123456789 > /sdcard/new; echo $?; cat /sdcard/kept")
    assert said.decode().splitlines()[-2:] == ["1", "kept"]
    assert b"o space left" in said
    phone.sms_received("+15551234567", "long " * 2000)
    assert "no space left for" in log_of(pair[0])
    assert not phone.crashes


def test_phones_listen_on_loopback_alone(pair: list[Any]) -> None:
    for handle in pair:
        assert handle.host == "127.0.0.1"
        for server in (handle.daemon.server, handle.daemon.console):
            assert {sock.getsockname()[0] for sock in server.sockets} == {"127.0.0.1"}
