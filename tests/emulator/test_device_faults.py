"""Each fault the pocket phone knows, at each call: a typed error within the deadline, or the right result.

One test a fault; for each call the phone is put into the same state first (Settings in front, home before it), so that
what is right is known. A second phone on the same adb server is asked after every call and must never notice. After the
fault is gone the device must work again without being made anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from emulator.adb import AdbDevice
from emulator.device import Device
from emulator.device_errors import (
    AppNotInFront,
    DeviceError,
    DeviceOffline,
    DeviceTimeout,
    DeviceUnauthorized,
    NoFreshTree,
    TruncatedOutput,
)
from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.phone import Phone
from emulator.pocket.server import PocketServer
from emulator.pocket_device import PocketDevice
from emulator.settle import settle

TIMEOUT = 1.0
SLACK = 3.0  # seconds a call may take beyond its deadline on a busy machine
SETTINGS = "com.android.settings"
CONTACTS = "com.google.android.contacts"
CONTENT = b"0123456789" * 100


@dataclass
class Seen:
    """A call's result, and the phone it was made on."""

    value: Any
    phone: Phone


def _tapped(seen: Seen) -> bool:
    return len(seen.phone.activities.front.screens) > 1 or _covered(seen.phone)


def _covered(phone: Phone) -> bool:
    kinds = (FaultKind.NOT_RESPONDING, FaultKind.PERMISSION_DIALOG, FaultKind.POPUP, FaultKind.ROTATED_SCREEN)
    return any(phone.faults.get(kind) for kind in kinds)


def _field(seen: Seen) -> bool:
    view = seen.phone.editor.field()
    return view is None or view.text == "hello 1"


CALLS: dict[str, tuple[Callable[[Any], Any], Callable[[Seen], bool]]] = {
    "screenshot": (lambda d: d.screenshot(), lambda s: s.value.png == s.phone.screenshot_png()),
    "ui_tree": (lambda d: d.ui_tree(), lambda s: s.value.xml.strip() == s.phone.hierarchy_xml()),
    "settle": (lambda d: settle(d, 0.5), lambda s: s.value.screenshot.png == s.phone.screenshot_png()),
    "screen_size": (lambda d: d.screen_size(), lambda s: s.value == s.phone.display_size),
    "foreground": (lambda d: d.foreground(), lambda s: s.value.package == s.phone.frame().reported[0].package
                   or s.value.package == s.phone.activities.foreground.package),
    "tap": (lambda d: d.tap(200, 400), _tapped),
    "double_tap": (lambda d: d.double_tap(5, 300), lambda s: True),
    "long_press": (lambda d: d.long_press(5, 300, 500), lambda s: True),
    "swipe": (lambda d: d.swipe(270, 500, 270, 400), lambda s: True),
    "type_text": (lambda d: d.type_text("hello 1"), _field),
    "press": (lambda d: d.press("home"), lambda s: s.phone.activities.foreground.home),
    "open_app": (lambda d: d.open_app("Contacts"), lambda s: s.phone.activities.foreground.package == CONTACTS),
    "shell": (lambda d: d.shell("echo hello; exit 3"), lambda s: (s.value.stdout, s.value.exit_code) == ("hello\n", 3)),
    "pull": (lambda d: d.pull("/sdcard/content"), lambda s: s.value == CONTENT),
    "push": (lambda d: d.push("/sdcard/new", CONTENT), lambda s: s.phone.fs.read("/sdcard/new") == CONTENT),
    "snapshot": (lambda d: d.snapshot("a"), lambda s: True),
    "restore": (lambda d: d.restore("a"), lambda s: True),
    "close": (lambda d: d.close(), lambda s: True),
}  # fmt: skip

CORE = (
    FaultKind.STALE_HIERARCHY, FaultKind.BLACK_SCREEN, FaultKind.ROTATED_SCREEN, FaultKind.NOT_RESPONDING,
    FaultKind.PERMISSION_DIALOG, FaultKind.POPUP, FaultKind.KEYBOARD_COVERS, FaultKind.LOST_CHARACTERS,
)  # fmt: skip
ALWAYS, ONCE = -1, 1
TRANSPORT = [
    (FaultKind.OFFLINE, ALWAYS, ""),
    (FaultKind.UNAUTHORIZED, ALWAYS, ""),
    (FaultKind.CONNECTION_DROPPED, ONCE, "0"),
    (FaultKind.CONNECTION_DROPPED, ONCE, "3"),
    (FaultKind.CONNECTION_DROPPED, ALWAYS, "3"),
    (FaultKind.TRUNCATED_OUTPUT, ONCE, "0"),
    (FaultKind.TRUNCATED_OUTPUT, ONCE, "7"),
    (FaultKind.TRUNCATED_OUTPUT, ALWAYS, "7"),
    (FaultKind.SLOW_COMMAND, ONCE, "0.2"),
    (FaultKind.SLOW_COMMAND, ALWAYS, "5"),
    (FaultKind.HANGING_COMMAND, ONCE, ""),
    (FaultKind.HANGING_COMMAND, ALWAYS, ""),
]
EVERY = TRANSPORT + [
    (kind, times, "2" if kind == FaultKind.LOST_CHARACTERS else "") for kind in CORE for times in (ONCE, ALWAYS)
]


