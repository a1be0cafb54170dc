"""Solutions of AndroidWorld's questions about Joplin: a note is found by its title and read, to-dos are counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, NotOnScreen, Script
from emulator.ui_tree import Element

JOPLIN = "net.cozic.joplin"
AMOUNT = re.compile(r"[\d./ ]+(?: \w+)?")
PEOPLE = re.compile(r"attend|participa|people|individual|present", re.IGNORECASE)


def _open(driver: Driver) -> None:
    """A list of notes, whatever page the app was left on."""
    driver.open_app(JOPLIN)
    while not driver.sees("Sidebar"):
        driver.back()


def _rows(driver: Driver) -> list[tuple[str, bool, Element]]:
    """The notes on the screen: title, whether it has a box, element."""
    found = []
    for row in driver.find_all(id="note_item"):
        inside = {e.id: e for e in driver.children(row)}
        if "note_title" in inside:
            found.append((inside["note_title"].text, "todo_checkbox" in inside, row))
    return found


def _search(driver: Driver, title: str) -> tuple[str, bool, Element]:
    """The note with exactly this title among those that the search finds."""
    _open(driver)
    driver.tap_description("Search")
    driver.type_text(title)
    driver.hide_keyboard()
    before: list[str] = []
    while (now := [row[0] for row in _rows(driver)]) != before:
        for row in _rows(driver):
            if row[0] == title:
                return row
        before = now
        driver.swipe_up()
    raise NotOnScreen(f"no note {title!r} among those found; there is: {driver.texts()[:60]}")


def _read(driver: Driver, title: str) -> list[str]:
    """Open a note and read its lines."""
    driver.tap_element(_search(driver, title)[2])
    return driver.read_list()


def quantity(driver: Driver, params: Mapping[str, Any]) -> None:
    """How much of something: what stands before its name in the line of the recipe."""
    ending = f" {params['ingredient']}"
    found = [line.removesuffix(ending) for line in _read(driver, params["title"]) if line.endswith(ending)]
    amounts = [words for words in found if AMOUNT.fullmatch(words)]
    driver.answer((amounts or found or [""])[0])


def attendees(driver: Driver, params: Mapping[str, Any]) -> None:
    """The number in the line that speaks of people."""
    lines = [line for line in _read(driver, params["title"]) if PEOPLE.search(line) and line != params["title"]]
    driver.answer(next((found[0] for line in lines if (found := re.search(r"\d+", line))), ""))


def is_todo(driver: Driver, params: Mapping[str, Any]) -> None:
    """Whether the note has a box in the list."""
    driver.answer(str(_search(driver, params["title"])[1]))


def count_todos(driver: Driver, params: Mapping[str, Any]) -> None:
    """Open the notebook from the side menu; count the notes with a box, to the end of the list."""
    _open(driver)
    driver.tap_description("Sidebar")
    driver.tap_element(driver.scroll_to(params["folder"]))
    todos: list[str] = []
    before: list[tuple[str, bool]] = []
    while (now := [(title, box) for title, box, _ in _rows(driver)]) != before:
        old = _overlap(before, now)
        todos += [title for title, box in now[old:] if box]
        before = now
        driver.swipe_up()
    driver.answer(str(len(todos)))


def _overlap(before: list[tuple[str, bool]], now: list[tuple[str, bool]]) -> int:
    """How many rows at the top of a list were seen at the bottom of what it showed before."""
    return next((n for n in range(min(len(before), len(now)), 0, -1) if before[-n:] == now[:n]), 0)


TASKS: dict[str, Script] = {
    "NotesRecipeIngredientCount": quantity,
    "NotesMeetingAttendeeCount": attendees,
    "NotesIsTodo": is_todo,
    "NotesTodoItemCount": count_todos,
}
