"""The methods of uiautomator2's JSON-RPC server, on the phone.

Names, parameters and results: openatx/uiautomator2 3.7.1 (__init__.py, _selector.py). Times are real: a wait polls
the hierarchy, since what it waits for is done by other threads. METHODS is the whole list.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

from emulator.pocket.fronts.ui_nodes import describe
from emulator.pocket.fronts.uiautomator2_scroll import child_by, child_by_instance, scroll_all, scroll_one, scroll_to
from emulator.pocket.fronts.uiautomator2_session import Selector, Session
from emulator.pocket.shell.keyboards import clear_field
from emulator.pocket.shell.package_commands import show_shade

KEYS = {
    "home": "HOME",
    "back": "BACK",
    "left": "DPAD_LEFT",
    "right": "DPAD_RIGHT",
    "up": "DPAD_UP",
    "down": "DPAD_DOWN",
    "center": "DPAD_CENTER",
    "menu": "MENU",
    "search": "SEARCH",
    "enter": "ENTER",
    "delete": "DEL",
    "del": "DEL",
    "recent": "APP_SWITCH",
    "volume_up": "VOLUME_UP",
    "volume_down": "VOLUME_DOWN",
    "volume_mute": "VOLUME_MUTE",
    "camera": "CAMERA",
    "power": "POWER",
}


def device_info(session: Session) -> dict[str, Any]:
    """`d.info`."""
    phone = session.phone
    width, height = phone.display_size
    return {
        "currentPackageName": phone.activities.foreground.package,
        "displayWidth": width,
        "displayHeight": height,
        "displayRotation": phone.rotation,
        "displaySizeDpX": round(width / phone.scale),
        "displaySizeDpY": round(height / phone.scale),
        "naturalOrientation": phone.rotation == 0,
        "productName": phone.properties.get("ro.product.name", ""),
        "screenOn": phone.system.awake,
        "sdkInt": int(phone.properties.get("ro.build.version.sdk", "33")),
    }


def dump(session: Session, compressed: bool = False, depth: int = 50, active: bool = False) -> str:
    """The hierarchy's XML; deeper levels than `depth` are kept, the phone's trees are shallow."""
    with session.phone.lock:
        return session.phone.hierarchy_xml(all_windows=not active)


def screenshot(session: Session, scale: float = 1, quality: int = 80) -> str:
    """JPEG of the screen, base64."""
    from PIL import Image

    if not 0 < scale <= 1:
        raise ValueError(f"scale {scale}: more than 0 and at most 1")
    with session.phone.lock:
        pixels = session.phone.screenshot()[:, :, :3].copy()
    image = Image.fromarray(pixels)
    if scale != 1:
        image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    data = io.BytesIO()
    image.save(data, "JPEG", quality=max(1, min(100, quality)))
    return base64.b64encode(data.getvalue()).decode()


def click(session: Session, *arguments: Any) -> bool:
    """click(x, y), click(x, y, milliseconds) or click(selector)."""
    if isinstance(arguments[0], dict):
        return _tap(session, *session.node(arguments[0]).centre())
    x, y = int(arguments[0]), int(arguments[1])
    if len(arguments) > 2 and float(arguments[2]) >= 400:
        with session.phone.lock:
            session.phone.long_press(x, y)
        return True
    return _tap(session, x, y)


def _tap(session: Session, x: int, y: int) -> bool:
    with session.phone.lock:
        session.phone.tap(x, y)
    return True


def long_click(session: Session, *arguments: Any) -> bool:
    """longClick(selector) or longClick(x, y)."""
    x, y = session.node(arguments[0]).centre() if isinstance(arguments[0], dict) else map(int, arguments[:2])
    with session.phone.lock:
        session.phone.long_press(x, y)
    return True


def swipe(session: Session, *arguments: Any) -> bool:
    """swipe(x1, y1, x2, y2, steps), a step being 5 ms; or swipe(selector, direction, percent, steps)."""
    if isinstance(arguments[0], dict):
        left, top, right, bottom = session.node(arguments[0]).bounds
        x, y = (left + right) // 2, (top + bottom) // 2
        ends = {"up": (x, top), "down": (x, bottom - 1), "left": (left, y), "right": (right - 1, y)}
        return _swipe(session, (x, y), ends[str(arguments[1])], 50)
    x1, y1, x2, y2 = (int(value) for value in arguments[:4])
    return _swipe(session, (x1, y1), (x2, y2), int(arguments[4]) if len(arguments) > 4 else 50)


def _swipe(session: Session, start: tuple[int, int], end: tuple[int, int], steps: int) -> bool:
    with session.phone.lock:
        session.phone.swipe(*start, *end, max(1, steps) * 5)
    return True


def swipe_points(session: Session, points: list[float], steps: int = 100) -> bool:
    """A finger along points [x1, y1, x2, y2, ...], down to up."""
    pairs = [(int(points[i]), int(points[i + 1])) for i in range(0, len(points) - 1, 2)]
    if not pairs:
        raise ValueError("no points")
    with session.phone.lock:
        for x, y in pairs:
            session.phone.touch("move", x, y)
        session.phone.touch("up", *pairs[-1])
    return True


def drag(session: Session, x1: float, y1: float, x2: float, y2: float, steps: int = 100) -> bool:
    """Long press at the start, then move."""
    with session.phone.lock:
        session.phone.drag(int(x1), int(y1), int(x2), int(y2), int(steps) * 5)
    return True


def drag_to(session: Session, selector: Selector, *arguments: Any) -> bool:
    """dragTo(selector, x, y, steps) or dragTo(selector, other selector, steps)."""
    start = session.node(selector).centre()
    if isinstance(arguments[0], dict):
        end = session.node(arguments[0]).centre()
    else:
        end = (int(arguments[0]), int(arguments[1]))
    return drag(session, *start, *end)


def inject(session: Session, action: int, x: float, y: float, meta: int = 0) -> bool:
    """injectInputEvent: 0 down, 1 up, 2 move."""
    with session.phone.lock:
        session.phone.touch("up" if action == 1 else "down" if action == 0 else "move", int(x), int(y))
    return True


def press_key(session: Session, name: str) -> bool:
    """Press a key by uiautomator's name."""
    if name.lower() not in KEYS:
        raise ValueError(f"unknown key {name!r}")
    with session.phone.lock:
        session.phone.key(f"KEYCODE_{KEYS[name.lower()]}")
    return True


