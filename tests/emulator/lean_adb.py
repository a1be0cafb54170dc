"""A lean adb client: the smart-socket protocol of the adb server, nothing else.

One connection a command, raw output (`exec:`), no decoding. It shows what the phone itself costs: the adb command line
adds a process, adbutils two connections and a sleep.
"""

from __future__ import annotations

import socket


class LeanAdb:
    """Commands for one device through the adb server on `port`."""

    def __init__(self, port: int, serial: str) -> None:
        self.port = port
        self.serial = serial

    def _service(self, name: str) -> socket.socket:
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in (f"host:transport:{self.serial}", name):
            data = request.encode()
            sock.sendall(b"%04x%s" % (len(data), data))
            if sock.recv(4, socket.MSG_WAITALL) != b"OKAY":
                raise ConnectionError(f"adb server refused {request}: {sock.recv(4096)!r}")
        return sock

    def run(self, command: str) -> bytes:
        """Output of a shell command."""
        with self._service(f"exec:{command}") as sock:
            buffer = bytearray(1 << 16)
            parts = []
            while count := sock.recv_into(buffer):
                parts.append(bytes(buffer[:count]))
        return b"".join(parts)

    def tap(self, x: int, y: int) -> None:
        """A tap; returns when the phone has done it."""
        self.run(f"input tap {x} {y}")

    def screenshot(self) -> bytes:
        """The screen as PNG."""
        return self.run("screencap -p")
