"""Pro Expense."""

from __future__ import annotations

import random
from typing import Any

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

APP = ("Pro Expense",)
NAMES = {number: name for name, number in words.CATEGORIES.items()}
VISIBLE = (1, 2, 3)
"""Categories that stand on the form without scrolling."""


def money(cents: int) -> str:
    """12345 -> 123.45."""
    return f"{cents / 100:.2f}"


def draw(rng: random.Random) -> Params:
    """Five expenses; two are meant, four more are to be written."""
    names, cents = rng.sample(words.SPENT, 9), rng.sample(range(105, 4000), 10)
    kinds = [rng.choice((1, 3, 4, 5, 6)) for _ in range(5)] + [rng.choice((1, 3)) for _ in range(4)]
    rows: list[list[Any]] = [[name, amount, kind, ""] for name, amount, kind in zip(names, cents, kinds, strict=False)]
    known, new = rows[:5], rows[5:]
    one, two, third = rng.sample(known, 3)
    told = "; ".join(f"{n}, {money(c)} dollars, category {NAMES[k]}" for n, c, k, _ in new)
    return {
        "expenses": known, "name": one[0], "cents": one[1], "amount": money(one[1]), "second": two[0],
        "third": third[0], "new": new, "new_name": new[0][0], "new_amount": money(new[0][1]),
        "new_category": NAMES[new[0][2]], "list": told, "other_amounts": [money(r[1]) for r in known if r is not one],
        "changed": cents[9], "changed_to": money(cents[9]),
        "sum": money(one[1] + two[1]), "note": rng.choice(words.TEXTS),
        "highest": max(known, key=lambda r: int(r[1]))[0],
    }  # fmt: skip


def put(world: World, p: Params) -> None:
    """Those expenses."""
    world.expenses(p["expenses"])


def holds(now: Reading, rows: list[list[Any]]) -> bool:
    """Exactly these expenses, in any order."""
    return sorted(now.expenses()) == sorted(rows)


def fill(driver: Driver, name: str, cents: int, kind: int, note: str = "") -> None:
    """The form, from the home page or the logs."""
    moves.tap_id(driver, "fb_add")
    driver.type_into("Name", name)
    driver.type_into("Amount", money(cents))
    driver.hide_keyboard()
    driver.tap_text(NAMES[kind])
    if note:
        driver.type_into("Note", note)
        driver.hide_keyboard()
    driver.tap_text("SAVE")


def add(driver: Driver, p: Params, kind: int = 0) -> None:
    """One expense."""
    driver.open_app(moves.EXPENSE)
    name, cents, category, _ = p["new"][0]
    fill(driver, name, cents, kind or category)


def add_noted(driver: Driver, p: Params, note: bool = True) -> None:
    """One expense with a note."""
    driver.open_app(moves.EXPENSE)
    name, cents, category, _ = p["new"][0]
    fill(driver, name, cents, category, p["note"] if note else "")


def add_four(driver: Driver, p: Params, count: int = 4) -> None:
    """Four expenses."""
    driver.open_app(moves.EXPENSE)
    for name, cents, category, _ in p["new"][:count]:
        fill(driver, name, cents, category)


def delete(driver: Driver, p: Params, which: str = "name") -> None:
    """Tap, the bin, CONFIRM."""
    driver.open_app(moves.EXPENSE)
    moves.tap_far(driver, p[which])
    moves.tap_id(driver, "btn_delete")
    driver.tap_text("CONFIRM")


def delete_three(driver: Driver, p: Params, which: tuple[str, ...] = ("name", "second", "third")) -> None:
    """The logs: hold one, tap the others, the bin, CONFIRM."""
    driver.open_app(moves.EXPENSE)
    moves.tap_far(driver, "MORE")
    moves.hold_far(driver, p[which[0]])
    for name in which[1:]:
        moves.tap_far(driver, p[name])
    driver.tap_description("Delete")
    driver.tap_text("CONFIRM")


def change(driver: Driver, p: Params, which: str = "name") -> None:
    """Tap, EDIT, the amount typed over, UPDATE."""
    driver.open_app(moves.EXPENSE)
    moves.tap_far(driver, p[which])
    driver.tap_text("EDIT")
    moves.replace(driver, driver.get(id="edt_amount"), p["changed_to"])
    driver.hide_keyboard()
    driver.tap_text("UPDATE")


def changed(now: Reading, p: Params) -> bool:
    """That one costs something else."""
    return holds(now, [[r[0], p["changed"], *r[2:]] if r[0] == p["name"] else r for r in p["expenses"]])


def say(driver: Driver, p: Params) -> None:
    """Read the amount."""
    driver.open_app(moves.EXPENSE)
    driver.scroll_to(p["name"])
    driver.answer(p["amount"])


def say_sum(driver: Driver, p: Params) -> None:
    """Read two amounts and add them up."""
    driver.open_app(moves.EXPENSE)
    moves.tap_far(driver, "MORE")
    total = 0.0
    for name in (p["name"], p["second"]):
        at = driver.get(text=name)
        found = next(e for e in driver.find_all(id="tv_amount") if abs(e.center[1] - at.center[1]) < 40)
        total += float(found.text.replace(",", ""))
    driver.answer(f"{total:.2f}")


SPECS = (
    Spec("ExpenseAdd", "Add an expense to Pro Expense: {new_name}, {new_amount} dollars, category {new_category}.", 9,
         "easy", APP, draw, add, lambda driver, p: add(driver, p, 2),
         lambda now, p: holds(now, [*p["expenses"], p["new"][0]]), put),
    Spec("ExpenseAddWithNote", "Add an expense to Pro Expense: {new_name}, {new_amount} dollars, category "
         "{new_category}, with the note: {note}", 12, "medium", APP, draw, add_noted,
         lambda driver, p: add_noted(driver, p, False),
         lambda now, p: holds(now, [*p["expenses"], [*p["new"][0][:3], p["note"]]]), put),
    Spec("ExpenseDelete", "Delete the expense {name} in Pro Expense.", 4, "easy", APP, draw, delete,
         lambda driver, p: delete(driver, p, "second"),
         lambda now, p: holds(now, [r for r in p["expenses"] if r[0] != p["name"]]), put),
    Spec("ExpenseDeleteThree", "Delete the expenses {name}, {second} and {third} in Pro Expense.", 7, "medium", APP,
         draw, delete_three, lambda driver, p: delete_three(driver, p, ("name", "second")),
         lambda now, p: holds(now, [r for r in p["expenses"] if r[0] not in (p["name"], p["second"], p["third"])]),
         put),
    Spec("ExpenseChangeAmount", "Change the amount of {name} in Pro Expense to {changed_to} dollars.", 7, "medium", APP,
         draw, change, lambda driver, p: change(driver, p, "second"), changed, put),
    Spec("ExpenseAmountQuestion", "How much did {name} cost according to Pro Expense?", 2, "easy", APP, draw, say,
         lambda driver, p: driver.answer(p["other_amounts"][0]), setup=put,
         wanted=lambda p: Wanted((p["amount"],), tuple(p["other_amounts"]))),
    Spec("ExpenseSumQuestion", "How much did {name} and {second} cost together according to Pro Expense?", 3, "hard",
         APP, draw, say_sum, lambda driver, p: driver.answer(p["amount"]), setup=put,
         wanted=lambda p: Wanted((p["sum"],))),
    Spec("ExpenseAddFour", "Add these expenses to Pro Expense: {list}.", 33, "hard", APP, draw, add_four,
         lambda driver, p: add_four(driver, p, 3), lambda now, p: holds(now, [*p["expenses"], *p["new"]]), put),
)  # fmt: skip
