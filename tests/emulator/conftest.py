"""Fixtures of the device layer's tests: an adb server of our own, small pocket phones on the network, devices."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SMALL = (540, 1200)
SHARED = Path(os.environ.get("SOLAR_SHARED", Path(__file__).parents[2] / "../shared"))


@pytest.fixture(scope="session")
def device_cases() -> dict[str, dict[str, Any]]:
    """The entries of cases/device.jsonl by id; skips where the research data is absent."""
    path = SHARED / "cases" / "device.jsonl"
    if not path.exists():
        pytest.skip(f"no research data at {SHARED}")
    return {case["id"]: case for case in map(json.loads, path.read_text().splitlines())}


@pytest.fixture(scope="session")
def server() -> Iterator[Any]:
    """A running adb server on a port the system chose."""
    pytest.importorskip("grpc")
    from emulator.adb_server import AdbServer
    from emulator.device_errors import NotSupported

    try:
        running = AdbServer()
    except NotSupported as error:
        pytest.skip(str(error))
    with running:
        yield running


@pytest.fixture
def plug(server: Any) -> Iterator[Callable[..., Any]]:
    """Makes a device of a new small phone: `plug(timeout=...)` -> AdbDevice with `.handle`; closed at the end."""
    from emulator.adb import AdbDevice
    from emulator.pocket.phone import Phone
    from emulator.pocket.server import PocketServer

    pocket = PocketServer()
    made: list[Any] = []

    def plug_in(*, emulator: bool = False, size: tuple[int, int] = SMALL, seed: int = 3, **options: Any) -> Any:
        handle = pocket.add(Phone(seed=seed, size=size))
        serial = server.announce(handle.adb_port) if emulator else server.connect(handle.address)
        device = AdbDevice(serial, server_port=server.port, adb_path=server.path, **{"timeout": 10.0, **options})
        device.handle = handle  # type: ignore[attr-defined]
        made.append(device)
        return device

    yield plug_in
    for device in made:
        device.handle.phone.faults.clear()
        device.close()
    for device in made:
        if not device.serial.startswith("emulator-"):
            server.disconnect(device.serial)
    pocket.close()


@pytest.fixture
def device(plug: Callable[..., Any]) -> Any:
    """One AdbDevice; `device.handle.phone` is its phone."""
    return plug()
