"""Markor: the files its dialogs and its editor make, byte by byte."""

from __future__ import annotations

import pytest

from emulator.pocket.documents import document_uri
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.markor import EXTENSION, NAME, NEW, TEXT
from emulator.pocket.experts.written_rows import MARKOR
from emulator.pocket.intents import SEND, VIEW, Intent
from emulator.pocket.phone import Phone

NOTES = "/storage/emulated/0/Documents/Markor"


@pytest.fixture
def phone() -> Phone:
    """A phone with two notes and a folder."""
    phone = Phone(strict=True, size=(540, 1200))
    phone.fs.write(f"{NOTES}/b.md", "first\n")
    phone.clock.advance(600)
    phone.fs.write(f"{NOTES}/a.txt", "second\n")
    phone.fs.mkdir(f"{NOTES}/Work")
    return phone


@pytest.fixture
def driver(phone: Phone) -> Driver:
    """Markor in front."""
    driver = Driver(phone)
    driver.open_app(MARKOR)
    return driver


def notes(phone: Phone) -> dict[str, bytes]:
    files = phone.fs
    return {n: files.read(f"{NOTES}/{n}") for n in files.listdir(NOTES) if files.isfile(f"{NOTES}/{n}")}


def test_starting_makes_the_notebook_and_no_file(phone: Phone) -> None:
    phone.fs.remove(NOTES, recursive=True)
    Driver(phone).open_app(MARKOR)
    assert phone.fs.listdir(NOTES) == []


def test_reading_changes_neither_text_nor_times(phone: Phone, driver: Driver) -> None:
    before = phone.fs.stat(f"{NOTES}/b.md")
    driver.tap_text("b.md")
    assert driver.get(id=TEXT).text == "first\n"
    driver.tap_description("View mode")
    assert driver.sees("first")
    driver.back()
    assert phone.fs.stat(f"{NOTES}/b.md") == before


@pytest.mark.parametrize("extension, name", [(None, "note.md"), (".txt", "note.txt"), ("", "note")])
def test_new_file_with_name_and_extension(phone: Phone, driver: Driver, extension: str | None, name: str) -> None:
    driver.tap_description(NEW)
    assert driver.field(NAME).text == "my_note" and driver.field(EXTENSION).text == ".md"
    driver.type_into(NAME, "note")
    if extension is not None:
        driver.type_into(EXTENSION, extension, clear=True) if extension else _empty(driver)
    driver.tap_text("OK")
    driver.type_text("one\ntwo")
    assert notes(phone)[name] == b""
    driver.tap_description("Save")
    assert notes(phone)[name] == b"one\ntwo"


def _empty(driver: Driver) -> None:
    driver.tap_element(driver.field(EXTENSION))
    driver.clear()


def test_the_type_brings_its_extension(phone: Phone, driver: Driver) -> None:
    driver.tap_description(NEW)
    driver.type_into(NAME, "list")
    driver.tap_text("Markdown")
    driver.tap_text("Plain Text")
    driver.tap_text("OK")
    assert "list.txt" in notes(phone)


@pytest.mark.parametrize("name", ["", "a/b", "..", "x" * 300])
def test_names_no_file_can_have(phone: Phone, driver: Driver, name: str) -> None:
    before = phone.fs.listdir(NOTES)
    driver.tap_description(NEW)
    driver.tap_element(driver.field(EXTENSION))
    driver.clear()
    if name:
        driver.type_into(NAME, name)
    driver.tap_text("FOLDER")
    driver.tap_text("OK")
    assert phone.fs.listdir(NOTES) == before and driver.sees("FOLDER")


def test_an_existing_file_is_opened_not_emptied(phone: Phone, driver: Driver) -> None:
    driver.tap_description(NEW)
    driver.type_into(NAME, "b")
    driver.tap_text("OK")
    assert driver.get(id=TEXT).text == "first\n" and notes(phone)["b.md"] == b"first\n"


@pytest.mark.parametrize("leave", ["BACK", "HOME", "APP_SWITCH"])
def test_leaving_saves(phone: Phone, driver: Driver, leave: str) -> None:
    driver.tap_text("b.md")
    driver.tap_element(driver.get(id=TEXT))
    driver.key("MOVE_HOME")
    driver.type_text("head")
    driver.enter()
    assert notes(phone)["b.md"] == b"first\n"
    driver.hide_keyboard()
    driver.key(leave)
    if leave != "APP_SWITCH":
        assert notes(phone)["b.md"] == b"head\nfirst\n"


