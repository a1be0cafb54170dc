"""A real phone, an emulator or the pocket phone over adb, as a `Device`.

What it keeps to (facts: reports of the field, docs/devices.md): every call has one deadline of its own; an output
counts only with its end marker; only calls that change nothing are tried again; the adb server is never restarted; a
picture is a whole PNG of the display that is on; a hierarchy is that of the app in front, made after the call began.

Departure from the usual: adbutils and uiautomator2 bring adb, the server on the phone and the keyboard, but calls go
through adb_socket.py (its docstring says why).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from emulator import adb_launch, adb_text, android_state, gestures, png
from emulator.adb_calls import Adb
from emulator.adb_snapshots import SnapshotStore, checked_restore, checked_save, console_of, store_of
from emulator.adb_socket import Deadline
from emulator.adb_tree import Hierarchy, Reader
from emulator.android_state import Display
from emulator.device import Foreground, Key, Screenshot, ShellResult, Size, Tree
from emulator.device_errors import DeviceOffline, NotSupported, OutsideScreen

KEY_CODES: dict[Key, int] = {
    "home": 3, "back": 4, "volume_up": 24, "volume_down": 25, "power": 26, "enter": 66, "delete": 67, "menu": 82,
    "recents": 187,
}  # fmt: skip
DEFAULT_PORT = 5037
POLL_SECONDS = 0.2
DISPLAY_IDS = "dumpsys SurfaceFlinger --display-id"


class AdbDevice:
    """One phone behind an adb server.

    serial: as `adb devices` lists it. server_port: the adb server's. adb_path: the program, for what only it can do
    (the emulator's console). timeout: seconds of each call unless it says otherwise; push and pull get one more for
    each MB, typing for each 100 characters. hierarchy: where trees come from ("auto": uiautomator2 if it is installed
    here, else `uiautomator dump`). install_keyboard: whether uiautomator2's keyboard may be installed for text that
    keys can't carry. snapshots: who keeps whole phones (None: an emulator's console, or nobody).
    """

    def __init__(
        self,
        serial: str,
        *,
        server_port: int = DEFAULT_PORT,
        adb_path: str | None = None,
        timeout: float = 15.0,
        hierarchy: Hierarchy = "auto",
        install_keyboard: bool = True,
        snapshots: SnapshotStore | None = None,
    ) -> None:
        self.serial = serial
        self.adb = Adb(serial, server_port, timeout)
        self._reader = Reader(self.adb, hierarchy)
        self._typist = adb_text.Typist(self.adb, self._reader, install=install_keyboard)
        self._console = console_of(serial, server_port, adb_path)
        self._snapshots = snapshots or store_of(serial, self._console)
        self._display_ids: list[str] | None = None
        self._size: Size | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # seeing

    def screenshot(self) -> Screenshot:
        """The picture of the display that is on. Black: `secure` says whether the window in front forbids pictures."""
        return self.adb.repeated(self._screenshot, self.adb.deadline("screenshot"))

    def _screenshot(self, deadline: Deadline) -> Screenshot:
        picture = png.screenshot(
            self.adb.output(f"screencap -p{self._which_display(deadline)}", deadline), deadline.where
        )
        self._size = picture.size
        if not picture.black:
            return picture
        dump = self.adb.do(android_state.SECURE_COMMAND, deadline)
        return Screenshot(picture.png, picture.size, True, android_state.focus_is_secure(dump))

    def _which_display(self, deadline: Deadline) -> str:
        """The option that names the display; asked anew each time where there are several (it may fold)."""
        if self._display_ids is None:
            self._display_ids = android_state.display_ids(self.adb.do(DISPLAY_IDS, deadline))
        if len(self._display_ids) < 2:
            return ""
        main = android_state.main_display(self._displays(deadline))
        return f" -d {main.physical if main and main.physical else self._display_ids[0]}"

    def _displays(self, deadline: Deadline) -> list[Display]:
        return android_state.displays(self.adb.do(android_state.DISPLAY_COMMAND, deadline))

    def screen_size(self) -> Size:
        """Pixels of the display as it lies now; asked each time, since it turns."""
        return self.adb.repeated(self._screen_size, self.adb.deadline("screen_size"))

    def _screen_size(self, deadline: Deadline) -> Size:
        main = android_state.main_display(self._displays(deadline))
        if main is None:
            raise DeviceOffline("`dumpsys display` names no display", deadline.where)
        self._size = main.size
        return main.size

    def ui_tree(self) -> Tree:
        """The hierarchy of the window in front, made now; NoFreshTree if none can be had."""
        return self._reader.tree(self.adb.deadline("ui_tree"))

    def foreground(self) -> Foreground:
        """The window with the focus; AppNotInFront if none has it within the deadline."""
        deadline = self.adb.deadline("foreground")
        return self.adb.repeated(self._reader.foreground, deadline)

    # acting: sent once, whatever comes of it

    def tap(self, x: int, y: int) -> None:
        """Touch shortly. OutsideScreen beside it."""
        deadline = self.adb.deadline("tap")
        self._check(x, y, deadline)
        self.adb.do_once(f"input tap {x} {y}", deadline)

    def double_tap(self, x: int, y: int) -> None:
        """Touch twice, by one command."""
        deadline = self.adb.deadline("double_tap")
        self._check(x, y, deadline)
        self.adb.do_once(f"input tap {x} {y} && input tap {x} {y}", deadline)

    def long_press(self, x: int, y: int, duration_ms: int = 1000) -> None:
        """Hold a finger: a swipe that stays where it is."""
        deadline = self.adb.deadline("long_press", self.adb.timeout + duration_ms / 1000)
        self._check(x, y, deadline)
        self.adb.do_once(f"input swipe {x} {y} {x} {y} {duration_ms}", deadline)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300, *, edges: bool = False) -> None:
        """Move a finger, inside the screen and off the system's gesture zones unless `edges`."""
        deadline = self.adb.deadline("swipe", self.adb.timeout + duration_ms / 1000)
        size = self.adb.repeated(self._screen_size, deadline)
        way = (*gestures.inside(x1, y1, size), *gestures.inside(x2, y2, size))
        way = way if edges else gestures.off_edges(*way, size)
        self.adb.do_once("input swipe {} {} {} {} {}".format(*way, duration_ms), deadline)

    def _check(self, x: int, y: int, deadline: Deadline) -> None:
        """OutsideScreen beside the screen. The size is asked only when the last one known does not hold the place."""
        if self._size is None or gestures.inside(x, y, self._size) != (x, y):
            size = self.adb.repeated(self._screen_size, deadline)
            if gestures.inside(x, y, size) != (x, y):
                raise OutsideScreen(
                    f"({x}, {y}) lies outside the screen of {size.width} x {size.height}", deadline.where
                )

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Type exactly this text into the focused field; see adb_text.py. TextNotTyped, InputMethodNotActive."""
        self._typist.type(text, clear, self.adb.deadline("type_text", self.adb.timeout + len(text) / 100))

    def hide_keyboard(self) -> bool:
        """Put the keyboard away with BACK, but only if it is shown (BACK would leave the screen otherwise)."""
        deadline = self.adb.deadline("hide_keyboard")
        shown = android_state.keyboard_shown(self.adb.shell(android_state.KEYBOARD_COMMAND, deadline).stdout)
        if shown:
            self.adb.do_once("input keyevent 4", deadline)
        return bool(shown)

    def press(self, key: Key) -> None:
        """Press a key."""
        self.adb.do_once(f"input keyevent {KEY_CODES[key]}", self.adb.deadline("press"))

    def open_app(self, name: str) -> Foreground:
        """Start the app of this name or package by its launcher activity, and see it in front."""
        return adb_launch.open_app(self.adb, self._reader, name, self.adb.deadline("open_app"))

    # shell, files, the whole phone

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """Run a command, once; DeviceTimeout after `timeout` seconds, TruncatedOutput if its end is missing."""
        return self.adb.shell(command, self.adb.deadline("shell", timeout))

    def pull(self, path: str) -> bytes:
        """Content of a file."""
        deadline = self.adb.deadline("pull", 4 * self.adb.timeout)
        return self.adb.repeated(lambda limit: self.adb.pull(path, limit), deadline)

    def push(self, path: str, content: bytes) -> None:
        """Write a file, and see that it has the right size."""
        deadline = self.adb.deadline("push", self.adb.timeout + len(content) / 1e6)
        self.adb.repeated(lambda limit: self.adb.push(path, content, limit), deadline)

    def console(self, command: str) -> str:
        """A command to the emulator's console (`sms send ...`); NotSupported for a phone that has none."""
        if self._console is None:
            raise NotSupported("this phone has no console", f"{self.serial}: console", "use an emulator's serial")
        return self._console.run(command)

    def root(self) -> None:
        """Let the phone's adb daemon run as root; NotSupported where it refuses (a production build)."""
        deadline = self.adb.deadline("root", 2 * self.adb.timeout)
        if self.adb.do("id -u", deadline).strip() == "0":
            return
        said = self.adb.service("root:", deadline)
        while self.adb.try_do("id -u", deadline).strip() != "0":
            if "cannot run as root" in said:
                raise NotSupported(said, deadline.where, "use a system image without Google Play")
            deadline.pause(POLL_SECONDS)

    def snapshot(self, name: str) -> None:
        """Keep the whole phone under a name, with a mark in it that `restore` looks for."""
        checked_save(self.adb, self._snapshots, name)

    def restore(self, name: str) -> None:
        """Bring back what `snapshot` kept; returns when the phone answers and its mark shows that it is that state."""
        checked_restore(self.adb, self._snapshots, name)
        self._display_ids = self._size = None
        self._reader.forget()

    def close(self) -> None:
        """Put the user's keyboard back and end what was started on the phone. A phone that is gone is left alone."""
        self._typist.close()
        self._reader.close()
