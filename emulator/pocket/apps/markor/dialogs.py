"""Markor's dialogs: new file, folder to move to, question before deleting, search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket.apps.files.listing import Entry
from emulator.pocket.files import STORAGE
from emulator.pocket.parts import dialog
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import column, icon, lazy_list, list_row, row, text

if TYPE_CHECKING:
    from emulator.pocket.apps.markor.notes import Notes

TYPES = (("Markdown", ".md"), ("Plain Text", ".txt"), ("todo.txt", ".todo.txt"), ("CSV", ".csv"), ("Wikitext / Zim",
         ".txt"), ("AsciiDoc", ".adoc"), ("Key-Value", ".ini"))  # fmt: skip


def new_file(screen: Notes) -> View:
    """Name, extension, type; FOLDER, CANCEL, OK."""
    names = row(
        screen.field("new_name", hint="my_note", label="Name", weight=1, id="new_file_dialog__name",
                     on_submit=screen.make_file),
        column(screen.field("new_extension", label="", id="new_file_dialog__ext"), width=96, padding=(0, 15, 0, 0)),
        gap=8,
    )  # fmt: skip
    kind = column(
        text("Type", size=12, color="text_dim", padding=(4, 8, 0, 0)),
        row(text(TYPES[screen.new_type][0], weight=1, padding=(4, 10, 4, 10)), icon("dropdown"), width=FILL,
            on_tap=partial(screen.open, "type"), id="new_file_dialog__type"),
    )  # fmt: skip
    buttons = [("FOLDER", screen.make_folder), ("CANCEL", screen.dismiss), ("OK", screen.make_file)]
    return dialog("Create new document", names, kind, buttons=buttons)


def choose_folder(screen: Notes) -> View:
    """The folders below `screen.target`, `..` above; `SELECT` takes the one that is shown."""
    files = screen.phone.fs
    names = files.listdir(screen.target) if files.isdir(screen.target) else []
    folders = [n for n in names if files.isdir(f"{screen.target}/{n}") and not n.startswith(".")]
    above = screen.target != STORAGE
    paths = [f"{screen.target}/{n}" for n in folders]

    def line(i: int) -> View:
        if above and i == 0:
            return list_row("..", on_tap=partial(screen.set, "target", screen.target.rpartition("/")[0]),
                            icon_name="folder", height=56)  # fmt: skip
        path = paths[i - above]
        return list_row(
            path.rpartition("/")[2], on_tap=partial(screen.set, "target", path), icon_name="folder", height=56
        )

    listed = lazy_list(len(paths) + above, 56, line, key="dialog_list")
    listed.height, listed.weight = 400, 0
    here = text(
        screen.target, size=13, color="text_dim", lines=1, padding=(4, 0, 4, 8), id="ui__filesystem_dialog__path"
    )
    verb = "Copy" if screen.copying else "Move"
    return dialog(verb, here, listed, buttons=[("CANCEL", screen.dismiss), ("SELECT", screen.to_target)])


def delete_question(paths: Sequence[str], no: Action, yes: Action) -> View:
    """Names of what would go."""
    names = "\n".join(path.rpartition("/")[2] for path in paths[:12]) + ("\n…" if len(paths) > 12 else "")
    said = f"Do you really want to delete the following items?\n\n{names}"
    return dialog("Confirm delete", message=said, buttons=[("CANCEL", no), ("OK", yes)])


def search_results(screen: Notes, notes: Sequence[Entry]) -> View:
    """A field and what it finds."""
    asked = screen.field("query", hint="Search", id="search_query")
    rows = lazy_list(
        len(notes), 52, lambda i: list_row(notes[i].name, on_tap=partial(screen.show_found, notes[i].path), height=52,
                                           icon_name="note"), key="dialog_list",
    )  # fmt: skip
    rows.height, rows.weight = 52.0 * min(len(notes), 5), 0
    said = text("No results", color="text_dim", padding=(4, 8, 4, 8))
    shown: list[View] = [] if not screen.query else [rows] if notes else [said]
    return dialog("Search", asked, *shown, buttons=[("CANCEL", screen.dismiss)])
