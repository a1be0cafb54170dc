"""Fixtures of the pocket phone's tests: an adb server of our own, and phones on the network."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from emulator.pocket.lean_adb import free_port

SMALL = (540, 1200)


@dataclass
class AdbServer:
    """The adb that adbutils ships, with a server of its own. `run` is the command line."""

    path: str
    port: int
    env: dict[str, str]

    def run(self, *words: str, stdin: bytes | None = None, timeout: float = 30) -> subprocess.CompletedProcess[bytes]:
        """One adb command."""
        return subprocess.run(
            [self.path, *words], env=self.env, input=stdin, capture_output=True, timeout=timeout, check=False
        )


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbServer]:
    """A running adb server on a free port; killed at the end, and only it."""
    adbutils = pytest.importorskip("adbutils")
    path = Path(adbutils.__file__).parent / "binaries" / "adb"
    if not path.exists():
        pytest.skip(f"adbutils ships no adb for this platform: {path}")
    port = free_port()
    env = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(port), "HOME": str(tmp_path_factory.mktemp("home"))}
    env.pop("ANDROID_SERIAL", None)
    server = AdbServer(str(path), port, env)
    server.run("start-server")
    yield server
    server.run("kill-server")


@pytest.fixture
def connect(adb: AdbServer) -> Iterator[Callable[[Any], str]]:
    """Connects the adb server to a phone and gives the serial; disconnected at the end."""
    serials: list[str] = []

    def join(handle: Any) -> str:
        output = adb.run("connect", handle.address).stdout.decode()
        assert "connected to" in output, output
        serials.append(handle.serial)
        return str(handle.serial)

    yield join
    for serial in serials:
        adb.run("disconnect", serial)


@pytest.fixture
def handle() -> Iterator[Any]:
    """One small phone on the network."""
    pytest.importorskip("grpc")
    from emulator.pocket.server import pocket_phones

    with pocket_phones(1, size=SMALL, seed=7) as handles:
        yield handles[0]


@pytest.fixture
def device(adb: AdbServer, handle: Any, connect: Callable[[Any], str]) -> Callable[..., Any]:
    """`adb -s SERIAL ...` for the phone of `handle`."""
    serial = connect(handle)
    return lambda *words, **options: adb.run("-s", serial, *words, **options)
