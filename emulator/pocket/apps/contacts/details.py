"""One contact: name, ways to reach them, star, delete."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.contacts import Contact
from emulator.pocket.intents import CALL, SENDTO, Intent
from emulator.pocket.parts import dialog, menu, page, toolbar
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import avatar, column, empty, icon, icon_button, list_row, row, scroll, text


@dataclass
class Details(Screen):
    """The contact with this id."""

    activity: ClassVar[str] = "com.android.contacts.quickcontact.QuickContactActivity"

    number: int = 0

    def build(self) -> View:
        """Picture, name, buttons, numbers and addresses."""
        person = self.phone.contacts.get(self.number)
        if person is None:
            return page(toolbar("", back=self.finish), empty("The contact doesn't exist.", "person"))
        glyph, desc = ("star", "Remove from favorites") if person.starred else ("star_outline", "Add to favorites")
        star = icon_button(glyph, desc, self.toggle_star)
        bar = toolbar("", back=self.finish, actions=[icon_button("edit", "Edit contact", self.edit), star],
                      menu=partial(self.open, "menu"))  # fmt: skip
        head = [avatar(person.name[:1].upper(), person.id, 128), text(person.name, size=28, id="large_title")]
        if person.company and person.company != person.name:
            head.append(text(person.company, color="text_dim", id="organization"))
        top = column(*head, align="center", gap=14, padding=(16, 8, 16, 20))
        return page(bar, scroll(top, self._actions(person), self._info(person), id="quickcontact_details"))

    def _actions(self, person: Contact) -> View:
        number = next((p.number for p in person.phones), "")
        parts = [
            self._action("call", "Call", partial(self.call, number), bool(number)),
            self._action("message", "Text", partial(self.write, number), bool(number)),
        ]
        return row(*parts, justify="center", gap=36, padding=(16, 0, 16, 20))

    @staticmethod
    def _action(glyph: str, label: str, action: Action, enabled: bool) -> View:
        color = "on_primary_soft" if enabled else "text_faint"
        disc = row(icon(glyph, 24, color), width=72, height=52, radius=26, justify="center", background="primary_soft")
        made = column(disc, text(label, size=13, bold=1), width=76, align="center", gap=6, on_tap=action)
        made.desc, made.enabled = label, enabled
        return made

    def _info(self, person: Contact) -> View:
        rows = [text("Contact info", size=15, bold=1, padding=(16, 14, 16, 4), id="header")]
        for phone in person.phones:
            write = icon_button("message", f"Text {phone.label} {phone.number}", partial(self.write, phone.number))
            rows.append(list_row(phone.number, phone.label, partial(self.call, phone.number), "call", trailing=[write],
                                 title_id="header", summary_id="sub_header"))  # fmt: skip
        rows += [list_row(mail, "Home", icon_name="mail", title_id="header") for mail in person.emails]
        if len(rows) == 1:
            rows.append(list_row("Add phone number", on_tap=self.edit, icon_name="call"))
        card = column(*rows, background="card", radius=22, padding=(0, 0, 0, 8))
        return column(card, padding=(16, 0, 16, 16))

    def overlay(self) -> View | None:
        """Menu and the question before deleting."""
        if self.opened == "menu":
            return menu([("Delete", partial(self.open, "delete"))])
        if self.opened == "delete":
            return dialog("Delete this contact?", message="This contact will be removed from your device",
                          buttons=[("Cancel", self.dismiss), ("Delete", self.delete)])  # fmt: skip
        return None

    def toggle_star(self) -> None:
        """Favourite or not."""
        person = self.phone.contacts.get(self.number)
        if person is not None:
            person.starred = not person.starred
            self.phone.contacts.save(person)

    def edit(self) -> None:
        """The pencil."""
        from emulator.pocket.apps.contacts.editor import Editor

        self.push(Editor(number=self.number))

    def call(self, number: str) -> None:
        """Call a number."""
        self.phone.start_activity(Intent(CALL, data=f"tel:{number}"))

    def write(self, number: str) -> None:
        """Text a number."""
        self.phone.start_activity(Intent(SENDTO, data=f"smsto:{number}"))

    def delete(self) -> None:
        """Delete for good."""
        self.phone.contacts.delete(self.number)
        self.dismiss()
        self.finish()
        self.toast("1 contact deleted")
