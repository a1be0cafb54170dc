"""Simple SMS Messenger, and Clipper."""

from __future__ import annotations

import random
from typing import Any

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

APP = ("Simple SMS Messenger",)
FIELD = "Type a message\u2026"
WHOM = "Add Contact or Number\u2026"


def draw(rng: random.Random) -> Params:
    """Six people, four of whom have written; the conversation meant is never the newest."""
    people = words.people(rng, 6)
    texts = rng.sample(words.TEXTS, 9)
    writers = people[:4]
    said = [[w["number"], texts[i], "in"] for i, w in enumerate(writers)]
    own = rng.choice(writers[:3])
    said.insert(rng.randint(0, 2), [own["number"], texts[4], "out"])
    said.sort(key=lambda m: m[0] != own["number"])  # the oldest conversation
    last = next(m[1] for m in reversed(said) if m[0] == own["number"] and m[2] == "in")
    other = next(w for w in writers if w is not own)
    return {
        "people": people, "messages": said, "name": own["name"], "number": own["number"], "own": texts[4], "last": last,
        "second": other["name"], "second_number": other["number"], "text": texts[5], "wrong_text": texts[6],
        "whom": people[4]["name"], "whom_number": people[4]["number"], "stranger": words.number(rng),
        "others": [m[1] for m in said if m[1] != last],
    }  # fmt: skip


def put(world: World, p: Params) -> None:
    """People and messages."""
    world.contacts(p["people"])
    world.messages(p["messages"])


def sent(now: Reading, p: Params, *added: list[Any]) -> bool:
    """What was there, and these messages behind it."""
    return now.messages() == [*p["messages"], *added]


# sending


def say(driver: Driver, text: str) -> None:
    """Type into the open conversation and send."""
    driver.tap_text(FIELD)
    driver.type_text(text)
    driver.tap_text("SMS")


def talk(driver: Driver, name: str) -> None:
    """Open a conversation."""
    driver.open_app(moves.SMS)
    moves.tap_far(driver, name)


def reply(driver: Driver, p: Params, which: str = "name") -> None:
    """Into the conversation."""
    talk(driver, p[which])
    say(driver, p["text"])


def to_number(driver: Driver, p: Params, text: str = "") -> None:
    """A new conversation with a number."""
    driver.open_app(moves.SMS)
    driver.tap_description("New conversation")
    driver.type_into(WHOM, p["stranger"])
    driver.tap_description("OK")
    say(driver, text or p["text"])


def to_contact(driver: Driver, name: str, text: str) -> None:
    """A new conversation with somebody from the list."""
    driver.tap_description("New conversation")
    moves.tap_far(driver, name)
    say(driver, text)


def to_whom(driver: Driver, p: Params, text: str = "") -> None:
    """One message to a contact."""
    driver.open_app(moves.SMS)
    to_contact(driver, p["whom"], text or p["text"])


def draw_round(rng: random.Random) -> Params:
    """Five people and a message for all."""
    people = words.people(rng, 5)
    return {"people": people, "text": rng.choice(words.TEXTS), "list": ", ".join(p["name"] for p in people),
            "messages": []}  # fmt: skip


def to_all(driver: Driver, p: Params, count: int = 5) -> None:
    """Five messages."""
    driver.open_app(moves.SMS)
    for at, person in enumerate(p["people"][:count]):
        if at:
            driver.hide_keyboard()
            driver.back()
        to_contact(driver, person["name"], p["text"])


# a message that is there


def hold(driver: Driver, text: str) -> None:
    """Hold a bubble."""
    driver.long_press_element(next(e for e in driver.find_all(id="thread_message_body") if e.text == text))


def forward(driver: Driver, p: Params, whom: str = "whom") -> None:
    """Hold, forward, whom, send."""
    talk(driver, p["name"])
    hold(driver, p["last"])
    driver.tap_description("Forward message")
    moves.tap_far(driver, p[whom])
    driver.tap_text("SMS")


def copy(driver: Driver, p: Params, which: str = "last") -> None:
    """Hold, copy."""
    talk(driver, p["name"])
    hold(driver, p[which])
    driver.tap_description("Copy to clipboard")


def drop(driver: Driver, p: Params, which: str = "name") -> None:
    """Hold the conversation, delete it."""
    driver.open_app(moves.SMS)
    moves.hold_far(driver, p[which])
    driver.tap_description("Delete")
    driver.tap_text("Yes")


