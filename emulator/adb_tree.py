"""Fresh hierarchies over adb, and the window in focus.

Sources: uiautomator2's server on the phone, or `uiautomator dump` done right: the old file is deleted first, the line
of success is looked for (the exit code is 0 even for "could not get idle state"), and only then the file is read; all
in one command. Whatever the source, the tree counts only if its package is that of the window in focus afterwards.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Literal

from emulator import android_state, u2_server
from emulator.adb_calls import Adb
from emulator.adb_socket import Deadline
from emulator.device import Foreground, Tree
from emulator.device_errors import (
    AppNotInFront,
    CommandFailed,
    DeviceTimeout,
    NoFreshTree,
    NotSupported,
    TruncatedOutput,
)
from emulator.tree import made

Hierarchy = Literal["auto", "uiautomator2", "dump"]
DUMP_FILE = "/data/local/tmp/solar_window_dump.xml"
TRIES = 4
PAUSE = 0.2
FOCUS_SECONDS = 3.0


class Reader:
    """What one phone shows. `fallback`: why uiautomator2 was given up for `uiautomator dump` ("" if it was not)."""

    def __init__(self, adb: Adb, hierarchy: Hierarchy) -> None:
        self.adb = adb
        self.u2 = u2_server.U2Server(adb)
        self.fallback = ""
        self._auto = hierarchy == "auto"
        self.by_u2 = hierarchy == "uiautomator2" or (self._auto and u2_server.available())

    def tree(self, deadline: Deadline) -> Tree:
        """The hierarchy of the window in front; NoFreshTree after a few tries or at the deadline."""
        for attempt in range(TRIES):
            try:
                return self._read(deadline)
            except (NoFreshTree, TruncatedOutput) as error:
                failure = error if isinstance(error, NoFreshTree) else NoFreshTree(error.what, deadline.where)
                if attempt < TRIES - 1:
                    _pause_or(deadline, failure)
        raise failure

    def _read(self, deadline: Deadline) -> Tree:
        return self._from_u2(deadline) if self.by_u2 else self._from_dump(deadline)

    def _from_u2(self, deadline: Deadline) -> Tree:
        try:
            xml = self.adb.repeated(self.u2.hierarchy, deadline)
        except (CommandFailed, NotSupported) as error:
            if not self._auto:
                raise NoFreshTree(error.what, deadline.where, error.fix) from error
            self.fallback, self.by_u2 = error.what, False
            self.u2.stop()
            return self._from_dump(deadline)
        front = self.adb.repeated(self.foreground, deadline)
        return made(xml, "uiautomator2", front.package, deadline.where)

    def _from_dump(self, deadline: Deadline) -> Tree:
        mark = secrets.token_hex(8)
        command = (
            f"rm -f {DUMP_FILE}; uiautomator dump {DUMP_FILE} 2>&1; echo {mark}; cat {DUMP_FILE}; echo {mark}; "
            f"{android_state.FOCUS_COMMAND}"
        )
        output = self.adb.repeated(lambda limit: self.adb.shell(command, limit), deadline).stdout
        said, xml, focus = [*output.split(mark, 2), "", ""][:3]
        if "dumped to" not in said:
            raise NoFreshTree(f"uiautomator dump: {said.strip()[:300] or 'no answer'}", deadline.where)
        front = android_state.foreground(focus)
        if front is None:
            raise NoFreshTree("no window has the focus", deadline.where)
        return made(xml, "uiautomator dump", front.package, deadline.where)

    def foreground(self, deadline: Deadline) -> Foreground:
        """The window with the focus; between two screens there is none for a moment, which is waited for."""
        limit = Deadline(min(FOCUS_SECONDS, deadline.left()), deadline.where)
        while True:
            front = android_state.foreground(self.adb.shell(android_state.FOCUS_COMMAND, deadline).stdout)
            if front is not None:
                return front
            _pause_or(limit, AppNotInFront("no window has the focus", deadline.where))

    def wait_for(self, wanted: Callable[[Foreground], bool], seconds: float, deadline: Deadline) -> Foreground:
        """The window in front once it is a wanted one, else whatever is in front after `seconds`."""
        limit = Deadline(min(seconds, deadline.left()), deadline.where)
        while True:
            front = self.foreground(deadline)
            if wanted(front):
                return front
            try:
                limit.pause(PAUSE / 2)
            except DeviceTimeout:
                return front

    def forget(self) -> None:
        """The phone is another one now (a snapshot was loaded): what ran on it is gone."""
        self.u2.stop()

    def close(self) -> None:
        """End the server on the phone."""
        self.u2.stop()


def _pause_or(deadline: Deadline, failure: Exception) -> None:
    """Wait a moment; raise `failure` if the deadline comes first."""
    try:
        deadline.pause(PAUSE)
    except DeviceTimeout:
        raise failure from None
