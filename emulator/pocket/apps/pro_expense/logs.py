"""Pro Expense: all expenses, their details, and how they are deleted.

A tap shows an expense with its delete and edit buttons; a long press, or a swipe to the left, marks it, and the bar
at the top then deletes all that are marked. Both ask first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.pro_expense import data
from emulator.pocket.apps.pro_expense.entry import Entry, wide_button
from emulator.pocket.databases import Row
from emulator.pocket.parts import bottom_sheet, page, toolbar
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import chip, column, empty, icon, icon_button, lazy_list, row, stack, text

ROW = 68.0


def picture(number: int, size: float = 46) -> View:
    """The disc with the category's picture."""
    mark = icon(data.category(number).icon, size * 0.52, color=data.SLATE, id="imv_category")
    return stack(mark, width=size, height=size, radius=size / 2, background=data.SKY, align="center", justify="center",
                 id="cv_category")  # fmt: skip


def amount(entry: Row, size: float = 17) -> View:
    """Amount and currency."""
    return row(text(data.money(entry["amount"]), size=size, bold=1, id="tv_amount"),
               text(data.CURRENCY, size=13, color="text_dim", id="tv_currency_symbol"), width=-2.0, gap=4)  # fmt: skip


@dataclass
class Sheets(Screen):
    """A screen with expenses that can be looked at: the details sheet and the question before deleting."""

    shown: int = 0
    doomed: list[int] = field(default_factory=list)

    def look(self, number: int) -> None:
        """Show the details."""
        self.shown = number
        self.open("details")

    def overlay(self) -> View | None:
        """Details, or the question."""
        if self.opened == "confirm":
            return self._question()
        entry = data.expense(self.phone, self.shown)
        return self._details(entry) if self.opened == "details" and entry is not None else None

    def _sheet_head(self, title: str) -> View:
        return row(text(title, size=18, color="text_dim", weight=1), icon_button("down", "Close", self.dismiss),
                   padding=(24, 0, 12, 8))  # fmt: skip

    def _details(self, entry: Row) -> View:
        then = data.when(entry["created_date"])
        facts = (
            ("Amount", "tv_amount_value", f"{data.money(entry['amount'])} {data.CURRENCY}"),
            ("Category", "tv_category_value", data.category(entry["category"]).name),
            ("Date", "tv_date_value", f"{then:%b} {then.day}, {then.year} {then:%H:%M}"),
            ("Note", "tv_note_value", entry["note"] or ""),
        )  # fmt: skip
        lines = [
            row(text(name, size=14, color="text_dim", width=88), text(value, weight=1, id=id))
            for name, id, value in facts
        ]
        head = row(
            picture(entry["category"], 52), text(entry["name"] or "", size=20, weight=1, id="tv_name_value"),
            icon_button("delete", "Delete", partial(self.ask_delete, [entry["expense_id"]]), id="btn_delete"), gap=14,
        )  # fmt: skip
        card = column(head, *lines, padding=(16, 12, 8, 20), gap=14, background="card", radius=12, id="cd_info")
        return bottom_sheet(
            self._sheet_head("Expense Detail"),
            column(card, wide_button("EDIT", self.edit, "btn_edit", "edit"), padding=(24, 0, 24, 0), gap=12),
        )

    def _question(self) -> View:
        count = len(self.doomed)
        message = f"{count} item{'s' if count != 1 else ''} will be deleted!"
        card = column(text(message, id="tv_delete_description"), align="center", background="card", radius=12,
                      padding=(20, 24, 20, 24))  # fmt: skip
        return bottom_sheet(
            self._sheet_head("Delete Items"),
            column(card, wide_button("CONFIRM", self.delete, "btn_confirm"), padding=(24, 0, 24, 0), gap=12),
        )

    def ask_delete(self, numbers: list[int]) -> None:
        """Before anything is deleted."""
        self.doomed = list(numbers)
        self.open("confirm")

    def delete(self) -> None:
        """CONFIRM."""
        data.delete(self.phone, self.doomed)
        self.toast("Item Deleted" if len(self.doomed) == 1 else "Items Deleted")
        self.doomed = []
        self.dismiss()

    def edit(self) -> None:
        """EDIT."""
        self.dismiss()
        self.push(Entry(self.shown))

    def line(self, entry: Row, on_tap: Action) -> View:
        """One expense in a list."""
        label = data.date_label(self.phone, entry["created_date"])
        names = column(
            text(entry["name"] or "", lines=1, width=-1.0, id="tv_name"),
            text(label, size=12, color="text_dim", lines=1, id="tv_date"), weight=1, gap=3,
        )  # fmt: skip
        return row(picture(entry["category"]), names, amount(entry), height=ROW, padding=(20, 0, 20, 0), gap=16,
                   on_tap=on_tap, id="cd_expense")  # fmt: skip


