"""Tasks that need two apps or more: something is read in one and used in another."""

from __future__ import annotations

import random
from datetime import timedelta

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.tasks import calendar, clock, contacts, expense, markor, messages, recipes, todo
from solar_eval.benchmarks.pocket_world.world import NOTEBOOK, TODAY, World, epoch

# a number from a message becomes a contact


def draw_number(rng: random.Random) -> Params:
    """Somebody sends the number of somebody else."""
    p = messages.draw(rng)
    first, last = rng.choice(words.FIRST), rng.choice(words.LAST)
    told = words.number(rng)
    p["messages"] = [*p["messages"], [p["number"], f"The number of {first} {last} is {told}", "in"]]
    return p | {"first": first, "last": last, "told": told, "new": {"name": f"{first} {last}", "number": told}}


def number_from_message(driver: Driver, p: Params, wrong: bool = False) -> None:
    """Read the message, fill in the form."""
    messages.talk(driver, p["name"])
    told = driver.get(contains="The number of").text.rpartition(" ")[2]
    driver.open_app(moves.CONTACTS)
    contacts.create(driver, p["new"], p["number"] if wrong else told)


# a date from a message becomes an event


def draw_invitation(rng: random.Random) -> Params:
    """Somebody writes when and what."""
    p = messages.draw(rng)
    title, hour = rng.choice(words.EVENTS), rng.randint(9, 19)
    day = TODAY + timedelta(days=rng.randint(2, 14))
    said = f"{title} on {day:%B} {day.day} from {hour}:00 to {hour + 1}:00"
    p["messages"] = [*p["messages"], [p["number"], said, "in"]]
    return p | {"new": title, "new_day": day.isoformat(), "day": (day + timedelta(days=1)).isoformat(), "hour": hour,
                "minute": 0, "events": []}  # fmt: skip


def accept(driver: Driver, p: Params, day: str = "new_day") -> None:
    """Read the message, make the event."""
    messages.talk(driver, p["name"])
    driver.get(contains=p["new"])
    calendar.add(driver, p, "new", day)


# a note becomes a message


def draw_note_for(rng: random.Random) -> Params:
    """A note to send to somebody who has not written."""
    p, q = messages.draw(rng), markor.draw(rng)
    return q | {"people": p["people"], "messages": p["messages"], "whom": p["whom"], "number": p["whom_number"]}


def put_notes_and_people(world: World, p: Params) -> None:
    """Both."""
    messages.put(world, p)
    world.files(p["notes"], NOTEBOOK)


def send_note(driver: Driver, p: Params, which: str = "name") -> None:
    """Read the note, write it to a contact."""
    driver.open_app(moves.MARKOR)
    said = markor.read(driver, p[which])
    driver.open_app(moves.SMS)
    messages.to_contact(driver, p["whom"], said)


# telephone numbers into a note


def draw_numbers(rng: random.Random) -> Params:
    """Three people whose numbers are wanted."""
    people = words.people(rng, 6)
    chosen = rng.sample(people, 3)
    return {"people": people, "chosen": chosen, "new": f"numbers_{rng.randint(10, 99)}",
            "list": ", ".join(c["name"] for c in chosen)}  # fmt: skip


def note_numbers(driver: Driver, p: Params, count: int = 3) -> None:
    """Look up each, write them down."""
    found = []
    driver.open_app(moves.CONTACTS)
    for person in p["chosen"][:count]:
        moves.tap_far(driver, person["name"])
        found.append(next(e.text for e in driver.elements() if e.text == person["number"]))
        driver.back()
    driver.open_app(moves.MARKOR)
    driver.tap_description(markor.NEW)
    driver.type_into(markor.NAME, p["new"])
    driver.tap_text("OK")
    for at, number in enumerate(found):
        if at:
            driver.enter()
        driver.type_text(number)
    driver.tap_description("Save")


def numbers_noted(now: Reading, p: Params) -> bool:
    """One number a line."""
    return markor.holds(now, {f"{p['new']}.md": "\n".join(c["number"] for c in p["chosen"])})


# expenses from a note


def draw_receipts(rng: random.Random) -> Params:
    """A note with three expenses."""
    p = expense.draw(rng)
    rows = p["new"][:3]
    text = "\n".join(f"{n}, {expense.money(c)}, {expense.NAMES[k]}" for n, c, k, _ in rows)
    return p | {"rows": rows, "note": text, "note_name": words.note_name(rng, "expenses")}


def put_receipts(world: World, p: Params) -> None:
    """The note and the expenses that are there."""
    expense.put(world, p)
    world.files({p["note_name"]: p["note"]}, NOTEBOOK)


def receipts(driver: Driver, p: Params, count: int = 3) -> None:
    """Read the lines, fill in the form for each."""
    driver.open_app(moves.MARKOR)
    lines = markor.read(driver, p["note_name"]).splitlines()
    driver.open_app(moves.EXPENSE)
    for line in lines[:count]:
        name, amount, kind = line.split(", ")
        expense.fill(driver, name, round(float(amount) * 100), words.CATEGORIES[kind])


# ingredients become tasks


def draw_ingredients(rng: random.Random) -> Params:
    """A recipe with four ingredients."""
    p = recipes.draw(rng)
    items = rng.sample(words.ITEMS, 4)
    known = [r | ({"ingredients": "\n".join(items)} if r["title"] == p["title"] else {}) for r in p["recipes"]]
    return p | {"recipes": known, "items": items}


def shop(driver: Driver, p: Params, count: int = 4) -> None:
    """Read the recipe, a task for each ingredient."""
    recipes.show(driver, p["title"])
    texts = driver.texts()
    found = [t for t in texts[texts.index("Ingredients") + 1 :] if t in words.ITEMS]
    driver.open_app(moves.TASKS)
    for item in found[:count]:
        todo.begin(driver, item)
        driver.tap_description("Save")


