"""One conversation: bubbles, the field for a new message, the send button."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.intents import CALL, INSERT, Intent
from emulator.pocket.messages import SENT, Message
from emulator.pocket.parts import dialog, menu, page, toolbar
from emulator.pocket.views import WRAP, Action, View
from emulator.pocket.widgets import BUTTON, icon_button, row, scroll, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.simplemobiletools.smsmessenger"
GAP_MS = 15 * 60 * 1000  # a pause after which the time is shown again


def day_or_time(phone: Phone, date_ms: int) -> str:
    """`15:34` for today, `14 Oct` in this year, else with the year."""
    when = dt.datetime.fromtimestamp(date_ms / 1000, dt.UTC)
    now = phone.clock.datetime()
    if when.date() == now.date():
        return f"{when:%H:%M}"
    return f"{when.day} {when:%b}" if when.year == now.year else f"{when.day} {when:%b} {when.year}"


def day_and_time(phone: Phone, date_ms: int) -> str:
    """`15:34` for today, else day and time."""
    when = dt.datetime.fromtimestamp(date_ms / 1000, dt.UTC)
    day = day_or_time(phone, date_ms)
    return day if ":" in day else f"{day}, {when:%H:%M}"


@dataclass
class Thread(Screen):
    """The conversation with `number`; `draft` is in the field, `marked` the message chosen by a long press."""

    activity: ClassVar[str] = f"{PACKAGE}.activities.ThreadActivity"

    number: str = ""
    thread_id: int = 0
    draft: str = ""
    marked: int = 0

    def on_create(self) -> None:
        """Thread and number belong together: whichever is missing is looked up."""
        if not self.number:
            messages = self.phone.messages.of_thread(self.thread_id)
            self.number = messages[-1].address if messages else ""
        elif not self.thread_id:
            self.thread_id = self.phone.messages.thread_for(self.number)

    def on_resume(self) -> None:
        """What is seen is read, and its notification goes."""
        self.phone.messages.mark_read(self.thread_id)
        seen = f"content://mms-sms/conversations/{self.thread_id}"
        notes = self.phone.system.notifications
        self.phone.system.notifications = [n for n in notes if n.data != seen or n.package != self.package]

    def build(self) -> View:
        """Tool bar, messages, field."""
        messages = self.phone.messages.of_thread(self.thread_id)
        rows: list[View] = []
        for before, message in zip([None, *messages], messages, strict=False):
            if before is None or message.date_ms - before.date_ms > GAP_MS:
                rows.append(text(day_and_time(self.phone, message.date_ms), size=13, color="text_dim", width=-1.0,
                                 align="center", padding=(0, 10, 0, 6), id="thread_date_time"))  # fmt: skip
            rows.append(self._bubble(message))
        body = scroll(*rows, key="messages", at_end=True, gap=6, padding=(12, 8, 12, 8), id="thread_messages_list")
        return page(self._bar(), body, self._writing())

    def _bar(self) -> View:
        if self.marked:
            return toolbar(
                "1", navigation=("close", "Done", partial(self.set, "marked", 0)), color="surface_high",
                actions=[icon_button("copy", "Copy to clipboard", self.copy),
                         icon_button("share", "Forward message", self.forward),
                         icon_button("delete", "Delete", partial(self.open, "delete"))],
            )  # fmt: skip
        known = self.phone.contacts.find(self.number)
        actions = [icon_button("call", "Dial number", self.call)]
        if known is None:
            actions.insert(0, icon_button("person", "Add Person", self.add_person))
        title = known.name if known else self.number
        return toolbar(title, back=self.finish, actions=actions, subtitle=self.number if known else "",
                       menu=partial(self.open, "menu"), back_desc="Back")  # fmt: skip

    def _bubble(self, message: Message) -> View:
        own = message.box == SENT
        marked = message.id == self.marked
        bubble = text(
            message.body, size=16, color="on_primary" if own else "text", padding=(14, 9, 14, 9), width=WRAP,
            id="thread_message_body", on_tap=partial(self.unmark, message.id),
        )  # fmt: skip
        bubble.background, bubble.radius = "primary" if own else "surface_high", 16
        bubble.on_long, bubble.selected = partial(self.set, "marked", message.id), marked
        line = row(bubble, padding=(72, 0, 0, 0) if own else (0, 0, 72, 0), justify="end" if own else "start")
        line.background = "selection" if marked else None
        return line

    def _writing(self) -> View:
        edit = self.field("draft", hint="Type a message\u2026", multiline=True, framed=False, weight=1,
                          id="thread_type_message")  # fmt: skip
        box = row(edit, weight=1, radius=24, background="surface_high", padding=(18, 6, 18, 6))
        ready = bool(self.draft.strip())
        send = View(BUTTON, text="SMS", icon="send", icon_size=20, size=13, bold=1, width=92, height=48, radius=24,
                    padding=(14, 10, 12, 10), color="on_primary" if ready else "text_faint", text_align="center",
                    background="primary" if ready else "surface_high", on_tap=self.send,
                    id="thread_send_message")  # fmt: skip
        return row(box, send, gap=8, padding=(12, 8, 12, 10), align="end", id="message_holder")

    def unmark(self, message_id: int) -> None:
        """A tap on a bubble only moves or ends the choice."""
        if self.marked:
            self.marked = 0 if self.marked == message_id else message_id

    def send(self) -> None:
        """Send what stands in the field; without signal a toast says so and nothing is sent."""
        body = self.draft.strip()
        if not body:
            return
        if self.phone.settings["global"].flag("airplane_mode_on"):
            self.toast("Could not send message: airplane mode is on")
            return
        self.need("android.permission.SEND_SMS", "send")

    def on_result(self, key: str, value: object) -> None:
        """The permission to send is there, or the user refused it: then the words stay in the field."""
        if key != "send" or not value:
            return
        body = self.draft.strip()
        message = self.phone.messages.add(self.number, body, SENT, creator=PACKAGE)
        self.thread_id, self.draft = message.thread_id, ""
        self.selection = (0, 0)
        self.scrolls.pop("messages", None)

    def overlay(self) -> View | None:
        """Menu, questions before deleting."""
        if self.opened == "menu":
            return menu([("Copy number to clipboard", self.copy_number), ("Delete", partial(self.open, "delete_all"))])
        if self.opened == "delete":
            return self._sure("Are you sure you want to delete 1 message?", self.delete)
        if self.opened == "delete_all":
            return self._sure("Delete all messages of this conversation?", self.delete_all)
        return None

    def _sure(self, question: str, action: Action) -> View:
        return dialog("", message=question, buttons=[("No", self.dismiss), ("Yes", action)])

    def _marked_text(self) -> str:
        messages = self.phone.messages.of_thread(self.thread_id)
        return next((m.body for m in messages if m.id == self.marked), "")

    def copy(self) -> None:
        """The chosen message to the clipboard."""
        self.phone.clipboard = self._marked_text()
        self.marked = 0
        self.toast("Value copied to clipboard")

    def forward(self) -> None:
        """The chosen message into a new conversation."""
        from emulator.pocket.apps.sms_messenger.new_conversation import NewConversation

        body, self.marked = self._marked_text(), 0
        self.push(NewConversation(body=body))

    def copy_number(self) -> None:
        """Menu: the number to the clipboard."""
        self.phone.clipboard = self.number
        self.dismiss()
        self.toast("Value copied to clipboard")

    def delete(self) -> None:
        """The chosen message."""
        self.phone.messages.delete(self.marked)
        self.marked = 0
        self.dismiss()

    def delete_all(self) -> None:
        """The conversation."""
        self.phone.messages.delete_thread(self.thread_id)
        self.dismiss()
        self.finish()

    def call(self) -> None:
        """The handset."""
        self.phone.start_activity(Intent(CALL, data=f"tel:{self.number}"))

    def add_person(self) -> None:
        """A contact for an unknown number."""
        mime = "vnd.android.cursor.dir/contact"
        self.phone.start_activity(Intent(INSERT, mime=mime, extras={"phone": self.number}))

    def on_back(self) -> bool:
        """BACK ends the choice first."""
        chosen, self.marked = bool(self.marked), 0
        return chosen
