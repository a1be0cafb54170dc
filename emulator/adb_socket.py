"""The adb server's smart-socket protocol with one deadline for a whole call.

Definition: AOSP packages/modules/adb (OVERVIEW.TXT, SERVICES.TXT, SYNC.TXT, shell_protocol.h). Why not adbutils'
connections (2.12.0): they start an adb server (on the default port) when none answers, have a time-out for each read
but none for the call, take a short read for the end of a file, and sleep 10 ms at every close. One connection is one
call here; nothing is started, restarted or repeated.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Iterator
from typing import Self

from emulator.device_errors import (
    CommandFailed,
    DeviceError,
    DeviceOffline,
    DeviceTimeout,
    DeviceUnauthorized,
    TruncatedOutput,
)

STDOUT, STDERR, EXIT, CLOSE_STDIN = 1, 2, 3, 4
FRAME_HEADER = struct.Struct("<BI")
SYNC_HEADER = struct.Struct("<4sI")
SYNC_CHUNK = 64 << 10
MAX_SYNC_MESSAGE = 1 << 16
READ_SIZE = 1 << 18
FILE_MODE = 0o100644
UNAUTHORIZED_FIX = "accept this computer's key in the dialog on the phone"
OFFLINE_FIX = "see `adb devices`: the phone must be listed as `device`"


class ServiceRefused(CommandFailed):
    """Nothing listens on this port of the phone."""


class Deadline:
    """The moment a call must have ended. where: serial and call, for messages."""

    def __init__(self, seconds: float, where: str) -> None:
        self.seconds, self.where = seconds, where
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left, more than 0; DeviceTimeout when there are none."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise DeviceTimeout(f"no answer within {self.seconds:g} s", self.where)
        return left

    def pause(self, seconds: float) -> None:
        """Sleep, but not beyond the deadline; DeviceTimeout if it is reached."""
        time.sleep(min(seconds, self.left()))
        self.left()


class AdbStream:
    """One connection to the adb server, closed with its `with` block. Every read and write obeys the deadline."""

    def __init__(self, port: int, deadline: Deadline) -> None:
        self.deadline = deadline
        try:
            self.sock = socket.create_connection(("127.0.0.1", port), timeout=deadline.left())
        except TimeoutError as error:
            raise DeviceTimeout(f"the adb server on port {port} does not answer", deadline.where) from error
        except OSError as error:
            raise DeviceOffline(
                f"no adb server on port {port} ({error.strerror or error})",
                deadline.where,
                f"start one: adb -P {port} start-server",
            ) from error
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.sock.close()

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        self.sock.settimeout(self.deadline.left())
        try:
            yield
        except TimeoutError as error:
            raise DeviceTimeout(f"no answer within {self.deadline.seconds:g} s", self.deadline.where) from error
        except OSError as error:
            raise DeviceOffline(f"the adb server cut the connection ({error})", self.deadline.where) from error

    def send(self, data: bytes) -> None:
        """Send all of it."""
        with self._waiting():
            self.sock.sendall(data)

    def read(self) -> bytes:
        """The next bytes; b'' at the end of the stream."""
        with self._waiting():
            return self.sock.recv(READ_SIZE)

    def exactly(self, size: int) -> bytes:
        """So many bytes; TruncatedOutput if the stream ends before."""
        parts, missing = [], size
        while missing:
            with self._waiting():
                part = self.sock.recv(min(missing, READ_SIZE))
            if not part:
                raise TruncatedOutput("the stream ended before its end marker", self.deadline.where)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def rest(self) -> bytes:
        """Everything to the end of the stream."""
        parts = []
        while part := self.read():
            parts.append(part)
        return b"".join(parts)

    def request(self, text: str) -> None:
        """Ask the server for a service; typed errors for its refusals."""
        data = text.encode()
        self.send(b"%04x%s" % (len(data), data))
        try:
            status = self.exactly(4)
            message = b"" if status == b"OKAY" else self.block()
        except TruncatedOutput as error:
            raise DeviceOffline("the adb server hung up", self.deadline.where, OFFLINE_FIX) from error
        if status != b"OKAY":
            raise refusal(text, message.decode(errors="replace"), self.deadline.where)

    def tell(self, text: str) -> None:
        """Say something that the server carries out without an answer (`host:emulator:PORT`)."""
        data = text.encode()
        self.send(b"%04x%s" % (len(data), data))
        self.rest()

    def block(self) -> bytes:
        """A text of the server's: four hexadecimal digits, then so many bytes."""
        digits = self.exactly(4)
        try:
            size = int(digits, 16)
        except ValueError as error:
            raise DeviceOffline(f"this is no adb server: it says {digits!r}", self.deadline.where) from error
        return self.exactly(size)

    def frames(self) -> tuple[int, bytes, bytes]:
        """A shell v2 stream to its end: (exit code, stdout, stderr); TruncatedOutput without an exit code."""
        buffer, output = bytearray(), {STDOUT: bytearray(), STDERR: bytearray()}
        while data := self.read():
            buffer += data
            while len(buffer) >= FRAME_HEADER.size:
                kind, length = FRAME_HEADER.unpack_from(buffer)
                end = FRAME_HEADER.size + length
                if len(buffer) < end:
                    break
                payload = bytes(buffer[FRAME_HEADER.size : end])
                del buffer[:end]
                if kind == EXIT and payload:
                    return payload[0], bytes(output[STDOUT]), bytes(output[STDERR])
                if kind in output:
                    output[kind] += payload
        raise TruncatedOutput("the connection ended without an exit code", self.deadline.where)


