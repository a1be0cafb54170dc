"""android_env's adb controller over a `Device`: the same command lines, carried out once.

Definition: android_env 1.3.0 components/adb_controller.py and adb_call_parser.py. Departs from it: a command that fails
is not run again and no server is killed or restarted (upstream does both at every failure); the environment of the
process is left alone (upstream deletes ANDROID_HOME from it); only the one phone is ever spoken to.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from android_env.components import adb_controller, errors

from emulator.device import Device
from emulator.device_errors import CommandFailed, DeviceTimeout

APK_PLACE = "/data/local/tmp/solar_install.apk"
Failures = Literal["raise", "status"]


@runtime_checkable
class HasConsole(Protocol):
    """A phone with an emulator console (`adb emu`)."""

    def console(self, command: str) -> str:
        """What the console answers; CommandFailed for KO."""


@runtime_checkable
class HasRoot(Protocol):
    """A phone whose adb daemon can be restarted as root."""

    def root(self) -> None:
        """`adb root`."""


class DeviceAdbController(adb_controller.AdbController):  # type: ignore[misc]  # android_env has no types
    """Runs adb command lines on one phone.

    failures: what a command's failure becomes. "raise": AdbControllerError, which AndroidWorld's code catches in
    places; "status": what makes AdbCallParser answer with ADB_ERROR or TIMEOUT, as android_env's API promises.
    A phone that fails (offline, truncated output, ...) is a DeviceError either way, never a command's failure.
    """

    def __init__(self, device: Device, failures: Failures = "raise") -> None:
        self.device, self.failures = device, failures

    def command_prefix(self, include_device_name: bool = True) -> list[str]:
        """For messages: the command line this stands for."""
        return ["adb", "-s", self.device.serial] if include_device_name else ["adb"]

    def init_server(self, timeout: float | None = None) -> None:
        """The server belongs to whoever started it."""

    def execute_command(self, args: list[str], timeout: float | None = None, device_specific: bool = True) -> bytes:
        """Output of `adb args`, both streams; AdbControllerError for a failure, DeviceError for the phone's faults."""
        verb = VERBS.get(args[0]) if args else None
        if verb is None:
            raise errors.AdbControllerError(f"adb {' '.join(args)[:200]!r} is not carried out by this controller")
        try:
            return verb(self, args[1:], timeout)
        except DeviceTimeout as error:
            if self.failures == "status":
                raise subprocess.TimeoutExpired(args, timeout or 0) from error
            raise

    def failed(self, command: str, status: int, output: str) -> Exception:
        """The error of a command that ended with `status`."""
        if self.failures == "status":
            return subprocess.CalledProcessError(status, command, output=output)
        failure: Exception = errors.AdbControllerError(f"adb {command[:300]}: status {status}: {output[-2000:]}")
        return failure

    def shell(self, words: list[str], timeout: float | None) -> bytes:
        """`adb shell WORDS`: joined by blanks and read by the phone's shell, as adb does."""
        command = " ".join(words)
        result = self.device.shell(command, timeout)
        output = result.stdout + result.stderr
        if result.exit_code:
            raise self.failed(f"shell {command}", result.exit_code, output)
        return output.encode()

    def exec_out(self, words: list[str], timeout: float | None) -> bytes:
        """`adb exec-out WORDS`: pictures and files as bytes, everything else as text."""
        if words[:1] == ["screencap"]:
            return self.device.screenshot().png
        if words[:1] == ["cat"] and len(words) == 2:
            return self.device.pull(words[1])
        return self.shell(words, timeout)

    def push(self, words: list[str], timeout: float | None) -> bytes:
        """`adb push LOCAL REMOTE`: one file."""
        local, remote = Path(words[-2]), words[-1]
        directory = self.device.shell(["test", "-d", remote]).exit_code == 0 or remote.endswith("/")
        target = f"{remote.rstrip('/')}/{local.name}" if directory else remote
        self._on_phone(f"push {target}", lambda: self.device.push(target, local.read_bytes()))
        return f"{local}: 1 file pushed.\n".encode()

    def pull(self, words: list[str], timeout: float | None) -> bytes:
        """`adb pull REMOTE [LOCAL]`: one file."""
        remote, local = words[0], Path(words[1] if len(words) > 1 else ".")
        content: list[bytes] = []
        self._on_phone(f"pull {remote}", lambda: content.append(self.device.pull(remote)))
        (local / remote.rpartition("/")[2] if local.is_dir() else local).write_bytes(content[0])
        return f"{remote}: 1 file pulled.\n".encode()

    def _on_phone(self, command: str, action: Callable[[], object]) -> None:
        try:
            action()
        except CommandFailed as error:
            raise self.failed(command, error.exit_code, error.what) from error

    def install(self, words: list[str], timeout: float | None) -> bytes:
        """`adb install [OPTIONS] APK`."""
        self.device.push(APK_PLACE, Path(words[-1]).read_bytes())
        try:
            return self.shell(["pm", "install", *words[:-1], APK_PLACE], timeout)
        finally:
            self.device.shell(["rm", "-f", APK_PLACE])

    def emu(self, words: list[str], timeout: float | None) -> bytes:
        """`adb emu WORDS`: the emulator's console."""
        if not isinstance(self.device, HasConsole):
            raise self.failed(f"emu {' '.join(words)}", 1, f"{self.device.serial} has no console")
        answers: list[str] = []
        device = self.device
        self._on_phone(f"emu {' '.join(words)}", lambda: answers.append(device.console(" ".join(words))))
        return answers[0].encode()

    def root(self, words: list[str], timeout: float | None) -> bytes:
        """`adb root`."""
        if isinstance(self.device, HasRoot):
            self.device.root()
        return b"restarting adbd as root\n"

    def quiet(self, words: list[str], timeout: float | None) -> bytes:
        """What concerns the server or the connection, which have their owner."""
        return b""


def _state(controller: DeviceAdbController, words: list[str], timeout: float | None) -> bytes:
    controller.device.foreground()
    return b"device\n"


def _list(controller: DeviceAdbController, words: list[str], timeout: float | None) -> bytes:
    return f"List of devices attached\n{controller.device.serial}\tdevice\n\n".encode()


VERBS: dict[str, Callable[[DeviceAdbController, list[str], float | None], bytes]] = {
    "shell": DeviceAdbController.shell,
    "exec-out": DeviceAdbController.exec_out,
    "push": DeviceAdbController.push,
    "pull": DeviceAdbController.pull,
    "install": DeviceAdbController.install,
    "uninstall": lambda c, words, timeout: c.shell(["pm", "uninstall", *words], timeout),
    "logcat": lambda c, words, timeout: c.shell(["logcat", "-d", *words], timeout),
    "emu": DeviceAdbController.emu,
    "root": DeviceAdbController.root,
    "devices": _list,
    "get-state": _state,
    "wait-for-device": _state,
    **dict.fromkeys(("unroot", "remount", "start-server", "kill-server", "reconnect"), DeviceAdbController.quiet),
}