def test_killed_it_saves_nothing(phone: Phone, driver: Driver) -> None:
    driver.tap_text("b.md")
    driver.tap_element(driver.get(id=TEXT))
    driver.type_text("lost")
    phone.force_stop(MARKOR)
    assert notes(phone)["b.md"] == b"first\n"


def test_undo_and_redo(phone: Phone, driver: Driver) -> None:
    driver.tap_text("b.md")
    driver.tap_element(driver.get(id=TEXT))
    driver.clear()
    driver.type_text("new")
    driver.tap_description("Undo")
    driver.tap_description("Undo")
    assert driver.get(id=TEXT).text == "first\n"
    driver.tap_description("Redo")
    driver.tap_description("Redo")
    driver.tap_description("Save")
    assert notes(phone)["b.md"] == b"new"


def test_rename_to_a_taken_name_is_refused(phone: Phone, driver: Driver) -> None:
    for name, there in (("a.txt", ["Work", "a.txt", "b.md"]), ("c.txt", ["Work", "a.txt", "c.txt"])):
        driver.long_press("b.md")
        driver.tap_description("Rename")
        driver.clear()
        driver.type_text(name)
        driver.tap_text("OK")
        assert phone.fs.listdir(NOTES) == there
        if driver.sees("CANCEL"):
            driver.tap_text("CANCEL")
            driver.tap_description("Cancel")


def test_move_and_copy_into_a_folder(phone: Phone, driver: Driver) -> None:
    for verb, name in (("Copy", "a.txt"), ("Move", "b.md")):
        driver.long_press(name)
        driver.tap_description("More options")
        driver.tap_text(verb)
        driver.tap_text("Work", index=-1)
        driver.tap_text("SELECT")
    assert phone.fs.listdir(f"{NOTES}/Work") == ["a.txt", "b.md"]
    assert phone.fs.listdir(NOTES) == ["Work", "a.txt"]


def test_a_folder_cannot_go_into_itself(phone: Phone, driver: Driver) -> None:
    driver.long_press("Work")
    driver.tap_description("More options")
    driver.tap_text("Move")
    driver.tap_text("Work", index=-1)
    driver.tap_text("SELECT")
    assert phone.fs.isdir(f"{NOTES}/Work") and phone.fs.listdir(f"{NOTES}/Work") == []


def test_delete_asks_and_takes_all(phone: Phone, driver: Driver) -> None:
    for answer, left in (("CANCEL", ["Work", "a.txt", "b.md"]), ("OK", [])):
        if not driver.sees("Select all"):
            driver.long_press("a.txt")
        driver.tap_description("Select all")
        driver.tap_description("Delete")
        driver.tap_text(answer)
        assert phone.fs.listdir(NOTES) == left


def test_sorted_by_date_the_newest_is_first(driver: Driver) -> None:
    driver.tap_description("Sort by")
    driver.tap_text("Date")
    rows = [e.text for e in driver.find_all(id="opoc_filesystem_item__title")]
    assert rows == ["..", "Work", "a.txt", "b.md"]
    assert driver.sees("2023-10-15 15:44   7 B")


def test_search_looks_into_files(driver: Driver) -> None:
    driver.tap_description("Search")
    driver.type_text("SECOND")
    assert driver.sees("a.txt") and not driver.sees("b.md")
    driver.tap_text("a.txt")
    assert driver.get(id=TEXT).text == "second\n"


def test_other_apps_hand_it_files_and_texts(phone: Phone, driver: Driver) -> None:
    phone.start_activity(Intent(VIEW, data=document_uri(f"{NOTES}/b.md"), mime="text/markdown"))
    assert driver.get(id=TEXT).text == "first\n"
    phone.start_activity(Intent(SEND, mime="text/plain", package=MARKOR, extras={"android.intent.extra.TEXT": "given"}))
    driver.type_into(NAME, "shared")
    driver.tap_text("OK")
    assert notes(phone)["shared.md"] == b"given"


def test_restored_in_the_middle_of_typing(phone: Phone, driver: Driver) -> None:
    driver.tap_text("b.md")
    driver.tap_element(driver.get(id=TEXT))
    driver.type_text("kept ")
    kept, state = phone.snapshot(), phone.state_hash()
    driver.type_text("thrown away")
    driver.tap_description("Save")
    phone.restore(kept)
    assert phone.state_hash() == state and notes(phone)["b.md"] == b"first\n"
    driver.type_text("again")
    driver.tap_description("Save")
    assert b"kept again" in notes(phone)["b.md"]
