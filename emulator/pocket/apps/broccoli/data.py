"""What Broccoli keeps: recipes, categories and which recipe is in which.

AndroidWorld compares the table `recipes` (android_world_apps.md section 11): exactly ten columns, texts '' and never
NULL. The other tables are the app's own and are made again when a pushed file lacks them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket.databases import Row
from emulator.pocket.images import picture
from emulator.pocket.views import Picture

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.flauschcode.broccoli"
DATABASE = "databases/broccoli"
DB = f"/data/data/{PACKAGE}/{DATABASE}"
TEXTS = ("title", "description", "servings", "preparationTime", "source", "ingredients", "directions")
SCHEMA = """
CREATE TABLE IF NOT EXISTS recipes (recipeId INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
 title TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', servings TEXT NOT NULL DEFAULT '',
 preparationTime TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '', ingredients TEXT NOT NULL DEFAULT '',
 directions TEXT NOT NULL DEFAULT '', imageName TEXT NOT NULL DEFAULT '', favorite INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS categories (categoryId INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
 name TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS recipes_categories (recipeId INTEGER NOT NULL, categoryId INTEGER NOT NULL,
 PRIMARY KEY (recipeId, categoryId));
"""
PHOTOS = f"/data/data/{PACKAGE}/files"
GREEN = (85, 139, 47)
ALL, FAVORITES, UNASSIGNED = 0, -1, -2
FIXED = {ALL: "All recipes", FAVORITES: "Favorites", UNASSIGNED: "Recipes without category"}


def recipes(phone: Phone, place: int = ALL, query: str = "") -> list[Row]:
    """Recipes of a category (its number, or ALL, FAVORITES, UNASSIGNED), by title; `query` must be in some text."""
    where, values = "1", []
    if place == FAVORITES:
        where = "favorite = 1"
    elif place == UNASSIGNED:
        where = "recipeId NOT IN (SELECT recipeId FROM recipes_categories)"
    elif place != ALL:
        where, values = "recipeId IN (SELECT recipeId FROM recipes_categories WHERE categoryId = ?)", [place]
    rows = phone.db(DB).query(
        f"SELECT * FROM recipes WHERE {where} ORDER BY title COLLATE NOCASE, recipeId", values
    )  # fmt: skip
    wanted = query.strip().lower()
    return [row for row in rows if any(wanted in (row[name] or "").lower() for name in TEXTS)]


def recipe(phone: Phone, number: int) -> Row | None:
    """One recipe."""
    return phone.db(DB).one("SELECT * FROM recipes WHERE recipeId = ?", (number,))


def categories(phone: Phone) -> list[Row]:
    """All categories, by name."""
    return phone.db(DB).query("SELECT * FROM categories ORDER BY name COLLATE NOCASE, categoryId")


def categories_of(phone: Phone, number: int) -> list[int]:
    """Numbers of the categories a recipe is in."""
    rows = phone.db(DB).query("SELECT categoryId FROM recipes_categories WHERE recipeId = ? ORDER BY 1", (number,))
    return [row["categoryId"] for row in rows]


def save(phone: Phone, number: int, values: dict[str, str], chosen: list[int]) -> int:
    """Write a recipe (0: a new one) and its categories; its number."""
    with phone.db(DB) as db:
        if number:
            db.update("recipes", "recipeId", number, values)
        else:
            number = db.insert("recipes", values)
        db.execute("DELETE FROM recipes_categories WHERE recipeId = ?", (number,))
        for category in chosen:
            db.insert("recipes_categories", {"recipeId": number, "categoryId": category})
    return number


def photo(phone: Phone, name: str) -> Picture | None:
    """The photo of a recipe by its imageName; None without one, or if its file is gone or broken."""
    path = f"{PHOTOS}/{name}"
    return picture(phone.fs.read(path)) if name and "/" not in name and phone.fs.isfile(path) else None


def keep_photo(phone: Phone, path: str) -> str:
    """Copy a picture into the app's own files; its name there."""
    phone.fs.mkdir(PHOTOS, parents=True)
    name = f"{phone.clock.now_ms()}.{path.rpartition('.')[2].lower()}"
    phone.fs.copy(path, f"{PHOTOS}/{name}")
    return name


def delete(phone: Phone, number: int) -> None:
    """Remove a recipe for good."""
    with phone.db(DB) as db:
        db.execute("DELETE FROM recipes WHERE recipeId = ?", (number,))
        db.execute("DELETE FROM recipes_categories WHERE recipeId = ?", (number,))


def save_category(phone: Phone, number: int, name: str) -> None:
    """Write a category (0: a new one)."""
    if number:
        phone.db(DB).update("categories", "categoryId", number, {"name": name})
    else:
        phone.db(DB).insert("categories", {"name": name})


def delete_category(phone: Phone, number: int) -> None:
    """Remove a category; its recipes stay."""
    with phone.db(DB) as db:
        db.execute("DELETE FROM categories WHERE categoryId = ?", (number,))
        db.execute("DELETE FROM recipes_categories WHERE categoryId = ?", (number,))
