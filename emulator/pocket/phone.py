"""The pocket phone: one object that holds everything and does what fingers, keys and the shell ask.

No network and no host disk. Everything follows from the seed and the actions: the clock moves one second at a
user action, contents are bytes, screens are built from plain data. `snapshot` and `restore` keep and bring back
the whole phone, `state_hash` names its state.

Every public method takes `lock` (re-entrant). Code that works on the parts (`fs`, `settings`, `content`, ...)
from another thread takes it too: `with phone.lock:`.
"""

from __future__ import annotations

import errno
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from emulator.pocket import boot, chooser, forest, hierarchy, keys, system_ui
from emulator.pocket.activities import TaskInfo
from emulator.pocket.app import App, Screen
from emulator.pocket.apps import APPS
from emulator.pocket.databases import Database
from emulator.pocket.display import Display
from emulator.pocket.editing import Editor
from emulator.pocket.faults import FaultKind
from emulator.pocket.gestures import Gestures
from emulator.pocket.intents import ActivityNotFound, Intent
from emulator.pocket.keypad import Keypad
from emulator.pocket.messages import INBOX
from emulator.pocket.prefs import Prefs
from emulator.pocket.state import Device, locked
from emulator.pocket.views import View, Window
from emulator.pocket.windows import Frame

if TYPE_CHECKING:
    from android_env.proto.a11y.android_accessibility_forest_pb2 import AndroidAccessibilityForest

SECONDS_PER_ACTION = 1.0
NO_SPACE = "Not enough storage space"


@dataclass(frozen=True)
class Crash:
    """An app that raised: its package and the traceback."""

    package: str
    text: str


