"""Calls to one phone through one adb server: shell with a true exit code, raw output, files.

Nothing is repeated here unless the caller says that repeating is harmless (`repeated`), and no server is ever killed
or restarted (android_env's controller does both at any failed command). A shell's output is whole only if an end
marker of our own arrived: adb's exit code is 0 when its server dies in the middle (adb 29, adb 34).
"""

from __future__ import annotations

import contextlib
import re
import secrets
import shlex
from collections.abc import Callable, Sequence
from typing import TypeVar

from emulator import adb_socket
from emulator.adb_socket import CLOSE_STDIN, FRAME_HEADER, AdbStream, Deadline
from emulator.device import ShellResult
from emulator.device_errors import CommandFailed, DeviceError, DeviceOffline, DeviceTimeout, TruncatedOutput

T = TypeVar("T")
TRIES = 3
PAUSE = 0.1
BYTES_PER_SECOND = 1_000_000
TCP_SERIAL = re.compile(r"[\w.\-\[\]:]+:\d+")
EMULATOR_SERIAL = re.compile(r"emulator-(\d+)")


class Adb:
    """One phone behind the adb server on `port`. timeout: seconds of a call that names none."""

    def __init__(self, serial: str, port: int, timeout: float) -> None:
        self.serial, self.port, self.timeout = serial, port, timeout

    def deadline(self, call: str, seconds: float | None = None) -> Deadline:
        """When a call beginning now must have ended; ValueError unless more than 0 s (0 does not mean "for ever")."""
        seconds = self.timeout if seconds is None else seconds
        if not seconds > 0:
            raise ValueError(f"{self.serial}: {call}: a time limit must be more than 0 s, not {seconds}")
        return Deadline(seconds, f"{self.serial}: {call}")

    def state(self, deadline: Deadline) -> str:
        """`device`, `offline`, ... as the server sees it; DeviceOffline for a serial it does not know."""
        return adb_socket.host_request(self.port, f"host-serial:{self.serial}:get-state", deadline)

    def shell(self, command: str | Sequence[str], deadline: Deadline) -> ShellResult:
        """Run a command in a shell of its own, without standard input; TruncatedOutput if its end is missing."""
        text = command if isinstance(command, str) else shlex.join(command)
        if "\0" in text:
            raise CommandFailed("a command can't hold a NUL character", deadline.where)
        mark = f"end-{secrets.token_hex(6)}:"
        code, stdout, stderr = self._framed(f"( {text}\n)\necho {mark}$?", deadline)
        end = re.search(re.escape(mark).encode() + rb"(\d+)\n", stdout)
        if end:
            code, body = int(end[1]), stdout[: end.start()] + stdout[end.end() :]
        elif code == 0:
            raise TruncatedOutput(f"exit code 0, but the end of the output is missing: {text[:80]!r}", deadline.where)
        else:  # the shell itself ended: bad syntax, killed
            body = stdout
        return ShellResult(code, body.decode(errors="replace"), stderr.decode(errors="replace"))

    def query(self, command: str, deadline: Deadline) -> str:
        """Output of a command that only reads, whatever its exit code; tried again where the connection breaks."""
        return self.repeated(lambda limit: self.shell(command, limit), deadline).stdout

    def do(self, command: str | Sequence[str], deadline: Deadline) -> str:
        """`shell` for a command that must succeed: its output; CommandFailed otherwise."""
        result = self.shell(command, deadline)
        if result.exit_code:
            said = (result.stderr or result.stdout).strip()
            shown = command if isinstance(command, str) else shlex.join(command)
            raise CommandFailed(f"{shown[:120]!r} ended with {result.exit_code}: {said[-500:]}", deadline.where,
                                exit_code=result.exit_code, output=said)  # fmt: skip
        return result.stdout

    def do_once(self, command: str, deadline: Deadline) -> str:
        """A plain command (no shell syntax that could hide the mark) that changes something, sent at most once.

        A connection that is lost already is made anew before it is sent; after that nothing is repeated, and errors
        say so (`retryable` is False). CommandFailed if it did not end with 0.
        """
        mark = f"end-{secrets.token_hex(6)}:"
        with self._transport(deadline) as stream:
            stream.request(f"shell,v2,raw:{command}; echo {mark}$?")
            try:
                code, stdout, stderr = stream.frames()
            except TruncatedOutput as cut:
                cut.retryable = False
                raise
        text, found, tail = stdout.decode(errors="replace").rpartition(mark)
        code = int(tail) if found and tail.strip().isdigit() else code
        if code:
            said = (stderr.decode(errors="replace") or text).strip()
            raise CommandFailed(f"{command[:120]!r} ended with {code}: {said[-500:]}", deadline.where,
                                exit_code=code, output=said)  # fmt: skip
        if not found:
            error = TruncatedOutput(f"{command[:80]!r}: exit code 0, but the end is missing", deadline.where)
            error.retryable = False
            raise error
        return text

    def _transport(self, deadline: Deadline) -> AdbStream:
        """A connection to the phone without a service yet; a lost phone is connected to again, once."""
        try:
            return adb_socket.open_transport(self.port, self.serial, deadline)
        except DeviceOffline:
            if not self.reconnect(deadline):
                raise
            return adb_socket.open_transport(self.port, self.serial, deadline)

    def _framed(self, command: str, deadline: Deadline) -> tuple[int, bytes, bytes]:
        with adb_socket.open_service(self.port, self.serial, f"shell,v2,raw:{command}", deadline) as stream:
            stream.send(FRAME_HEADER.pack(CLOSE_STDIN, 0))
            return stream.frames()

    def output(self, command: str, deadline: Deadline) -> bytes:
        """Raw output, both streams, without an exit code or an end marker: for formats that end by themselves."""
        with adb_socket.open_service(self.port, self.serial, f"exec:{command}", deadline) as stream:
            return stream.rest()

    def service(self, name: str, deadline: Deadline) -> str:
        """What a service without a shell says (`root:`)."""
        with adb_socket.open_service(self.port, self.serial, name, deadline) as stream:
            return stream.rest().decode(errors="replace").strip()

    def try_do(self, command: str, deadline: Deadline) -> str:
        """`do` for a phone that may be away for a moment: "" while it is; DeviceTimeout at the deadline."""
        try:
            return self.do(command, deadline)
        except DeviceTimeout:
            raise
        except DeviceError:
            self.reconnect(deadline)
            return ""

    def pull(self, path: str, deadline: Deadline) -> bytes:
        """Content of a file."""
        return adb_socket.pull(self.port, self.serial, path, deadline)

    def push(self, path: str, content: bytes, deadline: Deadline) -> None:
        """Write a file."""
        adb_socket.push(self.port, self.serial, path, content, deadline)

    def repeated(self, call: Callable[[Deadline], T], deadline: Deadline) -> T:
        """A harmless call, tried again after a broken connection or output, within its one deadline."""
        for attempt in range(TRIES):
            try:
                return call(deadline)
            except DeviceError as error:
                again = error.retryable or isinstance(error, (DeviceOffline, adb_socket.ServiceRefused))
                if not again or attempt == TRIES - 1:
                    raise
                self._again(error, deadline)
        raise AssertionError("unreachable")

    def _again(self, error: DeviceError, deadline: Deadline) -> None:
        """Wait a moment before the next try; the error itself if there is no time left."""
        try:
            deadline.pause(PAUSE)
            if isinstance(error, (DeviceOffline, adb_socket.ServiceRefused, TruncatedOutput)):
                self.reconnect(deadline)
        except DeviceTimeout:
            raise error from None

    def reconnect(self, deadline: Deadline) -> bool:
        """Ask the server to connect to this phone again if it has lost it; True if it is there afterwards.

        Only this serial is touched. A phone on a cable comes back by itself or not at all.
        """
        if self._is_there(deadline):
            return True
        try:
            if EMULATOR_SERIAL.fullmatch(self.serial):
                number = int(self.serial.partition("-")[2])
                with adb_socket.AdbStream(self.port, deadline) as stream:
                    stream.tell(f"host:emulator:{number + 1}")
            elif TCP_SERIAL.fullmatch(self.serial):
                with contextlib.suppress(DeviceOffline):  # it says so if it has forgotten the phone altogether
                    adb_socket.host_request(self.port, f"host:disconnect:{self.serial}", deadline)
                adb_socket.host_request(self.port, f"host:connect:{self.serial}", deadline)
        except DeviceTimeout:
            raise
        except DeviceError:
            return False
        return self._is_there(deadline)

    def _is_there(self, deadline: Deadline) -> bool:
        try:
            return self.state(deadline) == "device"
        except DeviceTimeout:
            raise
        except DeviceError:
            return False