@dataclass
class Logs(Sheets):
    """Expense Logs. `marked` are the rows to be deleted together."""

    marked: list[int] = field(default_factory=list)
    kind: str = ""
    ascending: bool = False

    def build(self) -> View:
        """Bar and list."""
        entries = data.expenses(self.phone, self.kind, self.ascending)
        body = lazy_list(len(entries), ROW, lambda i: self._row(entries[i]), id="rv_expense", padding=(0, 0, 0, 80))
        return page(self._bar(entries), body if entries else empty("No Data", "file"))

    def _bar(self, entries: list[Row]) -> View:
        if not self.marked:
            filters = icon_button("filter", "Filter", partial(self.open, "filter"), id="filter")
            return toolbar("Expense Logs", back=self.finish, actions=[filters])
        every = [e["expense_id"] for e in entries]
        count = len(self.marked)
        return toolbar(
            f"{count} item{'s' if count != 1 else ''}",
            navigation=("close", "Close", partial(self.set, "marked", [])),
            actions=[icon_button("delete", "Delete", partial(self.ask_delete, self.marked), id="delete"),
                     icon_button("list", "Select All", partial(self.set, "marked", every), id="select")],
        )  # fmt: skip

    def _row(self, entry: Row) -> View:
        number = entry["expense_id"]
        made = self.line(entry, partial(self.mark if self.marked else self.look, number))
        made.on_long, made.on_swipe = partial(self.mark, number), partial(self.swiped, number)
        if number in self.marked:
            made.background, made.selected = "primary_soft", True
            made.children[0] = stack(icon("check", 26, color="white"), width=46, height=46, radius=23,
                                     background=data.BLUE, align="center", justify="center")  # fmt: skip
        return made

    def mark(self, number: int) -> None:
        """Mark a row, or unmark it."""
        self.marked = [n for n in self.marked if n != number] if number in self.marked else [*self.marked, number]

    def swiped(self, number: int, direction: str) -> None:
        """Left marks, right unmarks."""
        if (direction == "left") != (number in self.marked) and direction in {"left", "right"}:
            self.mark(number)

    def delete(self) -> None:
        """CONFIRM: nothing stays marked."""
        super().delete()
        self.marked = []

    def overlay(self) -> View | None:
        """Also the filter."""
        return self._filter() if self.opened == "filter" else super().overlay()

    def _filter(self) -> View:
        kinds = [chip(label, partial(self.set, "kind", key), self.kind == key)
                 for key, label in (("", "All"), ("Income", "Income"), ("Outcome", "Outcome"))]  # fmt: skip
        ways = [chip(label, partial(self.set, "ascending", up), self.ascending == up)
                for up, label in ((False, "Descending"), (True, "Ascending"))]  # fmt: skip
        return bottom_sheet(
            self._sheet_head("Filter"),
            column(
                row(*kinds, gap=8), text("Sort By", size=14, color="text_dim"), row(*ways, gap=8),
                wide_button("APPLY FILTER", self.dismiss, "btn_apply"), padding=(24, 0, 24, 0), gap=14,
            ),
        )  # fmt: skip

    def on_back(self) -> bool:
        """BACK unmarks first."""
        if self.marked:
            self.marked = []
            return True
        return False
