"""Many phones, many leases, random faults: no lease is lost, and nothing is left: no process, port, forward, thread."""

from __future__ import annotations

import os
import random
import socket
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emulator import fleet as fleet_module
from emulator.device import Device
from emulator.device_errors import DeviceError, DeviceOffline, DeviceTimeout, NoFreshTree, NotSupported
from emulator.fleet import Fleet, open_devices
from emulator.leases import PHONE_FAULTS, LeaseOver
from emulator.pocket.faults import Fault, FaultKind
from emulator.slots import Care
from emulator.sources import Limits, PocketInProcess

TINY = (120, 270)
WAIT = 60


class Fickle(PocketInProcess):
    """Phones that fail at every phase now and then; `alive` counts those started and not stopped."""

    def __init__(self, seed: int, rate: float) -> None:
        super().__init__(TINY)
        self.random, self.rate, self.lock = random.Random(seed), rate, threading.Lock()
        self.alive: Counter[int] = Counter()
        self.held: dict[int, Device] = {}
        self.limits = Limits(start=20.0, renew=20.0, check=20.0, stop=5.0)

    def strikes(self, share: float = 1.0) -> bool:
        with self.lock:
            return self.random.random() < self.rate * share

    def start(self, number: int) -> Device:
        if self.strikes():
            raise DeviceOffline("does not boot", f"pocket-{number}")
        device = super().start(number)
        with self.lock:
            self.alive[id(device)] += 1
            self.held[id(device)] = device
        return device

    def renew(self, device: Device) -> Device:
        if self.strikes(0.5):
            raise NotSupported("loaded too often", device.serial)
        if self.strikes(0.5):
            raise DeviceTimeout("no snapshot within 1 s", device.serial)
        fresh = super().renew(device)
        if self.strikes(0.5):
            fresh.phone.faults.add(Fault(FaultKind.NOT_RESPONDING))  # type: ignore[attr-defined]
        return fresh

    def stop(self, device: Device, *, hard: bool = False) -> None:
        with self.lock:
            self.alive[id(device)] = 0


class Ledger:
    """Who has which phone: a phone leased twice at a time is a defect."""

    def __init__(self) -> None:
        self.lock, self.out, self.done = threading.Lock(), set[str](), Counter[str]()

    def episode(self, fleet: Fleet, draw: random.Random) -> None:
        with fleet.lease(WAIT) as device:
            with self.lock:
                assert device.serial not in self.out
                self.out.add(device.serial)
                self.done[device.serial] += 1
            try:
                self.play(device, draw)
            finally:
                with self.lock:
                    self.out.discard(device.serial)

    def play(self, device: Device, draw: random.Random) -> None:
        assert device.shell("ls /sdcard/left.txt").exit_code != 0, "the phone of an episode before"
        device.push("/sdcard/left.txt", b"left behind")
        device.tap(draw.randrange(TINY[0]), draw.randrange(TINY[1]))
        chance = draw.random()
        if chance < 0.05:
            raise draw.choice([DeviceOffline, DeviceTimeout, NoFreshTree])("random fault")
        if chance < 0.08:
            raise ZeroDivisionError  # a defect of the episode's


def work(fleet: Fleet, ledger: Ledger, leases: int, seed: int, failures: list[BaseException]) -> None:
    draw = random.Random(seed)
    for _ in range(leases):
        try:
            ledger.episode(fleet, draw)
        except (*PHONE_FAULTS, ZeroDivisionError):
            pass
        except BaseException as error:
            failures.append(error)
            return


def stress(phones: int, leases: int, workers: int) -> None:
    """`leases` leases by `workers` threads over `phones` phones of which many fail; then nothing may be left."""
    source, ledger, failures = Fickle(7, 0.04), Ledger(), list[BaseException]()
    files, threads = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    care = Care(faults=2, starts=5, settle_s=2.0)
    with Fleet(source, phones - 2, spares=2, care=care) as fleet:
        pool = [threading.Thread(target=work, args=(fleet, ledger, leases // workers, seed, failures))
                for seed in range(workers)]  # fmt: skip
        for thread in pool:
            thread.start()
        for thread in pool:
            thread.join(600)
        report = fleet.report()
        assert failures == []
        assert (report.leases, report.out_now) == (leases // workers * workers, 0)
        assert sum(ledger.done.values()) == report.leases
        assert len(report.phones) == phones and report.faults > 0
    assert sum(source.alive.values()) == 0
    end = time.monotonic() + WAIT
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(0.02)
    assert threading.active_count() <= threads
    assert len(list(Path("/proc/self/fd").iterdir())) <= files


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "BACKOFF_SECONDS", 0.01)


def test_six_phones_sixty_leases_random_faults() -> None:
    stress(6, 60, 6)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_twenty_phones_two_thousand_leases_random_faults() -> None:
    stress(20, 2000, 20)


FAULTS = (
    Fault(FaultKind.OFFLINE, times=-1), Fault(FaultKind.CONNECTION_DROPPED, value="10"),
    Fault(FaultKind.HANGING_COMMAND, times=-1), Fault(FaultKind.TRUNCATED_OUTPUT, times=3, value="3"),
    Fault(FaultKind.BLACK_SCREEN, times=-1), Fault(FaultKind.SLOW_COMMAND, value="0.2"),
    Fault(FaultKind.NOT_RESPONDING), Fault(FaultKind.STALE_HIERARCHY),
)  # fmt: skip


def listening() -> set[int]:
    """Ports this process listens on."""
    inodes = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    rows = (line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:])
    return {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == "0A" and row[9] in inodes}


def children() -> set[int]:
    """Processes whose parent is this one."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(stat.parent.name))
    return found


@pytest.mark.slow
def test_phones_over_real_adb_with_the_faults_they_know_leave_nothing() -> None:
    """Every fault strikes phones in use; others never notice, and the adb server has no phone or forward left."""
    pytest.importorskip("grpc")
    before, processes, draw = listening(), children(), random.Random(3)
    seen: Counter[str] = Counter()
    with open_devices("pocket:3?size=120x270", spares=1, care=Care(settle_s=2.0)) as fleet:
        source: Any = fleet.source
        source.timeout = 2.0
        for index in range(24):
            fault = FAULTS[index % len(FAULTS)] if index < 16 else None
            with fleet.lease(WAIT) as other:
                try:
                    with fleet.lease(WAIT) as device:
                        assert device.shell("ls /sdcard/left.txt").exit_code != 0
                        device.push("/sdcard/left.txt", b"x")
                        if fault is not None:
                            source._phones[device.serial][0].handles[0].phone.faults.add(fault)
                        device.tap(draw.randrange(120), draw.randrange(270))
                        device.ui_tree()
                        device.shell("dumpsys window | head -n 3", timeout=1.0)
                        seen["fine"] += 1
                except LeaseOver:
                    raise
                except DeviceError as error:
                    seen[type(error).__name__] += 1
                assert "launcher" in other.foreground().package
        report = fleet.report()
        forwards = adb_text(source._server.port, "host:list-forward")
    assert report.leases == 48 and report.out_now == 0
    assert seen["fine"] >= 8 and len(seen) >= 3, seen
    assert forwards == ""
    assert children() <= processes
    assert listening() <= before


def adb_text(port: int, request: str) -> str:
    """What an adb server answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
        sock.sendall(b"%04x%s" % (len(request), request.encode()))
        answer = b""
        while data := sock.recv(4096):
            answer += data
    assert answer[:4] == b"OKAY", answer
    return answer[8:].decode()
