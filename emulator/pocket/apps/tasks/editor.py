"""Tasks: the page of one task. The disk in the corner saves; BACK with changes asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from emulator.pocket.app import Screen
from emulator.pocket.apps.tasks import data
from emulator.pocket.parts import dialog, list_dialog, menu, page, toolbar
from emulator.pocket.pickers import DatePicker, TimePicker
from emulator.pocket.views import View
from emulator.pocket.widgets import column, divider, icon, icon_button, list_row, radio, row, scroll, text, text_field

WHEN = ("Today", "Tomorrow", "Next week", "Pick a date", "No date")


@dataclass
class Editor(Screen):
    """`number` is the task to change, 0 for a new one. Dates are milliseconds, 0 for none."""

    number: int = 0
    title: str = ""
    notes: str = ""
    importance: int = 2
    due: int = 0
    start: int = 0
    completed: int = 0
    created: int = 0
    changed: bool = False

    def on_create(self) -> None:
        """Fill in what is known; a new task begins with the keyboard up."""
        old = data.task(self.phone, self.number) if self.number else None
        if old is None:
            self.focus_on("title", self.title)
            return
        self.title, self.notes, self.importance = old["title"] or "", old["notes"] or "", old["importance"]
        self.due, self.start, self.completed = old["dueDate"], old["hideUntil"], old["completed"]
        self.created = old["created"]

    def build(self) -> View:
        """Title and rows."""
        actions = [icon_button("delete", "Delete task", partial(self.open, "delete"))] if self.number else []
        bar = toolbar("", navigation=("save", "Save", self.save), actions=actions, menu=partial(self.open, "menu"))
        title = text_field("title", self.title, partial(self.typed, "title"), hint="Task name", size=22, framed=False,
                           id="title", on_submit=self.phone.keyboard.hide)  # fmt: skip
        return page(
            bar,
            scroll(
                column(title, padding=(20, 8, 20, 14)),
                divider(), self._when("due", "No due date", "calendar"),
                divider(), self._when("start", "No start date", "hourglass"),
                divider(), self._priority(), divider(),
                row(icon("note", 24), text_field("notes", self.notes, partial(self.typed, "notes"), hint="Description",
                    multiline=True, framed=False, weight=1, id="notes"), gap=24, padding=(20, 10, 20, 10)),
                divider(), *self._made(), id="scroll_view",
            ),
        )  # fmt: skip

    def _when(self, name: str, nothing: str, glyph: str) -> View:
        ms = getattr(self, name)
        words = nothing if not ms else (
            f"{data.when(ms):%a, %b} {data.when(ms).day}, {data.when(ms).year}"
            + (f" {data.when(ms):%H:%M}" if data.has_time(ms) else ""))  # fmt: skip
        label = "Due " if name == "due" and ms else "Starts " if ms else ""
        return list_row(label + words, on_tap=partial(self.open, name), icon_name=glyph, title_id=f"{name}_date")

    def _priority(self) -> View:
        buttons = []
        for level in range(3, -1, -1):
            one = radio(level == self.importance, partial(self.rank, level))
            one.desc, one.color, one.id = data.PRIORITIES[level], data.COLORS[level], f"priority_{3 - level}"
            buttons.append(column(one, text(data.PRIORITIES[level], size=12, color=data.COLORS[level]), width=60,
                                  align="center"))  # fmt: skip
        return row(icon("flag", 24), text("Priority", weight=1), *buttons, gap=8, padding=(20, 6, 12, 10))

    def _made(self) -> list[View]:
        found = []
        for name, ms in (("Created", self.created), ("Completed", self.completed)):
            if ms:
                then = data.when(ms)
                found.append(text(f"{name} {then:%b} {then.day}, {then.year} {then:%H:%M}", size=14, color="text_dim",
                                  padding=(20, 10, 20, 0)))  # fmt: skip
        return found

    def typed(self, name: str, value: str) -> None:
        """A field changes."""
        setattr(self, name, value)
        self.changed = True

    def rank(self, level: int) -> None:
        """A priority."""
        self.importance, self.changed = level, True

    def overlay(self) -> View | None:
        """Menu, dates, questions."""
        if self.opened == "menu":
            return menu([("Discard", self.leave), *([("Delete", partial(self.open, "delete"))] if self.number else [])])
        if self.opened == "delete":
            return dialog("", message="Are you sure you want to delete this task?",
                          buttons=[("Cancel", self.dismiss), ("OK", self.delete)])  # fmt: skip
        if self.opened == "discard":
            return dialog("", message="Are you sure you want to discard your changes?",
                          buttons=[("Keep editing", self.dismiss), ("Discard", self.finish)])  # fmt: skip
        title = "Due date" if self.opened == "due" else "Start date"
        options = [*WHEN, *(["Pick a time"] if self.opened == "due" and self.due else [])]
        return list_dialog(title, options, partial(self.dated, self.opened))

    def dated(self, name: str, index: int) -> None:
        """A choice of the date dialog."""
        self.dismiss()
        today = self.phone.clock.datetime().date()
        then = data.when(getattr(self, name) or self.phone.clock.now_ms())
        if index < 3:
            self._put(name, data.due_ms(data.days_from(today, (0, 1, 7)[index])))
        elif index == 3:
            self.ask(DatePicker(then.year, then.month, then.day), name)
        elif index == 4:
            self._put(name, 0)
        else:
            self.ask(TimePicker(then.hour, then.minute), "time")

    def _put(self, name: str, ms: int) -> None:
        midnight = ms - ms % data.DAY_MS if name == "start" and ms else ms
        setattr(self, name, midnight)
        self.changed = True

    def on_result(self, key: str, value: Any) -> None:
        """A picker answered."""
        if key == "time":
            self._put("due", data.due_ms(data.when(self.due).date(), *value))
        else:
            self._put(key, data.due_ms(date(*value)))

    def save(self) -> None:
        """The disk: without a title and without changes nothing is written."""
        if self.changed and (self.title.strip() or self.number):
            values: dict[str, str | int | None] = {
                "title": self.title.strip(), "notes": self.notes or None, "importance": self.importance,
                "dueDate": self.due, "hideUntil": self.start,
            }  # fmt: skip
            data.save(self.phone, self.number, values)
        self.finish()

    def delete(self) -> None:
        """OK: the row stays, marked as deleted, as the app does it."""
        data.save(self.phone, self.number, {"deleted": self.phone.clock.now_ms()})
        self.toast("Task deleted")
        self.finish()

    def leave(self) -> None:
        """Without saving: asks if something would be lost."""
        self.dismiss()
        if self.changed:
            self.open("discard")
        else:
            self.finish()

    def on_back(self) -> bool:
        """BACK."""
        self.leave()
        return True
