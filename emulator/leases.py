"""What a fleet hands out: a phone for the length of a `with` block, and nothing after it.

One lease is one phone and one episode. A device kept beyond its lease refuses every call, so that a late thread never
acts on somebody else's episode; a lease that lasts longer than the fleet allows is revoked in the same way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from emulator.adb_socket import ServiceRefused
from emulator.device import Device
from emulator.device_errors import (
    DeviceError,
    DeviceOffline,
    DeviceTimeout,
    DeviceUnauthorized,
    NoFreshTree,
    ScreenshotFailed,
    TruncatedOutput,
)

if TYPE_CHECKING:
    from emulator.fleet import Fleet
    from emulator.slots import Slot

PHONE_FAULTS = (
    DeviceOffline, DeviceUnauthorized, DeviceTimeout, TruncatedOutput, ScreenshotFailed, NoFreshTree, ServiceRefused,
)  # fmt: skip
"""Errors that speak against the phone. The others (an app that is not installed, a text no route can carry, a command
that failed) happen on sound phones too."""


class NoPhone(DeviceError):
    """No phone can be had: all are out of service, the fleet is closed, or none became free in time."""


class LeaseOver(DeviceError):
    """The lease has ended or was revoked; the phone may be somebody else's now."""


class LeasedDevice:
    """A device as long as the lease lasts: every attribute is the phone's own; calls are refused afterwards.

    errors: the `DeviceError`s its calls raised, whether the caller passed them on or not (at most the last 20).
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._over = ""
        self.serial = device.serial
        self.errors: list[DeviceError] = []

    def end(self, why: str) -> None:
        """From now on every call raises LeaseOver, saying `why`."""
        self._over = why

    def __getattr__(self, name: str) -> Any:
        self._check(name)
        value = getattr(self._device, name)
        return self._guarded(name, value) if callable(value) else value

    def _check(self, name: str) -> None:
        if self._over:
            raise LeaseOver(self._over, f"{self.serial}: {name}", "take another lease: `with fleet.lease() as device`")

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            self._check(name)
            try:
                return call(*args, **kwargs)
            except DeviceError as error:
                self.errors = [*self.errors[-19:], error]
                self._check(name)  # a phone that was taken away: say so, instead of what that did to the call
                raise

        return guarded

    def close(self) -> None:
        """Nothing: the phone belongs to the fleet, which lets go of it."""


class Lease:
    """`with fleet.lease() as device:`. Entering may wait; leaving gives the phone back, whatever happened.

    A `DeviceError` of PHONE_FAULTS that leaves the block counts against the phone; one that was handled inside does
    so only after `fault(error)`.
    """

    def __init__(self, fleet: Fleet, timeout: float | None, avoid: frozenset[str]) -> None:
        self._fleet, self._timeout, self._avoid = fleet, timeout, avoid
        self._slot: Slot | None = None
        self._lock = threading.Lock()
        self._fault: DeviceError | None = None
        self.device: LeasedDevice | None = None

    def __enter__(self) -> Device:
        if self.device is not None:
            raise RuntimeError("a lease is taken once; call fleet.lease() again")
        try:
            self._slot, self.device = self._fleet.take(self, self._timeout, self._avoid)
        except BaseException:  # Ctrl-C between the hand-out and here: the phone must not be lost
            self._fleet.forget(self)
            raise
        return cast(Device, self.device)

    def fault(self, error: DeviceError) -> None:
        """Count this against the phone although the block goes on or ends well."""
        with self._lock:
            self._fault = error

    def revoke(self, why: str) -> None:
        """The fleet takes the phone away; the block's next call raises LeaseOver."""
        if self.device is not None:
            self.device.end(f"the lease was revoked: {why}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._slot is None or self.device is None:
            return
        if isinstance(error, PHONE_FAULTS):
            self.fault(error)
        self.device.end("the lease is over")
        slot, self._slot = self._slot, None
        self._fleet.give_back(slot, self, self._fault)
