"""How a task reaches the phone: the two calls of `Device` that it needs.

Everything a task prepares and reads goes through the phone's shell, so that it is the same over adb and in process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from emulator.device import ShellResult
from emulator.device_errors import CommandFailed
from emulator.pocket_device import PocketDevice


class Access(Protocol):
    """The part of `emulator.device.Device` that preparing and judging use."""

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """Run a command line."""

    def pull(self, path: str) -> bytes:
        """The content of a file."""


PhoneAccess = PocketDevice
"""Those calls on a phone in this process."""


def run(device: Access, command: str) -> str:
    """What a command printed. CommandFailed, with its words, for an exit status other than 0."""
    result = device.shell(command)
    if result.exit_code != 0:
        said = (result.stderr or result.stdout).strip()
        raise CommandFailed(f"exit status {result.exit_code} of {command[:120]!r}: {said[:300]}", "pocket_world",
                            "pocket_world needs the pocket phone", result.exit_code, said)  # fmt: skip
    return result.stdout
