"""What Android's own dumps say: the window in focus, the displays, the keyboard.

Formats: AOSP frameworks/base, `dumpsys window` (WindowState, WindowManager.LayoutParams), `dumpsys display`
(DisplayViewport), `dumpsys input_method`; Android 10 to 14. What a dump lacks is None, not guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from emulator.device import Foreground, Size

FOCUS_COMMAND = "dumpsys window | grep -E 'mCurrentFocus=|mFocusedApp='"
SECURE_COMMAND = "dumpsys window"
DISPLAY_COMMAND = "dumpsys display | grep DisplayViewport"
KEYBOARD_COMMAND = "dumpsys input_method | grep -E 'mInputShown|mInputMethodShown|isInputViewShown|mIsInputViewShown'"
SYSTEM_UI = "com.android.systemui"
SYSTEM_WINDOWS = {
    "NotificationShade": SYSTEM_UI,
    "StatusBar": SYSTEM_UI,
    "VolumeDialogImpl": SYSTEM_UI,
    "Application Not Responding": "android",
    "Application Error": "android",
}
PERMISSION_PACKAGES = frozenset({"com.google.android.permissioncontroller", "com.android.permissioncontroller"})
_WINDOW = re.compile(r"mCurrentFocus=Window\{\S+ \S+ ([^}]+)\}")
_APP = re.compile(r"mFocusedApp=.*?\{\S+ \S+ (\S+?)/(\S+?)[ }]")
_VIEWPORT = re.compile(r"DisplayViewport\{([^}]*)\}")
_FRAME = re.compile(r"logicalFrame=Rect\((-?\d+), (-?\d+) - (-?\d+), (-?\d+)\)")


def full_class(package: str, name: str) -> str:
    """`.Main` as `package.Main`; a full name stays."""
    return package + name if name.startswith(".") else name


def foreground(dump: str) -> Foreground | None:
    """What `dumpsys window` says has the focus; None if it names no window (for instance between two screens).

    A window of the system's (shade, "isn't responding") counts under the package its hierarchy has, without activity.
    A pop-up without a name of its own belongs to the app in focus.
    """
    focus, app = _WINDOW.search(dump), _APP.search(dump)
    if focus is None:
        return None
    title = focus[1].strip()
    for name, package in SYSTEM_WINDOWS.items():
        if title.startswith(name):
            return Foreground(package, "")
    package, slash, activity = title.partition("/")
    if slash:
        return Foreground(package, full_class(package, activity))
    return Foreground(app[1], full_class(app[1], app[2])) if app else None


def focus_is_secure(dump: str) -> bool | None:
    """Whether the focused window forbids pictures (FLAG_SECURE), from `dumpsys window`; None: not told."""
    focus = re.search(r"mCurrentFocus=Window\{(\S+) ", dump)
    if focus is None:
        return None
    start = dump.find(f"Window{{{focus[1]} ")
    attributes = re.search(r"mAttrs=\{(.*)", dump[start:]) if start >= 0 else None
    if attributes is None:
        return None
    block = dump[start + attributes.start() :][:2000].partition("\n  Window #")[0]
    flags = re.search(r"\bfl=([^\n}]*)", block)
    return None if flags is None else "SECURE" in flags[1].replace("FLAG_SECURE", "SECURE").split()


@dataclass(frozen=True)
class Display:
    """A display as the system sees it. physical: SurfaceFlinger's id for `screencap -d` ("" if it has none)."""

    number: int
    physical: str
    active: bool
    rotation: int
    size: Size


def displays(dump: str) -> list[Display]:
    """The viewports in `dumpsys display`, in its order, each display once."""
    found: dict[tuple[int, str], Display] = {}
    for match in _VIEWPORT.finditer(dump):
        fields = dict(part.split("=", 1) for part in re.split(r", (?=\w+=)", match[1]) if "=" in part)
        frame = _FRAME.search(match[1])
        if frame is None or fields.get("valid") == "false":
            continue
        left, top, right, bottom = (int(n) for n in frame.groups())
        physical = re.search(r"uniqueId='?local:(\d+)", match[1])
        display = Display(
            int(fields.get("displayId", "0")),
            physical[1] if physical else "",
            fields.get("isActive", "true") == "true",
            int(fields.get("orientation", "0")),
            Size(right - left, bottom - top),
        )
        found.setdefault((display.number, display.physical), display)
    return list(found.values())


def display_ids(dump: str) -> list[str]:
    """SurfaceFlinger's ids in `dumpsys SurfaceFlinger --display-id`, in its order."""
    return re.findall(r"^Display (\d+)", dump, re.M)


def main_display(found: list[Display]) -> Display | None:
    """The one that is on and belongs to display 0, else the first that is on, else the first."""
    order = sorted(found, key=lambda d: (not d.active, d.number != 0))
    return order[0] if order else None


def keyboard_shown(dump: str) -> bool | None:
    """Whether a soft keyboard is on the screen; None if the dump does not tell."""
    told = re.findall(r"(?:mInputShown|mInputMethodShown|m?[iI]sInputViewShown)=(true|false)", dump)
    return None if not told else "true" in told
