"""Broccoli."""

from __future__ import annotations

import random
from typing import Any

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

APP = ("Broccoli",)
PLAIN = tuple(i for i in words.ITEMS if not any(i.rstrip("s") in dish.lower() for dish in words.DISHES))
"""Ingredients that no title names."""
COLUMNS = ("title", "description", "servings", "preparationTime", "ingredients", "directions", "favorite")
HINTS = {"title": "Title", "description": "Description", "servings": "Servings", "preparationTime": "Time",
         "ingredients": "Ingredients", "directions": "Directions"}  # fmt: skip


def draw(rng: random.Random) -> Params:
    """Five recipes, each with its own ingredient and time; one is meant, another one is to be written."""
    titles, items, minutes = rng.sample(words.DISHES, 7), rng.sample(PLAIN, 7), rng.sample(range(2, 19), 7)
    rows = [
        {
            "title": title, "description": f"With {item}", "servings": f"{rng.randint(1, 8)} servings",
            "preparationTime": f"{m * 5} mins", "ingredients": f"{item}, salt", "directions": f"Cook the {item} slowly",
        }
        for title, item, m in zip(titles, items, minutes, strict=True)
    ]  # fmt: skip
    known, new = rows[:5], rows[5]
    at, other = rng.sample(range(5), 2)
    return {
        "recipes": known, "title": titles[at], "second": titles[other], "new": new, "item": items[at],
        "time": known[at]["preparationTime"],
        "other_times": [r["preparationTime"] for r in known if r is not known[at]],
        "others": [t for t in titles[:5] if t != titles[at]], "next": rows[6],
    }  # fmt: skip


def draw_two(rng: random.Random) -> Params:
    """Two recipes to write, told in full."""
    p = draw(rng)
    told = (
        f"{r['title']}: " + ", ".join(f'{HINTS[name].lower()} "{r[name]}"' for name in LONG[1:])
        for r in (p["new"], p["next"])
    )  # fmt: skip
    return p | {"both": "; ".join(told) + "."}


def put(world: World, p: Params) -> None:
    """Those recipes."""
    world.recipes(p["recipes"])


def holds(now: Reading, rows: list[dict[str, Any]]) -> bool:
    """Exactly these recipes."""
    wanted = [[row.get(c, 0 if c == "favorite" else "") for c in COLUMNS] for row in rows]
    return sorted(now.recipes()) == sorted(wanted)


def fill(driver: Driver, recipe: dict[str, Any], fields: tuple[str, ...]) -> None:
    """The form, from the list of recipes."""
    driver.tap_description("New Recipe")
    for name in fields:
        driver.scroll_to(HINTS[name])
        driver.type_into(HINTS[name], recipe[name])
    driver.tap_text("SAVE")


SHORT = ("title", "preparationTime")
LONG = ("title", "description", "servings", "preparationTime", "ingredients", "directions")


def only(recipe: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """The part of a recipe that is asked for."""
    return {name: recipe[name] for name in fields}


def add(driver: Driver, p: Params, fields: tuple[str, ...] = SHORT) -> None:
    """One recipe."""
    driver.open_app(moves.BROCCOLI)
    fill(driver, p["new"], fields)


def add_two(driver: Driver, p: Params, count: int = 2) -> None:
    """Two whole recipes."""
    driver.open_app(moves.BROCCOLI)
    for recipe in (p["new"], p["next"])[:count]:
        fill(driver, recipe, LONG)


def show(driver: Driver, title: str) -> None:
    """Open a recipe."""
    driver.open_app(moves.BROCCOLI)
    moves.tap_far(driver, title)


def delete(driver: Driver, p: Params, which: str = "title") -> None:
    """Menu, Delete, DELETE."""
    show(driver, p[which])
    driver.tap_description("More options")
    driver.tap_text("Delete")
    driver.tap_text("DELETE")


def like(driver: Driver, p: Params, which: str = "title") -> None:
    """The heart."""
    show(driver, p[which])
    driver.tap_description("Mark as favorite")


def retime(driver: Driver, p: Params, which: str = "title") -> None:
    """Menu, Edit, the time typed over, SAVE."""
    show(driver, p[which])
    driver.tap_description("More options")
    driver.tap_text("Edit")
    driver.scroll_to(next(r["preparationTime"] for r in p["recipes"] if r["title"] == p[which]))
    moves.replace(driver, driver.get(id="new_preparation_time"), p["new"]["preparationTime"])
    driver.tap_text("SAVE")


def retimed(now: Reading, p: Params) -> bool:
    """That one takes another time."""
    time = {"preparationTime": p["new"]["preparationTime"]}
    return holds(now, [r | time if r["title"] == p["title"] else r for r in p["recipes"]])


def say_time(driver: Driver, p: Params) -> None:
    """Read the time."""
    show(driver, p["title"])
    driver.get(text=p["time"])
    driver.answer(p["time"])


def find(driver: Driver, p: Params) -> None:
    """Search for an ingredient, read the title."""
    driver.open_app(moves.BROCCOLI)
    driver.tap_description("Search")
    driver.type_text(p["item"])
    driver.answer(driver.find_all(id="card_text_view_title")[0].text)


SPECS = (
    Spec("BroccoliAddRecipe", "Add a recipe to Broccoli with the title {new[title]} and the preparation time "
         "{new[preparationTime]}.", 7, "easy", APP, draw, add, lambda driver, p: add(driver, p, ("title",)),
         lambda now, p: holds(now, [*p["recipes"], only(p["new"], SHORT)]), put),
    Spec("BroccoliDelete", "Delete the recipe {title} from Broccoli.", 5, "easy", APP, draw, delete,
         lambda driver, p: delete(driver, p, "second"),
         lambda now, p: holds(now, [r for r in p["recipes"] if r["title"] != p["title"]]), put),
    Spec("BroccoliFavorite", "Mark the recipe {title} as a favorite in Broccoli.", 3, "easy", APP, draw, like,
         lambda driver, p: like(driver, p, "second"),
         lambda now, p: holds(now, [r | {"favorite": int(r["title"] == p["title"])} for r in p["recipes"]]), put),
    Spec("BroccoliChangeTime", "Change the preparation time of {title} in Broccoli to {new[preparationTime]}.", 8,
         "medium", APP, draw, retime, lambda driver, p: retime(driver, p, "second"), retimed, put),
    Spec("BroccoliTimeQuestion", "How long does it take to prepare {title} according to Broccoli?", 3, "easy", APP,
         draw, say_time, lambda driver, p: driver.answer(p["other_times"][0]), setup=put,
         wanted=lambda p: Wanted((p["time"].split()[0],), tuple(t.split()[0] for t in p["other_times"]))),
    Spec("BroccoliIngredientQuestion", "Which recipe in Broccoli is made with {item}? Answer with its title.", 4,
         "medium", APP, draw, find, lambda driver, p: driver.answer(p["others"][0]), setup=put,
         wanted=lambda p: Wanted((p["title"],), tuple(p["others"]))),
    Spec("BroccoliAddTwoRecipes", "Add two recipes to Broccoli. {both}",
         29, "hard", APP, draw_two, add_two, lambda driver, p: add_two(driver, p, 1),
         lambda now, p: holds(now, [*p["recipes"], only(p["new"], LONG), only(p["next"], LONG)]), put),
)  # fmt: skip
