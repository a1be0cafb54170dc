"""Contacts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import CONTACTS_DB, World, sql

APP = ("Contacts",)


def rows(people: list[Mapping[str, Any]]) -> list[list[Any]]:
    """People as `Reading.contacts` gives them."""
    made = [[p["name"], p["number"], p.get("label", "Mobile"), p.get("email", ""), p.get("starred", 0)] for p in people]
    return sorted(made)


def holds(now: Reading, people: list[Mapping[str, Any]]) -> bool:
    """Exactly these people."""
    return sorted(now.contacts()) == rows(people)


def put(world: World, p: Params) -> None:
    """The people of the parameters."""
    world.contacts(p["people"])


def draw(rng: random.Random) -> Params:
    """Seven people; the first one is meant, the second one is near by."""
    known = words.people(rng, 9)
    new, extra, known = known[0], known[1], known[2:]
    one, two = rng.sample(known, 2)
    first, last = new["name"].split()
    return {
        "people": known, "name": one["name"], "number": one["number"], "second": two["name"],
        "second_number": two["number"], "new": new, "first": first, "last": last, "new_number": new["number"],
        "other_number": extra["number"], "label": rng.choice(["Work", "Home"]),
        "mail": f"{first.lower()}.{last.lower()}@example.org", "company": f"{rng.choice(words.PLACES)} Ltd",
        "others": [k["number"] for k in known if k is not one],
    }  # fmt: skip


# making


def fill(driver: Driver, fields: Mapping[str, str]) -> None:
    """Hint -> text, in an open form."""
    for hint, value in fields.items():
        driver.scroll_to(hint)
        driver.type_into(hint, value)


def create(driver: Driver, person: Mapping[str, Any], number: str = "") -> None:
    """The round button, three fields, Save."""
    first, last = person["name"].split()
    driver.tap_description("Create contact")
    fill(driver, {"First name": first, "Last name": last, "Phone": number or person["number"]})
    driver.tap_text("Save")


def add(driver: Driver, p: Params, number: str = "") -> None:
    """One person."""
    driver.open_app(moves.CONTACTS)
    create(driver, p["new"], number)


def add_full(driver: Driver, p: Params, label: bool = True) -> None:
    """One person with company, kind of number and mail address."""
    driver.open_app(moves.CONTACTS)
    driver.tap_description("Create contact")
    fill(driver, {"First name": p["first"], "Last name": p["last"], "Company": p["company"], "Phone": p["new_number"]})
    driver.hide_keyboard()
    if label:
        driver.tap_description("Mobile Phone")
        driver.tap_text(p["label"])
    fill(driver, {"Email": p["mail"]})
    driver.tap_text("Save")


def is_full(now: Reading, p: Params) -> bool:
    """Everything that was asked for."""
    where = f"WHERE mimetype LIKE '%/organization' AND data1 = {sql(p['company'])}"
    company = now.query(CONTACTS_DB, "data1", "data", where)
    person = p["new"] | {"label": p["label"], "email": p["mail"]}
    return len(company) == 1 and holds(now, [*p["people"], person])


def draw_four(rng: random.Random) -> Params:
    """Four new people."""
    people = words.people(rng, 4)
    return {"new": people, "list": ", ".join(f"{p['name']} ({p['number']})" for p in people)}


def add_four(driver: Driver, p: Params, count: int = 4) -> None:
    """One after the other."""
    driver.open_app(moves.CONTACTS)
    for at, person in enumerate(p["new"][:count]):
        if at:
            driver.back()
        create(driver, person)


# changing


def show(driver: Driver, name: str) -> None:
    """Open a person's page."""
    driver.open_app(moves.CONTACTS)
    moves.tap_far(driver, name)


def star(driver: Driver, p: Params, which: str = "name") -> None:
    """The star."""
    show(driver, p[which])
    driver.tap_description("Add to favorites")


def delete(driver: Driver, p: Params, names: tuple[str, ...] = ("name",)) -> None:
    """Menu, Delete, Delete."""
    for name in names:
        show(driver, p[name])
        driver.tap_description("More options")
        driver.tap_text("Delete")
        driver.tap_text("Delete")


def renumber(driver: Driver, p: Params, which: str = "name") -> None:
    """The pencil, the number typed over, Save."""
    show(driver, p[which])
    driver.tap_description("Edit contact")
    moves.replace(driver, driver.get(text=p["number"] if which == "name" else p["second_number"]), p["new_number"])
    driver.tap_text("Save")


def renumbered(now: Reading, p: Params) -> bool:
    """That one has the new number."""
    return holds(now, [k | {"number": p["new_number"]} if k["name"] == p["name"] else k for k in p["people"]])


def without(now: Reading, p: Params, names: tuple[str, ...] = ("name",)) -> bool:
    """Those are gone."""
    gone = {p[n] for n in names}
    return holds(now, [k for k in p["people"] if k["name"] not in gone])


def starred(now: Reading, p: Params) -> bool:
    """That one has a star."""
    return holds(now, [k | {"starred": int(k["name"] == p["name"])} for k in p["people"]])


def say_number(driver: Driver, p: Params) -> None:
    """Read the number."""
    show(driver, p["name"])
    driver.get(text=p["number"])
    driver.answer(p["number"])


SPECS = (
    Spec("ContactsAdd", "Create a contact for {first} {last} with the number {new_number}.", 9, "easy", APP, draw, add,
         lambda driver, p: add(driver, p, p["other_number"]), lambda now, p: holds(now, [*p["people"], p["new"]]), put),
    Spec("ContactsAddFull", "Create a contact: first name {first}, last name {last}, company {company}, {label} phone "
         "{new_number}, email {mail}.", 16, "medium", APP, draw, add_full,
         lambda driver, p: add_full(driver, p, False), is_full, put),
    Spec("ContactsAddToFavorites", "Add {name} to the favorites.", 3, "easy", APP, draw, star,
         lambda driver, p: star(driver, p, "second"), starred, put),
    Spec("ContactsDelete", "Delete the contact {name}.", 5, "easy", APP, draw, delete,
         lambda driver, p: delete(driver, p, ("second",)), without, put),
    Spec("ContactsDeleteTwo", "Delete the contacts {name} and {second}.", 10, "medium", APP, draw,
         lambda driver, p: delete(driver, p, ("name", "second")), delete,
         lambda now, p: without(now, p, ("name", "second")), put),
    Spec("ContactsChangeNumber", "Change the phone number of {name} to {new_number}.", 6, "medium", APP, draw, renumber,
         lambda driver, p: renumber(driver, p, "second"), renumbered, put),
    Spec("ContactsNumberQuestion", "What is the phone number of {name}?", 3, "easy", APP, draw, say_number,
         lambda driver, p: driver.answer(p["others"][0]), setup=put,
         wanted=lambda p: Wanted((p["number"],), tuple(p["others"]))),
    Spec("ContactsAddFour", "Create contacts for these people: {list}.", 36, "hard", APP, draw_four, add_four,
         lambda driver, p: add_four(driver, p, 3), lambda now, p: holds(now, p["new"])),
)  # fmt: skip
