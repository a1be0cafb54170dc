"""The one interface over phones: real phones and emulators over adb, the pocket phone over adb or in process.

Pixels here are those of the display as it lies now (after rotation), x to the right, y downwards, valid from 0 to
width - 1 and height - 1. Callers that have fractions of a picture use `to_pixel` with the size of the very picture
the model saw. A swipe is the finger's movement.

Every call ends within its own deadline with a value or a `DeviceError`; nothing is made up: no invented picture, no
old hierarchy, no output cut short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from emulator.ui_tree import Element

Key = Literal["back", "home", "enter", "recents", "delete", "menu", "volume_up", "volume_down", "power"]


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


@dataclass(frozen=True)
class Screenshot:
    """One picture. png: a whole PNG file. size: its pixels. black: nothing but black between the system's bars.

    secure: the phone says that the window in front forbids pictures (None: it was not asked).
    """

    png: bytes
    size: Size
    black: bool = False
    secure: bool | None = None

    def pixels(self) -> NDArray[np.uint8]:
        """The decoded picture, (height, width, 3) uint8."""
        from PIL import Image

        with Image.open(BytesIO(self.png)) as image:
            return np.asarray(image.convert("RGB"))


@dataclass(frozen=True)
class Tree:
    """One hierarchy. elements: parents first. package: that of the active window. source: what made it."""

    elements: tuple[Element, ...]
    package: str
    source: Literal["uiautomator2", "uiautomator dump", "accessibility", "pocket"]
    xml: str


@dataclass(frozen=True)
class Foreground:
    """What is in front: package and activity class (full name, "" if there is none)."""

    package: str
    activity: str


@dataclass(frozen=True)
class ShellResult:
    """What a shell command left. Text is UTF-8, broken bytes replaced."""

    exit_code: int
    stdout: str
    stderr: str


class Device(Protocol):
    """A phone you can hold. `serial` names it; one object is one phone and belongs to one episode at a time."""

    serial: str

    def screenshot(self) -> Screenshot:
        """The picture now. ScreenshotFailed."""

    def ui_tree(self) -> Tree:
        """The hierarchy of what is in front now. NoFreshTree."""

    def screen_size(self) -> Size:
        """Pixels of the display as it lies now."""

    def tap(self, x: int, y: int) -> None:
        """Touch shortly. OutsideScreen (also a ValueError) beside the screen as it lies now; so for every touch."""

    def double_tap(self, x: int, y: int) -> None:
        """Touch twice, quickly."""

    def long_press(self, x: int, y: int, duration_ms: int = 1000) -> None:
        """Hold a finger."""

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300, *, edges: bool = False) -> None:
        """Move a finger, inside the screen.

        A way that begins in the zone of a system gesture (back, home, shade) and leads inwards begins outside that
        zone, unless `edges` says that the gesture is meant.
        """

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """Type into the focused field, exactly; `clear` empties it first. Enter only for a newline in `text`.

        TextNotTyped where no route can carry it or the field does not hold it afterwards. Without a focused field
        the keys go nowhere, as on any phone, and that is no error.
        """

    def press(self, key: Key) -> None:
        """Press a key."""

    def open_app(self, name: str) -> Foreground:
        """Start an app by the name a person would use, or by its package. AppNotFound, AppNotInFront."""

    def foreground(self) -> Foreground:
        """What is in front."""

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """Run a command. A sequence is quoted word by word; text goes to the phone's shell as it is.

        A non-zero exit code is a result, not an error. timeout: seconds (None: the device's own).
        """

    def pull(self, path: str) -> bytes:
        """The content of a file. CommandFailed if there is none."""

    def push(self, path: str, content: bytes) -> None:
        """Write a file."""

    def snapshot(self, name: str) -> None:
        """Keep the whole phone under a name. NotSupported on phones that can't."""

    def restore(self, name: str) -> None:
        """Bring back what `snapshot` kept, checked; NotSupported on phones that can't."""

    def close(self) -> None:
        """Let go of the phone (forwards, connections, the keyboard put back); it goes on running."""


def to_pixel(x: float, y: float, size: tuple[int, int]) -> tuple[int, int]:
    """Fractions of a picture to the pixel that holds them; the last pixel is width - 1, height - 1.

    ValueError for what is not a finite number; values outside 0..1 go to the nearest pixel.
    """
    if not (np.isfinite(x) and np.isfinite(y)):
        raise ValueError(f"({x}, {y}) is no place on a screen")
    return min(max(int(x * size[0]), 0), size[0] - 1), min(max(int(y * size[1]), 0), size[1] - 1)
