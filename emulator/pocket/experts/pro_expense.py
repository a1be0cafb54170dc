"""Solutions of AndroidWorld's Pro Expense tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script
from emulator.pocket.experts.gallery import read_picture
from emulator.pocket.experts.written_rows import LETTERS_IN_PICTURES, read_in_markor, rows_of, unwrapped
from emulator.ui_tree import Element

EXPENSE = "com.arduia.expense"
FIELDS = ("name", "amount_dollars", "category_name", "note")
SUFFIX = ". Reimbursable."


def _add(driver: Driver, name: str, amount: str, category: str, note: str) -> None:
    driver.open_app(EXPENSE)
    driver.tap_element(driver.get(id="fb_add"))
    driver.type_into("Name", name)
    driver.type_into("Amount", amount)
    driver.hide_keyboard()
    while not driver.sees(category):
        driver.swipe_on(driver.get(id="rv_category"), "left", 0.6)
    driver.tap_text(category)
    driver.type_into("Note", note)
    driver.hide_keyboard()
    driver.tap_text("SAVE")


def add(driver: Driver, params: Mapping[str, Any]) -> None:
    """The expenses that the goal lists."""
    for row in params["row_objects"]:
        _add(driver, row.name, f"{row.amount / 100:.2f}", row.category_name, row.note)


def add_reimbursable(driver: Driver, params: Mapping[str, Any]) -> None:
    """Those of a note that end in "Reimbursable.", without that word."""
    text = read_in_markor(driver, "my_expenses.txt")
    for row in rows_of(text, FIELDS):
        if row["note"].endswith(SUFFIX):
            _add(driver, row["name"], row["amount_dollars"].strip("$"), row["category_name"],
                 row["note"].removesuffix(SUFFIX))  # fmt: skip


def add_from_picture(driver: Driver, params: Mapping[str, Any]) -> None:
    """All expenses of a picture in the Gallery."""
    lines = read_picture(driver, "expenses.jpg", LETTERS_IN_PICTURES)
    for row in rows_of(unwrapped(lines, FIELDS), FIELDS):
        _add(driver, row["name"], row["amount_dollars"].strip("$"), row["category_name"], row["note"])


def _logs(driver: Driver) -> None:
    driver.open_app(EXPENSE)
    if not driver.sees("Expense Logs"):
        driver.tap_text("MORE")


def _delete(driver: Driver, entry: Element) -> None:
    driver.tap_element(entry)
    driver.tap_element(driver.get(id="btn_delete"))
    driver.tap_text("CONFIRM")


def delete(driver: Driver, params: Mapping[str, Any]) -> None:
    """The expenses that the goal names."""
    _logs(driver)
    for row in params["row_objects"]:
        _delete(driver, driver.scroll_to(row.name))


def _rows(driver: Driver) -> list[tuple[Element, tuple[str, ...]]]:
    """The rows that can be read whole: (row, its texts)."""
    found: list[tuple[Element, tuple[str, ...]]] = []
    for entry in driver.find_all(id="cd_expense"):
        texts = tuple(e.text for e in driver.children(entry) if e.id in {"tv_name", "tv_date", "tv_amount"})
        if len(texts) == 3:
            found.append((entry, texts))
    return found


def delete_duplicate(driver: Driver, params: Mapping[str, Any]) -> None:
    """Two rows with the same name, time and amount stand near each other, for the list goes by time."""
    _logs(driver)
    before: list[tuple[str, ...]] = []
    while True:
        rows = _rows(driver)
        texts = [t for _, t in rows]
        double = next((entry for i, (entry, t) in enumerate(rows) if t in texts[:i]), None)
        if double is not None:
            _delete(driver, double)
            return
        if texts == before:
            return
        before = texts
        driver.swipe_up()


TASKS: dict[str, Script] = {
    "ExpenseAddSingle": add,
    "ExpenseAddMultiple": add,
    "ExpenseAddMultipleFromMarkor": add_reimbursable,
    "ExpenseAddMultipleFromGallery": add_from_picture,
    "ExpenseDeleteSingle": delete,
    "ExpenseDeleteMultiple": delete,
    "ExpenseDeleteMultiple2": delete,
    "ExpenseDeleteDuplicates": delete_duplicate,
    "ExpenseDeleteDuplicates2": delete_duplicate,
}
