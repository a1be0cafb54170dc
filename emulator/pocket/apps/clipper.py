"""Clipper: the clipboard by broadcast, as `am broadcast -a clipper.set -e text ...` and `clipper.get`.

AndroidWorld (android_world_apps.md section 12) starts it, sends the broadcast, reads `result=-1, data="..."` and
presses BACK. As since Android 10, the clipboard is readable only while the app is in front: else `get` answers
result 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator.pocket.app import App, Screen
from emulator.pocket.intents import Intent
from emulator.pocket.parts import page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import button, column, scroll, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "ca.zgrs.clipper"
MAIN = f"{PACKAGE}.Main"
OK, CANCELED = -1, 0
USAGE = (
    ("Read the clipboard", "am broadcast -a clipper.get"),
    ("Write the clipboard", 'am broadcast -a clipper.set -e text "some text"'),
)


@dataclass
class Main(Screen):
    """What it is for; the buttons start and stop the service that answers."""

    def build(self) -> View:
        """Explanation, state, buttons."""
        on = not self.phone.prefs(PACKAGE).flag("stopped")
        lines = [text("Reads and writes the clipboard for adb shell.", size=16)]
        for title, command in USAGE:
            lines.append(column(text(title, size=14, bold=1, color="primary"), text(command, size=14), gap=4,
                                background="card", radius=12, padding=(14, 12, 14, 12)))  # fmt: skip
        lines.append(text(f"Service is {'running' if on else 'stopped'}", color="text_dim"))
        lines.append(button("Start Service", self.start, style="tonal", enabled=not on))
        lines.append(button("Stop Service", self.stop, style="outlined", enabled=on))
        return page(toolbar("Clipper"), scroll(*lines, padding=(16, 12, 16, 12), gap=16))

    def start(self) -> None:
        """Start Service."""
        self.phone.prefs(PACKAGE).remove("stopped")

    def stop(self) -> None:
        """Stop Service: broadcasts aren't answered any more."""
        self.phone.prefs(PACKAGE).set("stopped", True)


def _broadcast(phone: Phone, intent: Intent) -> tuple[int, str] | None:
    if intent.action not in {"clipper.get", "clipper.set", "get", "set"} or phone.prefs(PACKAGE).flag("stopped"):
        return None
    if intent.action.endswith("set"):
        if "text" not in intent.extras:
            return CANCELED, 'No text is provided. Use -e text "text to be pasted"'
        phone.clipboard = intent.text("text")
        return OK, "Text is copied into clipboard."
    if phone.activities.foreground.package != PACKAGE or not phone.clipboard:
        return CANCELED, ""
    return OK, phone.clipboard


def _main(intent: Intent) -> Screen:
    return Main()


APP = App(
    package=PACKAGE,
    label="clipper",
    icon=("clipboard", (96, 125, 139)),
    main=MAIN,
    activities={MAIN: _main},
    broadcast=_broadcast,
    system=False,
    version="1.2.1",
)
