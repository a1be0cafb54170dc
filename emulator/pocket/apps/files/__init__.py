"""Files (Android's DocumentsUI): places, folders, search, sorting; select, delete, rename, copy, move, share.

AndroidWorld (android_world_apps.md section 6) looks at the storage alone: `find` in source and destination folder.
The storage is called `sdk_gphone_x86_64`, as on its emulator. Files are told apart by extension, never opened.
Departures: rows instead of tiles at first (a button changes it); no Recent by day, no bin, no zip, no cloud places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.files.browser import BAD_NAME, PACKAGE, Browser, valid_name
from emulator.pocket.apps.files.destination import Destination, Picker
from emulator.pocket.apps.files.listing import PLACES, Entry, free_name, size_words
from emulator.pocket.apps.files.saver import TITLE, Saver
from emulator.pocket.documents import document_path, document_uri
from emulator.pocket.files import STORAGE
from emulator.pocket.intents import (
    CREATE_DOCUMENT,
    GET_CONTENT,
    OPEN_DOCUMENT,
    SEND,
    VIEW,
    ActivityNotFound,
    Intent,
    IntentFilter,
)
from emulator.pocket.mime import mime_type
from emulator.pocket.parts import Choice, dialog, menu, page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import icon_button

MAIN = "com.android.documentsui.files.FilesActivity"
SAVER = "com.android.documentsui.picker.SaveActivity"  # one class name a kind of picker; shown as PickActivity


@dataclass
class Files(Browser):
    """The app's screen. `marked`: paths chosen by long presses."""

    marked: list[str] = field(default_factory=list)

    def build(self) -> View:
        """Selection bar or tool bar, path, list."""
        bar = self._selection_bar() if self.marked else self.top_bar()
        return page(bar, self.crumbs(), self.heading(), self.listed())

    def _selection_bar(self) -> View:
        return toolbar(
            f"{len(self.marked)} selected", navigation=("close", "Done", self.unmark), color="surface_high",
            actions=[icon_button("share", "Share", self.share), icon_button("delete", "Delete", self.ask_delete)],
            menu=partial(self.open, "selection_menu"),
        )  # fmt: skip

    # choosing

    def chosen(self, entry: Entry) -> bool:
        """True if it is marked."""
        return entry.path in self.marked

    def touched(self, entry: Entry) -> None:
        """Into a folder, open a file; while choosing, mark or not."""
        if self.marked:
            self.held(entry)
        elif entry.folder:
            self.place = self.place if self.folder else "sdk_gphone_x86_64"
            self.go(entry.path)
        else:
            self.view(entry.path)

    def held(self, entry: Entry) -> None:
        """Mark or not."""
        self.marked = [p for p in self.marked if p != entry.path] if self.chosen(entry) else [*self.marked, entry.path]

    def unmark(self) -> None:
        """End choosing."""
        self.marked = []
        self.dismiss()

    def mark_all(self) -> None:
        """Everything that is listed."""
        self.marked = [e.path for e in self.entries()]
        self.dismiss()

    def on_resume(self) -> None:
        """What is gone is no longer marked."""
        self.marked = [p for p in self.marked if self.phone.fs.exists(p)]

    def on_back(self) -> bool:
        """BACK ends choosing, then goes up."""
        if self.marked:
            self.unmark()
            return True
        return self.go_up()

    # menus and dialogs

    def overlay(self) -> View | None:
        """Menus, questions, and what every browser has."""
        if self.opened == "menu":
            return menu(self._menu())
        if self.opened == "selection_menu":
            return menu(self._selection_menu())
        if self.opened == "delete":
            return dialog(self._delete_title(), buttons=[("Cancel", self.dismiss), ("OK", self.delete)])
        if self.opened == "rename":
            return self.name_dialog("Rename", "Name", self.rename, "OK")
        if self.opened == "info" and self.marked:
            return self._info()
        return super().overlay()

    def _menu(self) -> list[Choice]:
        shown = "Hide" if self.hidden else "Show"
        items: list[Choice] = [
            ("Select all", self.mark_all), ("Sort by...", partial(self.open, "sort")),
            (f"{shown} hidden files", self.toggle_hidden),
        ]  # fmt: skip
        if self.can_create:
            items.insert(0, ("New folder", partial(self.ask_name, "new")))
        return items

    def _selection_menu(self) -> list[Choice]:
        items: list[Choice] = [
            ("Select all", self.mark_all), ("Deselect all", self.unmark), ("Copy to…", partial(self.transfer, "Copy")),
            ("Move to…", partial(self.transfer, "Move")),
        ]  # fmt: skip
        if len(self.marked) == 1:
            name = self.marked[0].rpartition("/")[2]
            items += [("Rename", partial(self.ask_name, "rename", name)), ("Get info", partial(self.open, "info"))]
            if self.phone.fs.isfile(self.marked[0]):
                items.insert(0, ("Open with", partial(self.view, self.marked[0])))
        return items

    def _delete_title(self) -> str:
        if len(self.marked) == 1:
            return f"Delete “{self.marked[0].rpartition('/')[2]}”?"
        return f"Delete {len(self.marked)} items?"

    def _info(self) -> View:
        path = self.marked[0]
        node = self.phone.fs.stat(path)
        lines = [path.rpartition("/")[2], f"Size: {size_words(node.size)}", f"Path: {path.rpartition('/')[0]}"]
        return dialog("Info", message="\n".join(lines), buttons=[("OK", self.dismiss)])

    def toggle_hidden(self) -> None:
        """Files with a dot in front."""
        self.hidden = not self.hidden
        self.dismiss()

    def ask_delete(self) -> None:
        """The bin."""
        self.open("delete")

    # doing

    def delete(self) -> None:
        """Delete what is marked, for good."""
        for path in self.marked:
            if self.phone.fs.exists(path):
                self.phone.fs.remove(path, recursive=True)
        count = len(self.marked)
        self.unmark()
        self.toast(f"{count} item{'s' if count != 1 else ''} deleted")

    def rename(self) -> None:
        """Give what is marked the name of the dialog."""
        source, name = self.marked[0], self.new_name.strip()
        target = f"{source.rpartition('/')[0]}/{name}"
        if not valid_name(name):
            self.toast(BAD_NAME)
        elif target != source and self.phone.fs.exists(target):
            self.toast("An item with this name already exists here.")
        else:
            self.phone.fs.rename(source, target)
        self.unmark()

    def transfer(self, verb: str) -> None:
        """Ask where to."""
        self.dismiss()
        self.ask(Destination(verb=verb), verb)

    def on_result(self, key: str, value: object) -> None:
        """The destination is chosen: move or copy there, with ` (1)` and so on where the name is taken."""
        folder, done = str(value), 0
        for path in self.marked:
            if self.phone.fs.exists(path) and not f"{folder}/".startswith(f"{path}/"):
                if key == "Move" and path.rpartition("/")[0] == folder:
                    continue
                done += self._carry(key, path, folder)
        failed = len(self.marked) - done
        self.unmark()
        said = "moved" if key == "Move" else "copied"
        self.toast(f"{done} item{'s' if done != 1 else ''} {said}" if done and not failed
                   else f"Couldn’t {key.lower()} some items")  # fmt: skip

    def _carry(self, verb: str, path: str, folder: str) -> bool:
        """Move or copy one item; False if there is no room for it, or its new name is too long."""
        target = free_name(self.phone.fs.exists, folder, path.rpartition("/")[2])
        try:
            if verb == "Move":
                self.phone.fs.rename(path, target)
            else:
                self.phone.fs.copy(path, target, recursive=True)
        except OSError as error:
            self.phone.log.write("W", "Documents", f"{verb} {path} to {target}: {error.strerror}")
            if verb == "Copy" and self.phone.fs.exists(target):
                self.phone.fs.remove(target, recursive=True)
            return False
        return True

    def view(self, path: str) -> None:
        """Open a file with the app that can."""
        self.unmark()
        name = path.rpartition("/")[2]
        try:
            self.phone.start_activity(Intent(VIEW, data=document_uri(path), mime=mime_type(name)))
        except ActivityNotFound:
            self.toast(f"Can’t open {name}: no app for this kind of file")

    def share(self) -> None:
        """Hand one file to another app."""
        path = self.marked[0]
        extras = {"android.intent.extra.STREAM": document_uri(path)}
        try:
            self.phone.start_activity(Intent(SEND, mime=mime_type(path), extras=extras))
        except ActivityNotFound:
            self.toast("No apps can perform this action.")


