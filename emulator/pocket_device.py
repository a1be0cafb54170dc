"""The pocket phone in this process as a `Device`: no sockets, no adb.

The fronts' faults (offline, hanging command, ...) belong to adb and do not act here; the core's (stale hierarchy, black
screen, dialogs, lost characters) do. A shell command that does not end is not cut off: there is no second process to
kill; `timeout` is checked when it is over.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from emulator import app_names, gestures, png, text_input
from emulator.device import Foreground, Key, Screenshot, ShellResult, Size, Tree
from emulator.device_errors import (
    AppNotFound,
    AppNotInFront,
    CommandFailed,
    DeviceTimeout,
    NoFreshTree,
    NotSupported,
    OutsideScreen,
    TextNotTyped,
)
from emulator.tree import made

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

KEYS: dict[Key, str] = {
    "back": "BACK", "home": "HOME", "enter": "ENTER", "recents": "APP_SWITCH", "delete": "DEL", "menu": "MENU",
    "volume_up": "VOLUME_UP", "volume_down": "VOLUME_DOWN", "power": "POWER",
}  # fmt: skip
FILE_MODE = 0o644


class PocketDevice:
    """One phone of this process. serial: its name in messages and results."""

    def __init__(self, phone: Phone, serial: str = "pocket") -> None:
        from emulator.pocket.shell.endpoint import Endpoint

        self.phone = phone
        self.serial = serial
        self.endpoint = Endpoint(phone)
        self._snapshots: dict[str, Any] = {}
        self._black: tuple[int, bool, bool | None] = (-1, False, None)

    # seeing

    def screenshot(self) -> Screenshot:
        """The picture now. `secure` is told when it is black."""
        from emulator.pocket.focus import focus

        with self.phone.lock:
            generation = self.phone.generation
            data = self.phone.screenshot_png()
            if self._black[0] != generation:
                black = png.is_black(data)
                self._black = (generation, black, focus(self.phone).secure if black else None)
            return Screenshot(data, png.size(data), *self._black[1:])

    def ui_tree(self) -> Tree:
        """The hierarchy of the active window; NoFreshTree if it is another app's than the one in front, twice."""
        where = f"{self.serial}: ui_tree"
        with self.phone.lock:
            try:
                return made(self.phone.hierarchy_xml(), "pocket", self.foreground().package, where)
            except NoFreshTree:
                return made(self.phone.hierarchy_xml(), "pocket", self.foreground().package, where)

    def screen_size(self) -> Size:
        """Pixels of the display as it lies now."""
        return Size(*self.phone.display_size)

    def foreground(self) -> Foreground:
        """The window in focus."""
        from emulator.pocket.focus import focus

        with self.phone.lock:
            front = focus(self.phone)
        return Foreground(front.package, front.activity)

    # acting

    def tap(self, x: int, y: int) -> None:
        """Touch shortly. OutsideScreen beside it."""
        self.phone.tap(*self._on_screen(x, y))

    def double_tap(self, x: int, y: int) -> None:
        """Touch twice."""
        self._on_screen(x, y)
        with self.phone.lock:
            self.phone.tap(x, y)
            self.phone.tap(x, y)

    def long_press(self, x: int, y: int, duration_ms: int = 1000) -> None:
        """Hold a finger; under 400 ms it is a tap."""
        self.phone.swipe(*self._on_screen(x, y), x, y, duration_ms)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300, *, edges: bool = False) -> None:
        """Move a finger; without `edges` it starts outside the zones of the system's gestures."""
        size = self.screen_size()
        way = (*gestures.inside(x1, y1, size), *gestures.inside(x2, y2, size))
        self.phone.swipe(*(way if edges else gestures.off_edges(*way, size)), duration_ms)

    def _on_screen(self, x: int, y: int) -> tuple[int, int]:
        size = self.screen_size()
        if gestures.inside(x, y, size) != (x, y):
            raise OutsideScreen(f"({x}, {y}) lies outside the screen of {size.width} x {size.height}", self.serial)
        return x, y

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Type into the focused field, line by line with Enter between; TextNotTyped if it does not arrive.

        Without a focused field nothing happens, as on any phone.
        """
        if clear:
            self._clear()
        for index, line in enumerate(text.split("\n")):
            if index:
                self.phone.key("ENTER")
            if line:
                self._type_line(line)

    def _clear(self) -> None:
        with self.phone.lock:
            if self.phone.editor.select_all():
                self.phone.editor.delete()

    def _type_line(self, line: str) -> None:
        where = f"{self.serial}: type_text"
        with self.phone.lock:
            before = self.phone.editor.field()
            self.phone.text(line)
            after = self.phone.editor.field()
            if before is None or after is None or before.key != after.key:
                return  # keys into the void, as on any phone; or the app took the text and moved on
            if not text_input.holds(before.text, after.text, line):
                shown = "something else" if after.password else repr(after.text)
                raise TextNotTyped(f"typed {line!r} over {before.text!r}, but the field holds {shown}", where)

    def hide_keyboard(self) -> bool:
        """Put the keyboard away if it is shown; whether it was."""
        with self.phone.lock:
            shown = bool(self.phone.keyboard.visible)
            self.phone.keyboard.hide()
            self.phone.touched()
        return shown

    def press(self, key: Key) -> None:
        """Press a key."""
        self.phone.key(KEYS[key])

    def open_app(self, name: str) -> Foreground:
        """Start an app by name, label or package."""
        from emulator.pocket.intents import ActivityNotFound

        with self.phone.lock:
            labels = {app.package: self.phone.label_of(app.package) for app in self.phone.enabled_apps()}
            package = app_names.resolve(name, labels, labels)
            try:
                self.phone.launch(package)
            except ActivityNotFound as error:
                raise AppNotFound(str(error), f"{self.serial}: open_app") from error
            front = self.foreground()
        if front.package != package:
            raise AppNotInFront(f"{package} was started, {front.package} is in front", f"{self.serial}: open_app")
        return front

    # shell and files

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """Run a command in the phone's shell."""
        from emulator.pocket.shell.context import decode
        from emulator.pocket.shell.interpreter import Shell

        text = command if isinstance(command, str) else shlex.join(command)
        start = time.monotonic()
        result = Shell(self.phone, self.endpoint).run(text)
        if timeout is not None and time.monotonic() - start > timeout:
            raise DeviceTimeout(f"{text[:80]!r} took longer than {timeout:g} s", f"{self.serial}: shell")
        return ShellResult(result.status, decode(result.stdout), decode(result.stderr))

    def pull(self, path: str) -> bytes:
        """Content of a file."""
        try:
            with self.phone.lock:
                return self.phone.fs.read(path)
        except OSError as error:
            raise CommandFailed(f"{path}: {error.strerror}", f"{self.serial}: pull") from error

    def push(self, path: str, content: bytes) -> None:
        """Write a file, with the directories it needs."""
        try:
            with self.phone.lock:
                self.phone.fs.mkdir(path.rpartition("/")[0] or "/", parents=True)
                self.phone.fs.write(path, content, mode=FILE_MODE)
                self.phone.touched()
        except OSError as error:
            raise CommandFailed(f"{path}: {error.strerror}", f"{self.serial}: push") from error

    def console(self, command: str) -> str:
        """A command to the emulator console's parser (`sms send ...`); CommandFailed for KO."""
        from emulator.pocket.fronts.console import Console
        from emulator.pocket.fronts.snapshots import Snapshots

        console = Console(self.endpoint, Snapshots(self.phone), self.serial, on_kill=lambda: None)
        answer = console.answer(command).replace("\r\n", "\n").strip()
        if answer.startswith("KO"):
            raise CommandFailed(answer, f"{self.serial}: console {command[:80]}")
        return answer.removesuffix("OK").rstrip()

    # the whole phone

    def snapshot(self, name: str) -> None:
        """Keep the whole phone under a name, in memory."""
        with self.phone.lock:
            self._snapshots[name] = self.phone.snapshot()

    def restore(self, name: str) -> None:
        """Bring back what `snapshot` kept; NotSupported for an unknown name."""
        if name not in self._snapshots:
            known = ", ".join(self._snapshots) or "none"
            raise NotSupported(f"no snapshot {name!r} (there are: {known})", f"{self.serial}: restore")
        with self.phone.lock:
            self.phone.restore(self._snapshots[name])

    def close(self) -> None:
        """Nothing to let go of."""
