"""Solutions of AndroidWorld's Broccoli tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script
from emulator.pocket.experts.gallery import read_picture
from emulator.pocket.experts.written_rows import LETTERS_IN_PICTURES, read_in_markor, rows_of, unwrapped
from emulator.ui_tree import Element

BROCCOLI = "com.flauschcode.broccoli"
FIELDS = ("title", "description", "servings", "preparationTime", "ingredients", "directions")
HINTS = ("Title", "Description", "Servings", "Time", "Ingredients", "Directions")


def _add(driver: Driver, values: tuple[str, ...]) -> None:
    driver.open_app(BROCCOLI)
    driver.tap_description("New Recipe")
    for hint, value in zip(HINTS, values, strict=True):
        driver.scroll_to(hint)
        driver.type_into(hint, value)
    driver.tap_text("SAVE")


def add(driver: Driver, params: Mapping[str, Any]) -> None:
    """The recipes that the goal lists."""
    for row in params["row_objects"]:
        _add(driver, tuple(getattr(row, name) for name in FIELDS))


def add_from_note(driver: Driver, params: Mapping[str, Any]) -> None:
    """All recipes of a note, or those that take the time the goal names."""
    wanted = params.get("prep_time")
    for row in rows_of(read_in_markor(driver, "recipes.txt"), FIELDS):
        if wanted is None or row["preparationTime"] == wanted:
            _add(driver, tuple(row[name] for name in FIELDS))


def add_from_picture(driver: Driver, params: Mapping[str, Any]) -> None:
    """All recipes of a picture in the Gallery."""
    lines = read_picture(driver, "recipes.jpg", LETTERS_IN_PICTURES)
    for row in rows_of(unwrapped(lines, FIELDS), FIELDS):
        _add(driver, tuple(row[name] for name in FIELDS))


def _delete_shown(driver: Driver) -> None:
    driver.tap_description("More options")
    driver.tap_text("Delete")
    driver.tap_text("DELETE")


def delete(driver: Driver, params: Mapping[str, Any]) -> None:
    """The recipes that the goal names."""
    driver.open_app(BROCCOLI)
    for row in params["row_objects"]:
        driver.tap_element(driver.scroll_to(row.title))
        _delete_shown(driver)


def _titles(driver: Driver) -> list[Element]:
    return driver.find_all(id="card_text_view_title")


def _search(driver: Driver, words: str) -> None:
    """A new search; the keyboard goes away so that the list is long."""
    if driver.sees("Search"):
        driver.tap_description("Search")
        driver.type_text(words)
    else:
        driver.type_into("search_src_text", words, clear=True)
    driver.hide_keyboard()


def _part(driver: Driver, id: str) -> str:
    """The texts of one part of a recipe's page."""
    holder = driver.find(id=id)
    return " ".join(e.text for e in driver.children(holder) if e.text) if holder is not None else ""


def delete_with_ingredient(driver: Driver, params: Mapping[str, Any]) -> None:
    """Every recipe whose directions, in small letters, hold the word: the check tells large from small letters too."""
    driver.open_app(BROCCOLI)
    _search(driver, params["ingredient"])
    at = 0
    while at < len(found := _titles(driver)):
        driver.tap_element(found[at])
        if params["ingredient"] in _part(driver, "details_directions").lower():
            _delete_shown(driver)
            continue
        driver.back()
        at += 1


def _walk(driver: Driver) -> Iterator[int]:
    """Opens every card once or more: yields its place on the screen while its page is shown."""
    before: list[tuple[str, tuple[int, int]]] = []
    while (now := [(e.text, e.center) for e in _titles(driver)]) != before:
        for place in range(len(now)):
            driver.tap_element(_titles(driver)[place])
            yield place
            driver.back()
        before = now
        driver.swipe_up()


def delete_duplicate(driver: Driver, params: Mapping[str, Any]) -> None:
    """Lists of recipes with the same ingredients are short: in each, two pages with the same texts are duplicates."""
    driver.open_app(BROCCOLI)
    kinds = list(
        dict.fromkeys(_part(driver, "details_ingredients").removeprefix("Ingredients ") for _ in _walk(driver))
    )
    for kind in kinds:
        _search(driver, kind)
        known: list[list[str]] = []
        for place in range(len(_titles(driver))):
            driver.tap_element(_titles(driver)[place])
            page = driver.texts()
            if page in known:
                _delete_shown(driver)
                return
            known.append(page)
            driver.back()


TASKS: dict[str, Script] = {
    "RecipeAddSingleRecipe": add,
    "RecipeAddMultipleRecipes": add,
    "RecipeAddMultipleRecipesFromMarkor": add_from_note,
    "RecipeAddMultipleRecipesFromMarkor2": add_from_note,
    "RecipeAddMultipleRecipesFromImage": add_from_picture,
    "RecipeDeleteSingleRecipe": delete,
    "RecipeDeleteSingleWithRecipeWithNoise": delete,
    "RecipeDeleteMultipleRecipes": delete,
    "RecipeDeleteMultipleRecipesWithNoise": delete,
    "RecipeDeleteMultipleRecipesWithConstraint": delete_with_ingredient,
    "RecipeDeleteDuplicateRecipes": delete_duplicate,
    "RecipeDeleteDuplicateRecipes2": delete_duplicate,
    "RecipeDeleteDuplicateRecipes3": delete_duplicate,
}