def _main(intent: Intent) -> Screen:
    path = document_path(intent.data) if intent.data else ""
    if path.startswith(STORAGE):
        return Files(place="sdk_gphone_x86_64", folder=path)
    return Files()


def _pick(intent: Intent) -> Screen:
    """A file for another app: what it asks for, in Downloads or, for pictures and sounds, in their collection."""
    place = {"image": "Images", "video": "Videos", "audio": "Audio"}.get(intent.mime.partition("/")[0], "Downloads")
    return Picker(wanted=intent.mime or "*/*", place=place, folder=PLACES[place][1])


def _save(intent: Intent) -> Screen:
    """Where another app's new file goes: Downloads at first."""
    return Saver(place="Downloads", folder=PLACES["Downloads"][1], file_name=intent.text(TITLE))


APP = App(
    package=PACKAGE,
    label="Files",
    icon=("folder", (26, 115, 232)),
    main=MAIN,
    activities={MAIN: _main, Picker.activity: _pick, SAVER: _save},
    filters=(
        (IntentFilter(GET_CONTENT, mime="*/*"), Picker.activity),
        (IntentFilter(OPEN_DOCUMENT, mime="*/*"), Picker.activity),
        (IntentFilter(CREATE_DOCUMENT, mime="*/*"), SAVER),
    ),
    version="13",
)
