"""Expert episodes: small errands on the pocket phone, for exports in the schemas of recorded benchmarks.

An errand is a goal, a script and a test of the phone's state, all from one random generator. They are the phone's
own and have nothing to do with the tasks of AndroidWorld.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone

SETTINGS, CLOCK, CONTACTS = "com.android.settings", "com.google.android.deskclock", "com.google.android.contacts"
GIVEN = ("Ada", "Grace", "Alan", "Mary", "Edsger", "Barbara", "Donald", "Radia")
FAMILY = ("Lovelace", "Hopper", "Turing", "Jackson", "Dijkstra", "Liskov", "Knuth", "Perlman")


@dataclass(frozen=True)
class Errand:
    """One episode to come: what is asked, how it is done, whether it was done."""

    name: str
    goal: str
    do: Callable[[Driver], None]
    done: Callable[[Phone], bool]


def airplane_mode(rng: random.Random) -> Errand:
    """Two levels of settings and a switch."""

    def do(driver: Driver) -> None:
        driver.open_app(SETTINGS)
        driver.tap("Network & internet")
        driver.tap("Airplane mode")

    return Errand(
        "airplane_mode", "Turn on airplane mode.", do, lambda phone: phone.settings["global"].flag("airplane_mode_on")
    )


def dark_theme(rng: random.Random) -> Errand:
    """A switch that changes how everything looks; the way back home is part of it."""

    def do(driver: Driver) -> None:
        driver.open_app(SETTINGS)
        driver.scroll_to("Display")
        driver.tap("Display")
        driver.tap("Dark theme")
        driver.back()
        driver.home()

    goal = "Switch the phone to the dark theme, then return to the home screen."
    return Errand("dark_theme", goal, do, lambda phone: phone.dark and phone.activities.foreground.home)


def stopwatch(rng: random.Random) -> Errand:
    """Starts the stopwatch and takes some laps."""
    laps = rng.randint(1, 3)

    def do(driver: Driver) -> None:
        driver.open_app(CLOCK)
        driver.tap("Stopwatch", index=-1)
        driver.tap("Start")
        for _ in range(laps):
            driver.wait()
            driver.tap("Lap")

    goal = f"Start the stopwatch and take {laps} lap{'s' if laps > 1 else ''}."
    return Errand("stopwatch", goal, do, lambda phone: phone.find("Pause") is not None)


def timer(rng: random.Random) -> Errand:
    """Digits on the timer's pad."""
    minutes, seconds = rng.randint(1, 9), rng.randint(10, 59)

    def do(driver: Driver) -> None:
        driver.open_app(CLOCK)
        driver.tap("Timer", index=-1)
        for digit in f"{minutes}{seconds}":
            driver.tap(digit)

    goal = f"Enter a timer of {minutes} minutes and {seconds} seconds without starting it."
    return Errand("timer", goal, do, lambda phone: phone.find(f"00h {minutes:02d}m {seconds:02d}s") is not None)


def new_contact(rng: random.Random) -> Errand:
    """A form with three fields."""
    given, family = rng.choice(GIVEN), rng.choice(FAMILY)
    number = f"555{rng.randint(1000000, 9999999)}"

    def do(driver: Driver) -> None:
        driver.open_app(CONTACTS)
        driver.tap("Create contact")
        driver.type_into("First name", given)
        driver.type_into("Last name", family)
        driver.type_into("Phone", number)
        driver.tap("Save")

    goal = f"Create a contact for {given} {family} with the number {number}."
    return Errand("new_contact", goal, do, lambda phone: phone.contacts.find(number) is not None)


def from_the_drawer(rng: random.Random) -> Errand:
    """Home, the app drawer, an app."""
    package, label = rng.choice(((CLOCK, "Clock"), (CONTACTS, "Contacts"), (SETTINGS, "Settings")))

    def do(driver: Driver) -> None:
        driver.home()
        driver.swipe_up()
        driver.tap(label)

    goal = f"Open {label} from the app drawer."
    return Errand("from_the_drawer", goal, do, lambda phone: phone.activities.foreground.package == package)


ERRANDS: tuple[Callable[[random.Random], Errand], ...] = (
    airplane_mode,
    dark_theme,
    stopwatch,
    timer,
    new_contact,
    from_the_drawer,
)
