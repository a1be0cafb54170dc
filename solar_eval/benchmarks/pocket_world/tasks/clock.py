"""Clock: alarms, timers, stopwatch, cities."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

APP = ("Clock",)
CITIES = ("Berlin", "Tokyo", "Cairo", "Lisbon", "Oslo", "Seoul", "Nairobi", "Toronto")
BITS = {"Monday": 1, "Tuesday": 2, "Wednesday": 4, "Thursday": 8, "Friday": 16, "Saturday": 32, "Sunday": 64}
NEW = [[8, 30, 31, 0, ""], [9, 0, 96, 0, ""]]
"""The alarms of a new Clock."""


def tab(driver: Driver, name: str) -> None:
    """Open Clock on a page."""
    driver.open_app(moves.CLOCK)
    driver.tap_text(name, index=-1)


def times(rng: random.Random, count: int) -> list[tuple[int, int]]:
    """So many different times that the clock face can pick, in order; never those of a new Clock."""
    free = [(h, m) for h in range(5, 23) for m in range(5, 60, 5) if (h, m) not in {(8, 30), (9, 0)}]
    return sorted(rng.sample(free, count))


def shown(at: Sequence[int]) -> str:
    """`07:05`."""
    return f"{at[0]:02d}:{at[1]:02d}"


def same(found: list[list[Any]], wanted: list[list[Any]]) -> bool:
    """The same rows in any order."""
    return sorted(found, key=repr) == sorted(wanted, key=repr)


# timers and stopwatch


def draw_timer(rng: random.Random) -> Params:
    """Minutes of one digit, seconds of two."""
    return {"minutes": rng.randint(2, 9), "seconds": rng.randint(11, 58)}


def timer(driver: Driver, p: Params, seconds: int = 0) -> None:
    """Digits, Start."""
    tab(driver, "Timer")
    for digit in f"{p['minutes']}{p['seconds'] + seconds}":
        driver.tap_text(digit)
    driver.tap_description("Start")


def laps(driver: Driver, p: Params, more: int = 0) -> None:
    """Start, laps, pause."""
    tab(driver, "Stopwatch")
    driver.tap_description("Start")
    for _ in range(p["laps"] + more):
        driver.tap_description("Lap")
    driver.tap_description("Pause")


def has_laps(now: Reading, p: Params) -> bool:
    """So many laps, and it stands still."""
    kept = now.preferences(moves.CLOCK)
    return len(json.loads(kept.get("sw_laps", "[]"))) == p["laps"] and "sw_start_time" not in kept


# alarms


def draw_alarm(rng: random.Random) -> Params:
    """A time, a label, three days, and another time for the script that errs."""
    one, two = times(rng, 2)
    return {
        "at": list(one), "time": shown(one), "other": list(two), "label": rng.choice(words.EVENTS),
        "days": sorted(rng.sample(words.WEEKDAYS, 3), key=words.WEEKDAYS.index),
    }  # fmt: skip


def add_alarm(driver: Driver, at: Sequence[int]) -> None:
    """The round button, the clock face."""
    driver.tap_description("Add alarm")
    moves.pick_on_dial(driver, at[0], at[1])


def alarm(driver: Driver, p: Params, which: str = "at") -> None:
    """One alarm."""
    tab(driver, "Alarm")
    add_alarm(driver, p[which])


def weekly(driver: Driver, p: Params, days: int = 3) -> None:
    """One alarm with a label and days."""
    alarm(driver, p)
    driver.tap_text("Add label")
    driver.type_text(p["label"])
    driver.tap_text("OK")
    for day in p["days"][:days]:
        driver.tap_description(day)


def is_weekly(now: Reading, p: Params) -> bool:
    """Label and days are those of the goal."""
    return same(now.alarms(), [*NEW, [*p["at"], sum(BITS[d] for d in p["days"]), 1, p["label"]]])


def draw_alarms(rng: random.Random) -> Params:
    """Three alarms with labels, all off; one or two of them are meant."""
    chosen = [list(t) for t in times(rng, 3)]
    labels = rng.sample(words.EVENTS, 3)
    rows: list[list[Any]] = [[*at, 0, 0, label] for at, label in zip(chosen, labels, strict=True)]
    one, two, third = rng.sample(range(3), 3)
    return {
        "alarms": rows, "time": shown(rows[one]), "second": shown(rows[two]), "third": shown(rows[third]),
        "label": labels[one], "others": [shown(r) for r in rows if r is not rows[one]],
    }  # fmt: skip


def put_alarms(world: World, p: Params) -> None:
    """Those alarms."""
    world.alarms(p["alarms"])


def switch_on(driver: Driver, p: Params, which: str = "time") -> None:
    """The switch of one alarm."""
    tab(driver, "Alarm")
    driver.tap_element(next(e for e in driver.find_all(desc=p[which]) if e.checkable))


def is_on(now: Reading, p: Params) -> bool:
    """That one is on, the others are off."""
    return same(now.alarms(), [[*r[:3], int(shown(r) == p["time"]), r[4]] for r in p["alarms"]])


def remove(driver: Driver, p: Params, which: tuple[str, ...] = ("time", "second")) -> None:
    """Open each card, delete."""
    tab(driver, "Alarm")
    for name in which:
        label = next(r[4] for r in p["alarms"] if shown(r) == p[name])
        driver.tap_beside(label, "Expand alarm")
        moves.tap_far(driver, "Delete")


def removed(now: Reading, p: Params) -> bool:
    """Those two are gone, the others stay."""
    gone = {p["time"], p["second"]}
    return same(now.alarms(), [r for r in p["alarms"] if shown(r) not in gone])


def read_alarm(driver: Driver, p: Params) -> None:
    """The time beside the label."""
    tab(driver, "Alarm")
    driver.get(text=p["label"])
    driver.answer(p["time"])


def draw_seven(rng: random.Random) -> Params:
    """Seven times of a day."""
    chosen = times(rng, 7)
    return {"times": [list(t) for t in chosen], "list": ", ".join(shown(t) for t in chosen)}


def seven(driver: Driver, p: Params, count: int = 7) -> None:
    """One after the other."""
    tab(driver, "Alarm")
    for at in p["times"][:count]:
        add_alarm(driver, at)


# cities


def draw_cities(rng: random.Random) -> Params:
    """Two cities and one that is not asked for."""
    one, two, other = rng.sample(CITIES, 3)
    return {"one": one, "two": two, "other": other}


def cities(driver: Driver, p: Params, which: tuple[str, ...] = ("one", "two")) -> None:
    """Search, tap."""
    driver.open_app(moves.CLOCK)
    for name in which:
        driver.tap_description("Add city")
        driver.tap_element(driver.find_all(cls="EditText")[0])
        driver.type_text(p[name])
        driver.tap_element(driver.get(contains=f"{p[name]}, "))


SPECS = (
    Spec("ClockStartTimer", "Start a timer for {minutes} minutes and {seconds} seconds.", 6, "easy", APP, draw_timer,
         timer, lambda driver, p: timer(driver, p, 1),
         lambda now, p: now.timers() == [60 * p["minutes"] + p["seconds"]]),
    Spec("ClockStopwatchLaps", "Start the stopwatch, take {laps} laps and pause it.", 7, "easy", APP,
         lambda rng: {"laps": 3}, laps, lambda driver, p: laps(driver, p, 1), has_laps),
    Spec("ClockAddAlarm", "Set an alarm for {time}.", 6, "easy", APP, draw_alarm, alarm,
         lambda driver, p: alarm(driver, p, "other"), lambda now, p: same(now.alarms(), [*NEW, [*p["at"], 0, 1, ""]])),
    Spec("ClockWeeklyAlarm", "Set an alarm for {time} with the label {label} that rings on {days[0]}, {days[1]} and "
         "{days[2]}.", 12, "medium", APP, draw_alarm, weekly, lambda driver, p: weekly(driver, p, 2), is_weekly),
    Spec("ClockTurnOnAlarm", "Turn on the alarm at {time}.", 3, "easy", APP, draw_alarms, switch_on,
         lambda driver, p: switch_on(driver, p, "second"), is_on, put_alarms),
    Spec("ClockDeleteAlarms", "Delete the alarms at {time} and {second}.", 6, "medium", APP, draw_alarms, remove,
         lambda driver, p: remove(driver, p, ("time", "third")), removed, put_alarms),
    Spec("ClockAlarmQuestion", "At what time does the alarm called {label} ring?", 3, "easy", APP, draw_alarms,
         read_alarm, lambda driver, p: driver.answer(p["others"][0]), setup=put_alarms,
         wanted=lambda p: Wanted((p["time"],), tuple(p["others"]))),
    Spec("ClockAddCities", "Add {one} and {two} to the world clock.", 9, "medium", APP, draw_cities, cities,
         lambda driver, p: cities(driver, p, ("one", "other")),
         lambda now, p: json.loads(now.preferences(moves.CLOCK).get("cities", "[]")) == [p["one"], p["two"]]),
    Spec("ClockSevenAlarms", "Set seven alarms: {list}.", 30, "hard", APP, draw_seven, seven,
         lambda driver, p: seven(driver, p, 6),
         lambda now, p: same(now.alarms(), [*NEW, *[[*at, 0, 1, ""] for at in p["times"]]])),
)  # fmt: skip