def refusal(request: str, message: str, where: str) -> DeviceError:
    """The error for what the adb server says in place of OKAY.

    "closed" means for a port that nothing listens on it, for every other service that the phone is gone.
    """
    if "unauthorized" in message or "authorizing" in message:
        return DeviceUnauthorized(message, where, UNAUTHORIZED_FIX)
    if message.strip() == "closed" and request.startswith("tcp:"):
        return ServiceRefused(f"nothing listens on the phone's {request}", where)
    return DeviceOffline(message, where, OFFLINE_FIX)


def host_request(port: int, request: str, deadline: Deadline) -> str:
    """Ask the server itself (`host:version`, `host:devices`, `host-serial:S:get-state`); its text."""
    with AdbStream(port, deadline) as stream:
        stream.request(request)
        return stream.block().decode(errors="replace")


def open_transport(port: int, serial: str, deadline: Deadline) -> AdbStream:
    """A stream to one phone, before any service is asked for; the caller closes it."""
    stream = AdbStream(port, deadline)
    try:
        stream.request(f"host:transport:{serial}")
    except BaseException:
        stream.sock.close()
        raise
    return stream


def open_service(port: int, serial: str, service: str, deadline: Deadline) -> AdbStream:
    """A stream to a service of one phone; the caller closes it."""
    stream = open_transport(port, serial, deadline)
    try:
        stream.request(service)
    except BaseException:
        stream.sock.close()
        raise
    return stream


def pull(port: int, serial: str, path: str, deadline: Deadline) -> bytes:
    """Content of a file (sync RECV); CommandFailed says why not, TruncatedOutput if it came in part."""
    parts: list[bytes] = []
    with open_service(port, serial, "sync:", deadline) as stream:
        name = path.encode()
        stream.send(SYNC_HEADER.pack(b"RECV", len(name)) + name)
        while True:
            kind, size = SYNC_HEADER.unpack(stream.exactly(SYNC_HEADER.size))
            if kind == b"DONE":
                return b"".join(parts)
            if kind == b"DATA" and size <= SYNC_CHUNK:
                parts.append(stream.exactly(size))
            else:
                raise _sync_failure(stream, kind, size, path)


def push(port: int, serial: str, path: str, content: bytes, deadline: Deadline) -> None:
    """Write a file (sync SEND); CommandFailed says why not."""
    with open_service(port, serial, "sync:", deadline) as stream:
        name = f"{path},{FILE_MODE}".encode()
        stream.send(SYNC_HEADER.pack(b"SEND", len(name)) + name)
        for start in range(0, len(content), SYNC_CHUNK):
            part = content[start : start + SYNC_CHUNK]
            stream.send(SYNC_HEADER.pack(b"DATA", len(part)) + part)
        stream.send(SYNC_HEADER.pack(b"DONE", int(time.time())))
        kind, size = SYNC_HEADER.unpack(stream.exactly(SYNC_HEADER.size))
        if kind != b"OKAY":
            raise _sync_failure(stream, kind, size, path)


def _sync_failure(stream: AdbStream, kind: bytes, size: int, path: str) -> DeviceError:
    if kind != b"FAIL" or size > MAX_SYNC_MESSAGE:
        return TruncatedOutput(f"{path}: the sync service said {kind!r}", stream.deadline.where)
    return CommandFailed(f"{path}: {stream.exactly(size).decode(errors='replace')}", stream.deadline.where)
