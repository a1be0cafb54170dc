"""The form for a new contact or a changed one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.contacts.details import Details
from emulator.pocket.contacts import PHONE_TYPES, Contact, PhoneNumber
from emulator.pocket.intents import Intent
from emulator.pocket.parts import dialog, list_dialog, page, toolbar
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import button, column, icon, row, scroll, spacer, stack, text, text_field

LABELS = (2, 3, 1, 12, 4, 5, 6, 7)  # keys of PHONE_TYPES in the order the app offers them


def split_name(name: str) -> tuple[str, str]:
    """First name, and the rest."""
    first, _, last = name.strip().partition(" ")
    return first, last.strip()


def from_extras(intent: Intent) -> Contact:
    """What an INSERT intent tells about the new contact (ContactsContract.Intents.Insert)."""
    first, last = split_name(intent.text("name"))
    number, mail = intent.text("phone"), intent.text("email")
    return Contact(0, first, last, intent.text("company"), [PhoneNumber(number)] if number else [],
                   [mail] if mail else [])  # fmt: skip


@dataclass
class Editor(Screen):
    """`number` is the id of an existing contact, 0 for a new one; `contact` what the form holds."""

    activity: ClassVar[str] = "com.android.contacts.activities.ContactEditorActivity"

    number: int = 0
    contact: Contact = field(default_factory=Contact)
    changed: bool = False
    picking: int = 0  # phone whose label is being chosen

    def on_create(self) -> None:
        """Existing data, one empty phone and mail at least, cursor in the first name."""
        known = self.phone.contacts.get(self.number) if self.number else None
        self.contact = known or self.contact
        self.contact.phones = self.contact.phones or [PhoneNumber("")]
        self.contact.emails = self.contact.emails or [""]
        if known is None:
            self.focus_on("first", self.contact.first)

    def build(self) -> View:
        """Tool bar and fields."""
        title = "Edit contact" if self.number else "Create contact"
        save = button("Save", self.save, id="toolbar_button")
        bar = toolbar(title, navigation=("close", "Cancel", self.cancel), actions=[save, spacer(width=8)])
        person = self.contact
        fields = [
            self._photo(),
            self._entry("person", "first", person.first, "First name"),
            self._entry("", "last", person.last, "Last name"),
            self._entry("devices", "company", person.company, "Company"),
        ]
        for i, phone in enumerate(person.phones):
            fields.append(self._entry("call" if i == 0 else "", f"phone{i}", phone.number, "Phone", numeric=True))
            fields.append(self._label(i, phone.label))
        fields.append(self._more("Add phone", self.add_phone))
        for i, mail in enumerate(person.emails):
            fields.append(self._entry("mail" if i == 0 else "", f"email{i}", mail, "Email"))
        fields.append(self._more("Add email", self.add_email))
        return page(bar, scroll(*fields, gap=12, padding=(12, 8, 20, 24), id="contact_editor_fragment"))

    def _photo(self) -> View:
        disc = stack(icon("camera", 36, "on_primary_soft"), width=96, height=96, radius=48, align="center",
                     justify="center", background="primary_soft")  # fmt: skip
        return column(disc, text("Add picture", size=14, color="primary", bold=1), align="center", gap=8)

    def _entry(self, glyph: str, key: str, value: str, hint: str, numeric: bool = False) -> View:
        edit = text_field(key, value, partial(self.typed, key), hint=hint, numeric=numeric, weight=1, framed=False)
        edit.border, edit.background, edit.radius, edit.padding = "outline", "background", 6, (14, 14, 14, 14)
        lead = icon(glyph) if glyph else spacer(width=24, height=24)
        return row(lead, edit, gap=12, padding=(4, 0, 0, 0))

    def _label(self, index: int, label: str) -> View:
        name = text(label, size=15, weight=1, desc=f"{label} Phone", id="spinner_text")
        box = row(name, icon("dropdown", 20), width=180, height=48, padding=(14, 0, 10, 0), radius=6,
                  on_tap=partial(self.pick_label, index))  # fmt: skip
        box.cls, box.border, box.background = "android.widget.Spinner", "outline", "background"
        return row(spacer(width=24, height=24), box, gap=12, padding=(4, 0, 0, 0))

    @staticmethod
    def _more(label: str, action: Action) -> View:
        return row(spacer(width=24, height=24), button(label, action, style="text"), gap=4, padding=(4, 0, 0, 0))

    def overlay(self) -> View | None:
        """Choice of a label, question about unsaved changes."""
        if self.opened == "label":
            return list_dialog("", [PHONE_TYPES[kind] for kind in LABELS], self.label_chosen)
        if self.opened == "discard":
            return dialog("", message="Your changes have not been saved",
                          buttons=[("Discard", self.finish), ("Save", self.save)])  # fmt: skip
        return None

    def typed(self, key: str, value: str) -> None:
        """A field changed: first, last, company, phoneN, emailN."""
        self.changed = True
        if key.startswith("phone"):
            self.contact.phones[int(key[5:])].number = value
        elif key.startswith("email"):
            self.contact.emails[int(key[5:])] = value
        else:
            setattr(self.contact, key, value)

    def add_phone(self) -> None:
        """One more number."""
        self.contact.phones.append(PhoneNumber(""))
        self.focus_on(f"phone{len(self.contact.phones) - 1}")

    def add_email(self) -> None:
        """One more address."""
        self.contact.emails.append("")
        self.focus_on(f"email{len(self.contact.emails) - 1}")

    def pick_label(self, index: int) -> None:
        """Tap on a label."""
        self.picking = index
        self.phone.keyboard.hide()
        self.open("label")

    def label_chosen(self, index: int) -> None:
        """An entry of the list of labels."""
        self.contact.phones[self.picking].type = LABELS[index]
        self.changed = True
        self.dismiss()

    def cancel(self) -> None:
        """The cross."""
        if not self.on_back():
            self.finish()

    def on_back(self) -> bool:
        """Asks if something was typed."""
        if self.changed:
            self.phone.keyboard.hide()
            self.open("discard")
        return self.changed

    def save(self) -> None:
        """Write to the provider and show the contact; an empty form is just closed."""
        person = self.contact
        if not person.name.strip():
            self.finish()
            return
        person.first, person.last = person.first.strip(), person.last.strip()
        saved = self.phone.contacts.save(person)
        self.toast(f"{person.name} saved")
        if self.number:
            self.finish()
            return
        self.push(Details(saved))
        task = self.phone.activities.front
        task.screens[:] = [screen for screen in task.screens if screen is not self]
