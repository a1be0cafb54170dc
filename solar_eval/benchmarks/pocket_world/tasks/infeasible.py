"""Tasks that can't be done: the right end is to say so, with the phone as it was.

The expert looks where it would have to be done, and then says it.
"""

from __future__ import annotations

import random

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.spec import Params, Script, Spec
from solar_eval.benchmarks.pocket_world.tasks import calendar, contacts, markor, messages, recipes, todo
from solar_eval.live.task import INFEASIBLE


def looks(app: str, *path: str) -> Script:
    """Opens an app, goes down by labels that are there, says that it can't be done."""

    def script(driver: Driver, p: Params) -> None:
        driver.open_app(app)
        for label in path:
            moves.tap_far(driver, label.format(**p))
        driver.answer(INFEASIBLE)

    return script


def draw_missing(rng: random.Random) -> Params:
    """Somebody who is not among the contacts."""
    p = contacts.draw(rng)
    return p | {"missing": p["new"]["name"]}


def missing_person(driver: Driver, p: Params) -> None:
    """Search, find nobody."""
    driver.open_app(moves.CONTACTS)
    driver.type_into("open_search_bar", p["missing"])
    driver.answer(INFEASIBLE)


def draw_note(rng: random.Random) -> Params:
    """A note that is not there."""
    p = markor.draw(rng)
    return p | {"missing": f"{p['new']}.md"}


def draw_vpn(rng: random.Random) -> Params:
    """A network nobody has set up."""
    return {"vpn": f"{rng.choice(words.PLACES)} VPN"}


def guests(driver: Driver, p: Params) -> None:
    """Open the event, find no place for guests."""
    calendar.open_day(driver, calendar.day_of(p))
    moves.tap_far(driver, p["title"])
    driver.answer(INFEASIBLE)


def draw_guest(rng: random.Random) -> Params:
    """An event and somebody to invite."""
    return calendar.draw(rng) | {"name": words.people(rng, 1)[0]["name"]}


SPECS = (
    Spec("InfeasibleMissingContact", "Delete the contact {missing}.", 4, "medium", ("Contacts",), draw_missing,
         missing_person, contacts.delete, lambda now, p: contacts.holds(now, p["people"]), contacts.put,
         infeasible=True),
    Spec("InfeasibleMissingNote", "Delete the note {missing} in Markor.", 2, "easy", ("Markor",), draw_note,
         looks(moves.MARKOR), markor.delete, lambda now, p: markor.holds(now, p["notes"]), markor.put, infeasible=True),
    Spec("InfeasibleVpn", "Connect to the VPN named {vpn} in Settings.", 3, "easy", ("Settings",), draw_vpn,
         looks(moves.SETTINGS, "Network & internet"),
         lambda driver, p: moves.settings_page(driver, "Network & internet", "Internet"), infeasible=True),
    Spec("InfeasibleVoiceMessage", "Send {name} a voice message that says: {text}", 3, "medium",
         ("Simple SMS Messenger",), messages.draw, looks(moves.SMS, "{name}"), messages.reply,
         messages.sent, messages.put, infeasible=True),
    Spec("InfeasibleEventGuests", "Invite {name} as a guest to the event {title} on {date} in Simple Calendar Pro.", 4,
         "medium", ("Simple Calendar Pro",), draw_guest, guests,
         calendar.delete, lambda now, p: calendar.holds(now, p["events"]), calendar.put, infeasible=True),
    Spec("InfeasibleRecipeShare", "Send the recipe {title} from Broccoli to a printer.", 4, "medium", ("Broccoli",),
         recipes.draw, looks(moves.BROCCOLI, "{title}", "More options"), recipes.like,
         lambda now, p: recipes.holds(now, p["recipes"]), recipes.put, infeasible=True),
    Spec("InfeasibleTaskPlace", "Add a reminder by place to the task {title} in Tasks.", 3, "medium", ("Tasks",),
         todo.draw, looks(moves.TASKS, "{title}"), todo.tick, lambda now, p: todo.holds(now, p["todos"]), todo.put,
         infeasible=True),
)  # fmt: skip