class Phone(Device):
    """One phone.

    seed: all that is random about it. size: pixels (width, height) in portrait. dark: night mode.
    apps: the apps installed. strict: an exception in an app goes to the caller instead of closing the app.
    """

    def __init__(
        self, seed: int = 0, size: tuple[int, int] = (1080, 2400), dark: bool = False,
        apps: Sequence[App] = APPS, strict: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(seed, size)
        self.strict = strict
        self.crashes: list[Crash] = []
        self.settings["secure"]["ui_night_mode"] = "2" if dark else "1"
        self.editor = Editor(self)
        self.keyboard.connect(self.editor)
        self.gestures = Gestures(self)
        self.keypad = Keypad(self)
        self.display = Display(self)
        boot.make_directories(self)
        boot.install(self, apps)
        boot.start_home(self)

    # seeing

    @property
    def generation(self) -> int:
        """A number that grows at every change that can be seen (pixels or accessibility)."""
        with self.lock:
            return self.display.generation()

    @locked
    def screenshot(self) -> NDArray[np.uint8]:
        """The picture now: (height, width, 4) uint8 RGBA.

        A read-only view of the phone's own surface: the next screenshot draws into it. Copy it to keep it.
        """
        return self.display.pixels()

    @locked
    def screenshot_png(self) -> bytes:
        """The picture now as an RGBA PNG file."""
        return self.display.png()

    @locked
    def hierarchy_xml(self, all_windows: bool = False) -> str:
        """What `uiautomator dump` writes: the active window, or `all_windows` as uiautomator2's server does."""
        windows = self.reported_windows(fresh=False)
        if not all_windows:
            windows = [w for w in windows if w.active or w.title == "PopupWindow"] or windows[:1]
        return hierarchy.dump(windows, self.rotation)

    @locked
    def forest(self) -> AndroidAccessibilityForest:
        """The accessibility forest (android_env's message)."""
        return forest.build(self.reported_windows(fresh=False))

    @locked
    def frame(self) -> Frame:
        """The composed windows now."""
        return self.display.frame()

    @locked
    def reported_windows(self, fresh: bool = True) -> list[Window]:
        """Windows as accessibility lists them, top first; not `fresh`: subject to the stale hierarchy fault."""
        frame = self.display.frame()
        if not fresh and self.faults.take(FaultKind.STALE_HIERARCHY) is not None:
            frame = self.display.previous
        return frame.reported

    @locked
    def find(self, text: str) -> View | None:
        """The first visible view whose text or description is exactly `text`; the app's windows come first."""
        windows = sorted(self.frame().reported, key=lambda w: w.kind != "application")
        views = (v for w in windows for v in w.views() if v.visible)
        return next((v for v in views if text in {hierarchy.spoken_text(v), v.desc}), None)

    @locked
    def tap_on(self, text: str) -> None:
        """Tap the middle of `find(text)`; LookupError if it is not on the screen."""
        view = self.find(text)
        if view is None:
            raise LookupError(f"no view with text or description {text!r} on the screen")
        self.tap(*view.center)

    def app_views(self) -> list[View]:
        """Views of the app's window that can be used now."""
        return [view for window in self.frame().app for view in window.views()]

    # acting

    def _act(self) -> bool:
        """Begin a user action on the screen as it is now: time passes. False if the screen is off."""
        self.display.frame()
        self.clock.advance(SECONDS_PER_ACTION)
        self.touched()
        return self.system.awake

    def _settle(self) -> None:
        """End a user action: a keyboard whose field is gone goes too."""
        self.touched()
        if self.keyboard.visible and self.editor.field() is None:
            self.keyboard.hide()
            self.touched()

    @locked
    def tap(self, x: int, y: int) -> None:
        """Touch a pixel shortly."""
        if self._act():
            self.gestures.tap(x, y)
        self._settle()

    @locked
    def long_press(self, x: int, y: int) -> None:
        """Hold a finger on a pixel."""
        if self._act():
            self.gestures.long_press(x, y)
        self._settle()

    @locked
    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Move a finger; too short a way is a tap, or a long press from 500 ms on."""
        if self._act():
            self.gestures.stroke([(x1, y1), (x2, y2)], duration_ms)
        self._settle()

    @locked
    def drag(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 1000) -> None:
        """Move a finger slowly: content follows it exactly."""
        if self._act():
            self.gestures.swipe([(x1, y1), (x2, y2)], max(duration_ms, 500))
        self._settle()

    @locked
    def touch(
        self, kind: Literal["down", "move", "up"], x: int, y: int, finger: int = 0, time_ms: int | None = None
    ) -> None:
        """A raw touch event; what it amounts to happens at "up". Without `time_ms` an event counts 100 ms."""
        if kind == "up" and finger in self.gestures.strokes and not self._act():
            self.gestures.strokes.clear()
        self.gestures.touch(kind, x, y, finger, time_ms)
        if kind == "up":
            self._settle()

    @locked
    def key(self, key: int | str) -> None:
        """Press a key: a code or a name ("HOME", "KEYCODE_ENTER"). ValueError for an unknown name."""
        code = keys.key_code(key)
        self._act()
        self.keypad.press(code)
        self._settle()

    @locked
    def key_combination(self, codes: Sequence[int | str]) -> None:
        """Press keys together, e.g. ("CTRL_LEFT", "A")."""
        numbers = [keys.key_code(code) for code in codes]
        if self._act():
            self.keypad.combine(numbers)
        self._settle()

    @locked
    def text(self, text: str) -> None:
        """Type into the focused field; without one nothing happens (and the log says so)."""
        fault = self.faults.take(FaultKind.LOST_CHARACTERS)
        if fault is not None:
            text = text[int(fault.number(1)) :]
        if self._act():
            lines = text.split("\n")
            for index, line in enumerate(lines):
                if index:
                    self.editor.enter()
                if line and not self.editor.insert(line):
                    self.log.write("W", "InputMethod", f"no focused field for {line!r}")
        self._settle()

    # apps

    def enabled_apps(self) -> list[App]:
        """Installed apps that are not disabled."""
        return [a for a in self.apps.values() if a.package in self.packages and self.packages[a.package].enabled]

    @property
    def launcher(self) -> App:
        """The app whose screen HOME shows; LookupError if the phone was made without one."""
        for app in self.apps.values():
            if app.home is not None:
                return app
        raise LookupError("the phone needs a launcher among its apps: emulator.pocket.apps.launcher.APP")

    def start_process(self, app: App) -> None:
        """Make sure the app's process runs (directories and databases are made at its start)."""
        if app.package not in self.activities.running:
            self.activities.running.append(app.package)
            self.run_handler(lambda: boot.prepare(self, app))

    @locked
    def start_activity(self, intent: Intent) -> TaskInfo:
        """Start what the intent asks for; several candidates open the chooser.

        Returns what is in front then. Raises ActivityNotFound.
        """
        found = self.activities.resolve(intent)
        self.display.frame()
        self.system.shade = ""
        if len(found) == 1:
            app, cls = found[0]
            self.run_handler(lambda: self.activities.start(app, cls, intent), app.package)
        else:
            options = [(app.package, cls) for app, cls in found]
            self.activities.push(chooser.Chooser.for_intent(intent, options), chooser.PACKAGE)
        self.touched()
        return self.activities.foreground

    @locked
    def launch(self, package: str) -> TaskInfo:
        """What a tap on the app's icon does; ActivityNotFound if there is no such app."""
        app = self.apps.get(package)
        if app is None:
            raise ActivityNotFound(f"No activities found to run, monkey aborted: {package}")
        return self.start_activity(Intent(component=f"{package}/{app.main}"))

    @locked
    def broadcast(self, intent: Intent) -> tuple[int, str]:
        """Send a broadcast: (result code, data) of the app that answers, (0, "") if none does."""
        wanted = intent.package or intent.component.partition("/")[0]
        for app in self.enabled_apps():
            if wanted in {"", app.package}:
                answer = app.broadcast(self, intent)
                if answer is not None:
                    self.touched()
                    return answer
        return 0, ""

    @locked
    def force_stop(self, package: str) -> None:
        """End an app's process and screens; an unknown package is ignored, as `am force-stop` does."""
        self.display.frame()
        self.activities.kill(package)
        self.databases.close()
        boot.restart_home(self, package)
        self.touched()

    @locked
    def clear_package(self, package: str) -> None:
        """`pm clear`: end the app and empty its data directory. KeyError for an unknown package."""
        data = self.packages[package].data_dir
        self.force_stop(package)
        for name in self.fs.listdir(data):
            self.fs.remove(f"{data}/{name}", recursive=True)
        self.packages.reset_permissions(package)
        self.system.notifications = [n for n in self.system.notifications if n.package != package]
        self.touched()

    @locked
    def uninstall(self, package: str) -> None:
        """Remove a package and its data; KeyError if it is unknown."""
        data = self.packages[package].data_dir
        self.force_stop(package)
        if self.fs.exists(data):
            self.fs.remove(data, recursive=True)
        self.packages.remove(package)
        self.apps.pop(package, None)
        self.touched()

    def label_of(self, package: str) -> str:
        """The app's name for people; the package name where there is none."""
        return self.packages[package].label if package in self.packages else package

    def prefs(self, package: str) -> Prefs:
        """An app's shared preferences."""
        if package not in self.known_prefs:
            self.known_prefs[package] = Prefs(self.fs, package)
        return self.known_prefs[package]

    def db(self, path: str) -> Database:
        """The SQLite database at an Android path."""
        return self.databases.open(path)

    @locked
    def sqlite(self, path: str, sql: str) -> list[tuple[Any, ...]]:
        """Run SQL on a database file as the device's `sqlite3` does; raises sqlite3.Error."""
        rows = self.databases.sql(path, sql)
        self.touched()
        return rows

    # the world outside

    @locked
    def sms_received(self, number: str, text: str) -> None:
        """A text message arrives: inbox, notification. Its time is later than any earlier one's.

        With a full disk it is lost, and the user is told, as by a phone whose message memory is full.
        """
        self.display.frame()
        self.clock.advance(SECONDS_PER_ACTION)
        app = self.settings["secure"].get("sms_default_application", "")

        def arrive() -> None:
            message = self.messages.add(number, text, INBOX, read=False)
            if app in self.packages:
                uri = f"content://mms-sms/conversations/{message.thread_id}"
                self.notify(app, self.contacts.name_of(number), text, "android.intent.action.VIEW", uri)

        self.unless_full(arrive)
        self.touched()

    @locked
    def notify(self, package: str, title: str, text: str, action: str = "", data: str = "") -> int:
        """Put an entry into the shade; returns its id."""
        number = max((n.id for n in self.system.notifications), default=0) + 1
        note = system_ui.Notification(number, package, title, text, self.clock.now_ms(), action, data)
        self.system.notifications.append(note)
        self.touched()
        return number

    @locked
    def toast(self, message: str) -> None:
        """Show a short message; it is gone three seconds later."""
        self.system.toast = message
        self.system.toast_until = self.clock.uptime() + system_ui.TOAST_SECONDS
        self.touched()

    @locked
    def set_awake(self, awake: bool) -> None:
        """Screen on or off."""
        self.system.awake = awake
        self.touched()

    # inside

    def home_screen(self) -> Screen:
        """The launcher's first screen."""
        return next(t for t in self.activities.stack if t.id == 1).screens[0]

    def leave_screen(self) -> None:
        """Another screen comes to the front: keyboard and text menu go."""
        self.keyboard.hide()
        self.system.text_menu = False

    def run_handler(self, action: Callable[[], object], package: str = "") -> None:
        """Run an app's code. If it raises, the app has crashed: recorded, logged, closed (or raised: strict).

        A full disk is no crash: what the app was about to write stays undone, and the user is told.
        """
        owner = package or self.activities.top.package
        try:
            self.unless_full(action)
        except Exception as error:  # whatever an app raises is its crash
            if self.strict:
                raise
            self.crash(owner, error)

    def unless_full(self, action: Callable[[], object]) -> bool:
        """Run what writes files; False, with a message to the user and in the log, if the disk is full."""
        try:
            action()
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            self.log.write("W", "StorageManager", f"no space left for {error.filename}")
            self.toast(NO_SPACE)
            return False
        return True

    def crash(self, package: str, error: BaseException) -> None:
        """Record the crash of an app and close it."""
        text = "".join(traceback.format_exception(error))
        self.crashes.append(Crash(package, text))
        self.log.write("E", "AndroidRuntime", f"FATAL EXCEPTION: main\nProcess: {package}\n{text}")
        self.force_stop(package)
        self.toast(f"{self.label_of(package)} keeps stopping")
