"""Many phones, handed out one episode at a time.

    with open_devices("pocket:4") as fleet:
        with fleet.lease(timeout=300) as device:     # any thread; waits for a checked phone
            device.tap(100, 200)
        fleet.run(lambda device: play(device))       # the same, again on a fresh phone if that phone fails
        print(fleet.report().table())

What it does for you. Every phone is kept by a thread of its own, which starts it, checks it by real calls (health.py),
offers it, renews it after each lease (snapshot, restore, or a new phone: the source decides) and checks it again: what
`lease` hands out has passed. A phone with `faults` faults in a row is quarantined and replaced where the source can; a
watchdog takes away a phone whose phase lasts too long, so that nothing waits for ever. `spares` phones more than may
be leased at a time stand ready. Leaving the block, Ctrl-C and the interpreter's end stop everything; what outlives a
killed parent is ended by its keeper (processes.py).

Specs of `open_devices`: `pocket:N` (over adb), `pocket-in-process:N`, serials (`emulator-5554,10.0.0.7:5555`),
`avd:NAME:N`, `docker:IMAGE:N`, `ray://ADDRESS/SPEC`; options follow after `?`, see docs/emulators.md.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from typing import Self, TypeVar

from emulator import health
from emulator.device import Device
from emulator.device_errors import DeviceError, DeviceTimeout, NotSupported
from emulator.fleet_report import FleetReport, PhoneReport
from emulator.leases import PHONE_FAULTS, Lease, LeasedDevice, NoPhone
from emulator.slots import Care, Phase, Slot
from emulator.sources import Source

T = TypeVar("T")
WATCH_SECONDS = 0.25
STALE_SECONDS = 60.0
BACKOFF_SECONDS = 0.5


class Fleet:
    """`size` leases at a time over `size + spares` phones of a source. Thread-safe. Use it as a context manager."""

    def __init__(self, source: Source, size: int, *, spares: int = 0, care: Care | None = None) -> None:
        if size < 1 or spares < 0:
            raise ValueError(
                f"a fleet has at least one phone and no negative number of spares, not {size} and {spares}"
            )
        self.source, self.size, self.care = source, size, care or Care()
        self._slots = [Slot(number) for number in range(size + spares)]
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._closing = False
        self._opened = False
        self._leases = self._out_now = self._faults = self._quarantined = self._revoked = 0

    # for users

    def open(self) -> Self:
        """Begin to start the phones; returns at once. The context manager does it."""
        with self._changed:
            if self._opened:
                return self
            self._opened = True
        atexit.register(self.close)
        for slot in self._slots:
            self._spawn(slot)
        self._thread(self._watch, "fleet-watch")
        return self

    def lease(self, timeout: float | None = None, *, avoid: frozenset[str] = frozenset()) -> Lease:
        """A phone for a `with` block. timeout: seconds to wait, None as long as any phone may still come.

        avoid: serials to take only if no other phone can be had. Entering raises NoPhone.
        """
        return Lease(self, timeout, avoid)

    def run(self, work: Callable[[Device], T], *, attempts: int = 2, timeout: float | None = None) -> T:
        """`work(device)`, again on a fresh phone after an error of PHONE_FAULTS; the last error if no attempt works."""
        avoid: frozenset[str] = frozenset()
        for attempt in range(max(attempts, 1)):
            lease = self.lease(timeout, avoid=avoid)
            try:
                with lease as device:
                    return work(device)
            except PHONE_FAULTS:
                if attempt == attempts - 1:
                    raise
                avoid |= {lease.device.serial} if lease.device is not None else set()
        raise AssertionError("unreachable")

    def report(self) -> FleetReport:
        """What the fleet is about."""
        with self._changed:
            return self._report()

    def close(self, *, hard: bool = False) -> None:
        """Stop all phones; leases still out are revoked. Safe to call twice. hard: don't ask phones, end them."""
        with self._changed:
            first = not self._closing
            self._closing = True
            for slot in self._slots:
                if slot.lease is not None:
                    slot.lease.revoke("the fleet was closed")
                slot.returned.set()
            self._changed.notify_all()
        if not self._opened or (not first and not hard):
            return
        self._join(self.source.limits.stop if not hard else 0.0)
        self.source.close()
        atexit.unregister(self.close)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *exception: object) -> None:
        try:
            self.close()
        except KeyboardInterrupt:  # a second Ctrl-C: no more patience, but nothing is left behind
            self.close(hard=True)
            raise

    # for Lease

    def take(self, lease: Lease, timeout: float | None, avoid: frozenset[str]) -> tuple[Slot, LeasedDevice]:
        """The next phone that is fit; NoPhone says why there is none."""
        if not self._opened:
            raise NoPhone("the fleet is not open", self.source.name, "use `with fleet:` or fleet.open()")
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while True:
                self._refuse_if_hopeless()
                self._check_stale()
                slot = self._ready(avoid) if self._out_now < self.size else None
                if slot is not None and slot.device is not None:
                    return slot, self._hand_out(slot, slot.device, lease)
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    raise NoPhone("no phone became free in time", self._report().table())
                self._changed.wait(left)

    def _hand_out(self, slot: Slot, device: Device, lease: Lease) -> LeasedDevice:
        slot.enter(Phase.LEASED)
        slot.lease, slot.used = lease, True
        slot.leases += 1
        self._leases += 1
        self._out_now += 1
        lease.device = LeasedDevice(device)
        return lease.device

    def _check_stale(self) -> None:
        """Send phones that were checked long ago back to their keepers for another look."""
        for slot in self._slots:
            if slot.phase is Phase.READY and self.care.check and time.monotonic() - slot.checked > STALE_SECONDS:
                slot.enter(Phase.CHECKING)
                slot.returned.set()

    def _ready(self, avoid: frozenset[str]) -> Slot | None:
        """The phone that has been ready longest; one to be avoided only if no other will soon be ready."""
        ready = sorted((s for s in self._slots if s.phase is Phase.READY), key=lambda s: s.since)
        wanted = [s for s in ready if s.device is not None and s.device.serial not in avoid]
        coming = [s for s in self._slots if s.phase in (Phase.STARTING, Phase.RENEWING, Phase.CHECKING)]
        return next(iter(wanted or ([] if coming else ready)), None)

    def _refuse_if_hopeless(self) -> None:
        if self._closing:
            raise NoPhone("the fleet is closed", self.source.name)
        if all(slot.phase is Phase.OUT for slot in self._slots):
            raise NoPhone("every phone is out of service", self._report().table(), "run `solar-eval doctor`")

    def give_back(self, slot: Slot, lease: Lease, fault: DeviceError | None) -> None:
        """The end of a lease; the phone's keeper goes on from here. Nothing if the lease was revoked before."""
        with self._changed:
            if slot.lease is not lease:
                return
            self._out_now -= 1
            slot.lease = None
            if fault is not None:
                self._count_fault(slot, fault)
            else:
                slot.in_a_row = 0
            slot.returned.set()
            self._changed.notify_all()

    def forget(self, lease: Lease) -> None:
        """Give back what a lease holds that was interrupted while it was taken."""
        with self._changed:
            for slot in self._slots:
                if slot.lease is lease:
                    self.give_back(slot, lease, None)

    # a phone's keeper: one thread a place

    def _keep(self, slot: Slot) -> None:
        """Start, check, offer, renew, check, offer, ...; ends when the place is given up or the fleet closes."""
        try:
            while self._goes_on(slot):
                try:
                    self._make_ready(slot)
                except DeviceError as error:
                    self._failed(slot, error)
                    continue
                slot.returned.wait()
        except BaseException as error:  # a defect of ours: the place is lost, nobody waits for it, the thread says why
            with self._changed:
                slot.last_error = f"{type(error).__name__}: {error}"
                slot.enter(Phase.OUT)
                self._changed.notify_all()
            raise
        finally:
            self._put_down(slot)

    def _goes_on(self, slot: Slot) -> bool:
        with self._changed:
            return not (self._closing or slot.abandoned or slot.phase is Phase.OUT)

    def _make_ready(self, slot: Slot) -> None:
        if slot.device is not None and slot.spoiled:
            self._put_down(slot)
        if slot.device is None:
            self._start(slot)
        elif slot.used:
            self._renew(slot)
        if self.care.check and slot.device is not None:
            self._enter(slot, Phase.CHECKING)
            slot.identity = health.check(slot.device, slot.identity, self.care.settle_s).identity
        with self._changed:
            slot.checked = time.monotonic()
            slot.returned.clear()
            if self._closing or slot.abandoned:
                slot.returned.set()
                return
            slot.enter(Phase.READY)
            self._changed.notify_all()

    def _start(self, slot: Slot) -> None:
        self._enter(slot, Phase.STARTING)
        try:
            device = self.source.start(slot.number)
        except DeviceError:
            slot.failed_starts += 1
            raise
        slot.device, slot.identity, slot.failed_starts = device, "", 0
        slot.spoiled = slot.used = False
        slot.incarnation += 1

    def _renew(self, slot: Slot) -> None:
        assert slot.device is not None
        if self.care.recycle == "none":
            return
        self._enter(slot, Phase.RENEWING)
        if self.care.recycle == "renew":
            try:
                slot.device = self.source.renew(slot.device)
                slot.used = False
                return
            except NotSupported:
                pass
        self._put_down(slot)
        self._start(slot)

    def _failed(self, slot: Slot, error: DeviceError) -> None:
        """A start, a renewal or a check failed: a fault, and a new phone where there can be one."""
        with self._changed:
            self._count_fault(slot, error)
            slot.spoiled = self.source.replaces
            if slot.failed_starts >= self.care.starts:
                slot.enter(Phase.OUT)
            self._changed.notify_all()
            pause = BACKOFF_SECONDS * slot.failed_starts
            self._changed.wait_for(lambda: self._closing or slot.abandoned, pause)

    def _count_fault(self, slot: Slot, error: DeviceError) -> None:
        slot.faults += 1
        slot.in_a_row += 1
        slot.last_error = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        self._faults += 1
        if slot.in_a_row >= self.care.faults:
            slot.in_a_row = 0
            self._quarantined += 1
            slot.spoiled = True
            if not self.source.replaces:
                slot.enter(Phase.OUT)

    def _put_down(self, slot: Slot) -> None:
        """End the phone of a place, if it has one."""
        device, slot.device = slot.device, None
        if device is None:
            return
        if slot.phase is not Phase.OUT:
            self._enter(slot, Phase.STOPPING)
        self.source.stop(device, hard=slot.abandoned)

    def _enter(self, slot: Slot, phase: Phase) -> None:
        with self._changed:
            slot.enter(phase)

    # the watchdog

    def _watch(self) -> None:
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._closing, WATCH_SECONDS):
                    return
                late = [slot for slot in self._slots if self._is_late(slot)]
                for slot in late:
                    self._abandon(slot)
            for slot in late:
                if slot.abandoned and slot.device is not None:
                    self._end_hard(slot.device)

    def _end_hard(self, device: Device) -> None:
        """In a thread of its own: it may hang too."""
        self._thread(lambda: self.source.stop(device, hard=True), "fleet-stop")

    def _is_late(self, slot: Slot) -> bool:
        limits = self.source.limits
        allowed = {
            Phase.STARTING: limits.start, Phase.RENEWING: limits.renew + limits.start, Phase.CHECKING: limits.check,
            Phase.STOPPING: limits.stop, Phase.LEASED: self.care.lease_s,
        }.get(slot.phase)  # fmt: skip
        return allowed is not None and not slot.abandoned and time.monotonic() - slot.since > allowed

    def _abandon(self, slot: Slot) -> None:
        """Give up a phone whose phase lasts too long: its place gets a new one, its thread ends when it comes back.

        A lease is revoked instead: its phone goes back to its keeper, which is well.
        """
        error = DeviceTimeout(f"{slot.phase} for {time.monotonic() - slot.since:.1f} s", f"phone {slot.number}")
        if slot.lease is not None:
            self._revoked += 1
            slot.spoiled = self.source.replaces
            slot.lease.revoke(f"it lasted longer than {self.care.lease_s:g} s")
            self.give_back(slot, slot.lease, error)
            return
        self._count_fault(slot, error)
        slot.abandoned = True
        self._replace(slot)
        self._changed.notify_all()

    def _replace(self, slot: Slot) -> None:
        """A new slot at the place of an abandoned one, with its history."""
        new = Slot(slot.number, leases=slot.leases, faults=slot.faults, incarnation=slot.incarnation)
        new.last_error, new.failed_starts = slot.last_error, slot.failed_starts + (slot.phase is Phase.STARTING)
        self._slots[self._slots.index(slot)] = new
        if not self.source.replaces or new.failed_starts >= self.care.starts:
            new.enter(Phase.OUT)
        elif not self._closing:
            self._spawn(new)

    # inside

    def _spawn(self, slot: Slot) -> None:
        self._thread(lambda: self._keep(slot), f"fleet-{slot.number}")

    def _thread(self, work: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()

    def _join(self, seconds: float) -> None:
        """Wait for the keepers to stop their phones; what hangs is ended by `source.close`."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))

    def _report(self) -> FleetReport:
        now = time.monotonic()
        phones = tuple(
            PhoneReport(s.number, s.device.serial if s.device else "", s.phase, now - s.since, s.leases, s.faults,
                        s.incarnation, s.last_error) for s in self._slots
        )  # fmt: skip
        return FleetReport(
            self.source.name, phones, self._leases, self._out_now, self._faults, self._quarantined, self._revoked
        )


def open_devices(spec: str, *, spares: int = 0, care: Care | None = None) -> Fleet:
    """A fleet of what `spec` names (see the module); its phones start when it is opened. ValueError for a bad spec."""
    from emulator.device_specs import source_of

    source, size = source_of(spec)
    return Fleet(source, size, spares=spares if source.replaces else 0, care=care)
