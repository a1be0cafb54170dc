"""Contacts (Google's): list with search, details, editor. People live in the contacts provider, not in the app.

AndroidWorld (android_world_apps.md sections 3, 10) reads the provider by `content query`, the draft form from the
accessibility forest (hints `First name`, `Last name`, `Phone`; label text with description `Home Phone`), and adds
people with an INSERT intent and the button `Save`. Class names beside PeopleActivity are AOSP's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.contacts.details import Details
from emulator.pocket.apps.contacts.editor import Editor, from_extras
from emulator.pocket.contacts import Contact
from emulator.pocket.intents import INSERT, VIEW, Intent, IntentFilter
from emulator.pocket.parts import bottom_bar, page
from emulator.pocket.views import View
from emulator.pocket.widgets import avatar, column, empty, fab, icon_button, lazy_list, row, text, text_field

PACKAGE = "com.google.android.contacts"
MAIN = "com.android.contacts.activities.PeopleActivity"
PLACES = (("person", "Contacts"), ("star", "Highlights"))
ROW = 64.0


@dataclass
class People(Screen):
    """The list. `place` is an index into PLACES."""

    query: str = ""
    place: int = 0

    def build(self) -> View:
        """Search bar, list, button, places."""
        people = [c for c in self.phone.contacts.all() if self.place == 0 or c.starred]
        wanted = self.query.lower()
        found = [c for c in people if wanted in c.name.lower() or any(wanted in p.number for p in c.phones)]
        body = self._list(found) if found else empty(*self._nothing())
        return page(
            self._search(), body, fab=fab("add", "Create contact", self.create, id="floating_action_button"),
            bottom=bottom_bar(PLACES, self.place, partial(self.set, "place")),
        )  # fmt: skip

    def _nothing(self) -> tuple[str, str]:
        if self.query:
            return "No results", "search"
        return ("No contacts in this account", "person") if self.place == 0 else ("No favorites yet", "star")

    def _search(self) -> View:
        lead = icon_button("search", "Search", partial(self.focus_on, "query", self.query))
        parts = [lead, text_field("query", self.query, partial(self.set, "query"), hint="Search contacts", weight=1,
                                  framed=False, id="open_search_bar")]  # fmt: skip
        if self.query:
            parts.append(icon_button("close", "Clear query", partial(self.set, "query", "")))
        bar = row(*parts, height=52, radius=26, background="surface_high", padding=(4, 0, 8, 0))
        return column(bar, padding=(16, 8, 16, 8))

    def _list(self, people: list[Contact]) -> View:
        def entry(i: int) -> View:
            person = people[i]
            letter = person.name[:1].upper()
            first = i == 0 or people[i - 1].name[:1].upper() != letter
            side = text(letter if first else "", size=15, bold=1, color="primary", width=24, align="center")
            made = row(
                side, avatar(letter, person.id), text(person.name, id="cliv_name_textview", lines=1, weight=1),
                height=ROW, padding=(14, 0, 16, 0), gap=14, on_tap=partial(self.push, Details(person.id)),
            )  # fmt: skip
            made.desc = person.name
            return made

        return lazy_list(len(people), ROW, entry, id="list")

    def create(self) -> None:
        """The round button."""
        self.push(Editor())

    def on_back(self) -> bool:
        """BACK clears the search first."""
        if self.query:
            self.query, self.focus = "", ""
            return True
        return False


def _view(intent: Intent) -> Screen:
    """VIEW of one contact, or of all."""
    last = intent.data.rstrip("/").rpartition("/")[2]
    return Details(int(last)) if last.isdecimal() else People()


def _insert(intent: Intent) -> Screen:
    """INSERT or EDIT with what is known in the extras."""
    last = intent.data.rstrip("/").rpartition("/")[2]
    return Editor(number=int(last)) if last.isdecimal() else Editor(contact=from_extras(intent))


URIS = ("content://contacts/people", "content://com.android.contacts/contacts", "content://com.android.contacts/raw")
MIMES = ("vnd.android.cursor.dir/contact", "vnd.android.cursor.dir/raw_contact", "vnd.android.cursor.dir/person")
APP = App(
    package=PACKAGE,
    label="Contacts",
    icon=("person", (26, 115, 232)),
    main=MAIN,
    activities={MAIN: _view, Details.activity: _view, Editor.activity: _insert},
    filters=(
        *((IntentFilter(VIEW, data=uri), MAIN) for uri in URIS),
        *((IntentFilter(INSERT, mime=mime), Editor.activity) for mime in MIMES),
        *((IntentFilter(INSERT, data=uri), Editor.activity) for uri in URIS),
        *((IntentFilter("android.intent.action.EDIT", data=uri), Editor.activity) for uri in URIS),
        *((IntentFilter("android.intent.action.INSERT_OR_EDIT", mime=m), Editor.activity) for m in (*MIMES, "")),
    ),
    permissions=(
        "android.permission.READ_CONTACTS", "android.permission.WRITE_CONTACTS", "android.permission.CALL_PHONE",
    ),
    version="4.8",
)  # fmt: skip
