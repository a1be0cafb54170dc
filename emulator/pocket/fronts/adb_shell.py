"""shell: and exec: services of the adb daemon: the phone's shell on an adb stream.

Protocol: shell v1 is raw bytes, both outputs mixed in the order written; v2 frames them (id u8, length u32 little
endian, data; AOSP shell_protocol.h): 0 stdin, 1 stdout, 2 stderr, 3 exit code, 4 close stdin, 5 window size.

The shell itself runs in a thread of the phone's own pool, so that a hanging command stops no other phone. Faults of
the front act here: SLOW_COMMAND, HANGING_COMMAND, TRUNCATED_OUTPUT, CONNECTION_DROPPED.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator.pocket.faults import FaultKind
from emulator.pocket.fronts.adb_stream import AdbStream, StreamClosed
from emulator.pocket.shell.context import decode
from emulator.pocket.shell.interpreter import Shell
from emulator.pocket.shell.streams import BrokenPipe, Pipe

if TYPE_CHECKING:
    from emulator.pocket.fronts.adb_daemon import Connection

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)
FRAME = struct.Struct("<BI")
UNSENT_LIMIT = 4 << 20
MAX_FRAME = 1 << 20
HANG_UP_SECONDS = 2.0


@dataclass(frozen=True)
class Request:
    """A shell service's name, taken apart. framed: shell v2. terminal: a pseudo-terminal was asked for."""

    command: str
    framed: bool
    terminal: bool


def parse_request(name: str) -> Request:
    """`shell:cmd`, `shell,v2,TERM=xterm,raw:cmd` or `exec:cmd`; without a command a terminal is the default."""
    head, _, command = name.partition(":")
    options = head.split(",")[1:]
    terminal = "pty" in options or (head.startswith("shell") and not command and "raw" not in options)
    return Request(command, "v2" in options, terminal)


class _Outlet:
    """Output of the shell's thread on its way to the event loop. `write` blocks while too much is unsent."""

    def __init__(self, session: ShellSession, kind: int) -> None:
        self.session, self.kind = session, kind

    def write(self, data: bytes) -> None:
        self.session.put(self.kind, bytes(data))


