"""Whole phones kept and brought back, and the proof that they were: a mark written before, looked for afterwards.

`avd snapshot load` says OK before anything is loaded, and a restore that did nothing looks like one that worked
(kaeawc/auto-mobile#6489, #4236). So a mark goes into the phone before it is kept; before loading another one is put in
its place; and after loading, once the phone answers again, the second must be gone.
"""

from __future__ import annotations

import re
import secrets
import subprocess
from typing import Protocol

from emulator.adb_calls import EMULATOR_SERIAL, Adb
from emulator.adb_server import find_adb
from emulator.adb_socket import Deadline
from emulator.device_errors import CommandFailed, DeviceError, DeviceTimeout, NotSupported

MARK = "/data/local/tmp/solar_snapshot_mark"
NAME = re.compile(r"[\w.-]{1,64}")
CONSOLE_SECONDS = 20.0
SAVE_SECONDS = 120.0
LOAD_SECONDS = 120.0
POLL_SECONDS = 0.2


class SnapshotStore(Protocol):
    """Who keeps whole phones. Both raise CommandFailed if it was refused, DeviceTimeout if it took too long."""

    def save(self, name: str) -> None:
        """Keep the phone as it is."""

    def load(self, name: str) -> None:
        """Bring it back; the phone may be offline for a while afterwards."""


class NoStore:
    """A phone without snapshots."""

    def __init__(self, serial: str) -> None:
        self.serial = serial

    def save(self, name: str) -> None:
        """NotSupported."""
        raise NotSupported("this phone keeps no snapshots", f"{self.serial}: snapshot", "use an emulator")

    load = save


class Console:
    """An emulator's console, through `adb -s SERIAL emu`, which knows its port and its token."""

    def __init__(self, serial: str, server_port: int, adb_path: str | None = None) -> None:
        self.serial, self.server_port, self.adb_path = serial, server_port, adb_path

    def run(self, command: str, seconds: float = CONSOLE_SECONDS) -> str:
        """The answer without its last line `OK`; CommandFailed for KO, DeviceTimeout."""
        where = f"{self.serial}: console {command[:80]}"
        line = [self.adb_path or find_adb(), "-P", str(self.server_port), "-s", self.serial, "emu", command]
        try:
            done = subprocess.run(line, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as error:
            raise DeviceTimeout(f"the console gave no answer within {seconds:g} s", where) from error
        said = (done.stdout + done.stderr).decode(errors="replace").replace("\r\n", "\n").strip()
        if done.returncode or re.search(r"^KO", said, re.M):
            raise CommandFailed(said[-300:] or "the console refused", where, exit_code=done.returncode, output=said)
        return said.removesuffix("OK").rstrip()


class ConsoleStore:
    """An emulator's own snapshots."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def save(self, name: str) -> None:
        """`avd snapshot save NAME`."""
        self.console.run(f"avd snapshot save {name}", SAVE_SECONDS)

    def load(self, name: str) -> None:
        """`avd snapshot load NAME`."""
        self.console.run(f"avd snapshot load {name}", LOAD_SECONDS)


def console_of(serial: str, server_port: int, adb_path: str | None) -> Console | None:
    """The console of an emulator's serial, None for another."""
    return Console(serial, server_port, adb_path) if EMULATOR_SERIAL.fullmatch(serial) else None


def store_of(serial: str, console: Console | None) -> SnapshotStore:
    """The console's store, or none."""
    return NoStore(serial) if console is None else ConsoleStore(console)


def checked_save(adb: Adb, store: SnapshotStore, name: str) -> None:
    """Mark the phone, then keep it. ValueError for a name that is no plain word."""
    _check_name(name)
    adb.push(MARK, f"snapshot {name} {secrets.token_hex(8)}".encode(), adb.deadline("snapshot"))
    store.save(name)
    _wait_ready(adb, Deadline(SAVE_SECONDS, f"{adb.serial}: snapshot"))


def checked_restore(adb: Adb, store: SnapshotStore, name: str) -> None:
    """Load, wait until the phone answers, look at the mark; CommandFailed if the phone is still the one it was."""
    _check_name(name)
    other = f"before loading {name} {secrets.token_hex(8)}".encode()
    if not isinstance(store, NoStore):
        adb.push(MARK, other, adb.deadline("restore"))
    store.load(name)
    deadline = Deadline(LOAD_SECONDS, f"{adb.serial}: restore")
    _wait_ready(adb, deadline)
    try:
        found = adb.repeated(lambda limit: adb.pull(MARK, limit), deadline)
    except CommandFailed:
        found = b""  # a snapshot made by others has no mark
    if found == other:
        raise CommandFailed(f"loading {name!r} changed nothing", deadline.where, "boot the emulator afresh")
    if found.startswith(b"snapshot ") and found.split()[1] != name.encode():
        raise CommandFailed(f"loading {name!r} brought {found.split()[1].decode()!r}", deadline.where)


def _wait_ready(adb: Adb, deadline: Deadline) -> None:
    """Until the shell answers and the system says that it has booted."""
    while True:
        try:
            limit = Deadline(min(5.0, deadline.left()), deadline.where)
            if adb.do("getprop sys.boot_completed", limit).strip() == "1":
                return
        except DeviceError:
            deadline.left()  # DeviceTimeout once the time is over
            adb.reconnect(deadline)
        deadline.pause(POLL_SECONDS)


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise ValueError(f"a snapshot's name is letters, digits, . _ and -, not {name!r}")
