"""What Simple Gallery does with files: copy, move, rename, delete into the recycle bin, restore, share; its dialogs."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.gallery import data
from emulator.pocket.apps.gallery.data import BIN, Medium
from emulator.pocket.apps.gallery.picking import Destination
from emulator.pocket.documents import document_uri
from emulator.pocket.files import STORAGE
from emulator.pocket.intents import EDIT, SEND, VIEW, ActivityNotFound, Intent
from emulator.pocket.mime import mime_type
from emulator.pocket.parts import Choice, dialog
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import column, radio, text

STREAM = "android.intent.extra.STREAM"
CONFLICTS = ("Overwrite", "Skip", "Keep both")


@dataclass
class Acting(Screen):
    """A screen with files to act on. `going`: what is copied or moved; `target`: where to; `verb`: Copy or Move."""

    new_name: str = ""
    verb: str = ""
    going: list[str] = field(default_factory=list)
    target: str = ""
    conflict: int = 1

    def acted_on(self) -> list[Medium]:
        """The files that a button means now."""
        return []

    def acted(self) -> None:
        """Something was done with them: choosing ends."""

    # dialogs

    def overlay(self) -> View | None:
        """The dialogs; None for any other name."""
        found = self.acted_on()
        if self.opened == "conflict" and self.going:
            return self._conflict()
        if not found:
            return None
        if self.opened == "delete":
            return dialog("", message=self._question(found), buttons=[("No", self.dismiss), ("Yes", self.delete)])
        if self.opened == "rename":
            name = self.field("new_name", on_submit=self.phone.keyboard.hide, id="rename_item_name", label="Name")
            return dialog("Rename", name, buttons=[("Cancel", self.dismiss), ("OK", self.rename)])
        if self.opened == "properties":
            return dialog("Properties", *self._properties(found), buttons=[("OK", self.dismiss)])
        return None

    def _question(self, found: list[Medium]) -> str:
        what = f'"{found[0].name}"' if len(found) == 1 else f"{len(found)} items"
        if found[0].path.startswith(BIN):
            return f"Are you sure you want to delete {what}?"
        return f"Are you sure you want to move {what} to the Recycle Bin?"

    def _properties(self, found: list[Medium]) -> list[View]:
        if len(found) == 1:
            lines = data.properties(self.phone, found[0])
        else:
            total = data.size_words(sum(m.size for m in found))
            lines = [("Items selected", str(len(found))), ("Size", total)]
        return [
            column(text(label, size=13, color="text_dim", id="property_label"),
                   text(value, id="property_value", width=FILL), padding=(12, 6, 12, 6))
            for label, value in lines
        ]  # fmt: skip

    def _conflict(self) -> View:
        name = self.going[0].rpartition("/")[2]
        rows = [radio(i == self.conflict, partial(self.set, "conflict", i), c) for i, c in enumerate(CONFLICTS)]
        message = text(f'File "{name}" already exists', padding=(12, 16, 12, 8), width=FILL)
        return dialog("", message, *rows, buttons=[("Cancel", self.dismiss), ("OK", self.solve)])

    # copying and moving

    def start_transfer(self, verb: str) -> None:
        """Ask where to."""
        found = self.acted_on()
        self.dismiss()
        if found:
            self.verb, self.going = verb, [m.path for m in found]
            self.ask(Destination(source=self.going[0].rpartition("/")[0]), "folder")

    def on_result(self, key: str, value: object) -> None:
        """The folder: go, unless a name is taken there."""
        self.target = str(value)
        names = {path.rpartition("/")[2] for path in self.going}
        if any(self.phone.fs.exists(f"{self.target}/{name}") for name in names):
            self.conflict = 1
            self.open("conflict")
        else:
            self.transfer()

    def solve(self) -> None:
        """What to do with names that are taken."""
        self.dismiss()
        self.transfer()

    def transfer(self) -> None:
        """Copy or move what is going; a full disk ends it, what was half written goes."""
        done = sum(self._carry(path) for path in self.going)
        if done:
            said = "copied" if self.verb == "Copy" else "moved"
            self.toast(f"File{'' if done == 1 else 's'} {said} successfully")
        self.going = []
        self.acted()

    def _carry(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        target = f"{self.target}/{name}"
        if self.phone.fs.exists(target):
            if CONFLICTS[self.conflict] == "Skip":
                return False
            if CONFLICTS[self.conflict] == "Keep both":
                target = free(self.phone.fs.exists, self.target, name)
        return self._written(path, target)

    def _written(self, path: str, target: str) -> bool:
        try:
            if self.verb == "Copy":
                self.phone.fs.copy(path, target)
            else:
                self.phone.fs.rename(path, target)
        except OSError as error:
            self.phone.log.write("W", "Gallery", f"{self.verb} {path} to {target}: {error.strerror}")
            self.toast("Not enough storage space" if error.errno == errno.ENOSPC else "An error occurred")
            return False
        return True

    # the rest

    def ask_name(self) -> None:
        """The name without its extension is selected."""
        self.new_name = self.acted_on()[0].name
        self.open("rename")
        self.focus_on("new_name", self.new_name)
        self.selection = (0, max(self.new_name.rfind("."), 0))

    def rename(self) -> None:
        """OK."""
        medium, name = self.acted_on()[0], self.new_name.strip()
        target = f"{medium.path.rpartition('/')[0]}/{name}"
        if not name or "/" in name or len(name.encode()) > 255:
            self.toast("Invalid name" if name else "Empty name")
            return
        if target != medium.path and self.phone.fs.exists(target):
            self.toast("Name already exists")
            return
        self.phone.fs.rename(medium.path, target)
        self.dismiss()
        self.acted()

    def delete(self) -> None:
        """Into the recycle bin; out of it for good."""
        for medium in self.acted_on():
            if medium.path.startswith(BIN):
                self.phone.fs.remove(medium.path)
            else:
                folder = BIN + medium.path.rpartition("/")[0]
                self.phone.fs.mkdir(folder, parents=True)
                self.phone.fs.rename(medium.path, free(self.phone.fs.exists, folder, medium.name))
        self.dismiss()
        self.acted()

    def restore(self) -> None:
        """Back to where they were."""
        for medium in self.acted_on():
            folder = medium.path.rpartition("/")[0].removeprefix(BIN)
            self.phone.fs.mkdir(folder or STORAGE, parents=True)
            self.phone.fs.rename(medium.path, free(self.phone.fs.exists, folder or STORAGE, medium.name))
        self.dismiss()
        self.acted()

    def hand_over(self, action: str) -> None:
        """Share, edit, open with: another app takes the first one."""
        self.dismiss()
        found = self.acted_on()
        if not found:
            return
        uri, mime = document_uri(found[0].path), mime_type(found[0].name)
        extras = {STREAM: uri} if action == SEND else {}
        try:
            self.phone.start_activity(Intent(action, data="" if action == SEND else uri, mime=mime, extras=extras))
        except ActivityNotFound:
            self.toast("No app found to perform this action")

    def menu_items(self) -> list[Choice]:
        """What the three dots hold for the files acted on."""
        found = self.acted_on()
        if found and found[0].path.startswith(BIN):
            return [("Properties", partial(self.open, "properties")), ("Restore selected files", self.restore)]
        items: list[Choice] = [
            ("Properties", partial(self.open, "properties")), ("Rename", self.ask_name),
            ("Copy to", partial(self.start_transfer, "Copy")), ("Move to", partial(self.start_transfer, "Move")),
            ("Edit", partial(self.hand_over, EDIT)), ("Open with", partial(self.hand_over, VIEW)),
        ]  # fmt: skip
        return items if len(found) == 1 else [items[0], *items[2:4]]


def free(taken: object, folder: str, name: str) -> str:
    """A path that is not taken: NAME, `NAME_1.EXT`, ..."""
    assert callable(taken)
    stem, dot, extension = name.rpartition(".") if "." in name[1:] else (name, "", "")
    path, number = f"{folder}/{name}", 0
    while taken(path):
        number += 1
        path = f"{folder}/{stem}_{number}{dot}{extension}"
    return path
