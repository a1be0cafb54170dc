"""Joplin: what the screen shows of AndroidWorld's rows, Markdown, search, and what the app writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emulator.pocket.apps.joplin import data
from emulator.pocket.experts import joplin
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone

FOLDER = {
    "title", "id", "created_time", "updated_time", "user_created_time", "user_updated_time", "deleted_time",
    "encryption_cipher_text", "encryption_applied", "parent_id", "is_shared", "share_id", "master_key_id", "icon",
    "user_data",
}  # fmt: skip
NOTE = {
    "parent_id", "title", "body", "created_time", "updated_time", "is_conflict", "latitude", "longitude", "altitude",
    "author", "source_url", "is_todo", "todo_due", "todo_completed", "source", "source_application",
    "application_data", "order", "user_created_time", "user_updated_time", "encryption_cipher_text",
    "encryption_applied", "markup_language", "is_shared", "share_id", "conflict_original_id", "master_key_id",
    "user_data", "id",
}  # fmt: skip
COPY = {
    "parent_id", "title", "body", "latitude", "longitude", "altitude", "source_url", "is_todo", "todo_due",
    "todo_completed", "user_created_time", "user_updated_time", "id",
}  # fmt: skip
THEN = 1_697_297_640_000
RECIPE = "Ingredients:\n- 1 1/2 cups **flour**\n- 1/2 cup sugar\n\n## Steps\n1. Mix.\n\n- [ ] buy eggs\n- [x] milk\n"
FOLDERS = ("Recipes", "Meeting Notes", "Work")
NOTES = (
    ("Pancake Recipe", RECIPE, 0, 0, 0), ("Buy flour", "At the mill", 0, 1, 0), ("Bake bread", "", 0, 1, 1),
    ("Weekly Sync", "Minutes:\n- 15 attendees were present", 1, 0, 0), ("Caf\u00e9 plan", "Ask Ann", 2, 0, 0),
)  # fmt: skip


def rows_of() -> list[tuple[str, dict[str, Any]]]:
    """Rows as AndroidWorld inserts them: (table, columns)."""
    times = {"user_created_time": THEN, "user_updated_time": THEN}
    made = {"created_time": THEN, "updated_time": THEN}
    found: list[tuple[str, dict[str, Any]]] = [
        ("folders", {"id": f"{n:032x}", "title": title, **times, **made}) for n, title in enumerate(FOLDERS)
    ]
    for n, (title, body, home, todo, done) in enumerate(NOTES):
        same = {"id": f"{100 + n:032x}", "parent_id": f"{home:032x}", "body": body, "is_todo": todo,
                "todo_completed": done, **times}  # fmt: skip
        found.append(("notes", {**same, **made, "title": title}))
        found.append(("notes_normalized", {**same, "title": title.lower()}))
    return found


@pytest.fixture
def phone() -> Phone:
    """A phone with three notebooks and five notes."""
    phone = Phone(strict=True, size=(540, 1200))
    for table, row in rows_of():
        phone.db(data.DB).insert(table, row)
    return phone


def open_app(phone: Phone, place: str = "") -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    if place:
        driver.tap_description("Sidebar")
        driver.tap_text(place)
    return driver


def titles(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="note_title")]


def note(phone: Phone, title: str) -> dict[str, Any]:
    row = phone.db(data.DB).one("SELECT * FROM notes WHERE title = ?", (title,))
    assert row is not None
    return dict(row)


def copies(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, "SELECT title FROM notes_normalized ORDER BY title")


def test_columns_are_those_androidworld_reads_and_writes(phone: Phone) -> None:
    def columns(table: str) -> set[str]:
        return {row[1] for row in phone.sqlite(data.DB, f"PRAGMA table_info({table})")}

    assert columns("folders") == FOLDER
    assert columns("notes") == NOTE | {"deleted_time"}
    assert columns("notes_normalized") == COPY


def test_notebooks_and_notes_to_do_first(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Sidebar")
    assert [e.text for e in driver.find_all(id="folder_title")] == ["Meeting Notes", "Recipes", "Work"]
    driver.tap_text("Recipes")
    assert titles(driver) == ["Buy flour", "Bake bread", "Pancake Recipe"]
    assert [(e.desc, e.checked) for e in driver.find_all(id="todo_checkbox")] == [
        ("to-do: Buy flour", False), ("to-do: Bake bread", True)]  # fmt: skip
    phone.force_stop(data.PACKAGE)
    assert open_app(phone).find(text="Recipes") is not None
    assert len(titles(open_app(phone, "All notes"))) == 5


def test_sorting_and_hiding_what_is_done(phone: Phone) -> None:
    driver = open_app(phone, "Recipes")
    driver.tap_description("Sort notes by")
    for words in ("Title", "Reverse sort order", "Uncompleted to-dos on top", "Show completed to-dos", "OK"):
        driver.tap_text(words)
    assert titles(driver) == ["Buy flour", "Pancake Recipe"]


def test_markdown_is_shown_and_its_boxes_can_be_ticked(phone: Phone) -> None:
    driver = open_app(phone, "Recipes")
    driver.tap_text("Pancake Recipe")
    assert {"Ingredients:", "1 1/2 cups flour", "Steps", "Mix.", "1."} <= set(driver.texts())
    driver.tap_element(driver.get(cls="CheckBox", desc="buy eggs"))
    assert note(phone, "Pancake Recipe")["body"] == RECIPE.replace("[ ]", "[x]")
    driver.tap_element(driver.get(cls="CheckBox", desc="milk"))
    assert note(phone, "Pancake Recipe")["body"].endswith("- [x] buy eggs\n- [ ] milk\n")


def test_search_finds_beginnings_of_words_without_accents_titles_first(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Search")
    for words, wanted in (("flo", ["Buy flour", "Pancake Recipe"]), ("cafe", ["Caf\u00e9 plan"]), ("ncake", []),
                          ("present minutes", ["Weekly Sync"])):  # fmt: skip
        driver.clear()
        driver.type_text(words)
        assert titles(driver) == wanted, words


def test_a_new_note_is_kept_when_it_is_left(phone: Phone) -> None:
    before = phone.sqlite(data.DB, "SELECT * FROM notes ORDER BY id")
    driver = open_app(phone, "Work")
    driver.tap_description("Add new")
    driver.tap_text("New to-do")
    driver.type_text("Call \u00c9va")
    driver.type_into("note_body", "today")
    driver.hide_keyboard()
    driver.back()
    driver.back()
    assert titles(driver)[0] == "Call \u00c9va"
    new = note(phone, "Call \u00c9va")
    assert (new["body"], new["is_todo"], new["todo_completed"], len(new["id"])) == ("today", 1, 0, 32)
    assert new["parent_id"] == f"{2:032x}"
    assert set(before) <= set(phone.sqlite(data.DB, "SELECT * FROM notes"))
    assert ("call eva",) in copies(phone)


def test_home_keeps_what_was_typed_and_an_empty_note_is_none(phone: Phone) -> None:
    driver = open_app(phone, "Work")
    driver.tap_description("Add new")
    driver.tap_text("New note")
    driver.type_text("Draft")
    driver.home()
    assert note(phone, "Draft")["is_todo"] == 0
    driver = open_app(phone)
    while not driver.sees("Add new"):
        driver.back()
    driver.tap_description("Add new")
    driver.tap_text("New note")
    driver.tap_description("Back")
    assert phone.sqlite(data.DB, "SELECT count(*) FROM notes") == [(6,)]


def test_ticking_converting_and_the_trash(phone: Phone) -> None:
    driver = open_app(phone, "Recipes")
    driver.tap_description("to-do: Buy flour")
    assert note(phone, "Buy flour")["todo_completed"] == phone.clock.now_ms()
    driver.tap_text("Buy flour")
    driver.tap_description("Actions")
    driver.tap_text("Convert to note")
    assert note(phone, "Buy flour")["is_todo"] == 0
    driver.tap_description("Actions")
    driver.tap_text("Delete")
    assert titles(driver) == ["Bake bread", "Pancake Recipe"] and ("buy flour",) not in copies(phone)
    driver = open_app(phone, "Trash")
    driver.tap_text("Buy flour")
    driver.tap_description("Actions")
    driver.tap_text("Restore")
    assert note(phone, "Buy flour")["deleted_time"] == 0 and ("buy flour",) in copies(phone)


def test_marked_notes_move_are_copied_and_deleted(phone: Phone) -> None:
    driver = open_app(phone, "Recipes")
    driver.long_press("Bake bread")
    driver.tap_text("Buy flour")
    driver.tap_description("Move to notebook...")
    driver.tap_text("Work")
    assert titles(driver) == ["Pancake Recipe"]
    driver.long_press("Pancake Recipe")
    driver.tap_description("Duplicate")
    assert sorted(titles(driver)) == ["Pancake Recipe", "Pancake Recipe - Copy"]
    driver.long_press("Pancake Recipe - Copy")
    driver.tap_description("Delete")
    assert titles(driver) == ["Pancake Recipe"]


def test_notebooks_are_made_put_into_others_and_deleted(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Sidebar")
    driver.tap_text("New Notebook")
    driver.type_text("Soups")
    driver.hide_keyboard()
    driver.tap_text("Parent")
    driver.tap_text("Recipes")
    driver.tap_description("Save changes")
    assert driver.sees("Soups")
    driver.tap_description("Sidebar")
    driver.tap_description("Collapse")
    assert not driver.find(text="Soups", id="folder_title")
    driver.long_press("Recipes")
    driver.tap_text("Delete")
    driver.tap_text("OK")
    assert phone.sqlite(data.DB, "SELECT title FROM folders WHERE deleted_time = 0 ORDER BY title") == [
        ("Meeting Notes",), ("Work",)]  # fmt: skip
    assert phone.sqlite(data.DB, "SELECT count(*) FROM notes WHERE deleted_time > 0") == [(3,)]


def test_without_a_notebook_one_is_offered(phone: Phone) -> None:
    phone.sqlite(data.DB, "DELETE FROM folders")
    driver = open_app(phone)
    driver.tap_text("Create a notebook")
    driver.type_text("First")
    driver.enter()
    assert phone.sqlite(data.DB, "SELECT title FROM folders") == [("First",)]


def test_looking_changes_nothing(phone: Phone) -> None:
    before = phone.fs.read(data.DB)
    driver = open_app(phone, "Recipes")
    driver.tap_text("Pancake Recipe")
    driver.tap_description("Edit")
    driver.tap_description("Back")
    driver.tap_description("Back")
    assert phone.fs.read(data.DB) == before


def test_a_full_disk_is_said_and_nothing_typed_is_lost(phone: Phone) -> None:
    driver = open_app(phone, "Work")
    driver.tap_text("Caf\u00e9 plan")
    driver.tap_description("Edit")
    driver.type_text(" tomorrow" * 2000)
    phone.fs.quota = phone.fs.used
    driver.tap_description("Save changes")
    assert phone.system.toast.startswith("Not enough storage")
    assert note(phone, "Caf\u00e9 plan")["body"] == "Ask Ann"
    phone.fs.quota = phone.fs.used + 10_000_000
    driver.tap_description("Save changes")
    assert note(phone, "Caf\u00e9 plan")["body"] == "Ask Ann" + " tomorrow" * 2000


def test_turned_and_restored_in_the_middle_of_the_form(phone: Phone) -> None:
    driver = open_app(phone, "Work")
    driver.tap_text("Caf\u00e9 plan")
    driver.tap_description("Edit")
    driver.type_text("!")
    phone.settings["system"]["accelerometer_rotation"] = "0"
    phone.settings["system"]["user_rotation"] = "1"
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_description("Save changes")
    assert note(phone, "Caf\u00e9 plan")["body"] == "Ask Ann!"
    phone.restore(kept)
    assert (phone.state_hash(), note(phone, "Caf\u00e9 plan")["body"]) == (name, "Ask Ann")


def test_through_real_adb(device: Callable[..., Any]) -> None:
    """Rows written with sqlite3, read with uiautomator, answered by the scripts."""
    device("shell", f"am start -n {data.PACKAGE}/.MainActivity")
    lines = []
    for table, row in rows_of():
        values = ", ".join(f"replace('{v}', '@', char(10))" if isinstance(v, str) else str(v) for v in row.values())
        lines.append(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})".replace("\n", "@"))
    device("shell", f'sqlite3 {data.DB} "{"; ".join(lines)}"')
    driver = Driver(ShellDevice(lambda line: str(device("shell", line).stdout.decode())))
    joplin.quantity(driver, {"title": "Pancake Recipe", "ingredient": "flour"})
    assert driver.answered == "1 1/2 cups"
    for script, params, wanted in (
        (joplin.attendees, {"title": "Weekly Sync"}, "15"), (joplin.is_todo, {"title": "Buy flour"}, "True"),
        (joplin.count_todos, {"folder": "Recipes"}, "2"),
    ):  # fmt: skip
        script(driver, params)
        assert driver.answered == wanted
