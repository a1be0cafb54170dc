"""Joplin: the page of one note: shown as text, changed after a tap on the pencil, saved when it is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from emulator.pocket.app import Screen
from emulator.pocket.apps.joplin import data
from emulator.pocket.apps.joplin.look import BOX, bar, rendered, round_button, tool
from emulator.pocket.parts import dialog, menu, page
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import checkbox, column, row, scroll, spacer, text, text_field


@dataclass
class NotePage(Screen):
    """`key` is the note's id ('' while a new one has not been saved), `home` the notebook of a new one."""

    key: str = ""
    home: str = ""
    is_todo: bool = False
    done: bool = False
    title: str = ""
    body: str = ""
    editing: bool = False
    changed: bool = False
    past: list[str] = field(default_factory=list)
    future: list[str] = field(default_factory=list)

    def on_create(self) -> None:
        """A new note begins with the cursor in its title."""
        if self.key:
            self._read()
        else:
            self.editing = True
            self.focus_on("title")

    def _read(self) -> None:
        note = data.note(self.phone, self.key)
        if note is not None:
            self.title, self.body, self.home = note["title"], note["body"], note["parent_id"]
            self.is_todo, self.done = bool(note["is_todo"]), data.is_done(note)

    def _in_trash(self) -> bool:
        note = data.note(self.phone, self.key) if self.key else None
        return bool(note and note["deleted_time"])

    def build(self) -> View:
        """Bar, title, body, pencil."""
        tools = []
        if self.editing:
            tools = [
                tool("undo", "Undo", self.undo, bool(self.past)),
                tool("redo", "Redo", self.redo, bool(self.future)),
            ]
        if self.changed:
            tools.append(tool("check", "Save changes", self.save))
        tools.append(tool("more", "Actions", partial(self.open, "menu")))
        top = bar("", ("back", "Back", self.leave), tools, middle=spacer(weight=1))
        parts = [top, self._head()]
        if self.editing:
            body = text_field("body", self.body, partial(self.typed, "body"), multiline=True, framed=False,
                              hint="Add body", id="note_body", height=FILL, weight=1)  # fmt: skip
            return page(*parts, column(body, height=FILL, weight=1, padding=(16, 4, 16, 8)))
        shown = scroll(column(*rendered(self.body, self.tick_box), spacer(height=90), padding=(16, 8, 16, 8)),
                       id="note_body")  # fmt: skip
        return page(*parts, shown, fab=None if self._in_trash() else round_button("edit", "Edit", self.edit))

    def _head(self) -> View:
        if self.editing:
            name: View = text_field("title", self.title, partial(self.typed, "title"), hint="Add title", size=19,
                                    framed=False, id="note_title", weight=1)  # fmt: skip
        else:
            name = text(self.title, size=19, bold=1, weight=1, id="note_title", padding=(0, 8, 0, 8))
        parts = [name]
        if self.is_todo:
            parts.insert(0, checkbox(self.done, self.tick, desc=f"to-do: {self.title}", id="todo_checkbox"))
        return row(*parts, gap=8, padding=(16, 6, 16, 6))

    # changing

    def typed(self, name: str, value: str) -> None:
        """A field changes."""
        if name == "body":
            self.past, self.future = [*self.past[-19:], self.body], []
        setattr(self, name, value)
        self.changed = True

    def undo(self) -> None:
        """The last change of the body is taken back."""
        if self.past:
            self.future.append(self.body)
            self.body, self.changed = self.past.pop(), True

    def redo(self) -> None:
        """And made again."""
        if self.future:
            self.past.append(self.body)
            self.body, self.changed = self.future.pop(), True

    def edit(self) -> None:
        """The pencil."""
        self.editing = True
        self.focus_on("body", self.body)

    def tick(self) -> None:
        """The box of a to-do."""
        if self.key:
            data.tick(self.phone, self.key, not self.done)
        self.done = not self.done

    def tick_box(self, number: int) -> None:
        """A box in the text: its line is rewritten."""
        lines = self.body.split("\n")
        found = BOX.match(lines[number])
        if found is not None and not self._in_trash():
            lines[number] = lines[number].replace(f"[{found[1]}]", "[x]" if found[1] == " " else "[ ]", 1)
            self.body = "\n".join(lines)
            self._write()

    def _write(self) -> None:
        if not self.key and not (self.title.strip() or self.body.strip()):
            return
        key = self.key or data.new_id(self.phone)
        now = self.phone.clock.now_ms() if self.done else 0
        values: dict[str, Any] = {"title": self.title, "body": self.body, "is_todo": int(self.is_todo)}
        if not self.key:
            values |= {"parent_id": self.home, "todo_completed": now}
        data.save(self.phone, key, values)
        self.key, self.changed = key, False

    def save(self) -> None:
        """The tick in the bar."""
        self._write()

    def leave(self) -> None:
        """The arrow: from the form to the page, from the page to the list; changes are kept."""
        if self.changed:
            self._write()
        if self.editing and self.key:
            self.editing, self.focus = False, ""
            self.past, self.future = [], []
            self.phone.keyboard.hide()
        else:
            self.finish()

    def on_back(self) -> bool:
        """BACK does the same."""
        self.leave()
        return True

    def on_pause(self) -> None:
        """What was typed is kept when another app comes to the front."""
        if self.changed:
            self.phone.unless_full(self._write)

    # menu

    def overlay(self) -> View | None:
        """Menu, properties, the question before a note goes for good."""
        if self.opened == "properties":
            return self._properties()
        if self.opened == "delete":
            return dialog("", message="Permanently delete note?",
                          buttons=[("Cancel", self.dismiss), ("OK", self.delete)])  # fmt: skip
        if self._in_trash():
            return menu([("Properties", partial(self.open, "properties")), ("Restore", self.restore),
                         ("Permanently delete note", partial(self.open, "delete"))])  # fmt: skip
        return menu([
            ("Convert to note" if self.is_todo else "Convert to todo", self.convert),
            *([("Copy Markdown link", self.copy_link)] if self.key else []),
            ("Properties", partial(self.open, "properties")), ("Delete", self.delete),
        ])  # fmt: skip

    def _properties(self) -> View:
        note = data.note(self.phone, self.key) if self.key else None
        lines = [(name, data.time_label(note[key])) for name, key in (
            ("Created: ", "user_created_time"), ("Updated: ", "user_updated_time"))] if note else []  # fmt: skip
        words = [text(f"{name}{value}", padding=(12, 6, 12, 6), width=FILL) for name, value in lines]
        count = text(f"{len(self.body.split())} words", padding=(12, 6, 12, 6), width=FILL)
        return dialog("Properties", *words, count, buttons=[("OK", self.dismiss)])

    def convert(self) -> None:
        """Note to to-do and back."""
        self.dismiss()
        self.is_todo = not self.is_todo
        if self.key:
            self._write()
        else:
            self.changed = True

    def copy_link(self) -> None:
        """For the text of another note."""
        self.phone.clipboard = f"[{self.title}](:/{self.key})"
        self.dismiss()

    def delete(self) -> None:
        """To the trash, or from there for good."""
        if self.key:
            data.trash(self.phone, [self.key])
        self.finish()

    def restore(self) -> None:
        """Out of the trash."""
        data.restore(self.phone, [self.key])
        self.finish()
