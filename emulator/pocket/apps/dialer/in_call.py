"""The call screen: ringing with answer and decline, or talking with the usual buttons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket import calls
from emulator.pocket.app import Screen
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import IMAGE_BUTTON, avatar, column, icon, row, spacer, stack, text

TOGGLES = (("mic", "Mute"), ("dialpad", "Keypad"), ("volume", "Speaker"), ("add", "Add call"), ("pause", "Hold"),
           ("video", "Video call"))  # fmt: skip


@dataclass
class InCall(Screen):
    """The call that is on. `dials` is a number to call when the screen opens; `on` the toggles switched on."""

    activity: ClassVar[str] = calls.IN_CALL

    dials: str = ""
    on: tuple[str, ...] = ()

    def on_create(self) -> None:
        """A CALL intent places the call now."""
        if self.dials:
            calls.place(self.phone, self.dials)

    def build(self) -> View:
        """Who, how long, buttons."""
        phone, number = self.phone, calls.number(self.phone)
        name, ringing = phone.contacts.name_of(number), calls.state(phone) == calls.RINGING
        seconds = calls.seconds(phone)
        state = "Incoming call" if ringing else "On hold" if "Hold" in self.on else (
            f"{seconds // 60:02d}:{seconds % 60:02d}")  # fmt: skip
        head = [text(state, size=16, color="text_dim", id="contactgrid_status_text"),
                text(name, size=34, lines=1, id="contactgrid_contact_name")]  # fmt: skip
        if name != number:
            head.append(text(number, size=16, color="text_dim", id="contactgrid_bottom_text"))
        letter = name[:1].upper() if name[:1].isalpha() else "#"
        top = column(*head, avatar(letter, 0, 120), align="center", gap=14, padding=(16, 48, 16, 0))
        return column(top, spacer(weight=1), self._ringing() if ringing else self._talking(), height=FILL,
                      background="surface_high", padding=(0, 0, 0, 40))  # fmt: skip

    def _ringing(self) -> View:
        return row(self._round("call_end", "Decline", "error", self.end), self._round("call", "Answer", "accent",
                   partial(calls.answer, self.phone)), justify="center", gap=120)  # fmt: skip

    def _talking(self) -> View:
        cells = [self._toggle(glyph, label) for glyph, label in TOGGLES]
        end = self._round("call_end", "End call", "error", self.end)
        return column(row(*cells[:3]), row(*cells[3:]), spacer(16), end, align="center", gap=18)

    @staticmethod
    def _round(glyph: str, desc: str, color: str, action: Action) -> View:
        return View(IMAGE_BUTTON, icon=glyph, icon_size=32, desc=desc, width=72, height=72, radius=36, color="white",
                    background=color, on_tap=action, id=desc.lower().replace(" ", "_"))  # fmt: skip

    def _toggle(self, glyph: str, label: str) -> View:
        on = label in self.on
        disc = stack(icon(glyph, 26, "on_primary" if on else "text"), width=64, height=64, radius=32, align="center",
                     justify="center", background="primary" if on else "card")  # fmt: skip
        cell = column(disc, text(label, size=13, lines=1), weight=1, align="center", gap=6,
                      on_tap=partial(self.toggle, label))  # fmt: skip
        cell.desc, cell.checkable, cell.checked, cell.enabled = label, True, on, label not in {"Add call", "Video call"}
        return cell

    def toggle(self, label: str) -> None:
        """Mute, speaker, hold."""
        self.on = tuple(x for x in self.on if x != label) if label in self.on else (*self.on, label)

    def end(self) -> None:
        """The red button."""
        calls.hang_up(self.phone)

    def on_back(self) -> bool:
        """BACK leaves the screen; the call goes on."""
        self.phone.activities.home()
        return True
