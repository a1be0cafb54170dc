"""The parts of a phone, and keeping them: snapshot, restore, state hash."""

from __future__ import annotations

import copy
import hashlib
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from emulator.pocket import boot
from emulator.pocket.activities import Activities
from emulator.pocket.app import App
from emulator.pocket.clock import Clock
from emulator.pocket.contacts import Contacts
from emulator.pocket.content import Content
from emulator.pocket.databases import Databases
from emulator.pocket.device_settings import DeviceSettings, initial_properties
from emulator.pocket.faults import FaultKind, Faults
from emulator.pocket.files import FileSystem
from emulator.pocket.keyboard import Keyboard
from emulator.pocket.log import DeviceLog
from emulator.pocket.messages import Messages
from emulator.pocket.packages import Packages
from emulator.pocket.prefs import Prefs
from emulator.pocket.system_ui import SystemState

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

P = ParamSpec("P")
T = TypeVar("T")
D = TypeVar("D", bound="Device")
REFERENCE_WIDTH = 1080
REFERENCE_SCALE = 2.625  # pixels per dp at 1080 wide: 420 dpi


def locked(method: Callable[Concatenate[D, P], T]) -> Callable[Concatenate[D, P], T]:
    """Run a method with the phone's lock held."""

    @wraps(method)
    def run(self: D, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.lock:
            return method(self, *args, **kwargs)

    return run  # type: ignore[return-value]


@dataclass(frozen=True)
class Snapshot:
    """A whole phone at one moment. Values are shared with the phone, which never changes them in place."""

    parts: dict[str, Any]


class Device:
    """The parts of a phone without its behaviour."""

    def __init__(self, seed: int, size: tuple[int, int]) -> None:
        if min(size) < 120 or max(size) > 8192:
            raise ValueError(f"screen size {size[0]}x{size[1]}: each side must be 120 to 8192 pixels")
        self.lock = threading.RLock()
        self.seed = seed
        self.size = size
        self.clock = Clock()
        self.log = DeviceLog(self.clock)
        self.random = random.Random(seed)
        self.fs = FileSystem(self.clock)
        self.databases = Databases(self.fs)
        self.settings = DeviceSettings()
        self.settings["secure"]["android_id"] = boot.android_id(seed)
        self.properties = initial_properties(boot.android_id(seed)[:12])
        self.packages = Packages()
        self.apps: dict[str, App] = {}
        self.contacts = Contacts(self.databases, self.clock)
        self.messages = Messages(self.databases, self.clock)
        self.content = Content(self.databases, self.fs, self.settings)
        self.clipboard = ""
        self.known_prefs: dict[str, Prefs] = {}
        self.faults = Faults()
        self.system = SystemState()
        self.keyboard = Keyboard()
        self.activities = Activities(self._phone())
        self.changes = 0

    def _phone(self) -> Phone:
        return self  # type: ignore[return-value]

    @property
    def log_lines(self) -> list[str]:
        """The log as text, oldest first."""
        return [f"{line.priority}/{line.tag}: {line.text}" for line in self.log.lines]

    def touched(self) -> None:
        """Something may look different now."""
        self.changes += 1

    # display

    @property
    def rotation(self) -> int:
        """0 to 3 quarter turns counter-clockwise, from user_rotation or the rotated screen fault."""
        if self.faults.get(FaultKind.ROTATED_SCREEN) is not None:
            return 1
        return self.settings["system"].number("user_rotation") % 4

    @property
    def display_size(self) -> tuple[int, int]:
        """(width, height) in pixels as the display lies now."""
        return self.size if self.rotation % 2 == 0 else (self.size[1], self.size[0])

    @property
    def scale(self) -> float:
        """Pixels per dp."""
        return min(self.size) / REFERENCE_WIDTH * REFERENCE_SCALE

    @property
    def density(self) -> int:
        """Dots per inch as `wm density` tells it."""
        return round(self.scale * 160)

    @property
    def dark(self) -> bool:
        """Night mode."""
        return self.settings["secure"].get("ui_night_mode") == "2"

    @property
    def gesture_navigation(self) -> bool:
        """True if the navigation bar is just a handle."""
        return self.settings["secure"].get("navigation_mode") == "2"

    # keeping

    def snapshot(self) -> Snapshot:
        """The whole phone (not its log and its faults); cheap, and usable again and again."""
        with self.lock:
            self._phone().display.frame()  # what composing pulls into place (scroll positions) belongs to the state
            return Snapshot({
                "clock": self.clock.snapshot(),
                "files": self.fs.snapshot(),
                "settings": self.settings.snapshot(),
                "properties": self.properties.copy(),
                "packages": self.packages.snapshot(),
                "apps": self.apps.copy(),
                "activities": self.activities.snapshot(),
                "system": copy.deepcopy(self.system),
                "keyboard": self.keyboard.state,
                "clipboard": self.clipboard,
                "random": self.random.getstate(),
            })  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Back to a snapshot of this phone, or of another with the same apps and size."""
        with self.lock:
            parts = snapshot.parts
            self.clock.restore(parts["clock"])
            self.fs.restore(parts["files"])
            self.settings.restore(parts["settings"])
            self.properties = parts["properties"].copy()
            self.packages.restore(parts["packages"])
            self.apps = parts["apps"].copy()
            self.activities.restore(parts["activities"])
            self.system = copy.deepcopy(parts["system"])
            self.keyboard.state = parts["keyboard"]
            self.clipboard = parts["clipboard"]
            self.random.setstate(parts["random"])
            self.touched()

    def state_hash(self) -> str:
        """64 hex digits of everything a snapshot keeps: equal states, equal hashes."""
        with self.lock:
            self._phone().display.frame()
            digest = hashlib.sha256()
            for path, node in self.fs.items():
                head = (path, node.mode, node.uid, node.gid, node.atime_ns, node.mtime_ns, len(node.data))
                digest.update(repr(head).encode("utf-8", "surrogatepass"))
                digest.update(node.data)
            rest = (
                self.clock.snapshot(), self.settings.snapshot(), self.properties,
                [(p.name, p.enabled, sorted(p.granted)) for p in self.packages.values()],
                self.activities.stack, self.activities.running, self.system, self.keyboard.state, self.clipboard,
                self.random.getstate(),
            )  # fmt: skip
            digest.update(repr(rest).encode("utf-8", "surrogatepass"))
            return digest.hexdigest()
