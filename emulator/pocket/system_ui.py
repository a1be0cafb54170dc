"""The system's own parts of the screen: status bar, navigation bar, shade, system dialogs, text menu, toast.

Texts and descriptions are those of Android 13 (SystemUI), so that what an agent learns here is true elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket import controls
from emulator.pocket import system_actions as actions
from emulator.pocket.faults import FaultKind
from emulator.pocket.parts import dialog
from emulator.pocket.views import FILL, Action, Color, View
from emulator.pocket.widgets import (
    FRAME,
    IMAGE_VIEW,
    TEXT_VIEW,
    button,
    column,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    slider,
    spacer,
    text,
)  # fmt: skip

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.android.systemui"
TOAST_SECONDS = 3.0
ASKS_FOR = "access this device\u2019s location"


@dataclass
class Notification:
    """One entry of the shade. `component` and `data` say what a tap on it opens."""

    id: int
    package: str
    title: str
    text: str
    when_ms: int
    action: str = ""
    data: str = ""


@dataclass
class SystemState:
    """What the system shows by itself; copied in snapshots."""

    shade: str = ""  # "", "notifications" or "quick"
    text_menu: bool = False
    toast: str = ""
    toast_until: float = 0.0
    awake: bool = True
    notifications: list[Notification] = field(default_factory=list)
    scrolls: dict[str, int] = field(default_factory=dict)


def status_icons(phone: Phone) -> list[tuple[str, str]]:
    """(icon, description) at the right of the status bar."""
    flags = phone.settings["global"]
    found = []
    if flags.flag("bluetooth_on"):
        found.append(("bluetooth", "Bluetooth on."))
    if flags.flag("airplane_mode_on"):
        found.append(("airplane", "Airplane mode."))
    if flags.flag("wifi_on"):
        found.append(("wifi", "Wifi signal full."))
    if not flags.flag("airplane_mode_on"):
        found.append(("signal", "Phone signal full."))
    saver = flags.flag("low_power")
    found.append(("battery_saver" if saver else "battery", "Battery 100 percent."))
    return found


def status_bar(phone: Phone, color: str) -> View:
    """Time, notification icons, state icons."""
    clock = phone.clock.datetime().strftime("%H:%M")
    left = [text(clock, size=14, bold=1, color=color, id="clock", desc=clock)]
    for note in phone.system.notifications[-4:]:
        label = phone.label_of(note.package)
        left.append(
            icon("message" if "sms" in note.package else "bell", 14, color, f"{label} notification: {note.title}")
        )
    right = [icon(name, 15, color, desc) for name, desc in status_icons(phone)]
    return row(*left, spacer(weight=1), *right, height=FILL, padding=(16, 0, 14, 0), gap=6, id="status_bar_contents")


def is_deep(ground: Color) -> bool:
    """True for a colour that white stands out on in light and dark mode."""
    return ground in {"wallpaper", "black"} if isinstance(ground, str) else sum(ground) < 384


def navigation_bar(phone: Phone) -> View:
    """Back, home and overview; with gestures just the handle."""
    ground = "surface" if phone.system.shade else phone.activities.top.ground()
    color = "white" if is_deep(ground) else "text_dim"
    background = None if ground == "wallpaper" else ground
    if phone.gesture_navigation:
        handle = View(IMAGE_VIEW, width=108, height=4, radius=2, background=color, id="home_handle")
        return row(handle, height=FILL, justify="center", background=background)
    buttons = [
        _navigation("nav_back", "Back", partial(actions.back, phone), color, "back"),
        _navigation("nav_home", "Home", partial(actions.home, phone), color, "home"),
        _navigation("nav_recents", "Overview", partial(actions.recents, phone), color, "recent_apps"),
    ]
    return row(*buttons, height=FILL, justify="center", background=background, gap=44)


def _navigation(name: str, desc: str, action: Action, color: str, id: str) -> View:
    return View(
        IMAGE_VIEW, icon=name, icon_size=18, desc=desc, color=color, on_tap=action, id=id, width=72, height=FILL
    )


# shade


def _tile(name: str, label: str, state: str, on: bool, action: Action) -> View:
    color = "on_primary" if on else "text"
    words = column(text(label, size=14, bold=1, color=color, lines=1, id="tile_label"),
                   text(state, size=13, color=color, lines=1, id="app_label"), weight=1)  # fmt: skip
    tile = row(icon(name, 20, color), words, height=64, weight=1, radius=22, gap=12, padding=(18, 0, 10, 0),
               background="primary" if on else "surface_high", on_tap=action)  # fmt: skip
    tile.cls, tile.desc, tile.checkable, tile.checked = "android.widget.Switch", f"{label}, {state}", True, on
    return tile


def _tiles(phone: Phone) -> list[View]:
    flags = phone.settings["global"]
    toggle = partial(controls.toggle, phone)
    wifi, bluetooth = flags.flag("wifi_on"), flags.flag("bluetooth_on")
    airplane, saver = flags.flag("airplane_mode_on"), flags.flag("low_power")
    quiet = flags.number("zen_mode") != 0
    light = phone.settings["secure"].flag("flashlight_enabled")
    return [
        _tile("wifi", "Internet", "AndroidWifi" if wifi else "Off", wifi, partial(toggle, "wifi_on")),
        _tile("bluetooth", "Bluetooth", "On" if bluetooth else "Off", bluetooth, partial(toggle, "bluetooth_on")),
        _tile("flashlight", "Flashlight", "On" if light else "Off", light, partial(controls.toggle_flashlight, phone)),
        _tile("moon", "Do Not Disturb", "On" if quiet else "Off", quiet, partial(toggle, "zen_mode")),
        _tile("airplane", "Airplane mode", "On" if airplane else "Off", airplane, partial(toggle, "airplane_mode_on")),
        _tile("battery_saver", "Battery Saver", "On" if saver else "Off", saver, partial(toggle, "low_power")),
    ]


def shade(phone: Phone) -> View:
    """Quick settings and notifications over the whole screen."""
    full = phone.system.shade == "quick"
    tiles = _tiles(phone)[: 6 if full else 4]
    now = phone.clock.datetime()
    when = f"{now:%a, %b} {now.day}"
    parts = [row(text(f"{now:%H:%M}", size=20, id="clock"), spacer(weight=1), text(when, size=14, id="date"))]
    if full:
        level = phone.settings["system"].number("screen_brightness", 102)
        move = partial(controls.set_brightness, phone)
        parts.append(slider(controls.brightness_fraction(level), move, desc="Display brightness", id="slider"))
    parts.extend(row(*tiles[i : i + 2], gap=8) for i in range(0, len(tiles), 2))
    if full:
        parts.append(
            row(spacer(weight=1), icon_button("settings", "Open settings", partial(actions.open_settings, phone)))
        )
    else:
        parts.extend(_notification(phone, note) for note in reversed(phone.system.notifications))
        if phone.system.notifications:
            parts.append(
                row(button("Clear all", partial(actions.clear_notifications, phone), style="text"), justify="end")
            )
        else:
            parts.append(text("No notifications", size=14, color="text_dim", width=FILL, align="center"))
    panel = scroll(*parts, key="shade", padding=(16, 32, 16, 16), gap=10)
    panel.background, panel.on_swipe = "surface", partial(actions.swipe_shade, phone)
    return panel


def _notification(phone: Phone, note: Notification) -> View:
    when = f"{phone.label_of(note.package)}"
    entry = list_row(note.title, note.text, partial(actions.open_notification, phone, note.id), "message",
                     title_id="android:id/title", summary_id="android:id/text")  # fmt: skip
    card = column(text(when, size=12, color="text_dim", padding=(16, 10, 16, 0)), entry, background="card", radius=20)
    card.on_swipe = partial(actions.swipe_notification, phone, note.id)
    return card


# dialogs


def not_responding(phone: Phone) -> View:
    """The dialog of an app that hangs."""
    label = phone.label_of(phone.activities.top.package)
    close = partial(actions.answer_fault, phone, FaultKind.NOT_RESPONDING, "close")
    wait = partial(actions.answer_fault, phone, FaultKind.NOT_RESPONDING, "wait")
    return dialog(
        f"{label} isn't responding",
        list_row("Close app", on_tap=close, icon_name="close", title_id="android:id/aerr_close"),
        list_row("Wait", on_tap=wait, icon_name="clock", title_id="android:id/aerr_wait"),
    )


def permission(phone: Phone, what: str) -> View:
    """The runtime permission dialog."""
    answer = partial(actions.answer_fault, phone, FaultKind.PERMISSION_DIALOG)
    label = phone.label_of(phone.activities.top.package)
    choices = ("While using the app", "Only this time", "Don\u2019t allow")
    return dialog(
        f"Allow {label} to {what or ASKS_FOR}?",
        *[button(c, partial(answer, c), style="text", width=FILL) for c in choices],
    )


def popup(phone: Phone, what: str) -> View:
    """A pop-up that an app throws at its user."""
    answer = partial(actions.answer_fault, phone, FaultKind.POPUP)
    label = phone.label_of(phone.activities.top.package)
    return dialog(what or f"Enjoying {label}?", message="Tell others what you think of it.",
                  buttons=[("Not now", partial(answer, "no")), ("Rate", partial(answer, "yes"))])  # fmt: skip


def text_menu(phone: Phone, size: int) -> View:
    """Cut, copy, paste: the floating tool bar over a field that holds `size` characters."""
    start, end = phone.activities.top.selection
    editor = phone.editor
    entries: list[tuple[str, Action]] = []
    if start != end:
        entries += [("Cut", partial(editor.copy, True)), ("Copy", editor.copy)]
    if phone.clipboard:
        entries.append(("Paste", editor.paste))
    if not size or (start, end) != (0, size):
        entries.append(("Select all", partial(actions.select_all, phone)))
    buttons = [
        View(FRAME, kind="stack", height=44, padding=(14, 0, 14, 0), justify="center", desc=label, on_tap=action,
             children=[View(TEXT_VIEW, text=label, size=14, bold=1, id="floating_toolbar_menu_item_text")])
        for label, action in entries
    ]  # fmt: skip
    return row(*buttons, width=-2.0, background="surface_high", radius=22, padding=(8, 0, 8, 0))


def toast(message: str) -> View:
    """The short message at the bottom."""
    return View(TEXT_VIEW, text=message, size=14, color="on_toast", background="toast", radius=22, max_lines=3,
                padding=(20, 12, 20, 12), id="android:id/message")  # fmt: skip
