"""Pro Expense: what taps and typing leave in the table that AndroidWorld's checks compare."""

from __future__ import annotations

from typing import Any

import pytest

from emulator.pocket.apps.pro_expense import data
from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone

COLUMNS = ["expense_id", "name", "amount", "category", "note", "created_date", "modified_date"]
SMALL = (540, 1200)


@pytest.fixture
def phone() -> Phone:
    """A phone with three expenses, the oldest first."""
    phone = Phone(strict=True, size=SMALL)
    now = phone.clock.now_ms()
    for i, (name, cents, category) in enumerate((("Rent Payment", 31000, 4), ("Gas", 6741, 7), ("Salary", 50000, 2))):
        at = now - (3 - i) * 3_600_000
        row = {"name": name, "amount": cents, "category": category, "note": "Urgent", "created_date": at,
               "modified_date": at}  # fmt: skip
        phone.db(data.DB).insert("expense", row)
    return phone


def rows(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, "SELECT * FROM expense ORDER BY expense_id")


def open_app(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    return driver


def add(driver: Driver, name: str, amount: str, category: str, note: str) -> None:
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


def test_columns_are_exactly_those_of_androidworlds_dataclass(phone: Phone) -> None:
    assert [row[1] for row in phone.sqlite(data.DB, "PRAGMA table_info(expense)")] == COLUMNS


@pytest.mark.parametrize("category", data.CATEGORIES, ids=lambda c: c.name)
def test_every_category_can_be_chosen(phone: Phone, category: data.Category) -> None:
    before = rows(phone)
    add(open_app(phone), "Thing", "12.5", category.name, "A need")
    after = rows(phone)
    assert after[:-1] == before
    assert after[-1][1:5] == ("Thing", 1250, category.id, "A need")
    assert after[-1][5] <= after[-1][6] == pytest.approx(phone.clock.now_ms(), abs=2000)


@pytest.mark.parametrize(
    ("typed", "cents"),
    [("67.41", 6741), ("310.0", 31000), ("310", 31000), ("1,234.5", 123450), ("$5", 500), ("0.015", 2), (".5", 50)],
)
def test_amounts(typed: str, cents: int) -> None:
    assert data.cents(typed) == cents


@pytest.mark.parametrize("typed", ["", "0", "-3", "abc", "1e400", "NaN", "Infinity", "99999999999", "0.001", "1 2"])
def test_amounts_that_are_none(typed: str) -> None:
    assert data.cents(typed) is None


def test_without_an_amount_nothing_is_saved(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_element(driver.get(id="fb_add"))
    driver.type_into("Name", "Thing")
    driver.hide_keyboard()
    driver.tap_text("SAVE")
    assert driver.sees("Cost is Empty")
    assert rows(phone) == before


def test_enter_goes_on_to_the_next_field(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_element(driver.get(id="fb_add"))
    driver.type_into("Name", "Thing")
    for words in ("7", "Paid by card"):
        driver.enter()
        driver.type_text(words)
    driver.enter()
    driver.tap_text("SAVE")
    assert rows(phone)[-1][1:5] == ("Thing", 700, 1, "Paid by card")


def test_edit_changes_one_row_only(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_text("Gas")
    driver.tap_text("EDIT")
    driver.type_into("67.41", "8.00", clear=True)
    driver.hide_keyboard()
    driver.tap_text("UPDATE")
    after = rows(phone)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1][:6] == (2, "Gas", 800, 7, "Urgent", before[1][5])


def test_delete_from_the_details(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_text("Gas")
    assert {"67.41 $", "Transportation", "Urgent"} <= set(driver.texts())
    driver.tap_element(driver.get(id="btn_delete"))
    assert driver.sees("1 item will be deleted!")
    assert rows(phone) == before
    driver.tap_text("CONFIRM")
    assert rows(phone) == [before[0], before[2]]


def test_delete_the_marked(phone: Phone) -> None:
    before = rows(phone)
    driver = open_app(phone)
    driver.tap_text("MORE")
    driver.long_press("Gas")
    driver.swipe_on(driver.get("Salary"), "left")
    assert driver.sees("2 items")
    driver.tap_description("Delete")
    driver.tap_text("CONFIRM")
    assert rows(phone) == before[:1]


def test_filter_and_statistics(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_text("MORE")
    driver.tap_description("Filter")
    driver.tap_text("Income")
    driver.tap_text("APPLY FILTER")
    assert [e.text for e in driver.find_all(id="tv_name")] == ["Salary"]
    driver.back()
    driver.tap_description("Open navigation drawer")
    driver.tap_text("Statistics")
    assert {"Housing", "82%", "Transportation", "18%"} <= set(driver.texts())


def test_looking_changes_nothing(phone: Phone) -> None:
    before = phone.fs.read(data.DB)
    driver = open_app(phone)
    driver.tap_text("MORE")
    driver.tap_text("Gas")
    driver.back()
    driver.back()
    driver.tap_element(driver.get(id="fb_add"))
    driver.tap_description("Close")
    driver.home()
    assert phone.fs.read(data.DB) == before


def test_setup_as_androidworld_does_it_after_pm_clear(phone: Phone) -> None:
    phone.clear_package(data.PACKAGE)
    driver = open_app(phone)
    driver.tap("NEXT")
    driver.tap("CONTINUE")
    assert driver.sees("Recent")
    assert rows(phone) == []
    phone.force_stop(data.PACKAGE)
    assert open_app(phone).sees("Recent")


def test_snapshot_in_the_middle_of_the_form(phone: Phone) -> None:
    driver = open_app(phone)
    driver.tap_element(driver.get(id="fb_add"))
    driver.type_into("Name", "Thing")
    kept, name, picture = phone.snapshot(), phone.state_hash(), phone.screenshot_png()
    driver.type_into("Amount", "5")
    driver.hide_keyboard()
    driver.tap_text("SAVE")
    assert len(rows(phone)) == 4
    phone.restore(kept)
    assert (phone.state_hash(), phone.screenshot_png()) == (name, picture)
    assert len(rows(phone)) == 3
    driver.type_into("Amount", "6")
    driver.hide_keyboard()
    driver.tap_text("SAVE")
    assert rows(phone)[-1][1:3] == ("Thing", 600)
