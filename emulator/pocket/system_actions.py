"""What the system's own buttons and tiles do: BACK, HOME, overview, the shade, notifications, dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.intents import Intent

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MODAL = (FaultKind.NOT_RESPONDING, FaultKind.PERMISSION_DIALOG, FaultKind.POPUP)


def dialog_fault(phone: Phone, kind: FaultKind) -> Fault | None:
    """The fault of a dialog that shows now: one that waits for an app or activity shows only over it."""
    fault = phone.faults.get(kind)
    if fault is None or not fault.over:
        return fault
    top = phone.activities.top
    return fault if fault.over in {top.package, phone.activities.class_of(top)} else None


def back(phone: Phone) -> None:
    """BACK: the nearest of pop-up, shade, text menu, keyboard, overlay, screen."""
    system, screen = phone.system, phone.activities.top
    if any(dialog_fault(phone, kind) for kind in MODAL):
        for kind in (FaultKind.PERMISSION_DIALOG, FaultKind.POPUP):
            if dialog_fault(phone, kind):
                answer_fault(phone, kind, "back")
    elif system.shade:
        system.shade = ""
    elif system.text_menu:
        system.text_menu = False
    elif phone.keyboard.visible:
        phone.keyboard.hide()
    elif screen.opened:
        phone.run_handler(screen.dismiss)
    else:
        phone.run_handler(phone.activities.back)
    phone.touched()


def home(phone: Phone) -> None:
    """HOME: the launcher's first screen."""
    phone.system.shade = ""
    phone.activities.home()
    task = phone.activities.front
    del task.screens[1:]
    phone.run_handler(task.screens[0].go_home)
    phone.touched()


def recents(phone: Phone) -> None:
    """Overview: the recent apps."""
    phone.system.shade = ""
    home(phone)
    launcher = phone.launcher
    if launcher.recents is not None:
        phone.activities.push(launcher.recents(), launcher.package)
    phone.touched()


def swipe_shade(phone: Phone, direction: str) -> None:
    """Up closes the shade, down opens all of quick settings."""
    if direction == "up":
        phone.system.shade = "" if phone.system.shade == "notifications" else "notifications"
    elif direction == "down":
        phone.system.shade = "quick"
    phone.touched()


def open_settings(phone: Phone) -> None:
    """The gear in quick settings."""
    phone.system.shade = ""
    phone.start_activity(Intent(component="com.android.settings/com.android.settings.Settings"))


def clear_notifications(phone: Phone) -> None:
    """`Clear all` of the shade."""
    phone.system.notifications.clear()
    phone.system.shade = ""


def swipe_notification(phone: Phone, number: int, direction: str) -> None:
    """Sideways dismisses a notification."""
    if direction in {"left", "right"}:
        phone.system.notifications = [n for n in phone.system.notifications if n.id != number]
    else:
        swipe_shade(phone, direction)


def select_all(phone: Phone) -> None:
    """`Select all` of the text menu, which stays open with what can be done to the selection."""
    phone.system.text_menu = phone.editor.select_all()


def open_notification(phone: Phone, number: int) -> None:
    """A tap on a notification: it goes and its app comes."""
    note = next((n for n in phone.system.notifications if n.id == number), None)
    phone.system.shade = ""
    if note is None:
        return
    phone.system.notifications.remove(note)
    if note.action:
        phone.start_activity(Intent(action=note.action, data=note.data, package=note.package))
    else:
        phone.launch(note.package)


def answer_fault(phone: Phone, kind: FaultKind, answer: str) -> None:
    """A button of a dialog that was asked for as a fault."""
    phone.faults.take(kind)
    phone.log.write("I", "faults", f"{kind.value} answered {answer}")
    if kind is FaultKind.NOT_RESPONDING and answer == "close":
        phone.force_stop(phone.activities.top.package)
    phone.touched()
