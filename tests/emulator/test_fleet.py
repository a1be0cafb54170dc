"""Leases, faults, quarantine, the watchdog and closing, on pocket phones in process; a few over real adb."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from emulator import fleet as fleet_module
from emulator.device import Device
from emulator.device_errors import AppNotFound, DeviceOffline, DeviceTimeout, NotSupported
from emulator.device_specs import BadSpec, source_of
from emulator.fleet import Fleet, open_devices
from emulator.leases import PHONE_FAULTS, LeaseOver, NoPhone
from emulator.pocket.faults import Fault, FaultKind
from emulator.slots import Care
from emulator.sources import Limits, PocketInProcess, Serials

SMALL = (216, 480)
WAIT = 30


class Phones(PocketInProcess):
    """Small phones in process that do what a test wants: fail to start, hang, refuse to renew; and count."""

    def __init__(self) -> None:
        super().__init__(SMALL)
        self.started = self.stopped = self.renewed = self.closed = 0
        self.fail_starts = 0
        self.can_renew = True
        self.hang: threading.Event | None = None
        self.lock = threading.Lock()

    def start(self, number: int) -> Device:
        with self.lock:
            fail = self.fail_starts > 0
            self.fail_starts -= fail
        if fail:
            raise DeviceOffline("does not boot", f"pocket-{number}")
        if self.hang is not None and number == 0:
            self.hang.wait(WAIT)
        device = super().start(number)
        with self.lock:
            self.started += 1
        return device

    def renew(self, device: Device) -> Device:
        if not self.can_renew:
            raise NotSupported("no snapshots", device.serial)
        with self.lock:
            self.renewed += 1
        return super().renew(device)

    def stop(self, device: Device, *, hard: bool = False) -> None:
        with self.lock:
            self.stopped += 1

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def phones() -> Phones:
    return Phones()


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    yield
    end = time.monotonic() + WAIT
    while time.monotonic() < end and any(t.name.startswith("fleet-") for t in threading.enumerate()):
        time.sleep(0.01)
    assert [t.name for t in threading.enumerate() if t.name.startswith("fleet-")] == []


def test_a_lease_hands_out_a_checked_phone_and_the_next_one_a_clean_one(phones: Phones) -> None:
    with Fleet(phones, 1) as fleet:
        with fleet.lease(WAIT) as device:
            home = device.foreground()
            device.open_app("Settings")
            device.push("/sdcard/left.txt", b"x")
        with fleet.lease(WAIT) as device:
            assert device.foreground() == home
            assert device.shell("ls /sdcard/left.txt").exit_code != 0
        report = fleet.report()
    assert (report.leases, report.out_now, report.faults) == (2, 0, 0)
    assert (phones.started, phones.stopped, phones.closed) == (1, 1, 1)


def test_a_device_is_of_no_use_after_its_lease(phones: Phones) -> None:
    with Fleet(phones, 1) as fleet:
        with fleet.lease(WAIT) as device:
            tap, screenshot = device.tap, device.screenshot
        for late in (screenshot, lambda: tap(1, 1), lambda: device.serial and device.foreground()):
            with pytest.raises(LeaseOver, match="the lease is over"):
                late()


def test_no_more_leases_at_a_time_than_the_size_says_although_there_are_spares(phones: Phones) -> None:
    with Fleet(phones, 2, spares=2) as fleet:
        with fleet.lease(WAIT), fleet.lease(WAIT), pytest.raises(NoPhone, match="no phone became free in time"):
            fleet.lease(0.2).__enter__()
        assert fleet.report().leases == 2


def test_a_phone_without_a_way_back_is_replaced_after_each_lease(phones: Phones) -> None:
    phones.can_renew = False
    with Fleet(phones, 1) as fleet:
        for _ in range(3):
            with fleet.lease(WAIT):
                pass
        with fleet.lease(WAIT):
            assert fleet.report().phones[0].incarnation == 4
    assert phones.started == phones.stopped


def test_errors_that_speak_against_the_phone_count_and_others_do_not(phones: Phones) -> None:
    with Fleet(phones, 1, care=Care(faults=9)) as fleet:
        with pytest.raises(AppNotFound), fleet.lease(WAIT) as device:
            device.open_app("no such app")
        with pytest.raises(DeviceTimeout), fleet.lease(WAIT):
            raise DeviceTimeout("no answer")
        with pytest.raises(ZeroDivisionError), fleet.lease(WAIT):
            raise ZeroDivisionError
        lease = fleet.lease(WAIT)
        with lease:
            lease.fault(DeviceOffline("swallowed"))
        with fleet.lease(WAIT):
            assert fleet.report().faults == 2


def test_a_phone_is_quarantined_after_so_many_faults_in_a_row(phones: Phones) -> None:
    with Fleet(phones, 1, care=Care(faults=2)) as fleet:
        for error in (DeviceOffline("1"), None, DeviceOffline("2"), DeviceOffline("3")):
            lease = fleet.lease(WAIT)
            with lease:
                if error is not None:
                    lease.fault(error)
        with fleet.lease(WAIT):
            report = fleet.report()
    assert (report.faults, report.quarantined, report.phones[0].incarnation) == (3, 1, 2)


def test_work_is_done_again_on_another_phone(phones: Phones) -> None:
    seen: list[str] = []

    def work(device: Device) -> str:
        seen.append(device.serial)
        if len(seen) == 1:
            raise DeviceOffline("gone")
        return device.foreground().package

    with Fleet(phones, 1, spares=1) as fleet:
        assert "launcher" in fleet.run(work, timeout=WAIT)
    assert len(set(seen)) == 2


def test_a_phone_that_fails_its_check_is_replaced_before_anybody_gets_it(phones: Phones) -> None:
    start = phones.start

    def broken_first(number: int) -> Device:
        device = start(number)
        if phones.started == 1:
            device.phone.faults.add(Fault(FaultKind.BLACK_SCREEN, times=-1))  # type: ignore[attr-defined]
        return device

    phones.start = broken_first  # type: ignore[method-assign]
    with Fleet(phones, 1, care=Care(settle_s=0.3)) as fleet, fleet.lease(WAIT) as device:
        assert not device.screenshot().black
        report = fleet.report()
    assert "black" in report.phones[0].last_error
    assert report.faults == 1


def test_an_app_that_is_not_responding_is_told_to_wait(phones: Phones) -> None:
    start = phones.start

    def stuck(number: int) -> Device:
        device = start(number)
        device.phone.faults.add(Fault(FaultKind.NOT_RESPONDING))  # type: ignore[attr-defined]
        return device

    phones.start = stuck  # type: ignore[method-assign]
    with Fleet(phones, 1) as fleet, fleet.lease(WAIT) as device:
        assert not any(element.id == "aerr_wait" for element in device.ui_tree().elements)
        assert fleet.report().faults == 0


def test_starts_that_fail_are_tried_again_and_then_given_up(phones: Phones, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "BACKOFF_SECONDS", 0.01)
    phones.fail_starts = 2
    with Fleet(phones, 1) as fleet, fleet.lease(WAIT):
        assert fleet.report().faults == 2
    phones.fail_starts = 99
    with Fleet(phones, 2) as fleet, pytest.raises(NoPhone, match=r"(?s)out of service.*does not boot"):
        fleet.lease(WAIT).__enter__()


def test_a_phone_that_hangs_is_given_up_and_the_others_never_notice(phones: Phones) -> None:
    phones.hang = threading.Event()
    phones.limits = Limits(start=0.3)
    with Fleet(phones, 2, care=Care(starts=2)) as fleet:
        with fleet.lease(WAIT) as device:
            assert device.serial == "pocket-1"
        end = time.monotonic() + WAIT
        while fleet.report().phones[0].phase != "out of service" and time.monotonic() < end:
            time.sleep(0.02)
        assert "starting for" in fleet.report().phones[0].last_error
        phones.hang.set()
    assert phones.started == phones.stopped


def test_a_lease_that_lasts_too_long_is_revoked_and_the_phone_goes_on(phones: Phones) -> None:
    with Fleet(phones, 1, care=Care(lease_s=0.2)) as fleet:
        with pytest.raises(LeaseOver, match="revoked: it lasted longer"), fleet.lease(WAIT) as device:
            while True:
                device.foreground()
                time.sleep(0.01)
        with fleet.lease(WAIT) as device:
            device.foreground()
        report = fleet.report()
    assert (report.revoked, report.out_now, report.leases) == (1, 0, 2)


def test_closing_revokes_leases_and_wakes_those_who_wait(phones: Phones) -> None:
    errors: list[BaseException] = []
    fleet = Fleet(phones, 1).open()
    device = fleet.lease(WAIT).__enter__()

    def wait() -> None:
        try:
            fleet.lease().__enter__()
        except NoPhone as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    fleet.close()
    thread.join(WAIT)
    assert "closed" in str(errors[0])
    with pytest.raises(LeaseOver, match="closed"):
        device.screenshot()
    fleet.close()
    assert phones.stopped == 1
    with pytest.raises(NoPhone, match="closed"):
        fleet.lease(0.1).__enter__()


def test_ctrl_c_while_a_phone_is_handed_out_loses_no_phone(phones: Phones) -> None:
    with Fleet(phones, 1) as fleet:
        take = fleet.take

        def interrupted(*arguments: Any) -> Any:
            take(*arguments)
            raise KeyboardInterrupt

        fleet.take = interrupted  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            fleet.lease(WAIT).__enter__()
        fleet.take = take  # type: ignore[method-assign]
        with fleet.lease(WAIT):
            assert fleet.report().out_now == 1


def test_a_phone_that_answers_under_anothers_serial_is_not_handed_out(phones: Phones) -> None:
    with Fleet(phones, 1) as fleet:
        with fleet.lease(WAIT) as device:
            secure = device.phone.settings["secure"]  # type: ignore[attr-defined]
        renew = phones.renew

        def swapped(device: Device) -> Device:
            renew(device)
            secure["android_id"] = "0123456789abcdef" if phones.renewed == 2 else secure["android_id"]
            return device

        phones.renew = swapped  # type: ignore[method-assign]
        with fleet.lease(WAIT):
            pass
        with fleet.lease(WAIT):
            phone = fleet.report().phones[0]
    assert (phone.incarnation, phone.faults) == (2, 1)
    assert "another phone answers" in phone.last_error


def test_a_fleet_that_is_not_open_says_so(phones: Phones) -> None:
    with pytest.raises(NoPhone, match="not open"):
        Fleet(phones, 1).lease().__enter__()
    with pytest.raises(ValueError, match="at least one"):
        Fleet(phones, 0)


@pytest.mark.parametrize(
    ("spec", "name", "size"),
    [
        ("pocket:4", "pocket", 4),
        ("pocket", "pocket", 1),
        ("pocket-in-process:2?size=540x1200&seed=3", "pocket-in-process", 2),
        ("emulator-5554,192.168.0.7:5555", "emulator-5554,192.168.0.7:5555", 2),
        ("adb:R58N?server=5038", "R58N", 1),
    ],
)
def test_specs(spec: str, name: str, size: int) -> None:
    source, count = source_of(spec)
    assert (source.name, count) == (name, size)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "no serial"),
        ("pocket:0", "N must be a number from 1"),
        ("pocket:four", "N must be"),
        ("pocket:2?sede=1", "did you mean seed"),
        ("pocket:2?size=big", "WIDTHxHEIGHT"),
        ("a,a", "twice"),
        ("a;rm -rf", "no serial"),
        ("-s", "no serial"),
        ("emulator-5554,pocket", "no serial"),
        ("adb:x?server=0", "from 1 to 65535"),
    ],
)
def test_bad_specs_say_what_would_be_right(spec: str, message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        source_of(spec)


def test_one_serial_is_held_by_one_source_at_a_time() -> None:
    one, other = Serials(["127.0.0.1:1"], 1), Serials(["127.0.0.1:1"], 1)
    for source, message in ((one, "no adb server"), (other, "another program holds this phone")):
        with pytest.raises(DeviceOffline, match=message):
            source.start(0)
    one.close()
    with pytest.raises(DeviceOffline, match="no adb server"):
        other.start(0)
    other.close()


def test_pocket_phones_over_adb_are_renewed_after_a_fault_and_end_with_the_fleet() -> None:
    pytest.importorskip("grpc")
    with open_devices("pocket:1?size=216x480") as fleet:
        source: Any = fleet.source
        with fleet.lease(WAIT) as device:
            host, _ = source._phones[device.serial]
            host.handles[0].phone.faults.add(Fault(FaultKind.OFFLINE, times=-1))
            with pytest.raises(PHONE_FAULTS):
                device.shell("true", timeout=2)
        with fleet.lease(WAIT) as device:
            assert device.shell("echo ok").stdout == "ok\n"
        server = source._server
        assert server.alive()
    assert not server.alive()
    assert source._phones == {}
