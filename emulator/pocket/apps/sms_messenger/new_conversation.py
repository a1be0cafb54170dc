"""Whom to write to: a number typed, or a contact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.sms_messenger.thread import PACKAGE, Thread
from emulator.pocket.contacts import Contact
from emulator.pocket.parts import page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import avatar, empty, icon_button, lazy_list, list_row, row

ROW = 68.0


@dataclass
class NewConversation(Screen):
    """`body` is filled into the conversation that follows."""

    activity: ClassVar[str] = f"{PACKAGE}.activities.NewConversationActivity"

    query: str = ""
    body: str = ""

    def on_create(self) -> None:
        """The keyboard opens at once."""
        self.focus_on("query", self.query)

    def build(self) -> View:
        """Field, check mark, contacts with a number."""
        words = self.query.strip().lower()
        found = [
            (person, phone.number)
            for person in self.phone.contacts.all()
            for phone in person.phones
            if words in person.name.lower() or words in phone.number
        ]
        edit = self.field("query", hint="Add Contact or Number\u2026", weight=1, id="new_conversation_address")
        parts = [edit]
        if words:
            parts.append(icon_button("check", "OK", self.confirm, color="primary", id="new_conversation_confirm"))
        field_row = row(*parts, padding=(16, 4, 8, 8))
        body = lazy_list(len(found), ROW, lambda i: self._person(*found[i]), key="people", id="contacts_list")
        return page(toolbar("New conversation", back=self.finish, back_desc="Back"), field_row,
                    body if found else empty("No contacts have been found" if not words else ""))  # fmt: skip

    def _person(self, person: Contact, number: str) -> View:
        return list_row(
            person.name, number, partial(self.go, number), leading=avatar(person.name[:1].upper(), person.id),
            height=ROW, title_id="item_contact_name", summary_id="item_contact_number",
        )  # fmt: skip

    def confirm(self) -> None:
        """The check mark: what was typed is the number."""
        self.go(self.query.strip())

    def go(self, number: str) -> None:
        """On to the conversation, which takes this screen's place."""
        thread = Thread(number, draft=self.body)
        self.push(thread)
        task = self.phone.activities.front
        task.screens[:] = [screen for screen in task.screens if screen is not self]