def prepare(phone: Phone) -> None:
    """Settings in front, home looked at before it, a file, a field with the focus nowhere."""
    phone.faults.clear()
    phone.key("HOME")
    phone.hierarchy_xml()
    phone.launch(SETTINGS)
    phone.hierarchy_xml()
    phone.fs.write("/sdcard/content", CONTENT)


def typing(phone: Phone) -> None:
    """Contacts' editor with the focus in an empty field."""
    phone.launch(CONTACTS)
    phone.tap_on("Create contact")
    phone.tap_on("First name")
    phone.hierarchy_xml()


class Pair:
    """A phone that is to suffer and one that must not notice, on one adb server."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.pocket = PocketServer()
        self.bad, self.good = (self.pocket.add(Phone(seed=n, size=(540, 1200))) for n in (1, 2))
        self.neighbour = AdbDevice(server.connect(self.good.address), server_port=server.port, timeout=10)
        self.device = AdbDevice(server.connect(self.bad.address), server_port=server.port, timeout=TIMEOUT)
        self.neighbour.screenshot()

    def neighbour_is_well(self) -> None:
        assert self.neighbour.shell("echo well").stdout == "well\n"
        assert not self.good.endpoint.unknown

    def recovered(self) -> None:
        """The fault is over: the same device works, within a little time and without being made anew."""
        end = time.monotonic() + 20
        while True:
            try:
                assert self.device.shell("echo back", timeout=2).stdout == "back\n"
                assert self.device.screenshot().size == (540, 1200)
                return
            except DeviceError:
                if time.monotonic() > end:
                    raise
                self.device.adb.reconnect(self.device.adb.deadline("reconnect", 5))
                time.sleep(0.05)

    def close(self) -> None:
        self.bad.phone.faults.clear()
        for device in (self.device, self.neighbour):
            device.close()
            self.server.disconnect(device.serial)
        self.pocket.close()


@pytest.fixture
def pair(server: Any) -> Iterator[Pair]:
    made = Pair(server)
    yield made
    made.close()


def judge(device: Device, name: str, phone: Phone, limit: float) -> str:
    """Make the call; `right`, or the name of the typed error. Anything else fails the test."""
    call, right = CALLS[name]
    start = time.monotonic()
    try:
        value = call(device)
    except DeviceError as error:
        outcome = type(error).__name__
        assert error.where.startswith(device.serial), f"{name}: {error!r} does not say where"
    else:
        outcome = "right"
    assert time.monotonic() - start < limit + SLACK, f"{name} took {time.monotonic() - start:.1f} s"
    if outcome == "right":
        assert right(Seen(value, phone)), f"{name} returned {str(value)[:200]}, which is not so"
    return outcome


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "times", "value"), EVERY, ids=str)
def test_fault_at_every_call(pair: Pair, kind: FaultKind, times: int, value: str) -> None:
    phone = pair.bad.phone
    outcomes: dict[str, str] = {}
    if kind in (FaultKind.OFFLINE, FaultKind.HANGING_COMMAND) or (kind, times) == (FaultKind.SLOW_COMMAND, ALWAYS):
        pair.device.adb.timeout = TIMEOUT / 2
    for name in CALLS:
        prepare(phone)
        if name == "type_text":
            typing(phone)
        phone.faults.add(Fault(kind, times=times, value=value))
        if kind == FaultKind.UNAUTHORIZED and name == "screenshot":
            pair.bad.daemon.drop_from_any_thread()
        outcomes[name] = judge(pair.device, name, phone, 4 * TIMEOUT if name in ("pull", "restore") else 2 * TIMEOUT)
        pair.neighbour_is_well()
    prepare(phone)
    pair.recovered()
    expect(kind, times, outcomes)


def expect(kind: FaultKind, times: int, outcomes: dict[str, str]) -> None:
    """What must have come out where it is known; the rest was right or a typed error."""
    lasting = times == ALWAYS
    told = {name: outcomes[name] for name in ("screenshot", "ui_tree", "tap", "shell", "press")}
    if kind == FaultKind.OFFLINE:
        assert set(told.values()) <= {"DeviceOffline", "DeviceTimeout"}
    elif kind == FaultKind.UNAUTHORIZED:
        assert set(told.values()) == {"DeviceUnauthorized"}
    elif kind == FaultKind.HANGING_COMMAND:
        assert told["shell"] == told["press"] == "DeviceTimeout"
    elif kind == FaultKind.SLOW_COMMAND:
        assert set(told.values()) == ({"DeviceTimeout"} if lasting else {"right"})
    elif kind == FaultKind.TRUNCATED_OUTPUT:
        assert told["shell"] == told["press"] == "TruncatedOutput"
        assert told["screenshot"] in ({"ScreenshotFailed", "TruncatedOutput"} if lasting else {"right"})
    elif kind == FaultKind.CONNECTION_DROPPED:
        assert told["shell"] in {"TruncatedOutput", "DeviceOffline"}
    elif kind == FaultKind.STALE_HIERARCHY:
        assert told["ui_tree"] == ("NoFreshTree" if lasting else "right")
    elif kind == FaultKind.LOST_CHARACTERS:
        assert outcomes["type_text"] == ("TextNotTyped" if lasting else "right")
    elif kind == FaultKind.NOT_RESPONDING:
        assert outcomes["open_app"] == "AppNotInFront"
    assert {outcomes[name] for name in ("snapshot", "restore")} <= {
        "NotSupported", "DeviceOffline", "DeviceTimeout", "DeviceUnauthorized"}  # fmt: skip
    if kind in CORE:
        assert all(
            outcomes[name] == "right" for name in ("screenshot", "screen_size", "foreground", "shell", "pull", "push")
        )


@pytest.mark.parametrize("kind", CORE)
@pytest.mark.parametrize("times", [ONCE, ALWAYS])
def test_core_faults_in_process(kind: FaultKind, times: int) -> None:
    phone = Phone(seed=1, size=(540, 1200))
    device = PocketDevice(phone)
    outcomes = {}
    for name in CALLS:
        prepare(phone)
        device.snapshot("a")
        if name == "type_text":
            typing(phone)
        phone.faults.add(Fault(kind, times=times, value="2" if kind == FaultKind.LOST_CHARACTERS else ""))
        outcomes[name] = judge(device, name, phone, TIMEOUT)
    if kind == FaultKind.LOST_CHARACTERS:
        assert outcomes["type_text"] == "TextNotTyped"
    if kind == FaultKind.STALE_HIERARCHY:
        assert outcomes["ui_tree"] == ("NoFreshTree" if times == ALWAYS else "right")
    assert outcomes["screenshot"] == outcomes["shell"] == outcomes["push"] == "right"


def test_black_is_flagged_and_secure_is_told(pair: Pair) -> None:
    prepare(pair.bad.phone)
    assert not pair.device.screenshot().black
    pair.bad.phone.faults.add(Fault(FaultKind.BLACK_SCREEN, times=-1))
    for device in (pair.device, PocketDevice(pair.bad.phone)):
        picture = device.screenshot()
        assert picture.black and picture.secure
    pair.bad.phone.faults.clear()
    pair.bad.phone.set_awake(False)
    picture = pair.device.screenshot()
    assert picture.black and picture.secure is False, "black because the screen is off"


def test_a_phone_that_vanishes_for_good(pair: Pair) -> None:
    pair.bad.phone.faults.add(Fault(FaultKind.OFFLINE, times=-1))
    pair.bad.daemon.drop_from_any_thread()
    kinds = (DeviceOffline, DeviceTimeout, NoFreshTree, AppNotInFront, DeviceUnauthorized, TruncatedOutput)
    for call in (pair.device.screenshot, pair.device.ui_tree, lambda: pair.device.shell("true")):
        with pytest.raises(kinds):
            call()
    pair.neighbour_is_well()


def test_no_thread_is_left_behind(pair: Pair) -> None:
    before = {thread.name for thread in threading.enumerate()}
    pair.device.ui_tree()
    pair.device.type_text("é")
    pair.device.close()
    left = {thread.name for thread in threading.enumerate()} - before
    assert all(name.startswith("pocket") for name in left), left