# an event becomes an alarm


def draw_wake(rng: random.Random) -> Params:
    """An event in the morning of a day; the alarm is half an hour earlier."""
    day = TODAY + timedelta(days=rng.randint(1, 14))
    hour, minute = rng.randint(6, 11), rng.choice((35, 40, 45, 50))
    title, other = rng.sample(words.EVENTS, 2)
    start = epoch(day, hour, minute)
    return {
        "events": [{"title": title, "start": start, "end": start + 3600},
                   {"title": other, "start": start + 7200, "end": start + 9000}],
        "title": title, "date": calendar.told(day), "day": day.isoformat(), "at": [hour, minute - 30],
    }  # fmt: skip


def wake(driver: Driver, p: Params, early: int = 30) -> None:
    """Read when it begins, set the alarm."""
    calendar.open_day(driver, calendar.day_of(p))
    begins = driver.find_all(id="event_item_time")[0].text.partition(" - ")[0]
    hour, minute = map(int, begins.split(":"))
    clock.tab(driver, "Alarm")
    clock.add_alarm(driver, (hour, minute - early))


# a long errand through four apps


def draw_visit(rng: random.Random) -> Params:
    """Somebody new is to be met."""
    p = draw_invitation(rng)
    person = {"name": f"{rng.choice(words.FIRST)} {rng.choice(words.LAST)}", "number": words.number(rng)}
    return p | {"person": person, "todo": rng.choice(words.TODOS), "text": rng.choice(words.TEXTS), "messages": [],
                "date": calendar.told(calendar.day_of(p, "new_day")), "people": [],
                "time": f"{p['hour']:02d}:00", "end_time": f"{p['hour'] + 1:02d}:00"}  # fmt: skip


def visit(driver: Driver, p: Params, task: bool = True) -> None:
    """Contact, event, message, task."""
    driver.open_app(moves.CONTACTS)
    contacts.create(driver, p["person"])
    calendar.add(driver, p)
    driver.open_app(moves.SMS)
    messages.to_contact(driver, p["person"]["name"], p["text"])
    if task:
        driver.open_app(moves.TASKS)
        todo.begin(driver, p["todo"])
        driver.tap_description("Save")


def visited(now: Reading, p: Params) -> bool:
    """All four."""
    return (
        contacts.holds(now, [p["person"]]) and calendar.holds(now, calendar.added(p))
        and now.messages() == [[p["person"]["number"], p["text"], "out"]] and todo.holds(now, [{"title": p["todo"]}])
    )  # fmt: skip


SPECS = (
    Spec("CrossMessageToContact", "{name} has sent you the number of {first} {last}. Save it as a contact.", 11,
         "medium", ("Simple SMS Messenger", "Contacts"), draw_number, number_from_message,
         lambda driver, p: number_from_message(driver, p, True),
         lambda now, p: contacts.holds(now, [*p["people"], p["new"]]), messages.put),
    Spec("CrossMessageToCalendar", "{name} has sent you an invitation. Add it to Simple Calendar Pro with the title "
         "{new}.", 18, "hard", ("Simple SMS Messenger", "Simple Calendar Pro"), draw_invitation, accept,
         lambda driver, p: accept(driver, p, "day"), lambda now, p: calendar.holds(now, calendar.added(p)),
         messages.put),
    Spec("CrossNoteToMessage", "Send the text of the note {name} in Markor as a message to {whom}.", 8, "medium",
         ("Markor", "Simple SMS Messenger"), draw_note_for, send_note, lambda driver, p: send_note(driver, p, "second"),
         lambda now, p: messages.sent(now, p, [p["number"], p["said"], "out"]), put_notes_and_people),
    Spec("CrossNumbersToNote", "Write the phone numbers of {list} into a new note {new}.md in Markor, one a line, in "
         "this order.", 18, "hard", ("Contacts", "Markor"), draw_numbers, note_numbers,
         lambda driver, p: note_numbers(driver, p, 2), numbers_noted, lambda world, p: world.contacts(p["people"])),
    Spec("CrossNoteToExpenses", "Add the expenses listed in the note {note_name} in Markor to Pro Expense.", 27, "hard",
         ("Markor", "Pro Expense"), draw_receipts, receipts, lambda driver, p: receipts(driver, p, 2),
         lambda now, p: expense.holds(now, [*p["expenses"], *p["rows"]]), put_receipts),
    Spec("CrossRecipeToTasks", "Add a task to Tasks for each ingredient of the recipe {title} in Broccoli.", 19, "hard",
         ("Broccoli", "Tasks"), draw_ingredients, shop, lambda driver, p: shop(driver, p, 3),
         lambda now, p: todo.holds(now, [{"title": item} for item in p["items"]]), recipes.put),
    Spec("CrossEventToAlarm", "Set an alarm half an hour before the event {title} on {date} in Simple Calendar Pro "
         "begins.", 8, "medium", ("Simple Calendar Pro", "Clock"), draw_wake, wake,
         lambda driver, p: wake(driver, p, 0),
         lambda now, p: clock.same(now.alarms(), [*clock.NEW, [*p["at"], 0, 1, ""]]),
         calendar.put),
    Spec("CrossVisit", "Create a contact {person[name]} with the number {person[number]}, add the event {new} to "
         "Simple Calendar Pro on {date} from {time} to {end_time}, write to {person[name]}: \"{text}\", and add a "
         "task to Tasks: {todo}.", 36, "hard", ("Contacts", "Simple Calendar Pro", "Simple SMS Messenger", "Tasks"),
         draw_visit, visit, lambda driver, p: visit(driver, p, False), visited),
)  # fmt: skip
