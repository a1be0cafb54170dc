"""How a task reaches the phone: the three calls of `Device` it needs, and the same three on a phone in this process.

Everything a task prepares and reads goes through the phone's shell, so that it is the same over adb and in process.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Protocol

from emulator.device import ShellResult
from emulator.device_errors import CommandFailed
from emulator.pocket.phone import Phone
from emulator.pocket.shell.endpoint import Endpoint
from emulator.pocket.shell.interpreter import Shell


class Access(Protocol):
    """The part of `emulator.device.Device` that preparing and judging use."""

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """Run a command line."""

    def pull(self, path: str) -> bytes:
        """The content of a file."""


class PhoneAccess:
    """A phone in this process."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.endpoint = Endpoint(phone)

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """Run a command line to its end; `timeout` is not needed, no wall time passes."""
        source = command if isinstance(command, str) else shlex.join(command)
        result = Shell(self.phone, self.endpoint).run(source)
        return ShellResult(result.status, result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8",
                           "replace"))  # fmt: skip

    def pull(self, path: str) -> bytes:
        """The content of a file; CommandFailed if there is none."""
        with self.phone.lock:
            try:
                return self.phone.fs.read(self.phone.fs.canonical(path))
            except OSError as error:
                raise CommandFailed(f"no file {path}: {error.strerror}", "pocket pull") from error


def run(device: Access, command: str) -> str:
    """What a command printed. CommandFailed, with its words, for an exit status other than 0."""
    result = device.shell(command)
    if result.exit_code != 0:
        said = (result.stderr or result.stdout).strip()
        raise CommandFailed(f"exit status {result.exit_code} of {command[:120]!r}: {said[:300]}", "pocket_world",
                            "pocket_world needs the pocket phone", result.exit_code, said)  # fmt: skip
    return result.stdout
