"""Where the device shell's commands read from and write to.

A Sink takes bytes; a Source gives them. Both have the smallest interface that works for buffers, files of the phone
and live connections alike.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from emulator.pocket.phone import Phone


class BrokenPipe(Exception):
    """The reader of a sink has gone: the command ends, as by SIGPIPE (exit status 141)."""


class Sink(Protocol):
    """Takes output."""

    def write(self, data: bytes) -> None:
        """Take `data`; raises BrokenPipe when nobody reads any more."""


class Source(Protocol):
    """Gives input."""

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes (-1: everything up to the end); b'' at the end."""

    def readline(self) -> bytes:
        """One line with its newline; b'' at the end."""


class Buffer:
    """Collects output in memory, up to LIMIT bytes; more is a broken pipe, so that endless output comes to an end."""

    LIMIT = 256 << 20

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> None:
        """Append `data`."""
        if len(self.data) + len(data) > self.LIMIT:
            raise BrokenPipe
        self.data += data


class Discard:
    """/dev/null."""

    def write(self, data: bytes) -> None:
        """Forget `data`."""


class FileSink:
    """Appends to a file of the phone."""

    def __init__(self, phone: Phone, path: str) -> None:
        self.phone = phone
        self.path = path

    def write(self, data: bytes) -> None:
        """Append; raises OSError (ENOSPC when the disk is full)."""
        with self.phone.lock:
            self.phone.fs.append(self.path, data)


class Bytes:
    """A source over bytes in memory."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.position = 0

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes."""
        end = len(self.data) if size < 0 else min(len(self.data), self.position + size)
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def readline(self) -> bytes:
        """Up to and including the next newline."""
        end = self.data.find(b"\n", self.position)
        return self.read(-1 if end < 0 else end + 1 - self.position)


class Pipe:
    """A bounded, blocking pipe between two threads: a Sink at one end, a Source at the other."""

    LIMIT = 1 << 20

    def __init__(self) -> None:
        self.chunks: deque[bytes] = deque()
        self.size = 0
        self.ended = False
        self.abandoned = False
        self.changed = threading.Condition()

    def write(self, data: bytes) -> None:
        """Append, waiting while LIMIT bytes are unread."""
        with self.changed:
            self.changed.wait_for(lambda: self.size < self.LIMIT or self.abandoned)
            if self.abandoned:
                raise BrokenPipe
            if data:
                self.chunks.append(bytes(data))
                self.size += len(data)
                self.changed.notify_all()

    def end(self) -> None:
        """No more will be written."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def abandon(self) -> None:
        """No more will be read: the writer gets BrokenPipe, a reader the end."""
        with self.changed:
            self.abandoned = self.ended = True
            self.chunks.clear()
            self.size = 0
            self.changed.notify_all()

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, waiting for the first; with -1 everything until the end."""
        if size < 0:
            return b"".join(iter(lambda: self.read(1 << 16), b""))
        with self.changed:
            self.changed.wait_for(lambda: bool(self.chunks) or self.ended)
            if not self.chunks:
                return b""
            chunk = self.chunks.popleft()
            if len(chunk) > size:
                self.chunks.appendleft(chunk[size:])
                chunk = chunk[:size]
            self.size -= len(chunk)
            self.changed.notify_all()
            return chunk

    def readline(self) -> bytes:
        """One line, waiting for its end."""
        line = b""
        while not line.endswith(b"\n"):
            with self.changed:
                self.changed.wait_for(lambda: bool(self.chunks) or self.ended)
                if not self.chunks:
                    return line
                end = self.chunks[0].find(b"\n")
                wanted = len(self.chunks[0]) if end < 0 else end + 1
            line += self.read(wanted)
        return line


@dataclass(frozen=True)
class Streams:
    """The three streams of a command."""

    stdin: Source
    stdout: Sink
    stderr: Sink


class Tee:
    """Writes to two buffers."""

    def __init__(self, first: Buffer, second: Buffer) -> None:
        self.first, self.second = first, second

    def write(self, data: bytes) -> None:
        """To both."""
        self.first.write(data)
        self.second.write(data)


class Deferred:
    """Keeps writes until the phone's lock is free again: a client that doesn't read can't hold the phone up."""

    def __init__(self, log: list[tuple[Sink, bytes]], sink: Sink) -> None:
        self.log, self.sink = log, sink

    def write(self, data: bytes) -> None:
        """For later."""
        self.log.append((self.sink, bytes(data)))
