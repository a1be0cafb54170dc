"""Broccoli: what taps and typing leave in the table that AndroidWorld's checks compare."""

from __future__ import annotations

from typing import Any

import pytest

from emulator.pocket.apps.broccoli import data
from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone

COLUMNS = {
    "recipeId", "title", "description", "servings", "preparationTime", "source", "ingredients", "directions",
    "imageName", "favorite",
}  # fmt: skip
RECIPE = {
    "description": "Quick", "servings": "2 servings", "preparationTime": "10 mins", "source": "",
    "ingredients": "varies", "directions": "Saut\u00e9 everything.", "imageName": "", "favorite": 0,
}  # fmt: skip


@pytest.fixture
def phone() -> Phone:
    """A phone with three recipes; their titles are not in the order of their ids."""
    phone = Phone(strict=True, size=(540, 1200))
    for title in ("Lentil Soup", "Beef Stir Fry", 'Cauliflower Fried "Rice"'):
        phone.db(data.DB).insert("recipes", {"title": title, **RECIPE})
    return phone


def rows(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, "SELECT * FROM recipes ORDER BY recipeId")


def titles(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="card_text_view_title")]


def open_app(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    return driver


def test_columns_are_exactly_those_of_androidworlds_dataclass(phone: Phone) -> None:
    found = [row[1] for row in phone.sqlite(data.DB, "PRAGMA table_info(recipes)")]
    assert set(found) == COLUMNS
    assert len(found) == len(COLUMNS)


def test_the_list_goes_by_title(phone: Phone) -> None:
    assert titles(open_app(phone)) == ["Beef Stir Fry", 'Cauliflower Fried "Rice"', "Lentil Soup"]


def test_a_new_recipe_with_only_some_fields_has_empty_texts_and_no_nulls(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_description("New Recipe")
    for hint, words in (("Title", "Pho"), ("Time", "4 hrs"), ("Directions", "Boil\n")):
        driver.scroll_to(hint)
        driver.type_into(hint, words)
    driver.tap_text("SAVE")
    after = rows(phone)
    assert after[:-1] == before
    assert after[-1] == (4, "Pho", "", "", "4 hrs", "", "", "Boil", "", 0)
    assert "Pho" in titles(driver)


def test_a_recipe_needs_a_title(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("New Recipe")
    driver.type_into("Description", "Nameless")
    driver.tap_text("SAVE")
    assert len(rows(phone)) == 3
    assert driver.find("Please add a title.", all_windows=True) is not None


def test_leaving_with_changes_asks(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("New Recipe")
    driver.type_into("Title", "Pho")
    driver.hide_keyboard()
    driver.back()
    driver.tap_text("CANCEL")
    driver.tap_description("Navigate up")
    driver.tap_text("DISCARD")
    assert len(titles(driver)) == len(rows(phone)) == 3


def test_delete_asks_and_removes_one_row(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_text("Beef Stir Fry")
    driver.tap_description("More options")
    driver.tap_text("Delete")
    driver.tap_text("CANCEL")
    assert rows(phone) == before
    driver.tap_description("More options")
    driver.tap_text("Delete")
    driver.tap_text("DELETE")
    assert rows(phone) == [before[0], before[2]]
    assert titles(driver) == ['Cauliflower Fried "Rice"', "Lentil Soup"]


def test_edit_and_favorite_change_one_row_only(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_text("Lentil Soup")
    driver.tap_description("Mark as favorite")
    driver.tap_description("More options")
    driver.tap_text("Edit")
    driver.type_into("10 mins", "1 hrs", clear=True)
    driver.tap_text("SAVE")
    after = rows(phone)
    assert after[1:] == before[1:]
    changed = {i for i, (a, b) in enumerate(zip(before[0], after[0], strict=True)) if a != b}
    names = [row[1] for row in phone.sqlite(data.DB, "PRAGMA table_info(recipes)")]
    assert {names[i] for i in changed} == {"preparationTime", "favorite"}
    driver.back()
    driver.tap_description("Categories")
    driver.tap_text("Favorites")
    assert titles(driver) == ["Lentil Soup"]


def test_search_and_categories(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("Search")
    driver.type_text("rice")
    assert titles(driver) == ['Cauliflower Fried "Rice"']
    driver.tap_description("Collapse")
    driver.tap_description("Open navigation drawer")
    driver.tap_text("Categories")
    driver.tap_description("Add category")
    driver.type_text("Soups")
    driver.tap_text("SAVE")
    driver.back()
    driver.tap_text("Lentil Soup")
    driver.tap_description("More options")
    driver.tap_text("Edit")
    driver.tap_text("Categories")
    driver.tap_text("Soups")
    driver.tap_text("OK")
    driver.tap_text("SAVE")
    assert driver.get(id="details_categories").text == "Soups"
    driver.back()
    driver.tap_description("Categories")
    driver.tap_text("Soups")
    assert titles(driver) == ["Lentil Soup"]


def test_a_pushed_database_without_the_other_tables_is_read(phone: Phone) -> None:
    """AndroidWorld wipes the directory and pushes one file back."""
    phone.sqlite(data.DB, "DROP TABLE categories; DROP TABLE recipes_categories;")
    phone.force_stop(data.PACKAGE)
    driver = open_app(phone)
    driver.tap_text("Lentil Soup")
    assert driver.get(id="details_preparation_time").text == "10 mins"
    assert len(rows(phone)) == 3


def test_looking_changes_nothing(phone: Phone) -> None:
    before = phone.fs.read(data.DB)
    driver = open_app(phone)
    driver.tap_text("Lentil Soup")
    driver.back()
    driver.tap_description("New Recipe")
    driver.back()
    assert phone.fs.read(data.DB) == before


def test_snapshot_in_the_middle_of_the_form(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_description("New Recipe")
    driver.type_into("Title", "Pho")
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_text("SAVE")
    assert len(rows(phone)) == 4
    phone.restore(kept)
    assert phone.state_hash() == name
    assert len(rows(phone)) == 3
    driver.tap_text("SAVE")
    assert rows(phone)[-1][1] == "Pho"
