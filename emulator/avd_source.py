"""Emulators for a fleet: read-only clones of one blessed AVD, brought back by its snapshot, recycled in time."""

from __future__ import annotations

import contextlib
import shlex
import threading
from collections.abc import Mapping
from pathlib import Path

from emulator.avd import Boot, Emulator
from emulator.device import Device
from emulator.device_errors import DeviceError, DeviceOffline, NotSupported
from emulator.ports import PortAllocator
from emulator.sdk import Sdk, find_sdk
from emulator.sources import Limits, Source

LOADS = 40
"""Snapshot loads after which an emulator is replaced: emulators die after about 64 (MobileWorld#48)."""


class Avds:
    """A source of emulators. loads: so many snapshot loads, then a new process."""

    replaces = True

    def __init__(self, sdk: Sdk, boot: Boot, *, loads: int = LOADS, allocator: PortAllocator | None = None) -> None:
        self.sdk, self.boot, self.loads = sdk, boot, loads
        self.name = f"avd:{boot.name}"
        self.limits = Limits(start=2 * boot.boot_s + 180, renew=boot.boot_s + 120, check=120.0, stop=60.0)
        self._allocator = allocator or PortAllocator()
        self._lock = threading.Lock()
        self._running: dict[str, Emulator] = {}
        self._booting: set[Emulator] = set()
        self._closed = False

    def start(self, number: int) -> Device:
        """A booted clone."""
        if self.boot.name not in self.sdk.avds():
            known = ", ".join(self.sdk.avds()) or "none"
            raise NotSupported(f"no AVD {self.boot.name} in {self.sdk.avd_home} (there are: {known})", "avd")
        emulator = Emulator(self.sdk, self.boot, self._allocator)
        with self._lock:
            if self._closed:
                raise DeviceOffline("the fleet is closed", self.name)
            self._booting.add(emulator)
        try:
            device = emulator.start().device
        finally:
            with self._lock:
                self._booting.discard(emulator)
                closed = self._closed
        if closed:
            emulator.stop(hard=True)
            raise DeviceOffline("the fleet is closed", self.name)
        with self._lock:
            self._running[device.serial] = emulator
        return device

    def renew(self, device: Device) -> Device:
        """Its snapshot loaded; NotSupported (so that it is replaced) without one, or after `loads` loads."""
        with self._lock:
            emulator = self._running.get(device.serial)
        if emulator is None:
            raise DeviceOffline("this emulator was stopped", device.serial)
        if not self.boot.snapshot or emulator.loads >= self.loads:
            raise NotSupported(f"{emulator.loads} snapshot loads: time for a new process", device.serial)
        emulator.load()
        return emulator.device

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """End its process."""
        with self._lock:
            emulator = self._running.pop(device.serial, None)
        if emulator is not None:
            emulator.stop(hard=hard)

    def close(self) -> None:
        """End all, also those that are booting."""
        with self._lock:
            self._closed = True
            left = [*self._running.values(), *self._booting]
            self._running.clear()
        for emulator in left:
            with contextlib.suppress(DeviceError):
                emulator.stop(hard=True)


def from_spec(spec: str, rest: str, options: Mapping[str, str]) -> tuple[Source, int]:
    """`avd:NAME[:N]?snapshot=blessed&memory=4096&cores=2&gpu=...&loads=40&boot=300&sdk=PATH&args=...`."""
    from emulator.device_specs import BadSpec, number

    name, _, count = rest.partition(":")
    if not name:
        raise BadSpec(f"{spec!r}: which AVD? write avd:NAME:N")
    try:
        sdk = find_sdk(Path(options["sdk"]) if "sdk" in options else None)
    except NotSupported as error:
        raise BadSpec(f"{spec!r}: {error}") from error
    boot = Boot(
        name,
        options.get("snapshot", ""),
        memory_mb=number(spec, options.get("memory", "4096"), "memory", 512, 65536),
        cores=number(spec, options.get("cores", "2"), "cores", 1, 64),
        gpu=options.get("gpu", "swiftshader_indirect"),
        boot_s=number(spec, options.get("boot", "300"), "boot", 1, 3600),
        extra=tuple(shlex.split(options.get("args", ""))),
    )
    loads = number(spec, options.get("loads", str(LOADS)), "loads", 1, 1000)
    return Avds(sdk, boot, loads=loads), number(spec, count or "1", "N")
