"""A phone for the driver behind `adb shell`: real or pocket, whatever runs a command line and gives its output."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Sequence

DUMP = "/sdcard/window_dump.xml"


class ShellDevice:
    """Drives a device through its shell. run: a command line -> what it printed (adbutils: `device.shell`).

    Only the active window can be seen (`uiautomator dump` shows no other), and `text` types what `input text` can:
    ASCII. ValueError for other characters.
    """

    def __init__(self, run: Callable[[str], str]) -> None:
        self.run = run

    def hierarchy_xml(self, all_windows: bool = False) -> str:
        """`uiautomator dump`; LookupError with its message if it wrote none."""
        said = self.run(f"rm -f {DUMP}; uiautomator dump {DUMP} && cat {DUMP}")
        start = said.find("<?xml")
        if start < 0:
            raise LookupError(f"uiautomator dump gave no hierarchy: {said.strip()[:200]}")
        return said[start:]

    def tap(self, x: int, y: int) -> None:
        """Touch shortly."""
        self.run(f"input tap {x} {y}")

    def long_press(self, x: int, y: int) -> None:
        """Hold a finger for a second."""
        self.swipe(x, y, x, y, 1000)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Move a finger."""
        self.run(f"input swipe {x1} {y1} {x2} {y2} {duration_ms}")

    def text(self, text: str) -> None:
        """Type; a new line is the ENTER key."""
        if not text.isascii():
            raise ValueError(f"`input text` types ASCII only: {text!r}")
        for number, line in enumerate(text.split("\n")):
            if number:
                self.key("ENTER")
            for part in line.replace("%s", "%\0s").split("\0"):  # `input text` reads %s as a blank
                if part:
                    self.run(f"input text {shlex.quote(part.replace(' ', '%s'))}")

    def key(self, key: int | str) -> None:
        """Press a key by code or name."""
        self.run(f"input keyevent {shlex.quote(key if isinstance(key, str) else str(key))}")

    def key_combination(self, codes: Sequence[int | str]) -> None:
        """Press keys together."""
        self.run("input keycombination " + " ".join(shlex.quote(str(code)) for code in codes))

    def launch(self, package: str) -> None:
        """Start an app as its icon does."""
        self.run(f"monkey -p {shlex.quote(package)} -c android.intent.category.LAUNCHER 1")

    def screenshot_png(self) -> bytes:
        """`screencap -p`, as text over the shell; binascii.Error (a ValueError) if it gave something else."""
        return base64.b64decode("".join(self.run("screencap -p | base64").split()), validate=True)
