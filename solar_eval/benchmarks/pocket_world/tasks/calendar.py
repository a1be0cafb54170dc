"""Simple Calendar Pro."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import TODAY, World, epoch

APP = ("Simple Calendar Pro",)
WEEK = 604_800


def told(day: date) -> str:
    """`October 20`."""
    return f"{day:%B} {day.day}"


def day_of(p: Params, key: str = "day") -> date:
    """A day of the parameters."""
    return date.fromisoformat(p[key])


def row(event: dict[str, Any]) -> list[Any]:
    """An event as `Reading.events` gives it."""
    return [event["title"], event["start"], event["end"], event.get("location", ""), event.get("description", ""),
            event.get("interval", 0), event.get("rule", 0)]  # fmt: skip


def holds(now: Reading, events: list[dict[str, Any]]) -> bool:
    """Exactly these events."""
    return sorted(now.events()) == sorted(map(row, events))


def draw(rng: random.Random) -> Params:
    """Six events on three days after today, two a day; the first one is meant."""
    days = [TODAY + timedelta(days=n) for n in sorted(rng.sample(range(1, 14), 4))]
    titles, places = rng.sample(words.EVENTS, 9), rng.sample(words.PLACES, 6)
    events = []
    for at in range(6):
        start = epoch(days[at // 2], 8 + 4 * (at % 2) + rng.randint(0, 2), rng.choice((0, 30)))
        events.append({"title": titles[at], "start": start, "end": start + 3600, "location": places[at]})
    chosen = rng.randrange(6)
    event, twin = events[chosen], events[chosen ^ 1]
    hour, minute = rng.randint(17, 20), rng.choice((0, 15, 30, 45))
    new_day = days[3]
    return {
        "events": events, "title": event["title"], "twin": twin["title"], "day": days[chosen // 2].isoformat(),
        "date": told(days[chosen // 2]), "start": event["start"], "location": event["location"],
        "other_places": [e["location"] for e in events if e is not event], "new": titles[6], "hour": hour,
        "minute": minute, "time": f"{hour:02d}:{minute:02d}", "end_time": f"{hour + 1:02d}:{minute:02d}",
        "new_day": new_day.isoformat(), "new_date": told(new_day),
        "other_titles": [e["title"] for e in events if e not in (event, twin)], "place": words.PLACES[chosen],
        "three": titles[6:9], "three_days": [d.isoformat() for d in days[:3]],
    }  # fmt: skip


def draw_three(rng: random.Random) -> Params:
    """Three events to add, on three days."""
    p = draw(rng)
    days = [date.fromisoformat(d) for d in p["three_days"]]
    return p | {"list": ", ".join(f"{t} on {told(d)}" for t, d in zip(p["three"], days, strict=True))}


def put(world: World, p: Params) -> None:
    """Those events."""
    world.events(p["events"])


def open_day(driver: Driver, day: date) -> None:
    """From the month to a day."""
    driver.open_app(moves.CALENDAR)
    to_day(driver, day)


def to_day(driver: Driver, day: date) -> None:
    """A day of the month shown, or of the next."""
    if not driver.sees(f"{day.day} {day:%B}"):
        driver.tap_description("Next")
    driver.tap_description(f"{day.day} {day:%B}")


def begin(driver: Driver, title: str) -> None:
    """A new event of the day shown, with its title."""
    driver.tap_description("New Event")
    driver.tap_text("Event")
    driver.type_into("event_title", title)


def set_times(driver: Driver, hour: int, minute: int) -> None:
    """Start, and an end one hour later."""
    for name, at in (("start", hour), ("end", hour + 1)):
        moves.tap_id(driver, f"event_{name}_time")
        moves.pick_on_dial(driver, at, minute)


def add(driver: Driver, p: Params, title: str = "new", day: str = "new_day") -> None:
    """One event."""
    open_day(driver, day_of(p, day))
    begin(driver, p[title])
    driver.hide_keyboard()
    set_times(driver, p["hour"], p["minute"])
    driver.tap_description("Save")


def added(p: Params, **more: Any) -> list[dict[str, Any]]:
    """What was there, and the new event."""
    start = epoch(day_of(p, "new_day"), p["hour"], p["minute"])
    return [*p["events"], {"title": p["new"], "start": start, "end": start + 3600} | more]


def add_weekly(driver: Driver, p: Params, repeat: str = "Every week") -> None:
    """With a place and a repetition."""
    open_day(driver, day_of(p, "new_day"))
    begin(driver, p["new"])
    driver.type_into("event_location", p["place"])
    driver.hide_keyboard()
    set_times(driver, p["hour"], p["minute"])
    moves.tap_far(driver, "No repetition")
    driver.tap_text(repeat)
    driver.tap_description("Save")


def weekly(p: Params) -> list[dict[str, Any]]:
    """The weekly event."""
    rule = 1 << day_of(p, "new_day").weekday()
    return added(p, location=p["place"], interval=WEEK, rule=rule)


def delete(driver: Driver, p: Params, which: str = "title") -> None:
    """Hold, the bin, Yes."""
    open_day(driver, day_of(p))
    moves.hold_far(driver, p[which])
    driver.tap_description("Delete")
    driver.tap_text("Yes")


def clear_day(driver: Driver, p: Params) -> None:
    """Hold one, tap the other, the bin, Yes."""
    open_day(driver, day_of(p))
    moves.hold_far(driver, p["title"])
    moves.tap_far(driver, p["twin"])
    driver.tap_description("Delete")
    driver.tap_text("Yes")


def postpone(driver: Driver, p: Params, which: str = "title") -> None:
    """Another start; the end follows."""
    open_day(driver, day_of(p))
    moves.tap_far(driver, p[which])
    moves.tap_id(driver, "event_start_time")
    moves.pick_on_dial(driver, p["hour"], p["minute"])
    driver.tap_description("Save")


def postponed(now: Reading, p: Params) -> bool:
    """That one begins later and lasts as long."""
    start = epoch(day_of(p), p["hour"], p["minute"])
    moved = {"start": start, "end": start + 3600}
    return holds(now, [e | moved if e["title"] == p["title"] else e for e in p["events"]])


def say_day(driver: Driver, p: Params) -> None:
    """Read a day."""
    open_day(driver, day_of(p))
    driver.answer(" and ".join(e.text for e in driver.find_all(id="event_item_title")))


def say_place(driver: Driver, p: Params) -> None:
    """Search for the title, open, read."""
    driver.open_app(moves.CALENDAR)
    driver.type_into("top_toolbar_search", p["title"])
    driver.tap_element(driver.get(id="event_item_title"))
    driver.answer(driver.get(id="event_location").text)


def all_day(driver: Driver, p: Params, count: int = 3) -> None:
    """Three events that last all day."""
    driver.open_app(moves.CALENDAR)
    for at, (title, day) in enumerate(list(zip(p["three"], p["three_days"], strict=True))[:count]):
        if at:
            driver.back()
        to_day(driver, date.fromisoformat(day))
        begin(driver, title)
        driver.hide_keyboard()
        moves.set_switch(driver, "All-day", True)
        driver.tap_description("Save")


def are_all_day(now: Reading, p: Params) -> bool:
    """They are there, at noon as the app keeps them."""
    made = []
    for title, day in zip(p["three"], p["three_days"], strict=True):
        noon = epoch(date.fromisoformat(day), 12)
        made.append({"title": title, "start": noon, "end": noon})
    return holds(now, [*p["events"], *made])


SPECS = (
    Spec("CalendarAddEvent", "Add the event {new} to Simple Calendar Pro on {new_date}, from {time} to {end_time}.", 16,
         "medium", APP, draw, add, lambda driver, p: add(driver, p, "new", "day"), lambda now, p: holds(now, added(p)),
         put),
    Spec("CalendarAddWeekly", "Add the event {new} at {place} to Simple Calendar Pro, every week from {new_date} on, "
         "from {time} to {end_time}.", 20, "hard", APP, draw, add_weekly,
         lambda driver, p: add_weekly(driver, p, "Every day"), lambda now, p: holds(now, weekly(p)), put),
    Spec("CalendarDeleteEvent", "Delete the event {title} on {date} in Simple Calendar Pro.", 5, "easy", APP, draw,
         delete, lambda driver, p: delete(driver, p, "twin"),
         lambda now, p: holds(now, [e for e in p["events"] if e["title"] != p["title"]]), put),
    Spec("CalendarClearDay", "Delete all events on {date} in Simple Calendar Pro.", 6, "medium", APP, draw, clear_day,
         delete, lambda now, p: holds(now, [e for e in p["events"] if e["title"] not in (p["title"], p["twin"])]), put),
    Spec("CalendarPostpone", "Move the event {title} on {date} in Simple Calendar Pro to {time} on the same day; it "
         "lasts as long as before.", 8, "medium", APP, draw, postpone, lambda driver, p: postpone(driver, p, "twin"),
         postponed, put),
    Spec("CalendarDayQuestion", "Which events are on {date} in Simple Calendar Pro? Answer with their titles.", 3,
         "easy", APP, draw, say_day, lambda driver, p: driver.answer(p["title"]), setup=put,
         wanted=lambda p: Wanted((p["title"], p["twin"]), tuple(p["other_titles"]))),
    Spec("CalendarPlaceQuestion", "Where does the event {title} in Simple Calendar Pro take place?", 5, "medium", APP,
         draw, say_place, lambda driver, p: driver.answer(p["other_places"][0]), setup=put,
         wanted=lambda p: Wanted((p["location"],), tuple(p["other_places"]))),
    Spec("CalendarThreeAllDay", "Add three events that last all day to Simple Calendar Pro: {list}.", 27, "hard", APP,
         draw_three, all_day, lambda driver, p: all_day(driver, p, 2), are_all_day, put),
)  # fmt: skip
