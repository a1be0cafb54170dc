"""What Pro Expense keeps: the table `expense`, categories, amounts and dates as the app writes them.

Columns and units are what AndroidWorld compares (android_world_apps.md section 9): exactly seven columns, amount in
cents, dates in epoch milliseconds, category 1 to 11. Names of the categories: arduia/ProExpense strings.xml.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING

from emulator.pocket.databases import Row

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.arduia.expense"
DATABASE = "databases/accounting.db"
DB = f"/data/data/{PACKAGE}/{DATABASE}"
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS expense (expense_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT,"
    " amount INTEGER NOT NULL, category INTEGER NOT NULL, note TEXT, created_date INTEGER NOT NULL,"
    " modified_date INTEGER NOT NULL);"
)
CURRENCY = "$"
INCOME = 2
BLUE = (2, 119, 189)
SKY = (179, 229, 252)
SLATE = (55, 71, 79)
LARGEST = 10_000_000_000  # cents; ten digits fit into the field


@dataclass(frozen=True)
class Category:
    """One category: its number in the database, name, picture."""

    id: int
    name: str
    icon: str


CATEGORIES = (
    Category(1, "Others", "grid"),
    Category(2, "Income", "money"),
    Category(3, "Food", "food"),
    Category(4, "Housing", "house"),
    Category(5, "Social", "group"),
    Category(6, "Entertainment", "ticket"),
    Category(7, "Transportation", "car"),
    Category(8, "Clothes", "shirt"),
    Category(9, "Health Care", "health"),
    Category(10, "Education", "school"),
    Category(11, "Donation", "gift"),
)


def category(number: int) -> Category:
    """The category with this number; Others for one the app does not know."""
    return next((c for c in CATEGORIES if c.id == number), CATEGORIES[0])


def money(cents: int) -> str:
    """12345 -> 123.45."""
    return f"{cents / 100:,.2f}"


def cents(text: str) -> int | None:
    """What was typed into Amount, in cents; None if it is no amount above 0."""
    try:
        value = Decimal(text.strip().replace(",", "").removeprefix(CURRENCY))
    except InvalidOperation:
        return None
    if not value.is_finite() or not 0 < value * 100 < LARGEST:
        return None
    return int((value * 100).quantize(Decimal(1), ROUND_HALF_UP)) or None


def when(ms: int) -> datetime:
    """Milliseconds to a date."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def date_label(phone: Phone, ms: int) -> str:
    """Today and yesterday by name, else the date, each with the time."""
    then, today = when(ms), phone.clock.datetime().date()
    day = {today: "Today", today - timedelta(days=1): "Yesterday"}.get(
        then.date(), f"{then:%b} {then.day}, {then.year}"
    )
    return f"{day} {then:%H:%M}"


def expenses(phone: Phone, kind: str = "", ascending: bool = False) -> list[Row]:
    """All rows, newest first; `kind` "Income" or "Outcome" keeps only these."""
    where = {"Income": f"WHERE category = {INCOME}", "Outcome": f"WHERE category != {INCOME}"}.get(kind, "")
    way = "ASC" if ascending else "DESC"
    return phone.db(DB).query(f"SELECT * FROM expense {where} ORDER BY created_date {way}, expense_id {way}")


def expense(phone: Phone, number: int) -> Row | None:
    """One row."""
    return phone.db(DB).one("SELECT * FROM expense WHERE expense_id = ?", (number,))


def delete(phone: Phone, numbers: Sequence[int]) -> None:
    """Remove rows for good."""
    with phone.db(DB) as db:
        for number in numbers:
            db.execute("DELETE FROM expense WHERE expense_id = ?", (number,))


def week(phone: Phone) -> tuple[datetime, list[int]]:
    """The Sunday of this week and what was spent on each of its seven days, in cents."""
    now = phone.clock.datetime()
    start = datetime(now.year, now.month, now.day, tzinfo=UTC) - timedelta(days=(now.weekday() + 1) % 7)
    first = round(start.timestamp() * 1000)
    spent = [0] * 7
    for row in expenses(phone, "Outcome"):
        day = (row["created_date"] - first) // 86_400_000
        if 0 <= day < 7:
            spent[day] += row["amount"]
    return start, spent


def totals(phone: Phone) -> tuple[int, int]:
    """(income, outcome) of this month, in cents."""
    now = phone.clock.datetime()
    sums = [0, 0]
    for row in expenses(phone):
        then = when(row["created_date"])
        if (then.year, then.month) == (now.year, now.month):
            sums[row["category"] != INCOME] += row["amount"]
    return sums[0], sums[1]
