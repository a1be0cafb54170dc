"""Ports nobody else has: across threads, processes and other people's adb servers on this computer.

A port is ours while a lock file for it is held (released by the system when the process dies) and it was free when it
was given out. Facts (docs of the emulator, public reports): `-port` takes even numbers 5554..5682 and needs the next
port for adb as well; every adb server looks for emulators at 5555..5585, so ours begin above; two environments on one
gRPC port fail (android_env#201); a forward silently moves to another phone (uiautomator#209).
"""

from __future__ import annotations

import getpass
import socket
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from emulator.device_errors import DeviceOffline

if TYPE_CHECKING:
    from filelock import FileLock

SCANNED = range(5554, 5586)
"""Where every adb server looks for emulators by itself."""
ADB_DEFAULT = 5037
CONSOLE_PORTS = range(5586, 5684, 2)
TRIES = 200


def lock_folder() -> Path:
    """Folder of this user's lock files, made if need be."""
    folder = Path(tempfile.gettempdir()) / f"solar-eval-locks-{getpass.getuser()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether somebody could listen on it now. Asked without SO_REUSEADDR's leniency towards listeners."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # ports in TIME_WAIT are free for our purpose
        try:
            sock.bind((host, port))
        except OSError:
            return False
    return True


@dataclass
class Ports:
    """The ports of one emulator, held until `release`. adb is console + 1 and `serial` names the console's."""

    console: int
    adb: int
    grpc: int
    adb_server: int
    accessibility: int
    locks: list[FileLock] = field(default_factory=list, repr=False)

    @property
    def serial(self) -> str:
        """The emulator's name in `adb devices`."""
        return f"emulator-{self.console}"

    def numbers(self) -> tuple[int, int, int, int, int]:
        """All five."""
        return self.console, self.adb, self.grpc, self.adb_server, self.accessibility

    def release(self) -> None:
        """Give them back; safe to call twice."""
        while self.locks:
            self.locks.pop().release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class PortAllocator:
    """Gives out sets of ports. consoles: even numbers an emulator may have as its console port."""

    def __init__(self, consoles: range = CONSOLE_PORTS, folder: Path | None = None) -> None:
        self.consoles = consoles
        self.folder = folder
        self._mutex = threading.Lock()

    def take(self) -> Ports:
        """Five free ports; DeviceOffline when every console port is taken."""
        locks: list[FileLock] = []
        with self._mutex:
            try:
                console = self._console(locks)
                grpc, adb_server, accessibility = (self._any(locks) for _ in range(3))
            except BaseException:
                for lock in locks:
                    lock.release()
                raise
        return Ports(console, console + 1, grpc, adb_server, accessibility, locks)

    def _console(self, locks: list[FileLock]) -> int:
        for port in self.consoles:
            if port % 2 == 0 and self._hold((port, port + 1), locks):
                return port
        last = self.consoles[-1]
        raise DeviceOffline(
            f"no two neighbouring ports are free for an emulator within {self.consoles[0]}..{last + 1}",
            "ports",
            "end emulators that are left over, or give another range of console ports",
        )

    def _any(self, locks: list[FileLock]) -> int:
        """A port the system chooses."""
        for _ in range(TRIES):
            with socket.socket() as sock:
                sock.bind(("127.0.0.1", 0))
                port = int(sock.getsockname()[1])
            if port != ADB_DEFAULT and port not in SCANNED and self._hold((port,), locks):
                return port
        raise DeviceOffline(f"{TRIES} tries gave no free port", "ports")

    def _hold(self, ports: tuple[int, ...], locks: list[FileLock]) -> bool:
        """Lock all of them, and see that they are free; False, with nothing held, if not."""
        from filelock import FileLock, Timeout

        mine: list[FileLock] = []
        for port in ports:
            lock = FileLock((self.folder or lock_folder()) / f"port-{port}.lock", blocking=False, thread_local=False)
            try:
                lock.acquire()
            except Timeout:
                break
            mine.append(lock)
            if not is_free(port):
                break
        else:
            locks += mine
            return True
        for lock in mine:
            lock.release()
        return False
