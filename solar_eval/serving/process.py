"""A server process that is ours: its own group, its last output kept, ended with all its children."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from solar_eval.errors import InfrastructureError

GRACE_S = 15.0


def free_port(host: str = "127.0.0.1") -> int:
    """A port that the system says is free now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


class ServerProcess:
    """Starts `words`; `ready` is asked until it holds. Raises InfrastructureError with the server's last lines."""

    def __init__(self, words: Sequence[str], lines: int = 60) -> None:
        self.tail: deque[str] = deque(maxlen=lines)
        try:
            self._process = subprocess.Popen(
                list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise InfrastructureError(str(error), words[0], "is it installed?") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.tail.append(line.rstrip())

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._process.poll() is None

    def wait_until(self, ready: Callable[[], bool], timeout_s: float, pause_s: float = 0.5) -> None:
        """Returns when `ready()` is true. The error holds what the server said last."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if not self.running:
                raise InfrastructureError(f"the server ended with code {self._process.returncode}:\n{self.said()}")
            if ready():
                return
            time.sleep(pause_s)
        raise InfrastructureError(f"the server was not ready after {timeout_s:g} s:\n{self.said()}", fix="--timeout")

    def said(self) -> str:
        """Its last lines."""
        return "\n".join(f"    {line}" for line in self.tail) or "    (it said nothing)"

    def stop(self) -> None:
        """Asks the whole group to end, then ends it. Only this process's own group is touched."""
        for sign, wait in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, 5.0)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
            if not self.running and not _group_alive(self._process.pid):
                break
        self._reader.join(2)


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


@contextlib.contextmanager
def serving(words: Sequence[str], ready: Callable[[], bool], timeout_s: float) -> Iterator[ServerProcess]:
    """The server for as long as the block runs; gone afterwards, children and all."""
    server = ServerProcess(words)
    try:
        server.wait_until(ready, timeout_s)
        yield server
    finally:
        server.stop()