def drop_message(driver: Driver, p: Params, which: str = "own") -> None:
    """Hold a message, delete it."""
    talk(driver, p["name"])
    hold(driver, p[which])
    driver.tap_description("Delete")
    driver.tap_text("Yes")


def resend(driver: Driver, p: Params) -> None:
    """There is no such button: the text is typed once more."""
    talk(driver, p["name"])
    say(driver, p["own"])


def resend_dead_end(driver: Driver, p: Params) -> None:
    """Hold the message, find nothing to send it again, go back, type it."""
    talk(driver, p["name"])
    hold(driver, p["own"])
    driver.back()
    say(driver, p["own"])


def resend_to_another(driver: Driver, p: Params) -> None:
    """Forwarding is not sending again."""
    talk(driver, p["name"])
    hold(driver, p["own"])
    driver.tap_description("Forward message")
    moves.tap_far(driver, p["whom"])
    driver.tap_text("SMS")


def say_last(driver: Driver, p: Params) -> None:
    """Read the newest message of the other side."""
    talk(driver, p["name"])
    driver.get(text=p["last"])
    driver.answer(p["last"])


# Clipper


def stop_service(driver: Driver, p: Params) -> None:
    """Its button."""
    driver.open_app(moves.CLIPPER)
    driver.tap_text("Stop Service")


SPECS = (
    Spec("SmsReply", "Reply to {name}: {text}", 5, "easy", APP, draw, reply,
         lambda driver, p: reply(driver, p, "second"), lambda now, p: sent(now, p, [p["number"], p["text"], "out"]),
         put),
    Spec("SmsToNumber", "Send a text message to {stranger}: {text}", 8, "easy", APP, draw, to_number,
         lambda driver, p: to_number(driver, p, p["wrong_text"]),
         lambda now, p: sent(now, p, [p["stranger"], p["text"], "out"]), put),
    Spec("SmsToContact", "Write to {whom}: {text}", 6, "easy", APP, draw, to_whom,
         lambda driver, p: to_whom(driver, p, p["wrong_text"]),
         lambda now, p: sent(now, p, [p["whom_number"], p["text"], "out"]), put),
    Spec("SmsForward", "Forward the last message that {name} sent you to {whom}.", 6, "medium", APP, draw, forward,
         lambda driver, p: forward(driver, p, "second"),
         lambda now, p: sent(now, p, [p["whom_number"], p["last"], "out"]), put),
    Spec("SmsCopyMessage", "Copy the last message that {name} sent you to the clipboard.", 4, "easy", APP, draw, copy,
         lambda driver, p: copy(driver, p, "own"), lambda now, p: now.clipboard() == p["last"] and sent(now, p), put),
    Spec("SmsDeleteConversation", "Delete the conversation with {name}.", 4, "easy", APP, draw, drop,
         lambda driver, p: drop(driver, p, "second"),
         lambda now, p: now.messages() == [m for m in p["messages"] if m[0] != p["number"]], put),
    Spec("SmsDeleteMessage", "Delete the message that you sent to {name}, and nothing else.", 5, "medium", APP, draw,
         drop_message, drop, lambda now, p: now.messages() == [m for m in p["messages"] if m[1] != p["own"]], put),
    Spec("SmsResend", "Send your last message to {name} once more.", 5, "medium", APP, draw, resend, resend_to_another,
         lambda now, p: sent(now, p, [p["number"], p["own"], "out"]), put, ("error_recovery", "dead_end"),
         detour=resend_dead_end),
    Spec("SmsLastMessageQuestion", "What was the last message that {name} sent you?", 3, "easy", APP, draw, say_last,
         lambda driver, p: driver.answer(p["own"]), setup=put,
         wanted=lambda p: Wanted((p["last"],), tuple(p["others"]))),
    Spec("SmsToFive", "Send the message \"{text}\" to each of these people separately: {list}.", 34, "hard", APP,
         draw_round, to_all, lambda driver, p: to_all(driver, p, 4),
         lambda now, p: sent(now, p, *[[k["number"], p["text"], "out"] for k in p["people"]]),
         lambda world, p: world.contacts(p["people"])),
    Spec("ClipperStopService", "Stop the service of the clipper app.", 2, "easy", ("Clipper",), lambda rng: {},
         stop_service, lambda driver, p: driver.open_app(moves.CLIPPER),
         lambda now, p: now.preferences(moves.CLIPPER).get("stopped") == "true"),
)  # fmt: skip
