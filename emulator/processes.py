"""One program started here: in a session of its own, its output kept, ended kindly and then for good.

Only what was started here is ever ended: signals go to the program's own process group, and the group's number can't
be anybody else's, since its leader is not reaped before (facts: left-over emulators that hold an AVD's lock for a
minute, DitchOoM and composelife reports; `adb emu kill` that hits nothing). When this program dies, however it dies,
the leader sees its standard input close and ends the rest.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from emulator.device_errors import DeviceError, DeviceOffline

ASK_SECONDS = 10.0
KIND_SECONDS = 5.0
HARD_SECONDS = 5.0
POLL_SECONDS = 0.02
KEEPER = """
exec 3<&0
"$0" "$@" </dev/null 3<&- & child=$!
{ read line <&3; trap '' TERM; kill $child; n=0
  while kill -0 $child && [ $n -lt 25 ]; do sleep 0.2; n=$((n+1)); done
  kill -9 0; } 2>/dev/null & reader=$!
wait $child; code=$?
kill $reader 2>/dev/null
exit $code
"""
"""Runs "$0" "$@" until it ends, or standard input closes: then SIGTERM, and SIGKILL to the group 5 s later."""


class OwnProcess:
    """A running program. name: for messages. env: the whole environment, None for ours."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self.name, self.command = name, list(command)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        try:
            if not Path(self.command[0]).is_file():
                raise FileNotFoundError(2, "no such program", self.command[0])
            self._process = subprocess.Popen(
                ["sh", "-c", KEEPER, *self.command], stdin=subprocess.PIPE, stdout=self._log, stderr=self._log,
                env=dict(env) if env is not None else None, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._log.close()
            raise DeviceOffline(f"can't start {shlex.join(self.command)}: {error}", name) from error

    @property
    def pid(self) -> int:
        """The leader of the process group."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether it runs; does not reap it."""
        if self._process.returncode is not None:
            return False
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is None
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def tail(self, characters: int = 1500) -> str:
        """The last of what it printed."""
        if self._log.closed:
            return ""
        size = os.fstat(self._log.fileno()).st_size
        start = max(0, size - characters)
        return os.pread(self._log.fileno(), characters, start).decode(errors="replace").strip()

    def wait(self, seconds: float) -> bool:
        """Whether it ended within so many seconds."""
        end = time.monotonic() + seconds
        while self.alive():
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def check(self, where: str) -> None:
        """DeviceOffline with its last words if it has ended."""
        if not self.alive():
            raise DeviceOffline(f"{self.name} ended by itself; its last output:\n{self.tail() or '(none)'}", where)

    def end(self, ask: Callable[[], object] | None = None) -> None:
        """Ask (if there is a way to), then SIGTERM, then SIGKILL to the group; nothing of it is left afterwards."""
        if self._process.returncode is not None:
            return
        if ask is not None and self.alive():
            with contextlib.suppress(DeviceError, OSError):  # asking is a courtesy; the signals below are not
                ask()
                self.wait(ASK_SECONDS)
        if self._process.stdin is not None:
            self._process.stdin.close()
        self.wait(KIND_SECONDS + 2.0)
        self._signal(signal.SIGKILL)  # also to what a dead leader left behind: its number is still ours
        self._process.wait(HARD_SECONDS)
        self._log.close()

    def kill(self) -> None:
        """SIGKILL to the whole group, at once."""
        if self._process.returncode is None:
            self._signal(signal.SIGKILL)
        self.end()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)