class ShellSession:
    """One command line (or an interactive shell) on one stream."""

    def __init__(self, connection: Connection, stream: AdbStream, request: Request) -> None:
        self.connection = connection
        self.stream = stream
        self.request = request
        self.loop = asyncio.get_running_loop()
        self.stdin = Pipe()
        self.ended = threading.Event()
        self.room = threading.Condition()
        self.pending = bytearray()
        self.wake = asyncio.Event()
        self.woken = False
        self.done = False
        self.produced = 0
        faults = connection.endpoint.phone.faults
        dropped, truncated = faults.take(FaultKind.CONNECTION_DROPPED), faults.take(FaultKind.TRUNCATED_OUTPUT)
        self.drop_after = int(dropped.number(0)) if dropped else None
        self.cut_after = int(truncated.number(0)) if truncated else None

    def put(self, kind: int, data: bytes) -> None:
        """Called in the shell's thread: queue output. Raises BrokenPipe when the stream is gone."""
        allowed = len(data)
        for limit in (self.drop_after, self.cut_after):
            allowed = allowed if limit is None else min(allowed, max(0, limit - self.produced))
        self.produced += len(data)
        data = data[:allowed]
        if self.request.terminal:
            data = data.replace(b"\n", b"\r\n")
        if self.request.framed:
            data = b"".join(
                FRAME.pack(kind, len(piece)) + piece
                for piece in (data[i : i + MAX_FRAME] for i in range(0, len(data), MAX_FRAME))
            )
        with self.room:
            self.room.wait_for(lambda: len(self.pending) < UNSENT_LIMIT or self.ended.is_set())
            if self.ended.is_set():
                raise BrokenPipe
            self.pending += data
        self._wake_from_thread()

    def _wake_from_thread(self) -> None:
        if not self.woken:
            self.woken = True
            self.loop.call_soon_threadsafe(self.wake.set)

    async def run(self) -> None:
        """Serve the stream to the command's end."""
        faults = self.connection.endpoint.phone.faults
        slow = faults.take(FaultKind.SLOW_COMMAND)
        if slow:
            await asyncio.sleep(slow.number(5.0))
        if faults.take(FaultKind.HANGING_COMMAND):
            self.connection.endpoint.note("adbd", f"fault: {self.request.command[:60]!r} hangs")
            await self.stream.closed.wait()
            return
        feeding = asyncio.ensure_future(self._feed())
        running = self.loop.run_in_executor(self.connection.daemon.threads, self._work)
        running.add_done_callback(self._finished)
        try:
            await self._pump()
            if self.done:
                await self._end(await running)
            else:  # the host is gone: the command gets what was sent to it, then the end of its input
                await feeding
        finally:
            self.ended.set()
            feeding.cancel()
            with self.room:
                self.room.notify_all()

    def _finished(self, _: object) -> None:
        self.done = True
        self.stdin.abandon()
        self.wake.set()

    def _work(self) -> int:
        """The shell, in its thread."""
        shell = Shell(self.connection.endpoint.phone, self.connection.endpoint, sleep=self._sleep, ended=self.ended)
        stdout, stderr = _Outlet(self, STDOUT), _Outlet(self, STDERR)
        if self.request.command:
            return shell.execute(self.request.command, self.stdin, stdout, stderr)
        if not self.request.terminal:
            return shell.execute("sh", self.stdin, stdout, stderr)
        return self._interactive(shell, stdout, stderr)

    def _sleep(self, seconds: float) -> None:
        self.ended.wait(seconds)

    def _interactive(self, shell: Shell, stdout: _Outlet, stderr: _Outlet) -> int:
        """A terminal: prompt, echo, one command line at a time; `exit` or Ctrl-D ends it."""
        status = 0
        while True:
            stdout.write(f"pocket:{shell.directory} # ".encode())
            line = self._edited_line(stdout)
            if line is None:
                return status
            shell.over = False
            status = shell.execute(decode(line), self.stdin, stdout, stderr)
            if shell.over or self.ended.is_set():
                return status

    def _edited_line(self, stdout: _Outlet) -> bytes | None:
        line = bytearray()
        while True:
            character = self.stdin.read(1)
            if not character or (character == b"\x04" and not line):
                return None
            if character in (b"\r", b"\n"):
                stdout.write(b"\n")
                return bytes(line)
            if character == b"\x03":
                stdout.write(b"^C\n")
                return b""
            if character in (b"\x7f", b"\b"):
                if line:
                    del line[-1]
                    stdout.write(b"\b \b")
            else:
                line += character
                stdout.write(character)

    async def _feed(self) -> None:
        """Standard input from the stream; for v2 out of its frames."""
        buffer = bytearray()
        while data := await self.stream.read():
            if not self.request.framed:
                await self._push(data)
                continue
            buffer += data
            while len(buffer) >= FRAME.size:
                kind, length = FRAME.unpack_from(buffer)
                if length > MAX_FRAME:
                    self.connection.endpoint.note("adbd", f"shell v2 frame of {length} bytes refused")
                    self.stream.close()
                    break
                if len(buffer) < FRAME.size + length:
                    break
                payload = bytes(buffer[FRAME.size : FRAME.size + length])
                del buffer[: FRAME.size + length]
                if kind == STDIN:
                    await self._push(payload)
                elif kind == CLOSE_STDIN:
                    self.stdin.end()
        self.stdin.end()
        self.wake.set()

    async def _push(self, data: bytes) -> None:
        patience = HANG_UP_SECONDS
        while self.stdin.size >= Pipe.LIMIT and patience > 0:
            await asyncio.sleep(0.005)
            patience -= 0.005 if self.stream.closed.is_set() else 0
        try:
            self.stdin.write(data)
        except BrokenPipe:
            return

    async def _pump(self) -> None:
        """Send what the thread writes until it is done or the host is gone."""
        while True:
            await self.wake.wait()
            self.wake.clear()
            self.woken = False
            with self.room:
                data = bytes(self.pending)
                self.pending.clear()
                self.room.notify_all()
            if data:
                with contextlib.suppress(StreamClosed):
                    await self.stream.write(data)
            if self.drop_after is not None and (self.produced > self.drop_after or self.done):
                await self.stream.finish()
                raise ConnectionAbortedError
            if self.stream.closed.is_set() or (self.done and not self.pending):
                return

    async def _end(self, status: int) -> None:
        if self.request.framed:
            status = 0 if self.cut_after is not None else status
            await self.stream.write(FRAME.pack(EXIT, 1) + bytes([status & 0xFF]))
        await self.stream.finish()
