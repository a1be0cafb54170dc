"""Simple SMS Messenger: conversations, a thread, a new conversation. Messages live in the telephony provider.

AndroidWorld (android_world_apps.md section 5) reads content://sms/sent and /inbox and empties the tables by raw SQL:
lists are read from the provider at each build. A message sent is stored as sent at once, its address as it was given;
the send button says `SMS`, and no text ever begins with `Sending`. Departures: one recipient a conversation, no drafts,
no attachments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.sms_messenger.new_conversation import NewConversation
from emulator.pocket.apps.sms_messenger.thread import PACKAGE, Thread, day_or_time
from emulator.pocket.intents import SEND, SENDTO, VIEW, Intent, IntentFilter
from emulator.pocket.messages import Message
from emulator.pocket.parts import dialog, menu, page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import avatar, column, fab, icon_button, lazy_list, row, text, text_field

MAIN = f"{PACKAGE}.activities.MainActivity"
ROW = 76.0


@dataclass
class Conversations(Screen):
    """The first screen. `marked`: threads chosen by long presses."""

    query: str = ""
    marked: list[int] | None = None

    def build(self) -> View:
        """Search or selection bar, list, button."""
        found = [m for m in self.phone.messages.latest() if self._wanted(m)]
        body = lazy_list(len(found), ROW, lambda i: self._row(found[i]), id="conversations_list")
        return page(
            self._bar(), body if found else self._nothing(),
            fab=fab("add", "New conversation", self.create, id="conversations_fab"),
        )  # fmt: skip

    def _wanted(self, message: Message) -> bool:
        words = self.query.lower()
        hay = f"{self.phone.contacts.name_of(message.address)} {message.address}".lower()
        return words in hay or any(words in m.body.lower() for m in self.phone.messages.of_thread(message.thread_id))

    def _bar(self) -> View:
        if self.marked:
            return toolbar(
                f"{len(self.marked)}", navigation=("close", "Done", partial(self.set, "marked", None)),
                actions=[icon_button("delete", "Delete", partial(self.open, "delete"))], color="surface_high",
            )  # fmt: skip
        parts = [icon_button("search", "Search", partial(self.focus_on, "query", self.query)),
                 text_field("query", self.query, partial(self.set, "query"), hint="Search", weight=1, framed=False,
                            id="top_toolbar_search")]  # fmt: skip
        if self.query:
            parts.append(icon_button("close", "Clear", partial(self.set, "query", "")))
        parts.append(icon_button("more", "More options", partial(self.open, "menu")))
        return column(row(*parts, height=52, radius=26, background="surface_high"), padding=(12, 8, 12, 8))

    def _nothing(self) -> View:
        if self.query:
            return column(text("No items found.", color="text_dim", width=-1.0, align="center", id="no_results"),
                          weight=1, padding=(24, 48, 24, 0))  # fmt: skip
        return column(
            text("No conversations have been found", color="text_dim", id="no_conversations_placeholder"),
            text("Start a conversation", color="primary", bold=1, padding=(12, 12, 12, 12), on_tap=self.create,
                 id="no_conversations_placeholder_2"),
            weight=1, align="center", padding=(24, 48, 24, 0),
        )  # fmt: skip

    def _row(self, message: Message) -> View:
        name = self.phone.contacts.name_of(message.address)
        bold, dim = (0, "text_dim") if message.read else (2, "text")
        letter = name[:1].upper() if name[:1].isalpha() else "#"
        names = column(
            text(name, size=17, bold=bold, lines=1, id="conversation_address", width=-1.0),
            text(message.body.replace("\n", " "), size=15, color=dim, bold=bold, lines=1, width=-1.0,
                 id="conversation_body_short"),
            weight=1, gap=3,
        )  # fmt: skip
        when = text(day_or_time(self.phone, message.date_ms), size=13, color=dim, bold=bold, id="conversation_date")
        picked = message.thread_id in (self.marked or [])
        made = row(avatar(letter, message.thread_id, 44), names, when, height=ROW, gap=14, padding=(16, 0, 16, 0),
                   on_tap=partial(self.touched, message), background="primary_soft" if picked else None,
                   id="conversation_frame")  # fmt: skip
        made.on_long, made.selected = partial(self.mark, message.thread_id), picked
        return made

    def touched(self, message: Message) -> None:
        """A conversation: opened, or chosen while others are."""
        if self.marked:
            self.mark(message.thread_id)
        else:
            self.push(Thread(message.address, message.thread_id))

    def mark(self, thread_id: int) -> None:
        """Choose or not."""
        marked = self.marked or []
        self.marked = [n for n in marked if n != thread_id] if thread_id in marked else [*marked, thread_id]

    def create(self) -> None:
        """The round button."""
        self.push(NewConversation())

    def overlay(self) -> View | None:
        """Menu, question before deleting."""
        if self.opened == "menu":
            return menu([("Mark all as read", self.read_all)])
        if self.opened == "delete":
            count = len(self.marked or [])
            what = f"{count} conversation{'s' if count != 1 else ''}"
            return dialog("", message=f"Are you sure you want to delete {what}?",
                          buttons=[("No", self.dismiss), ("Yes", self.delete)])  # fmt: skip
        return None

    def read_all(self) -> None:
        """Everything is read."""
        for message in self.phone.messages.latest():
            self.phone.messages.mark_read(message.thread_id)
        self.dismiss()

    def delete(self) -> None:
        """Delete what is chosen."""
        for thread_id in self.marked or []:
            self.phone.messages.delete_thread(thread_id)
        self.marked = None
        self.dismiss()

    def on_back(self) -> bool:
        """BACK ends choosing and searching first."""
        busy = bool(self.marked or self.query)
        self.marked, self.query, self.focus = None, "", ""
        return busy


def _main(intent: Intent) -> Screen:
    return Conversations()


def _compose(intent: Intent) -> Screen:
    """SENDTO and VIEW of `sms:NUMBER?body=...`: the thread with this number, the text filled in."""
    number, _, rest = intent.data.partition(":")[2].partition("?")
    body = intent.text("sms_body") or intent.text("android.intent.extra.TEXT")
    for pair in rest.split("&"):
        key, _, value = pair.partition("=")
        body = body or (unquote(value) if key == "body" else "")
    number = unquote(number).lstrip("/").strip()
    return Thread(number, draft=body) if number else NewConversation(body=body)


def _thread(intent: Intent) -> Screen:
    """VIEW of content://mms-sms/conversations/N."""
    last = intent.data.rpartition("/")[2]
    return Thread("", int(last)) if last.isdecimal() else Conversations()


def _share(intent: Intent) -> Screen:
    """SEND of a text: choose whom to."""
    return NewConversation(body=intent.text("android.intent.extra.TEXT"))


NEW, SHARE = NewConversation.activity, f"{PACKAGE}.activities.ShareActivity"
SCHEMES = ("sms", "smsto", "mms", "mmsto")
APP = App(
    package=PACKAGE,
    label="SMS Messenger",
    icon=("message", (255, 111, 0)),
    main=MAIN,
    activities={MAIN: _main, NEW: _compose, Thread.activity: _thread, SHARE: _share},
    filters=(
        (IntentFilter(SENDTO, schemes=SCHEMES), NEW),
        (IntentFilter(VIEW, schemes=SCHEMES), NEW),
        (IntentFilter(VIEW, data="content://mms-sms/conversations/"), Thread.activity),
        (IntentFilter(SEND, mime="text/plain"), SHARE),
    ),
    permissions=(
        "android.permission.READ_SMS", "android.permission.SEND_SMS", "android.permission.READ_CONTACTS",
        "android.permission.POST_NOTIFICATIONS",
    ),
    system=False,
    version="5.19.6",
)  # fmt: skip
