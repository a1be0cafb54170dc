"""One stream of an adb connection, with the protocol's flow control: one WRTE in flight each way.

Everything here runs on the connection's event loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from emulator.pocket.fronts.adb_packets import CLSE, OKAY, WRTE

UNREAD_LIMIT = 4 << 20


class StreamClosed(Exception):
    """The host closed the stream, or the connection is gone."""


class AdbStream:
    """A byte stream to the host. `send` writes a packet: (command, local id, remote id, payload)."""

    def __init__(self, local: int, remote: int, max_payload: int, send: Callable[[int, int, int, bytes], None]) -> None:
        self.local = local
        self.remote = remote
        self.max_payload = max_payload
        self._send = send
        self._incoming: deque[bytes] = deque()
        self._unread = 0
        self._owes_okay = False
        self._changed = asyncio.Event()
        self._may_write = asyncio.Event()
        self.closed = asyncio.Event()

    def opened_by_host(self) -> None:
        """Accept: OKAY goes out and writing may begin."""
        self._send(OKAY, self.local, self.remote, b"")
        self._may_write.set()

    def got_okay(self) -> None:
        """The host took the last WRTE."""
        self._may_write.set()

    def got_write(self, data: bytes) -> None:
        """The host sent bytes; it gets its OKAY at once unless too much is unread."""
        self._incoming.append(data)
        self._unread += len(data)
        self._changed.set()
        if self._unread < UNREAD_LIMIT:
            self._send(OKAY, self.local, self.remote, b"")
        else:
            self._owes_okay = True

    def got_close(self) -> None:
        """The host closed the stream, or the connection ended."""
        self.closed.set()
        self._changed.set()
        self._may_write.set()

    async def read(self) -> bytes:
        """The next bytes; b'' once the host has closed and everything is read."""
        while not self._incoming:
            if self.closed.is_set():
                return b""
            self._changed.clear()
            await self._changed.wait()
        data = self._incoming.popleft()
        self._unread -= len(data)
        if self._owes_okay and self._unread < UNREAD_LIMIT:
            self._owes_okay = False
            self._send(OKAY, self.local, self.remote, b"")
        return data

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes in pieces of max_payload; returns when the last piece is under way. Raises StreamClosed."""
        view = memoryview(data)
        for start in range(0, len(view), self.max_payload):
            await self._may_write.wait()
            if self.closed.is_set():
                raise StreamClosed
            self._may_write.clear()
            self._send(WRTE, self.local, self.remote, bytes(view[start : start + self.max_payload]))

    async def finish(self) -> None:
        """Wait until the host has taken the last write, so that a CLSE can't overtake it."""
        await self._may_write.wait()

    def close(self) -> None:
        """Send CLSE, once."""
        if not self.closed.is_set():
            self._send(CLSE, self.local, self.remote, b"")
            self.got_close()


class ExactReader:
    """Reads whole numbers of bytes from a stream, for protocols inside it."""

    def __init__(self, stream: AdbStream) -> None:
        self.stream = stream
        self._buffer = bytearray()

    async def exactly(self, size: int) -> bytes:
        """Exactly `size` bytes; StreamClosed if the host closes first."""
        while len(self._buffer) < size:
            data = await self.stream.read()
            if not data:
                raise StreamClosed
            self._buffer += data
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken
