"""Tasks."""

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

APP = ("Tasks",)
DUE = {"Today": 0, "Tomorrow": 1, "Next week": 7}
SAID = {"Today": "today", "Tomorrow": "tomorrow", "Next week": "in one week"}
RANKS = ("High", "Medium", "Low", "None")
NOON = 12


def due(day: date) -> int:
    """Noon of a day in milliseconds: a due date without a time."""
    return epoch(day, NOON) * 1000


def draw(rng: random.Random) -> Params:
    """Six open tasks on different days; three are meant, five more are to be written."""
    titles, days = rng.sample(words.TODOS, 12), sorted(rng.sample(range(1, 20), 6))
    rows = [
        {"title": t, "due": due(TODAY + timedelta(days=d)), "importance": rng.choice((1, 2))}
        for t, d in zip(titles, days, strict=False)
    ]
    one, two, third = rng.sample(rows, 3)
    one["importance"] = 0
    choices = [rng.choice(sorted(DUE)) for _ in range(5)]
    then = TODAY + timedelta(days=days[rows.index(one)])
    new = [{"title": t, "choice": c} for t, c in zip(titles[6:], choices, strict=False)]
    return {
        "todos": rows, "title": one["title"], "second": two["title"], "third": third["title"], "new": new,
        "new_title": new[0]["title"], "choice": new[0]["choice"], "when": SAID[new[0]["choice"]],
        "note": rng.choice(words.TEXTS), "date": f"{then:%B} {then.day}",
        "others": [r["title"] for r in rows if r is not one],
        "list": "; ".join(f"{n['title']} (due {SAID[n['choice']]})" for n in new), "renamed": titles[11],
    }  # fmt: skip


def put(world: World, p: Params) -> None:
    """Those tasks."""
    world.todos(p["todos"])


def row(task: dict[str, Any]) -> list[Any]:
    """A task as `Reading.todos` gives it."""
    return [task["title"], task.get("importance", 2), task.get("due", 0), task.get("notes", ""), task.get("done", 0)]


def holds(now: Reading, rows: list[dict[str, Any]]) -> bool:
    """Exactly these tasks."""
    return sorted(now.todos()) == sorted(map(row, rows))


def begin(driver: Driver, title: str) -> None:
    """The round button, the title."""
    driver.tap_description("Create new task")
    driver.type_into("Task name", title)


def add(driver: Driver, p: Params, title: str = "new_title") -> None:
    """Title alone."""
    driver.open_app(moves.TASKS)
    begin(driver, p[title])
    driver.tap_description("Save")


def dated(driver: Driver, title: str, choice: str) -> None:
    """Title and due date."""
    begin(driver, title)
    driver.hide_keyboard()
    driver.tap_text("No due date")
    driver.tap_text(choice)


def add_detailed(driver: Driver, p: Params, rank: str = "High") -> None:
    """Title, due date, priority, description."""
    driver.open_app(moves.TASKS)
    dated(driver, p["new_title"], p["choice"])
    driver.tap_description(rank)
    driver.type_into("Description", p["note"])
    driver.tap_description("Save")


def add_five(driver: Driver, p: Params, count: int = 5) -> None:
    """Five tasks with due dates."""
    driver.open_app(moves.TASKS)
    for task in p["new"][:count]:
        dated(driver, task["title"], task["choice"])
        driver.tap_description("Save")


def planned(task: dict[str, Any]) -> dict[str, Any]:
    """A new task as it is kept."""
    return {"title": task["title"], "due": due(TODAY + timedelta(days=DUE[task["choice"]]))}


def tick(driver: Driver, p: Params, which: tuple[str, ...] = ("title",)) -> None:
    """The boxes of some tasks."""
    driver.open_app(moves.TASKS)
    for name in which:
        at = driver.get(text=p[name])
        boxes = [e for e in driver.find_all(id="completeBox") if e.beside(at) or at.beside(e)]
        driver.tap_element(boxes[0])


def ticked(now: Reading, p: Params, which: tuple[str, ...] = ("title",)) -> bool:
    """Those are done, the others are not."""
    done = {p[name] for name in which}
    return holds(now, [r | {"done": int(r["title"] in done)} for r in p["todos"]])


def delete(driver: Driver, p: Params, which: str = "title") -> None:
    """Open, the bin, OK."""
    driver.open_app(moves.TASKS)
    moves.tap_far(driver, p[which])
    driver.tap_description("Delete task")
    driver.tap_text("OK")


def rank(driver: Driver, p: Params, which: str = "second") -> None:
    """Open, another priority, Save."""
    driver.open_app(moves.TASKS)
    moves.tap_far(driver, p[which])
    driver.tap_description("High")
    driver.tap_description("Save")


def ranked(now: Reading, p: Params) -> bool:
    """That one is important."""
    return holds(now, [r | {"importance": 0} if r["title"] == p["second"] else r for r in p["todos"]])


def rename(driver: Driver, p: Params, which: str = "title") -> None:
    """Open, the title typed over, Save."""
    driver.open_app(moves.TASKS)
    moves.tap_far(driver, p[which])
    moves.replace(driver, driver.field("title"), p["renamed"])
    driver.tap_description("Save")


def say_priority(driver: Driver, p: Params) -> None:
    """Sort by priority, read the first."""
    driver.open_app(moves.TASKS)
    driver.tap_description("Sort")
    driver.tap_text("Priority")
    driver.answer(driver.get(id="title").text)


def say_due(driver: Driver, p: Params) -> None:
    """Read what is due on a day."""
    driver.open_app(moves.TASKS)
    driver.get(text=p["title"])
    driver.answer(p["title"])


THREE = ("title", "second", "third")
SPECS = (
    Spec("TasksAdd", "Add a task named {new_title} to Tasks.", 5, "easy", APP, draw, add,
         lambda driver, p: add(driver, p, "renamed"),
         lambda now, p: holds(now, [*p["todos"], {"title": p["new_title"]}]),
         put),
    Spec("TasksAddDetailed", "Add a task to Tasks: {new_title}, due {when}, high priority, with the description: "
         "{note}", 11, "medium", APP, draw, add_detailed, lambda driver, p: add_detailed(driver, p, "None"),
         lambda now, p: holds(now, [*p["todos"], planned(p["new"][0]) | {"importance": 0, "notes": p["note"]}]), put),
    Spec("TasksComplete", "Mark the task {title} in Tasks as completed.", 2, "easy", APP, draw, tick,
         lambda driver, p: tick(driver, p, ("second",)), ticked, put),
    Spec("TasksCompleteThree", "Mark the tasks {title}, {second} and {third} in Tasks as completed.", 4, "easy", APP,
         draw, lambda driver, p: tick(driver, p, THREE), lambda driver, p: tick(driver, p, THREE[:2]),
         lambda now, p: ticked(now, p, THREE), put),
    Spec("TasksDelete", "Delete the task {title} in Tasks.", 4, "easy", APP, draw, delete,
         lambda driver, p: delete(driver, p, "second"),
         lambda now, p: holds(now, [r for r in p["todos"] if r["title"] != p["title"]]), put),
    Spec("TasksHighPriority", "Give the task {second} in Tasks high priority.", 4, "easy", APP, draw, rank,
         lambda driver, p: rank(driver, p, "third"), ranked, put),
    Spec("TasksRename", "Rename the task {title} in Tasks to {renamed}.", 6, "medium", APP, draw, rename,
         lambda driver, p: rename(driver, p, "second"),
         lambda now, p: holds(now, [r | {"title": p["renamed"]} if r["title"] == p["title"] else r
                                    for r in p["todos"]]), put),
    Spec("TasksPriorityQuestion", "Which task in Tasks has high priority? Answer with its title.", 4, "medium", APP,
         draw, say_priority, lambda driver, p: driver.answer(p["others"][0]), setup=put,
         wanted=lambda p: Wanted((p["title"],), tuple(p["others"]))),
    Spec("TasksDueQuestion", "Which task in Tasks is due on {date}? Answer with its title.", 2, "easy", APP, draw,
         say_due, lambda driver, p: driver.answer(p["others"][0]), setup=put,
         wanted=lambda p: Wanted((p["title"],), tuple(p["others"]))),
    Spec("TasksAddFive", "Add these tasks to Tasks: {list}.", 36, "hard", APP, draw, add_five,
         lambda driver, p: add_five(driver, p, 4),
         lambda now, p: holds(now, [*p["todos"], *map(planned, p["new"])]), put),
)  # fmt: skip
