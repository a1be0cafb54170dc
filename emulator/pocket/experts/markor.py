"""Solutions of AndroidWorld's Markor tasks. MarkorTranscribeVideo, whose text stands in a film, is elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts import sms
from emulator.pocket.experts.driver import Driver, Script
from emulator.pocket.experts.gallery import read_picture
from emulator.pocket.experts.written_rows import MARKOR, read_in_markor
from emulator.ui_tree import Element

NEW = "Create a new file or folder"
NAME, EXTENSION = "new_file_dialog__name", "new_file_dialog__ext"
TEXT = "document__fragment__edit__highlighting_editor"
ROW = "opoc_filesystem_item__title"
RECEIPT_LETTERS = (16,)  # pixels of the letters of a transaction
DATED = re.compile(r"\d{4}-\d\d-\d\d, ")


def _new_file(driver: Driver, name: str) -> None:
    """The dialog: name and extension in their own fields; the new file opens with the cursor in it."""
    stem, dot, extension = name.rpartition(".")
    driver.open_app(MARKOR)
    driver.tap_description(NEW)
    driver.type_into(NAME, stem or name)
    driver.tap_element(driver.field(EXTENSION))
    driver.clear()
    if stem:
        driver.type_text(dot + extension)
    driver.tap_text("OK")


def _write(driver: Driver, text: str) -> None:
    driver.tap_element(driver.get(id=TEXT))
    driver.type_text(text)


def _save(driver: Driver) -> None:
    driver.tap_description("Save")
    driver.tap_description("Navigate up")


def _open(driver: Driver, name: str) -> None:
    driver.open_app(MARKOR)
    driver.tap_element(driver.scroll_to(name))
    driver.tap_element(driver.get(id=TEXT))


def _mark(driver: Driver, name: str) -> None:
    driver.long_press_element(driver.scroll_to(name))


def _rename(driver: Driver, name: str, new: str) -> None:
    _mark(driver, name)
    driver.tap_description("Rename")
    driver.clear()
    driver.type_text(new)
    driver.tap_text("OK")


def _delete_marked(driver: Driver) -> None:
    driver.tap_description("Delete")
    driver.tap_text("OK")


def create(driver: Driver, params: Mapping[str, Any]) -> None:
    """A note with a text."""
    _new_file(driver, params["file_name"])
    _write(driver, params["text"])
    _save(driver)


def create_and_send(driver: Driver, params: Mapping[str, Any]) -> None:
    """A note, and the same text as a message."""
    create(driver, params)
    sms.send(driver, {"number": params["number"], "message": params["text"]})


def create_from_clipboard(driver: Driver, params: Mapping[str, Any]) -> None:
    """Hold the empty text, paste."""
    _new_file(driver, params["file_name"])
    driver.long_press_element(driver.get(id=TEXT))
    driver.tap("Paste", index=-1)
    _save(driver)


def create_folder(driver: Driver, params: Mapping[str, Any]) -> None:
    """The same dialog, FOLDER."""
    driver.open_app(MARKOR)
    driver.tap_description(NEW)
    driver.type_into(NAME, params["folder_name"])
    driver.tap_text("FOLDER")


def edit(driver: Driver, params: Mapping[str, Any]) -> None:
    """A line above, a line below, or another text."""
    _open(driver, params["file_name"])
    if params["edit_type"] == "header":
        driver.key("MOVE_HOME")
        driver.type_text(params["header"])
        driver.enter()
    elif params["edit_type"] == "footer":
        driver.key("MOVE_END")
        driver.type_text(params["footer"])
    else:
        driver.clear()
        driver.type_text(params["replace_text"])
    _save(driver)


def change_and_rename(driver: Driver, params: Mapping[str, Any]) -> None:
    """Another text, another name."""
    _open(driver, params["original_name"])
    driver.clear()
    driver.type_text(params["updated_content"])
    _save(driver)
    _rename(driver, params["original_name"], params["new_name"])


def add_header_and_rename(driver: Driver, params: Mapping[str, Any]) -> None:
    """A line and a blank one above what is there, another name."""
    _open(driver, params["original_name"])
    driver.key("MOVE_HOME")
    driver.type_text(params["header"])
    driver.enter()
    driver.enter()
    _save(driver)
    _rename(driver, params["original_name"], params["new_name"])


def merge(driver: Driver, params: Mapping[str, Any]) -> None:
    """Read three notes, write them into a new one without an extension, a blank line between them."""
    read = []
    for number in (1, 2, 3):
        read.append(read_in_markor(driver, params[f"file{number}_name"]).strip())
        driver.tap_description("Navigate up")
    _new_file(driver, params["new_file_name"])
    _write(driver, "\n\n".join(read))
    _save(driver)


def transcribe_receipt(driver: Driver, params: Mapping[str, Any]) -> None:
    """The transactions are the receipt's lines that begin with a date."""
    lines = read_picture(driver, "receipt.png", RECEIPT_LETTERS)
    rows = [line.strip() for line in lines if DATED.match(line.strip())]
    _new_file(driver, params["file_name"])
    _write(driver, "\n".join(["Date, Item, Amount", *rows]))
    _save(driver)


def move(driver: Driver, params: Mapping[str, Any]) -> None:
    """From one folder of the notebook to the one beside it."""
    driver.open_app(MARKOR)
    driver.tap_element(driver.scroll_to(params["source_folder"]))
    _mark(driver, params["file_name"])
    driver.tap_description("More options")
    driver.tap_text("Move")
    driver.tap_text("..")
    driver.tap_element(driver.scroll_to(params["destination_folder"]))
    driver.tap_text("SELECT")


def delete(driver: Driver, params: Mapping[str, Any]) -> None:
    """One note."""
    driver.open_app(MARKOR)
    _mark(driver, params["file_name"])
    _delete_marked(driver)


def _rows(driver: Driver) -> list[Element]:
    return [e for e in driver.find_all(id=ROW) if e.text != ".."]


def delete_newest(driver: Driver, params: Mapping[str, Any]) -> None:
    """Sorted by date the newest stands on top."""
    driver.open_app(MARKOR)
    driver.tap_description("Sort by")
    driver.tap_text("Date")
    driver.long_press_element(_rows(driver)[0])
    _delete_marked(driver)


def delete_all(driver: Driver, params: Mapping[str, Any]) -> None:
    """Mark one, then all."""
    driver.open_app(MARKOR)
    driver.long_press_element(_rows(driver)[0])
    driver.tap_description("Select all")
    _delete_marked(driver)


TASKS: dict[str, Script] = {
    "MarkorCreateNote": create,
    "MarkorCreateNoteAndSms": create_and_send,
    "MarkorCreateNoteFromClipboard": create_from_clipboard,
    "MarkorCreateFolder": create_folder,
    "MarkorEditNote": edit,
    "MarkorChangeNoteContent": change_and_rename,
    "MarkorAddNoteHeader": add_header_and_rename,
    "MarkorMergeNotes": merge,
    "MarkorTranscribeReceipt": transcribe_receipt,
    "MarkorMoveNote": move,
    "MarkorDeleteNote": delete,
    "MarkorDeleteNewestNote": delete_newest,
    "MarkorDeleteAllNotes": delete_all,
}
