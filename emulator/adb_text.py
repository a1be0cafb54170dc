"""Typing over adb: choose the route that can carry the text, see that it is open, send once, read the field back.

What text_input.py says about routes, applied. The user's keyboard is put back by `close`. Nothing is sent a second time
unless the screen shows that the first did not arrive.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import time

from emulator import text_input, u2_server
from emulator.adb_calls import Adb
from emulator.adb_socket import Deadline
from emulator.adb_tree import Reader
from emulator.device_errors import (
    CommandFailed,
    DeviceOffline,
    DeviceTimeout,
    InputMethodNotActive,
    NoFreshTree,
    NotSupported,
    TextNotTyped,
)
from emulator.text_input import INPUT_METHODS, InputMethod, Route
from emulator.ui_tree import Element

CURRENT_KEYBOARD = "settings get secure default_input_method"
KEYBOARD_APK = "app-uiautomator.apk"
APK_PLACE = "/data/local/tmp/solar_keyboard.apk"
SELECT_ALL, DELETE, END, ENTER, PASTE = "113 29", 67, 123, 66, 279
ARRIVAL_SECONDS, ARRIVAL_SHARE = 1.5, 0.25  # how long a text may take to show, and which part of the time left
READY_SECONDS = 5.0
PROBE = "0"
POLL_SECONDS = 0.1
ANSWER = re.compile(r"Broadcast completed: result=(-?\d+)")


class Typist:
    """Types on one phone. install: whether uiautomator2's keyboard may be installed where no test keyboard is."""

    def __init__(self, adb: Adb, reader: Reader, *, install: bool) -> None:
        self.adb, self.reader, self.install = adb, reader, install
        self._users: str | None = None  # the keyboard to put back
        self._enabled: str | None = None  # the one that was switched on for typing

    def type(self, text: str, clear: bool, deadline: Deadline) -> None:
        """Type into the focused field, Enter for each line feed; InputMethodNotActive, TextNotTyped."""
        text = text.replace("\r\n", "\n")
        _check(text, deadline)
        if clear:
            self._clear(self._field(deadline), deadline)
        for index, line in enumerate(text.split("\n")):
            if index:
                self.adb.do_once(f"input keyevent {ENTER}", deadline)
            if line:
                self._line(line, clear and index == 0, deadline)

    def _line(self, line: str, empty: bool, deadline: Deadline) -> None:
        """One line without line feeds; `empty`: the field is known to be."""
        before = self._field(deadline)
        routes = self._routes(line, deadline)
        self._send(routes[0], line, deadline)
        after = self._arrived(before, line, deadline)
        if after is None or before is None:
            return
        if after.text != before.text:
            ours = empty or not before.text or text_input.is_within(after.text, line)
            if not ours:  # clearing the field would lose what the user had in it
                raise self._lost(line, before, after, deadline)
            self._clear(after, deadline)
        self._send(routes[-1], line, deadline)
        after = self._arrived(before, line, deadline)
        if after is not None and not self._refuses(routes[-1], line, after, deadline):
            raise self._lost(line, before, after, deadline)

    def _refuses(self, route: Route, line: str, field: Element, deadline: Deadline) -> bool:
        """Whether the field takes digits by this route but not this line (letters in a number field): the app's rule.

        Asked only when a line without digits left no trace twice. The digit is taken back.
        """
        if any(c.isdigit() for c in line):
            return False
        self._send(route, PROBE, deadline)
        if self._arrived(field, PROBE, deadline) is not None:
            return False
        self.adb.do_once(f"input keyevent {DELETE}", deadline)
        return True

    def _lost(self, line: str, before: Element, after: Element, deadline: Deadline) -> TextNotTyped:
        shown = "something else" if after.password else repr(after.text[:200])
        return TextNotTyped(
            f"typed {line[:200]!r} over {before.text[:200]!r}, but the field holds {shown}", deadline.where
        )

    # reading

    def _field(self, deadline: Deadline) -> Element | None:
        """The focused field; None where there is none or no tree can be had."""
        try:
            return text_input.focused_field(self.reader.tree(deadline))
        except NoFreshTree:
            return None

    def _arrived(self, before: Element | None, line: str, deadline: Deadline) -> Element | None:
        """None once the field holds the line, or is gone or not to be read; else what it holds after a while."""
        if before is None:
            return None
        end = time.monotonic() + min(ARRIVAL_SECONDS, deadline.left() * ARRIVAL_SHARE)
        while True:
            after = self._field(deadline)
            if after is None or not text_input.same_field(before, after):
                return None
            if text_input.holds(before.text, after.text, line, password=after.password):
                return None
            if time.monotonic() >= end:
                return after
            deadline.pause(POLL_SECONDS)

    # sending

    def _routes(self, line: str, deadline: Deadline) -> list[Route]:
        """Routes that can carry the line, best first; TextNotTyped if none can."""
        keyboard = self._keyboard(deadline)
        keys: list[Route] = ["input text"] if text_input.by_keys(line) and not text_input.composes(keyboard) else []
        if keys:
            return keys
        if self._find_method(deadline) is not None:
            return ["input method"]
        if u2_server.available():
            return ["clipboard"]
        raise TextNotTyped(
            f"{line[:80]!r} can't be typed as keys, and the phone has no test keyboard", deadline.where,
            "install ADBKeyBoard or uiautomator2's keyboard, or pip install uiautomator2",
        )  # fmt: skip

    def _send(self, route: Route, line: str, deadline: Deadline) -> None:
        if route == "input text":
            for command in text_input.key_commands(line):
                self.adb.do_once(command, deadline)
        elif route == "input method":
            method = self._activate(deadline)
            for part in text_input.pieces(line):
                self._broadcast(method, part, deadline)
        else:
            self._paste(line, deadline)

    def _broadcast(self, method: InputMethod, text: str, deadline: Deadline) -> None:
        output = self.adb.do_once(method.command(text), deadline)
        answer = ANSWER.search(output)
        if method.answers and (answer is None or answer[1] != "-1"):
            raise InputMethodNotActive(f"{method.id} did not take the text: {output.strip()[-200:]}", deadline.where)

    def _paste(self, line: str, deadline: Deadline) -> None:
        """By the clipboard, whose content is put back."""
        kept = self.reader.u2.clipboard(deadline)
        self.reader.u2.set_clipboard(line, deadline)
        self.adb.do_once(f"input keyevent {PASTE}", deadline)
        self.reader.u2.set_clipboard(kept, deadline)

    def _clear(self, field: Element | None, deadline: Deadline) -> None:
        """Empty the focused field: select all and delete; where keys can't be combined, delete one by one."""
        if field is not None and not field.text:
            return
        combined = self.adb.shell(f"input keycombination {SELECT_ALL} && input keyevent {DELETE}", deadline)
        if combined.exit_code and field is not None:
            keys = " ".join([str(END), *[str(DELETE)] * len(field.text)])
            self.adb.do_once(f"input keyevent {keys}", deadline)

    # keyboards

    def _keyboard(self, deadline: Deadline) -> str:
        return self.adb.repeated(lambda limit: self.adb.do(CURRENT_KEYBOARD, limit), deadline).strip()

    def _known(self, deadline: Deadline) -> list[str]:
        return self.adb.repeated(lambda limit: self.adb.do("ime list -s -a", limit), deadline).split()

    def _find_method(self, deadline: Deadline) -> InputMethod | None:
        """A test keyboard the phone has; uiautomator2's is installed if that is allowed and possible."""
        known = self._known(deadline)
        found = next((method for method in INPUT_METHODS if method.id in known), None)
        if found is not None or not (self.install and u2_server.available()):
            return found
        with contextlib.suppress(CommandFailed, NotSupported):  # a phone that takes no packages: another route
            self._install(deadline)
            return self._wait_known(INPUT_METHODS[0], deadline)
        return None

    def _install(self, deadline: Deadline) -> None:
        self.adb.push(APK_PLACE, u2_server.package_file(KEYBOARD_APK), deadline)
        self.adb.do(f"pm install -r -t {APK_PLACE}", deadline)
        self.adb.do(f"rm -f {APK_PLACE}", deadline)

    def _wait_known(self, method: InputMethod, deadline: Deadline) -> InputMethod | None:
        """The method once the input method manager knows it (a moment after its installation), else None."""
        end = time.monotonic() + READY_SECONDS
        while method.id not in self._known(deadline):
            if time.monotonic() >= end:
                return None
            deadline.pause(POLL_SECONDS)
        return method

    def _activate(self, deadline: Deadline) -> InputMethod:
        """Select the test keyboard and see that it is selected; InputMethodNotActive otherwise."""
        current = self._keyboard(deadline)
        active = next((method for method in INPUT_METHODS if method.id == current), None)
        if active is not None:
            return active
        method = self._find_method(deadline)
        if method is None:
            raise InputMethodNotActive("the phone has no test keyboard any more", deadline.where)
        self._users = self._users or current
        self._enabled = method.id
        said = self.adb.shell(f"ime enable {shlex.quote(method.id)}; ime set {shlex.quote(method.id)}", deadline)
        end = time.monotonic() + READY_SECONDS
        while self._keyboard(deadline) != method.id:
            if said.exit_code or time.monotonic() >= end:
                raise InputMethodNotActive(
                    f"{method.id} would not become the keyboard: {(said.stdout + said.stderr).strip()[-200:]}",
                    deadline.where,
                )
            deadline.pause(POLL_SECONDS)
        return method

    def close(self) -> None:
        """Put the user's keyboard back; a phone that is gone is left alone."""
        users, enabled, self._users, self._enabled = self._users, self._enabled, None, None
        if users is None:
            return
        with contextlib.suppress(DeviceOffline, DeviceTimeout):
            deadline = self.adb.deadline("close")
            self.adb.shell(f"ime disable {shlex.quote(enabled or '')}; ime set {shlex.quote(users)}", deadline)


def _check(text: str, deadline: Deadline) -> None:
    """TextNotTyped for what is no text: half a character, control characters other than tab and line feed."""
    bad = [c for c in text if "\ud800" <= c <= "\udfff" or (ord(c) < 32 and c not in "\t\n") or c == "\x7f"]
    if bad:
        raise TextNotTyped(f"{bad[0]!r} can't be typed into any field", deadline.where)