def press_key_code(session: Session, code: int, meta: int = 0) -> bool:
    """Press a key by Android's number."""
    with session.phone.lock:
        session.phone.key(int(code))
    return True


def set_text(session: Session, selector: Selector, text: str) -> bool:
    """Replace the text of a field: tap it, clear it, type."""
    x, y = session.node(selector).centre()
    with session.phone.lock:
        session.phone.tap(x, y)
        clear_field(session.phone)
        if text:
            session.phone.text(text)
    return True


def get_text(session: Session, selector: Selector) -> str:
    """The text of a node."""
    return session.node(selector).attributes.get("text", "")


def clear_text(session: Session) -> bool:
    """clearInputText: empties the focused field."""
    clear_field(session.phone)
    return True


def get_clipboard(session: Session) -> str:
    """The clipboard's text."""
    return session.phone.clipboard


def set_clipboard(session: Session, label: str | None, text: str) -> bool:
    """Put text on the clipboard."""
    with session.phone.lock:
        session.phone.clipboard = text
    return True


def paste(session: Session) -> bool:
    """pasteClipboard: types the clipboard into the focused field."""
    with session.phone.lock:
        session.phone.text(session.phone.clipboard)
    return True


def set_orientation(session: Session, name: str) -> bool:
    """natural, left, upsidedown, right (or their first letters)."""
    rotation = {"n": "0", "l": "1", "u": "2", "r": "3"}[name[:1]]
    with session.phone.lock:
        session.phone.settings["system"]["user_rotation"] = rotation
        session.phone.touched()
    return True


def freeze(session: Session, frozen: bool = True) -> bool:
    """freezeRotation."""
    with session.phone.lock:
        session.phone.settings["system"]["accelerometer_rotation"] = "0" if frozen else "1"
    return True


def make_toast(session: Session, text: str, duration: float = 1.0) -> bool:
    """Show a toast, and remember it for getLastToast."""
    session.toast = text
    with session.phone.lock:
        session.phone.toast(text)
    return True


def clear_toast(session: Session) -> bool:
    """clearLastToast."""
    session.toast = None
    return True


def _notifications(session: Session) -> bool:
    show_shade(session.phone, "notifications")
    return True


def _quick_settings(session: Session) -> bool:
    show_shade(session.phone, "quick")
    return True


def _wake(session: Session) -> bool:
    session.phone.set_awake(True)
    return True


def _sleep(session: Session) -> bool:
    session.phone.set_awake(False)
    return True


def _true(session: Session, *arguments: Any) -> bool:
    return True


def _false(session: Session, *arguments: Any) -> bool:
    """Gestures of two fingers: not performed, and the answer says so."""
    return False


def _none(session: Session) -> None:
    return None


METHODS: dict[str, Callable[..., Any]] = {
    "deviceInfo": device_info,
    "dumpWindowHierarchy": dump,
    "takeScreenshot": screenshot,
    "click": click,
    "longClick": long_click,
    "swipe": swipe,
    "swipePoints": swipe_points,
    "drag": drag,
    "dragTo": drag_to,
    "injectInputEvent": inject,
    "pressKey": press_key,
    "pressKeyCode": press_key_code,
    "exist": lambda session, selector: bool(session.nodes(selector)),
    "count": lambda session, selector: len(session.nodes(selector)),
    "objInfo": lambda session, selector: describe(session.node(selector)),
    "objInfoOfAllInstances": lambda session, selector: [describe(node) for node in session.nodes(selector)],
    "waitForExists": lambda session, selector, ms: session.wait(selector, ms, present=True),
    "waitUntilGone": lambda session, selector, ms: session.wait(selector, ms, present=False),
    "setText": set_text,
    "clearTextField": lambda session, selector: set_text(session, selector, ""),
    "getText": get_text,
    "clearInputText": clear_text,
    "getClipboard": get_clipboard,
    "setClipboard": set_clipboard,
    "pasteClipboard": paste,
    "childByText": child_by("text"),
    "childByDescription": child_by("content-desc"),
    "childByInstance": child_by_instance,
    "scrollForward": scroll_one(True),
    "scrollBackward": scroll_one(False),
    "flingForward": scroll_one(True),
    "flingBackward": scroll_one(False),
    "scrollToBeginning": scroll_all(False),
    "scrollToEnd": scroll_all(True),
    "flingToBeginning": scroll_all(False),
    "flingToEnd": scroll_all(True),
    "scrollTo": scroll_to,
    "setOrientation": set_orientation,
    "freezeRotation": freeze,
    "openNotification": _notifications,
    "openQuickSettings": _quick_settings,
    "wakeUp": _wake,
    "sleep": _sleep,
    "makeToast": make_toast,
    "getLastToast": lambda session: session.toast,
    "clearLastToast": clear_toast,
    "getLastTraversedText": _none,
    "clearLastTraversedText": _true,
    "gesture": _false,
    "pinchIn": _false,
    "pinchOut": _false,
}
