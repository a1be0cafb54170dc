"""Phone."""

from __future__ import annotations

import random

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

APP = ("Phone",)
INCOMING, OUTGOING, MISSED = 1, 2, 3
IN_A_CALL = 2


def draw(rng: random.Random) -> Params:
    """Five people; three calls, the missed one in the middle, the newest by a stranger."""
    people, stranger = words.people(rng, 6), words.number(rng)
    new, people = people[0], people[1:]
    one, two = rng.sample(people, 2)
    first, last = new["name"].split()
    return {
        "people": people, "name": one["name"], "number": one["number"], "second": two["name"],
        "second_number": two["number"], "stranger": stranger, "dialled": words.number(rng), "first": first,
        "last": last, "new": new["name"],
        "calls": [[two["number"], OUTGOING], [one["number"], MISSED], [stranger, INCOMING]],
        "others": [p["name"] for p in people if p is not one],
    }  # fmt: skip


def put(world: World, p: Params) -> None:
    """People and calls."""
    world.contacts(p["people"])
    world.calls(p["calls"])


def talking(now: Reading, to: str) -> bool:
    """In a call with this number."""
    return now.call() == (IN_A_CALL, to)


def dial(driver: Driver, p: Params, drop: int = 0) -> None:
    """The key pad, digit by digit."""
    driver.open_app(moves.DIALER)
    driver.tap_description("key pad")
    for digit in p["dialled"][: len(p["dialled"]) - drop]:
        driver.tap_description(digit)
    driver.tap_description("dial")


def call_contact(driver: Driver, p: Params, which: str = "name") -> None:
    """Contacts, the handset of a row."""
    driver.open_app(moves.DIALER)
    driver.tap("Contacts")
    driver.tap_description(f"Call {p[which]}")


def call_back(driver: Driver, p: Params, which: str = "name") -> None:
    """The handset of the missed call."""
    driver.open_app(moves.DIALER)
    driver.tap_description(f"Call {p[which]}")


def answer_missed(driver: Driver, p: Params) -> None:
    """Read who it was."""
    driver.open_app(moves.DIALER)
    driver.get(desc="Missed call")
    driver.answer(p["name"])


def save_stranger(driver: Driver, p: Params, surname: bool = True) -> None:
    """The newest call, Add contact, the name, Save."""
    driver.open_app(moves.DIALER)
    driver.tap_text(p["stranger"])
    driver.tap_text("Add contact")
    driver.type_into("First name", p["first"])
    if surname:
        driver.type_into("Last name", p["last"])
    driver.tap_text("Save")


def saved(now: Reading, p: Params) -> bool:
    """The stranger has a name."""
    wanted = [[k["name"], k["number"], "Mobile", "", 0] for k in p["people"]]
    return sorted(now.contacts()) == sorted([*wanted, [p["new"], p["stranger"], "Mobile", "", 0]])


def clear(driver: Driver, p: Params) -> None:
    """Menu, Clear call history."""
    driver.open_app(moves.DIALER)
    driver.tap_description("More options")
    driver.tap_text("Clear call history")


SPECS = (
    Spec("PhoneDial", "Call the number {dialled}.", 13, "medium", APP, draw, dial, lambda driver, p: dial(driver, p, 1),
         lambda now, p: talking(now, p["dialled"]), put),
    Spec("PhoneCallContact", "Call {name}.", 3, "easy", APP, draw, call_contact,
         lambda driver, p: call_contact(driver, p, "second"), lambda now, p: talking(now, p["number"]), put),
    Spec("PhoneCallBack", "Call back the person whose call you missed.", 2, "easy", APP, draw, call_back,
         lambda driver, p: call_back(driver, p, "stranger"), lambda now, p: talking(now, p["number"]), put),
    Spec("PhoneClearHistory", "Clear the call history.", 3, "easy", APP, draw, clear,
         lambda driver, p: driver.open_app(moves.DIALER), lambda now, p: not now.calls(), put),
    Spec("PhoneMissedQuestion", "Whose call did I miss? Answer with the name.", 2, "easy", APP, draw,
         answer_missed, lambda driver, p: driver.answer(p["second"]), setup=put,
         wanted=lambda p: Wanted((p["name"],), tuple(p["others"]))),
    Spec("PhoneSaveCaller", "Save the number that called you last as a contact named {new}.", 8, "medium",
         ("Phone", "Contacts"), draw, save_stranger, lambda driver, p: save_stranger(driver, p, False), saved, put),
)  # fmt: skip
