"""sync: the file transfer service of the adb daemon, versions 1 and 2.

Definition: AOSP docs/dev/sync.md and file_sync_protocol.h. Files are the phone's; a path with '..' stays inside the
phone's own tree. Compression is not offered. A file is held in memory until its last byte has come, then written in
one go: a broken transfer leaves nothing behind.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat as bits
import struct
from collections.abc import Iterator

from emulator.pocket.files import Node
from emulator.pocket.fronts.adb_stream import AdbStream, ExactReader, StreamClosed
from emulator.pocket.shell.endpoint import Endpoint

MAX_PATH = 1024
MAX_DATA = 64 << 10
RESPONSE_SIZE = 512 << 10
STAT_V1 = struct.Struct("<4s3I")
STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
DENT_V1 = struct.Struct("<4s4I")
DENT_V2 = struct.Struct("<4sIQQIIIIQqqqI")
PREFIX = struct.Struct("<4sI")


class SyncError(Exception):
    """A request that can't be answered; the text goes to the host in a FAIL."""


class SyncService:
    """Requests on one sync stream, until QUIT."""

    def __init__(self, endpoint: Endpoint, stream: AdbStream) -> None:
        self.endpoint = endpoint
        self.stream = stream
        self.reader = ExactReader(stream)

    async def run(self) -> None:
        """Serve requests; a request that breaks the protocol ends the stream after a FAIL."""
        while True:
            try:
                kind, length = PREFIX.unpack(await self.reader.exactly(PREFIX.size))
            except StreamClosed:  # between two requests a host may just go
                return
            if kind == b"QUIT":
                return
            if length > MAX_PATH:
                await self._fail(f"path too long: {length} bytes, at most {MAX_PATH}")
                return
            path = (await self.reader.exactly(length)).decode("utf-8", "surrogateescape")
            if not await self._answer(kind, path):
                return

    async def _answer(self, kind: bytes, path: str) -> bool:
        if kind == b"STAT":
            await self.stream.write(self._stat_v1(path))
        elif kind in (b"STA2", b"LST2"):
            await self.stream.write(self._stat_v2(kind, path))
        elif kind in (b"LIST", b"LIS2"):
            await self._send_parts(self._entries(path, second=kind == b"LIS2"))
        elif kind == b"SEND":
            name, _, mode = path.rpartition(",")
            await self._receive(name or path, int(mode) if name and mode.isdigit() else 0o644)
        elif kind == b"SND2":
            _, mode, flags = struct.unpack("<4sII", await self.reader.exactly(12))
            await self._receive(path, mode, dry=bool(flags & 0x80000000))
        elif kind == b"RECV":
            await self._send_file(path)
        elif kind == b"RCV2":
            await self.reader.exactly(8)
            await self._send_file(path)
        else:
            self.endpoint.note("adbd", f"unknown sync request {kind!r}")
            await self._fail(f"unknown request {kind!r}")
            return False
        return True

    async def _fail(self, message: str) -> None:
        data = message.encode("utf-8", "surrogateescape")
        await self.stream.write(PREFIX.pack(b"FAIL", len(data)) + data)

    def _stat(self, path: str) -> Node:
        with self.endpoint.phone.lock:
            return self.endpoint.phone.fs.stat(path)

    def _stat_v1(self, path: str) -> bytes:
        try:
            node = self._stat(path)
        except OSError:
            return STAT_V1.pack(b"STAT", 0, 0, 0)
        return STAT_V1.pack(b"STAT", node.mode, node.size & 0xFFFFFFFF, node.mtime_ns // 10**9)

    def _stat_v2(self, kind: bytes, path: str) -> bytes:
        try:
            node = self._stat(path)
        except OSError as error:
            return STAT_V2.pack(kind, error.errno or errno.EIO, *([0] * 10))
        return STAT_V2.pack(kind, 0, *_numbers(node))

    def _entries(self, path: str, *, second: bool) -> Iterator[bytes]:
        files = self.endpoint.phone.fs
        try:
            with self.endpoint.phone.lock:
                names = [".", "..", *files.listdir(path)]
                nodes = [(name, files.stat(posixpath.join(path, name))) for name in names]
        except OSError:
            nodes = []
        for name, node in nodes:
            raw = name.encode("utf-8", "surrogateescape")
            if second:
                yield DENT_V2.pack(b"DNT2", 0, *_numbers(node), len(raw)) + raw
            else:
                yield DENT_V1.pack(b"DENT", node.mode, node.size & 0xFFFFFFFF, node.mtime_ns // 10**9, len(raw)) + raw
        yield b"DONE" + bytes((DENT_V2 if second else DENT_V1).size - 4)

    async def _send_parts(self, parts: Iterator[bytes]) -> None:
        """Small messages together in larger writes."""
        buffer = bytearray()
        for part in parts:
            buffer += part
            if len(buffer) >= RESPONSE_SIZE:
                await self.stream.write(buffer)
                buffer.clear()
        await self.stream.write(buffer)

    async def _send_file(self, path: str) -> None:
        try:
            with self.endpoint.phone.lock:
                data = self.endpoint.phone.fs.read(path)
        except OSError as error:
            await self._fail(f"open failed: {os.strerror(error.errno or errno.EIO)}")
            return
        pieces = (data[start : start + MAX_DATA] for start in range(0, len(data), MAX_DATA))
        parts = (PREFIX.pack(b"DATA", len(piece)) + piece for piece in pieces)
        await self._send_parts(parts)
        await self.stream.write(PREFIX.pack(b"DONE", 0))

    async def _receive(self, path: str, mode: int, *, dry: bool = False) -> None:
        """A file from the host. Its data is read to the end even after an error, as adbd does, then FAIL is sent."""
        problem = "symbolic links are not supported on this phone" if bits.S_ISLNK(mode) else ""
        data = bytearray()
        room = self.endpoint.phone.fs.quota - self.endpoint.phone.fs.used
        while True:
            kind, length = PREFIX.unpack(await self.reader.exactly(PREFIX.size))
            if kind == b"DONE":
                break
            if kind != b"DATA" or length > MAX_DATA:
                await self._fail(f"bad data message {kind!r} of {length} bytes")
                raise SyncError(f"bad data message {kind!r} of {length} bytes")
            piece = await self.reader.exactly(length)
            if not problem and len(data) + length > room:
                problem = f"write failed: {os.strerror(errno.ENOSPC)}"
                data.clear()
            if not problem:
                data += piece
        problem = problem or ("" if dry else self._write(path, bytes(data), mode, length))
        if problem:
            self.endpoint.note("adbd", f"push to {path[:200]!r} refused: {problem}")
            await self._fail(problem)
        else:
            await self.stream.write(PREFIX.pack(b"OKAY", 0))

    def _write(self, path: str, data: bytes, mode: int, mtime: int) -> str:
        """'' or what went wrong. Missing directories above the file are made."""
        phone = self.endpoint.phone
        try:
            with phone.lock:
                parent = posixpath.dirname(path.rstrip("/"))
                if parent and not phone.fs.exists(parent):
                    phone.fs.mkdir(parent, parents=True)
                phone.fs.write(path, data, mode=bits.S_IMODE(mode) or 0o644)
                phone.fs.utime(path, mtime * 10**9, mtime * 10**9)
        except OSError as error:
            return f"couldn't create file: {os.strerror(error.errno or errno.EIO)}"
        return ""


def _numbers(node: Node) -> tuple[int, ...]:
    """dev, ino, mode, nlink, uid, gid, size, atime, mtime, ctime."""
    times = (node.atime_ns // 10**9, node.mtime_ns // 10**9, node.ctime_ns // 10**9)
    return (64769, node.ino, node.mode, 2 if node.is_dir else 1, node.uid, node.gid, node.size, *times)
