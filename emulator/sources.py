"""Where a fleet's phones come from: the interface, and the two sources that need nothing but this process and adb.

A source starts phones, renews them between leases and ends them; it is called by one thread a phone, several phones at
a time. What it started it ends, whatever happened in between.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from emulator.device import Device
from emulator.device_errors import DeviceError, DeviceOffline, NotSupported

if TYPE_CHECKING:
    from filelock import FileLock

    from emulator.adb_server import AdbServer
    from emulator.pocket.server import PocketServer

DEFAULT_SIZE = (1080, 2400)
LOCK_SECONDS = 0.2


@dataclass(frozen=True)
class Limits:
    """Seconds a phase of a phone may take before the fleet gives the phone up."""

    start: float = 60.0
    renew: float = 60.0
    check: float = 60.0
    stop: float = 15.0


class Source(Protocol):
    """Starts, renews and ends phones. Every method may raise `DeviceError`, except `stop` and `close`."""

    name: str
    replaces: bool
    """Whether `start` may be called again for a number whose phone was stopped."""
    limits: Limits

    def start(self, number: int) -> Device:
        """A running phone that answers, in its clean state. number: 0, 1, ...: its place in the fleet."""

    def renew(self, device: Device) -> Device:
        """The same phone in its clean state again; NotSupported where only a fresh one will do."""

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """End the phone, or let go of one that isn't ours. hard: it hangs, don't ask it. Safe to call twice."""

    def close(self) -> None:
        """End what the phones share, and every phone not yet stopped."""


class PocketInProcess:
    """Pocket phones without adb: the quickest. Phone `number` has seed `seed + number`."""

    replaces = True

    def __init__(self, size: tuple[int, int] = DEFAULT_SIZE, seed: int = 0) -> None:
        self.name, self.size, self.seed = "pocket-in-process", size, seed
        self.limits = Limits()

    def start(self, number: int) -> Device:
        """A new phone."""
        from emulator.pocket.phone import Phone
        from emulator.pocket_device import PocketDevice

        device = PocketDevice(Phone(seed=self.seed + number, size=self.size), f"pocket-{number}")
        device.snapshot("clean")
        return device

    def renew(self, device: Device) -> Device:
        """Restored, and every waiting fault forgotten."""
        device.phone.faults.clear()  # type: ignore[attr-defined]
        device.restore("clean")
        return device

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """Nothing is shared."""


class PocketOverAdb:
    """Pocket phones of this process behind real adb: one adb server for all, its port chosen by the system."""

    replaces = True

    def __init__(self, size: tuple[int, int] = DEFAULT_SIZE, seed: int = 0, timeout: float = 15.0) -> None:
        self.name, self.size, self.seed, self.timeout = "pocket", size, seed, timeout
        self.limits = Limits()
        self._lock = threading.Lock()
        self._server: AdbServer | None = None
        self._closed = False
        self._phones: dict[str, tuple[PocketServer, Any]] = {}

    def start(self, number: int) -> Device:
        """A new phone on ports of its own, known to the adb server."""
        from emulator.pocket.phone import Phone
        from emulator.pocket.server import PocketServer, PortError

        adb = self._adb_server()
        host = PocketServer()
        try:
            phone = Phone(seed=self.seed + number, size=self.size)
            handle = host.add(phone, name=f"pocket-{number}")
            adb.connect(handle.address)
            device = self._device(handle.serial)
            with self._lock:
                if self._closed:
                    raise DeviceOffline("the fleet is closed", self.name)
                self._phones[handle.serial] = (host, phone.snapshot())
        except BaseException as error:
            host.close()
            if isinstance(error, PortError):
                raise DeviceOffline(str(error), f"pocket-{number}") from error
            raise
        return device

    def _adb_server(self) -> AdbServer:
        from emulator.adb_server import AdbServer

        with self._lock:
            if self._closed:
                raise DeviceOffline("the fleet is closed", self.name)
            if self._server is None:
                self._server = AdbServer().start()
            return self._server

    def _device(self, serial: str) -> Device:
        from emulator.adb import AdbDevice

        adb = self._adb_server()
        return AdbDevice(serial, server_port=adb.port, adb_path=adb.path, timeout=self.timeout)

    def renew(self, device: Device) -> Device:
        """Restored from the inside, and every waiting fault forgotten; seen through a new `AdbDevice`."""
        with self._lock:
            found = self._phones.get(device.serial)
        if found is None:
            raise DeviceOffline("this phone was stopped", device.serial)
        host, clean = found
        phone = host.handles[0].phone
        phone.faults.clear()
        device.close()
        with phone.lock:
            phone.restore(clean)
        self._reconnect(device.serial)
        return self._device(device.serial)

    def _reconnect(self, serial: str) -> None:
        """Connect again where a fault made the adb server lose the phone."""
        adb = self._adb_server()
        if adb.devices().get(serial) != "device":
            with contextlib.suppress(DeviceError):
                adb.disconnect(serial)
            adb.connect(serial)

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """Off the network, and forgotten by the adb server."""
        with self._lock:
            found = self._phones.pop(device.serial, None)
        if found is None:
            return
        found[0].close()
        with contextlib.suppress(DeviceError):  # closed, or gone with its server
            self._adb_server().disconnect(device.serial)

    def close(self) -> None:
        """End the phones, then the adb server."""
        with self._lock:
            self._closed = True
            hosts = [host for host, _ in self._phones.values()]
            self._phones.clear()
            server, self._server = self._server, None
        for host in hosts:
            host.close()
        if server is not None:
            server.stop()


class Serials:
    """Phones that are there already, by serial, behind an adb server that runs. They are never ended.

    Each is held by a lock file for as long as it is ours, so that two programs on this computer never drive one phone.
    snapshot: brought back between leases ("": the phone is sent home and nothing more; what an episode leaves behind
    stays).
    """

    replaces = False

    def __init__(self, serials: Sequence[str], server_port: int = 5037, snapshot: str = "") -> None:
        self.serials, self.server_port, self.snapshot = tuple(serials), server_port, snapshot
        self.name = ",".join(serials)
        self.limits = Limits(renew=120.0)
        self._locks: dict[str, FileLock] = {}

    def start(self, number: int) -> Device:
        """The phone of this place, taken. DeviceOffline if somebody else holds it."""
        serial = self.serials[number]
        self._take(serial)
        return self.renew(self._device(serial))

    def _device(self, serial: str) -> Device:
        from emulator.adb import AdbDevice

        return AdbDevice(serial, server_port=self.server_port)

    def _take(self, serial: str) -> None:
        from filelock import FileLock, Timeout

        from emulator.ports import lock_folder

        if serial in self._locks:
            return
        name = re.sub("[^A-Za-z0-9.-]", "_", serial)
        path = lock_folder() / f"phone-{self.server_port}-{name}.lock"
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=LOCK_SECONDS)
        except Timeout as error:
            raise DeviceOffline(
                "another program holds this phone", serial, f"end it, or remove {lock.lock_file}"
            ) from error
        self._locks[serial] = lock

    def renew(self, device: Device) -> Device:
        """Snapshot restored, or home."""
        device.close()
        fresh = self._device(device.serial)
        if self.snapshot:
            fresh.restore(self.snapshot)
        fresh.press("home")
        return fresh

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """Let go of it."""
        if not hard:
            with contextlib.suppress(DeviceError):
                device.close()
        lock = self._locks.pop(device.serial, None)
        if lock is not None:
            lock.release()

    def close(self) -> None:
        """Let go of all."""
        for serial in list(self._locks):
            lock = self._locks.pop(serial, None)
            if lock is not None:
                lock.release()


def fresh_only(device: Device) -> Device:
    """What a source without a way back answers to `renew`."""
    raise NotSupported("this kind of phone is not renewed, it is replaced", device.serial)
