"""Favourites, recents and contacts, and the key pad."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket import calls
from emulator.pocket.app import Screen
from emulator.pocket.contacts import INCOMING, MISSED, Contact
from emulator.pocket.databases import Row
from emulator.pocket.intents import CALL, INSERT, SENDTO, VIEW, Intent
from emulator.pocket.parts import bottom_bar, menu, page, toolbar
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import (
    BUTTON,
    avatar,
    button,
    column,
    empty,
    fab,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    spacer,
    stack,
    text,
    text_field,
)  # fmt: skip

PACKAGE = "com.google.android.dialer"
PLACES = (("star", "Favorites"), ("clock", "Recents"), ("group", "Contacts"))
KINDS = {INCOMING: ("arrow_down", "Incoming call"), MISSED: ("arrow_down", "Missed call")}
KEYS = (("1", ""), ("2", "ABC"), ("3", "DEF"), ("4", "GHI"), ("5", "JKL"), ("6", "MNO"), ("7", "PQRS"), ("8", "TUV"),
        ("9", "WXYZ"), ("*", ""), ("0", "+"), ("#", ""))  # fmt: skip
CONTACT = "vnd.android.cursor.dir/contact"


@dataclass
class Dialer(Screen):
    """The three places; `expanded` is the call whose actions are shown."""

    place: int = 1
    query: str = ""
    expanded: int = 0

    def build(self) -> View:
        """Search bar, place, key pad button."""
        parts = [icon_button("search", "Search", partial(self.focus_on, "query", self.query)),
                 text_field("query", self.query, partial(self.set, "query"), hint="Search contacts & places", weight=1,
                            framed=False, id="open_search_bar")]  # fmt: skip
        parts.append(icon_button("more", "More options", partial(self.open, "menu")))
        bar = column(row(*parts, height=52, radius=26, background="surface_high"), padding=(16, 8, 16, 8))
        body = self._people(self._found()) if self.query else (self._favorites, self._recents, self._contacts)[
            self.place]()  # fmt: skip
        return page(bar, *self._banner(), body, fab=fab("dialpad", "key pad", self.key_pad, id="dialpad_fab"),
                    bottom=bottom_bar(PLACES, self.place, partial(self.set, "place")))  # fmt: skip

    def _banner(self) -> list[View]:
        """The way back to a call that is on."""
        if calls.state(self.phone) == calls.IDLE:
            return []
        who = self.phone.contacts.name_of(calls.number(self.phone))
        return [list_row("Return to call", who, self.return_to_call, "call", id="return_to_call", icon_color="accent")]

    def return_to_call(self) -> None:
        """The banner."""
        data = f"tel:{calls.number(self.phone)}"
        self.phone.start_activity(Intent(component=f"{PACKAGE}/{calls.IN_CALL}", data=data))

    def _found(self) -> list[Contact]:
        words = self.query.lower()
        people = self.phone.contacts.all()
        return [c for c in people if words in c.name.lower() or any(words in p.number for p in c.phones)]

    def _favorites(self) -> View:
        people = [c for c in self.phone.contacts.all() if c.starred]
        return self._people(people, dials=True) if people else empty("No favorites yet", "star")

    def _contacts(self) -> View:
        return self._people(self.phone.contacts.all(), create=True)

    def _people(self, people: list[Contact], dials: bool = False, create: bool = False) -> View:
        rows = [list_row("Create new contact", on_tap=self.create, icon_name="add")] if create else []
        for person in people:
            number = next((p.number for p in person.phones), "")
            action = partial(self.call, number) if dials and number else partial(self.show, person.id)
            trailing = [icon_button("call", f"Call {person.name}", partial(self.call, number))] if number else []
            rows.append(list_row(person.name, number, action, leading=avatar(person.name[:1].upper(), person.id),
                                 trailing=trailing, title_id="contact_name"))  # fmt: skip
        return scroll(*rows, key=f"people{self.place}")

    def _recents(self) -> View:
        log = self.phone.contacts.calls.query("SELECT * FROM calls ORDER BY date DESC, _id DESC")
        if not log:
            return empty("Your call history is empty", "clock")
        return scroll(*[self._call_row(entry) for entry in log], key="recents", id="new_call_log_fragment")

    def _call_row(self, entry: Row) -> View:
        number = str(entry["number"] or "")
        name = self.phone.contacts.name_of(number)
        glyph, kind = KINDS.get(entry["type"], ("arrow_up", "Outgoing call"))
        color = "error" if entry["type"] == MISSED else "text_dim"
        when = dt.datetime.fromtimestamp((entry["date"] or 0) / 1000, dt.UTC)
        day = f"{when:%H:%M}" if when.date() == self.phone.clock.datetime().date() else f"{when:%b} {when.day}"
        under = row(icon(glyph, 14, color, desc=kind), text(f"Mobile \u2022 {day}", size=14, color="text_dim"), gap=6)
        title = text(name, color="error" if entry["type"] == MISSED else "text", lines=1, width=-1.0, id="primary_text")
        dial = icon_button("call", f"Call {name}", partial(self.call, number))
        letter = name[:1].upper() if name[:1].isalpha() else "#"
        toggled = 0 if self.expanded == entry["_id"] else entry["_id"]
        line = row(avatar(letter, entry["_id"]), column(title, under, weight=1, gap=2), dial, gap=16,
                   padding=(16, 10, 8, 10), on_tap=partial(self.set, "expanded", toggled))  # fmt: skip
        if self.expanded != entry["_id"]:
            return line
        actions = [list_row("Message", on_tap=partial(self.write, number), icon_name="message")]
        if name == number:
            actions.insert(0, list_row("Add contact", on_tap=partial(self.add_contact, number), icon_name="person"))
        return column(line, *actions, background="card")

    def overlay(self) -> View | None:
        """The menu."""
        return menu([("Clear call history", self.clear)]) if self.opened == "menu" else None

    def clear(self) -> None:
        """Empty the call log."""
        self.phone.contacts.calls.execute("DELETE FROM calls")
        self.dismiss()

    def key_pad(self) -> None:
        """The round button."""
        self.push(Keypad())

    def call(self, number: str) -> None:
        """Call a number."""
        self.phone.start_activity(Intent(CALL, data=f"tel:{number}"))

    def write(self, number: str) -> None:
        """Text a number."""
        self.phone.start_activity(Intent(SENDTO, data=f"smsto:{number}"))

    def show(self, number: int) -> None:
        """A contact, in Contacts."""
        self.phone.start_activity(Intent(VIEW, data=f"content://com.android.contacts/contacts/{number}"))

    def add_contact(self, number: str) -> None:
        """A contact for an unknown number."""
        self.phone.start_activity(Intent(INSERT, mime=CONTACT, extras={"phone": number}))

    def create(self) -> None:
        """A new contact."""
        self.phone.start_activity(Intent(INSERT, mime=CONTACT))

    def on_back(self) -> bool:
        """BACK ends a search first."""
        busy, self.query, self.focus = bool(self.query), "", ""
        return busy


@dataclass
class Keypad(Screen):
    """The key pad; typing goes into the number too."""

    activity: ClassVar[str] = "com.google.android.dialer.extensions.DialpadActivity"

    digits: str = ""

    def on_create(self) -> None:
        """The number has the focus, without a keyboard."""
        self.focus, self.selection = "digits", (len(self.digits), len(self.digits))

    def build(self) -> View:
        """Known people with that number, the number, keys, the call button."""
        field = text_field("digits", self.digits, self.typed, numeric=True, size=34, framed=False, weight=1)
        field.text_align = "center"
        erase = icon_button("backspace", "backspace", self.erase, id="deleteButton")
        erase.on_long = partial(self.typed, "")
        number = row(spacer(width=48), field, erase if self.digits else spacer(width=48), height=72)
        keys = [self._key(digit, letters) for digit, letters in KEYS]
        rows = [row(*keys[i : i + 3], justify="center", gap=20) for i in range(0, 12, 3)]
        dial = View(BUTTON, icon="call", icon_size=30, desc="dial", width=86, height=64, radius=32, color="white",
                    background="accent", on_tap=self.dial, id="dialpad_floating_action_button")  # fmt: skip
        known = self.phone.contacts.find(self.digits)
        hit = [list_row(known.name, self.digits, self.dial, leading=avatar(known.name[:1].upper(), known.id))] if (
            known) else [self._unknown()] if self.digits else []  # fmt: skip
        pad = column(number, *rows, spacer(6), dial, align="center", gap=10, background="card", radius=24,
                     padding=(12, 8, 12, 18))  # fmt: skip
        return page(toolbar("", back=self.finish), column(*hit, weight=1), pad)

    def _unknown(self) -> View:
        return row(button("Create new contact", self.add_contact, style="text"),
                   button("Send a message", self.write, style="text"), padding=(8, 0, 8, 0))  # fmt: skip

    def _key(self, digit: str, letters: str) -> View:
        mark = text(digit, size=28, width=-1.0, align="center", id="dialpad_key_number")
        parts = [mark, text(letters, size=10, color="text_dim", width=-1.0, align="center")] if letters else [mark]
        inner = column(*parts, justify="center", height=-1.0)
        action: Action = partial(self.press, digit)
        key = stack(inner, width=100, height=62, radius=31, background="surface_high", on_tap=action, desc=digit)
        if digit == "0":
            key.on_long = partial(self.press, "+")
        return key

    def press(self, digit: str) -> None:
        """A key."""
        self.typed(self.digits + digit)

    def typed(self, digits: str) -> None:
        """The number changed; only what can be dialled stays."""
        self.digits = "".join(c for c in digits if c in "+0123456789*#,;- ()")
        self.selection = (len(self.digits), len(self.digits))

    def erase(self) -> None:
        """The arrow."""
        self.typed(self.digits[:-1])

    def dial(self) -> None:
        """The green button; without a number the last one dialled comes back."""
        if self.digits.strip():
            self.phone.start_activity(Intent(CALL, data=f"tel:{self.digits.strip()}"))
            return
        last = self.phone.contacts.calls.one("SELECT number FROM calls WHERE type = 2 ORDER BY _id DESC")
        self.typed(str(last["number"]) if last else "")

    def add_contact(self) -> None:
        """A contact for this number."""
        self.phone.start_activity(Intent(INSERT, mime=CONTACT, extras={"phone": self.digits}))

    def write(self) -> None:
        """Text this number."""
        self.phone.start_activity(Intent(SENDTO, data=f"smsto:{self.digits}"))
