"""A lean adb client (the smart-socket protocol of the adb server, nothing else), and an adb server of one's own.

One connection a command, raw output (`exec:`), no decoding. It shows what the phone itself costs: the adb command line
adds a process, adbutils two connections and a sleep. Protocol: AOSP packages/modules/adb, OVERVIEW.TXT
and SERVICES.TXT.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

TIMEOUT_S = 20.0


class LeanAdb:
    """Commands for one device through the adb server on `port`. ConnectionError where the server refuses."""

    def __init__(self, port: int, serial: str) -> None:
        self.port = port
        self.serial = serial

    def _service(self, name: str) -> socket.socket:
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in (f"host:transport:{self.serial}", name):
            data = request.encode()
            sock.sendall(b"%04x%s" % (len(data), data))
            if sock.recv(4, socket.MSG_WAITALL) != b"OKAY":
                said = sock.recv(4096)
                sock.close()
                raise ConnectionError(f"adb server refused {request}: {said!r}")
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


def adb_path() -> Path:
    """The adb that adbutils ships; FileNotFoundError where it has none for this platform."""
    import adbutils

    path = Path(adbutils.__file__).parent / "binaries" / "adb"
    if not path.exists():
        raise FileNotFoundError(f"adbutils ships no adb for this platform: {path}")
    return path


def free_port() -> int:
    """A port nobody listens on, never one that adb servers look at."""
    while True:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = int(sock.getsockname()[1])
        if port != 5037 and not 5554 <= port <= 5585:
            return port


@contextlib.contextmanager
def own_adb_server() -> Iterator[int]:
    """Runs an adb server on a free port and gives the port; that server alone is ended."""
    path, port = str(adb_path()), free_port()
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(port), "HOME": home}
        env.pop("ANDROID_SERIAL", None)
        subprocess.run([path, "start-server"], env=env, capture_output=True, timeout=60, check=True)
        try:
            yield port
        finally:
            subprocess.run([path, "kill-server"], env=env, capture_output=True, timeout=60, check=False)


def join(port: int, address: str) -> None:
    """Connect the adb server on `port` to a phone's address; ConnectionError where it does not come."""
    env = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(port)}
    told = subprocess.run([str(adb_path()), "connect", address], env=env, capture_output=True, timeout=60, check=False)
    if b"connected to" not in told.stdout:
        raise ConnectionError(f"adb connect {address}: {told.stdout.decode(errors='replace').strip()}")
