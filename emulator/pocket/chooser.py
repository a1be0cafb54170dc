"""The "Open with" dialog: which app takes an intent that several can take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.intents import Intent, short_component
from emulator.pocket.parts import bottom_sheet
from emulator.pocket.views import View
from emulator.pocket.widgets import badge, button, column, list_row, row, text

PACKAGE = "android"


@dataclass
class Chooser(Screen):
    """Shows the apps (package, class); the intent is kept as plain data."""

    activity: ClassVar[str] = "com.android.internal.app.ResolverActivity"
    floating: ClassVar[bool] = True

    options: list[tuple[str, str]] = field(default_factory=list)
    intent: dict[str, Any] = field(default_factory=dict)
    selected: int = -1
    key: str = ""

    @classmethod
    def for_intent(cls, intent: Intent, options: Sequence[tuple[str, str]], key: str = "") -> Chooser:
        """A chooser for `options`; with a `key` the screen below waits for an answer under it."""
        plain = {"action": intent.action, "data": intent.data, "mime": intent.mime, "extras": dict(intent.extras)}
        return cls(options=list(options), intent=plain, package=PACKAGE, key=key)

    def build(self) -> View:
        """A sheet with one row an app and the two buttons of Android's resolver."""
        rows = [
            list_row(self.phone.label_of(package), on_tap=partial(self.set, "selected", i),
                     leading=badge(*self.phone.apps[package].icon),
                     selected=i == self.selected, title_id="android:id/text1")
            for i, (package, _) in enumerate(self.options)
        ]  # fmt: skip
        chosen = self.selected >= 0
        buttons = row(
            button("Just once", self.go, style="text", enabled=chosen, id="android:id/button_once"),
            button("Always", self.go, style="text", enabled=chosen, id="android:id/button_always"),
            justify="end", padding=(16, 8, 16, 8),
        )  # fmt: skip
        return bottom_sheet(text("Open with", size=18, bold=1, padding=(16, 8, 16, 8), id="android:id/title"),
                            column(*rows), buttons)  # fmt: skip

    def go(self) -> None:
        """Start the chosen app."""
        package, cls = self.options[self.selected]
        self.finish()
        wanted = Intent(component=short_component(package, cls), **self.intent)
        if self.key:
            self.phone.activities.ask_app(wanted, self.key)
        else:
            self.phone.start_activity(wanted)
