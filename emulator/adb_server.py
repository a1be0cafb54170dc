"""An adb server of one's own: one server a phone, on a port the system chooses, ended with its `with` block.

Why: a server that several phones share is restarted by any tool that finds it in its way, and then every running
command of every phone ends, some of them with exit code 0 (wix/Detox#4900; android_env's controller does it at each
failed command). A server here has its own port, its own log and nobody else's phones. It ends with this
process, however that ends: a shell between the two holds a pipe and ends the server when the pipe closes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from emulator import adb_socket
from emulator.adb_socket import Deadline
from emulator.device_errors import DeviceError, DeviceOffline, DeviceTimeout, NotSupported

START_SECONDS = 20.0
STOP_SECONDS = 5.0
POLL_SECONDS = 0.02
RESERVED_PORTS = frozenset({5037, *range(5554, 5586)})
TRIES = 50
KEEPER = (  # runs "$0" "$@" until it ends by itself or standard input closes
    'exec 3<&0; "$0" "$@" </dev/null 3<&- & server=$!; '
    "{ read line <&3; kill $server; } 2>/dev/null & reader=$!; wait $server; kill $reader 2>/dev/null"
)


def find_adb() -> str:
    """Path of an adb: $ADB_PATH, the SDK's, the one on PATH, the one adbutils brings; NotSupported without any."""
    import shutil

    sdk = os.environ.get("ANDROID_HOME") or os.environ.get("ANDROID_SDK_ROOT") or "~/Android/Sdk"
    tried = [os.environ.get("ADB_PATH", ""), str(Path(sdk).expanduser() / "platform-tools" / "adb"), _adbutils_adb()]
    tried.insert(2, shutil.which("adb") or "")
    for path in tried:
        if path and Path(path).is_file():
            return path
    raise NotSupported("no adb was found", "", "install the Android SDK's platform-tools, or pip install adbutils")


def _adbutils_adb() -> str:
    from importlib import resources

    try:
        return str(resources.files("adbutils").joinpath("binaries/adb"))
    except ModuleNotFoundError:
        return ""


def free_port() -> int:
    """A port nobody listens on, never one at which adb servers look for emulators; DeviceOffline if none is found."""
    for _ in range(TRIES):
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = int(sock.getsockname()[1])
        if port not in RESERVED_PORTS:
            return port
    raise DeviceOffline(f"{TRIES} tries gave no free port")


class AdbServer:
    """A running adb server. `port` is where it listens.

    adb_path: the program (None: `find_adb`). port: 0 lets the system choose. auto_find: look for emulators on
    5555..5585 as adb does by default; off, since it takes other people's phones. usb: serve phones on cables (only one
    server of a computer can hold a cable, and looking for them takes seconds).
    """

    def __init__(
        self, adb_path: str | None = None, port: int = 0, *, auto_find: bool = False, usb: bool = False
    ) -> None:
        self.path = adb_path or find_adb()
        self.port = port
        self.auto_find, self.usb = auto_find, usb
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it and wait until it answers. DeviceOffline with the server's last words if it does not."""
        for _ in range(3 if self.port == 0 else 1):
            port = self.port or free_port()
            try:
                self._start_on(port)
            except DeviceOffline as error:
                failure = error  # somebody took the port in between: once more with another
                continue
            self.port = port
            return self
        raise failure

    def _start_on(self, port: int) -> None:
        command = ["sh", "-c", KEEPER, self.path, "-P", str(port), "nodaemon", "server"]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=self._log, stderr=self._log,
            env=self.environment(port), start_new_session=True,
        )  # fmt: skip
        deadline = Deadline(START_SECONDS, f"adb server on port {port}")
        while True:
            if self._process.poll() is not None:
                said = self._last_words()
                self.stop()
                raise DeviceOffline(f"the adb server ended at once: {said}", deadline.where)
            try:
                adb_socket.host_request(port, "host:version", deadline)
                return
            except DeviceTimeout:
                self.stop()
                raise
            except DeviceError:
                deadline.pause(POLL_SECONDS)

    def environment(self, port: int | None = None) -> dict[str, str]:
        """Environment for adb commands that are to use this server."""
        kept = {key: value for key, value in os.environ.items() if key not in ("ANDROID_SERIAL", "ADB_TRACE")}
        kept["ANDROID_ADB_SERVER_PORT"] = str(port or self.port)
        kept["ADB_REJECT_KILL_SERVER"] = "1"  # from adb 34 on: nobody else's `kill-server` ends it
        if not self.auto_find:
            kept["ADB_LOCAL_TRANSPORT_MAX_PORT"] = "5553"
            kept["ADB_MDNS_OPENSCREEN"] = kept["ADB_MDNS"] = "0"
        if not self.usb:
            kept["ADB_USB"] = "0"
        return kept

    def _last_words(self) -> str:
        self._log.seek(0)
        return self._log.read()[-800:].decode(errors="replace").strip()

    def connect(self, address: str, seconds: float = 15.0) -> str:
        """Connect to a phone at host:port; its serial. DeviceOffline, DeviceUnauthorized, DeviceTimeout."""
        deadline = Deadline(seconds, f"{address}: connect")
        answer = adb_socket.host_request(self.port, f"host:connect:{address}", deadline)
        if "connected to" not in answer:
            raise DeviceOffline(answer.strip(), deadline.where)
        self.wait(address, deadline)
        return address

    def announce(self, adb_port: int, seconds: float = 15.0) -> str:
        """Take in a phone of this machine as `emulator-<adb_port - 1>`, as emulators do when they start."""
        serial = f"emulator-{adb_port - 1}"
        deadline = Deadline(seconds, f"{serial}: announce")
        with adb_socket.AdbStream(self.port, deadline) as stream:
            stream.tell(f"host:emulator:{adb_port}")
        self.wait(serial, deadline)
        return serial

    def wait(self, serial: str, deadline: Deadline) -> None:
        """Until the phone is listed as `device`; DeviceUnauthorized at once, DeviceTimeout otherwise."""
        last = "not listed"
        while True:
            try:
                last = adb_socket.host_request(self.port, f"host-serial:{serial}:get-state", deadline)
                if last == "device":
                    return
            except DeviceOffline as error:
                last = error.what
            try:
                deadline.pause(POLL_SECONDS)
            except DeviceTimeout as error:
                raise DeviceTimeout(f"not usable within {deadline.seconds:g} s: {last}", deadline.where) from error

    def devices(self, seconds: float = 5.0) -> dict[str, str]:
        """Serial -> state (device, offline, unauthorized, ...) of what this server knows."""
        answer = adb_socket.host_request(self.port, "host:devices", Deadline(seconds, "adb devices"))
        return dict(line.split("\t", 1) for line in answer.splitlines() if "\t" in line)

    def disconnect(self, serial: str, seconds: float = 5.0) -> None:
        """Forget a phone connected by address."""
        adb_socket.host_request(self.port, f"host:disconnect:{serial}", Deadline(seconds, f"{serial}: disconnect"))

    def stop(self) -> None:
        """End the server: kindly, then for good. Only the processes started here are touched."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own: the shell, the server, nothing else
            process.wait(STOP_SECONDS)
        self._log.close()

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()


def usable(devices: dict[str, str]) -> list[str]:
    """The serials that can be used now, in the order listed: no offline or unauthorized one."""
    return [serial for serial, state in devices.items() if state == "device"]
