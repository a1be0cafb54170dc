"""Markor: the notebook folder with its notes; create, edit, rename, move, copy, delete, sort, search.

AndroidWorld (android_world_apps.md section 7) reads the files below Documents/Markor alone. Words of the dialogs are
those of Markor 2.11: `my_note` and the extension in fields of their own (it may be empty), `FOLDER`, `CANCEL`, `OK`.
Departures: To-Do and QuickNote open their file in the editor, `More` is a short list, no encryption, no templates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.markor.editor import Editor
from emulator.pocket.apps.markor.notes import MAIN, NOTEBOOK, PACKAGE, Notes
from emulator.pocket.documents import document_path
from emulator.pocket.intents import EDIT, SEND, VIEW, Intent, IntentFilter

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

TEXTS = ("text/plain", "text/markdown", "text/csv")


def _main(intent: Intent) -> Screen:
    return Notes()


def _document(intent: Intent) -> Screen:
    """VIEW and EDIT of a file."""
    return Editor(document_path(intent.data) or f"{NOTEBOOK}/QuickNote.md")


def _share(intent: Intent) -> Screen:
    """SEND of a text: the dialog for a new file that will hold it."""
    return Notes(shared=intent.text("android.intent.extra.TEXT"))


def _start(phone: Phone) -> None:
    phone.fs.mkdir(NOTEBOOK, parents=True)


SHARE = "net.gsantner.markor.activity.DocumentShareIntoActivity"
APP = App(
    package=PACKAGE,
    label="Markor",
    icon=("edit", (58, 58, 58)),
    main=MAIN,
    activities={MAIN: _main, Editor.activity: _document, SHARE: _share},
    filters=(
        *((IntentFilter(action, mime=kind), Editor.activity) for action in (VIEW, EDIT) for kind in TEXTS),
        (IntentFilter(SEND, mime="text/plain"), SHARE),
    ),
    start=_start,
    permissions=("android.permission.MANAGE_EXTERNAL_STORAGE",),
    system=False,
    version="2.11.1",
)
