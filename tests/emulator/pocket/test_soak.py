"""Random actions for long: no exception, memory flat, the hierarchy always parses, what can be clicked is in sight.

A picture drawn step by step must equal one drawn at once, and a phone that nobody looks at comes to the same state.
"""

from __future__ import annotations

import gc
import random
import tracemalloc
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import partial
from operator import methodcaller

import pytest

from emulator.pocket.display import Display
from emulator.pocket.faults import CORE, Fault, FaultKind
from emulator.pocket.files import DEFAULT_QUOTA
from emulator.pocket.phone import Phone

Act = Callable[[Phone], object]
SIZE = (360, 800)
KEYS = ("BACK", "BACK", "HOME", "APP_SWITCH", "ENTER", "DEL", "TAB", "POWER", "WAKEUP", "NOTIFICATION", "MOVE_END",
        "VOLUME_UP", "A", "ESCAPE", "DPAD_CENTER")  # fmt: skip
TEXTS = ("Milk", "12", "a b\nc", "\u00e9\u4e2d\U0001f600", "x" * 300, "../../etc", "'; DROP TABLE sms; --", "\x07\x1b",
         "<b>&amp;", "%s\\0", "0", "-1", "99999999999999999999", " ")  # fmt: skip
NUMBERS = ("+15551234567", "12", "\u4e2d", "")


def somewhere(rng: random.Random, phone: Phone) -> tuple[int, int]:
    width, height = phone.display_size
    return rng.randrange(width), rng.randrange(height)


def on_a_view(rng: random.Random, phone: Phone) -> tuple[int, int]:
    """The middle of something that can be tapped, where there is one."""
    found = [v for w in phone.display.frame().reported for v in w.views() if v.clickable and v.visible]
    return rng.choice(found).center if found else somewhere(rng, phone)


def fault(rng: random.Random) -> Fault:
    kind = rng.choice(CORE)
    if kind is FaultKind.LOST_CHARACTERS:
        return Fault(kind, value=str(rng.randrange(4)))
    return Fault(kind, times=rng.choice((1, 2)))


def touched(points: list[tuple[int, int]]) -> Act:
    """Down, moves, up."""

    def act(phone: Phone) -> None:
        phone.touch("down", *points[0])
        for x, y in points[1:]:
            phone.touch("move", x, y)
        phone.touch("up", *points[-1])

    return act


def setting(table: str, key: str, value: str) -> Act:
    return lambda phone: phone.settings[table].__setitem__(key, value)


def room(left: int) -> Act:
    """A disk with so many bytes left."""
    return lambda phone: setattr(phone.fs, "quota", min(phone.fs.used + left, DEFAULT_QUOTA))


def drawer(phone: Phone) -> list[str]:
    return [app.package for app in phone.enabled_apps() if app.in_drawer]


# what may be done: how often, and how it is chosen on the phone that is looked at
ACTIONS: tuple[tuple[int, Callable[[random.Random, Phone], Act]], ...] = (
    (40, lambda rng, phone: methodcaller("tap", *on_a_view(rng, phone))),
    (8, lambda rng, phone: methodcaller("tap", *somewhere(rng, phone))),
    (6, lambda rng, phone: methodcaller("long_press", *on_a_view(rng, phone))),
    (10, lambda rng, phone: methodcaller("swipe", *somewhere(rng, phone), *somewhere(rng, phone),
                                         rng.choice((100, 600)))),
    (2, lambda rng, phone: methodcaller("drag", *somewhere(rng, phone), *somewhere(rng, phone))),
    (10, lambda rng, phone: methodcaller("text", rng.choice(TEXTS))),
    (10, lambda rng, phone: methodcaller("key", rng.choice(KEYS))),
    (1, lambda rng, phone: methodcaller("key_combination", ["CTRL_LEFT", rng.choice("ACVX")])),
    (6, lambda rng, phone: methodcaller("launch", rng.choice(drawer(phone)))),
    (2, lambda rng, phone: touched([somewhere(rng, phone) for _ in range(rng.randrange(1, 4))])),
    (2, lambda rng, phone: partial(added, fault(rng))),
    (1, lambda rng, phone: lambda other: other.faults.clear()),
    (1, lambda rng, phone: setting("secure", "ui_night_mode", rng.choice("12"))),
    (1, lambda rng, phone: setting("system", "user_rotation", rng.choice("0001"))),
    (1, lambda rng, phone: setting("secure", "navigation_mode", rng.choice("02"))),
    (1, lambda rng, phone: methodcaller("sms_received", rng.choice(NUMBERS), rng.choice(TEXTS))),
    (1, lambda rng, phone: room(rng.choice((0, 0, 100, DEFAULT_QUOTA)))),
    (1, lambda rng, phone: methodcaller("force_stop", phone.activities.top.package)),
)  # fmt: skip
WEIGHTS = [weight for weight, _ in ACTIONS]


def added(what: Fault, phone: Phone) -> None:
    phone.faults.add(what)


def check(phone: Phone) -> None:
    """The hierarchy parses, and everything in it lies on the display."""
    width, height = phone.display_size
    for node in ET.fromstring(phone.hierarchy_xml(all_windows=True)).iter("node"):
        left, top, right, bottom = (int(n) for n in node.get("bounds", "").strip("[]").replace("][", ",").split(","))
        assert 0 <= left < right <= width, ET.tostring(node)[:400]
        assert 0 <= top < bottom <= height, ET.tostring(node)[:400]


def drawn_at_once(phone: Phone) -> bytes:
    """The picture of a display that has drawn nothing before."""
    return Display(phone).pixels().tobytes()


def walk(phone: Phone, rng: random.Random, steps: int) -> list[Act]:
    """Random actions on a phone that is looked at after each; returns them."""
    done: list[Act] = []
    for number in range(steps):
        act = rng.choices(ACTIONS, WEIGHTS)[0][1](rng, phone)
        if not phone.system.awake and rng.random() < 0.5:
            act = methodcaller("key", "WAKEUP")
        act(phone)
        done.append(act)
        check(phone)
        if number % 25 == 0:
            assert phone.screenshot().tobytes() == drawn_at_once(phone)
    assert not phone.crashes
    return done


def test_a_short_soak() -> None:
    for seed in range(2):
        walk(Phone(seed=seed, size=SIZE, strict=True), random.Random(100 + seed), 250)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(4))
def test_ten_thousand_actions_on_four_phones(seed: int) -> None:
    """2,500 actions each; what memory the last 300 of them leave behind, once the phone is as at first, is counted."""
    phone, rng = Phone(seed=seed, size=SIZE, strict=True), random.Random(seed)
    kept = phone.snapshot()
    walk(phone, rng, 2200)
    phone.restore(kept)
    phone.faults.clear()
    gc.collect()
    tracemalloc.start()
    walk(phone, rng, 300)
    phone.restore(kept)
    phone.faults.clear()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < 12 << 20, f"{grown / 2**20:.1f} MiB more after 300 actions"


def test_looking_changes_nothing() -> None:
    """The same actions on a phone that nobody looks at leave the same state and the same picture."""
    seen, alone = (Phone(seed=5, size=SIZE, strict=True) for _ in range(2))
    for act in walk(seen, random.Random(5), 150):
        act(alone)
    assert alone.state_hash() == seen.state_hash()
    assert alone.screenshot_png() == seen.screenshot_png()
