"""Pro Expense: the form for a new or an old expense. Field ids are the app's (frag_expense_entry.xml)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from emulator.pocket.app import Screen
from emulator.pocket.apps.pro_expense import data
from emulator.pocket.parts import page, toolbar
from emulator.pocket.pickers import DatePicker, TimePicker
from emulator.pocket.views import FILL, Action, Color, View
from emulator.pocket.widgets import (
    RECYCLER,
    column,
    icon,
    icon_button,
    row,
    scroll,
    spacer,
    text,
    text_field,
)  # fmt: skip

FIELDS = ("name", "amount", "note")


@dataclass
class Entry(Screen):
    """Name, amount, category, note. `number` is the row to change, 0 for a new one."""

    number: int = 0
    name: str = ""
    amount: str = ""
    note: str = ""
    category: int = 1
    date_ms: int = 0
    error: str = ""

    def on_create(self) -> None:
        """Fill in what is known."""
        self.date_ms = self.date_ms or self.phone.clock.now_ms()
        old = data.expense(self.phone, self.number) if self.number else None
        if old is not None:
            self.name, self.note, self.category = old["name"] or "", old["note"] or "", old["category"]
            self.amount, self.date_ms = f"{old['amount'] / 100:.2f}", old["created_date"]

    def build(self) -> View:
        """The form."""
        then = data.when(self.date_ms)
        bar = toolbar(
            "Expense Entry", navigation=("close", "Close", self.finish),
            actions=[
                icon_button("calendar", "Date", self.pick_date, id="calendar"),
                icon_button("clock", "Time", self.pick_time, id="time"),
            ],
        )  # fmt: skip
        label = "UPDATE" if self.number else "SAVE"
        form = scroll(
            row(icon("calendar", 18), text(f"{then:%b} {then.day}, {then.year} {then:%H:%M}", size=14,
                color="text_dim", id="tv_date"), gap=8, padding=(4, 4, 0, 4)),
            self._field("name", "Name"),
            self._field("amount", "Amount", numeric=True),
            *([text(self.error, size=12, color="error", padding=(12, 0, 0, 0), id="textinput_error")]
              if self.error else []),
            self._categories(),
            self._field("note", "Note"),
            spacer(height=4), wide_button(label, self.save, "btn_save"),
            padding=(16, 8, 16, 24), gap=10, id="sv_entry",
        )  # fmt: skip
        return page(bar, form)

    def _field(self, name: str, hint: str, numeric: bool = False) -> View:
        """A field in an outlined box, with its name on top once there is something in it."""
        made = text_field(
            name, getattr(self, name), partial(self.typed, name), hint=hint, numeric=numeric, framed=False,
            id=f"edt_{name}", on_submit=partial(self.submitted, name),
        )  # fmt: skip
        made.padding = (0, 4, 0, 4)
        value = getattr(self, name)
        parts = [text(hint, size=12, color="primary" if self.focus == name else "text_dim")] if value else []
        box = column(*parts, made, height=62, padding=(14, 4, 14, 4), radius=6, justify="center")
        box.background = "background"
        box.border = "primary" if self.focus == name else "outline"
        return box

    def _categories(self) -> View:
        chips = [self._chip(c) for c in data.CATEGORIES]
        return View(RECYCLER, kind="row", scroll="x", key="categories", width=FILL, height=52, children=chips, gap=8,
                    align="center", id="rv_category")  # fmt: skip

    def _chip(self, entry: data.Category) -> View:
        on = entry.id == self.category
        color: Color = "white" if on else "text"
        made = row(
            icon(entry.icon, 20, color="white" if on else "text_dim", id="imv_category"),
            text(entry.name, size=14, color=color, id="tv_name"),
            width=-2.0, height=42, gap=8, padding=(14, 0, 16, 0), radius=21, background=data.BLUE if on else "card",
            on_tap=partial(self.set, "category", entry.id), id="cv_category",
        )  # fmt: skip
        made.selected, made.checkable, made.checked = on, True, on
        return made

    def typed(self, name: str, value: str) -> None:
        """A field changes; a complaint about the amount goes."""
        setattr(self, name, value)
        self.error = ""

    def submitted(self, name: str) -> None:
        """ENTER goes on to the next field; after the last one the keyboard goes."""
        after = FIELDS[FIELDS.index(name) + 1 :]
        if after:
            self.focus_on(after[0], getattr(self, after[0]))
        else:
            self.phone.keyboard.hide()

    def pick_date(self) -> None:
        """Calendar button."""
        then = data.when(self.date_ms)
        self.ask(DatePicker(then.year, then.month, then.day), "date")

    def pick_time(self) -> None:
        """Clock button."""
        then = data.when(self.date_ms)
        self.ask(TimePicker(then.hour, then.minute), "time")

    def on_result(self, key: str, value: Any) -> None:
        """A picker answered."""
        then = data.when(self.date_ms)
        if key == "date":
            year, month, day = value
            then = then.replace(year=year, month=month, day=day)
        else:
            hour, minute = value
            then = then.replace(hour=hour, minute=minute)
        self.date_ms = round(then.timestamp() * 1000)

    def save(self) -> None:
        """SAVE or UPDATE; an amount there must be."""
        amount = data.cents(self.amount)
        if amount is None:
            self.error = "Cost is Empty" if not self.amount.strip() else "Amount is not valid"
            return
        values = {
            "name": self.name.strip(), "amount": amount, "category": self.category, "note": self.note.strip(),
            "created_date": self.date_ms, "modified_date": self.phone.clock.now_ms(),
        }  # fmt: skip
        db = self.phone.db(data.DB)
        if self.number:
            db.update("expense", "expense_id", self.number, values)
        else:
            db.insert("expense", values)
        self.toast("Data Updated!" if self.number else "Data Saved!")
        self.finish()


def wide_button(label: str, action: Action, id: str = "", icon_name: str = "") -> View:
    """The app's button: as wide as the screen, blue."""
    return View(
        "android.widget.Button", text=label, on_tap=action, background=data.BLUE, color="white", radius=6, bold=1,
        size=14, height=48, width=FILL, text_align="center", id=id, icon=icon_name, icon_size=18,
        padding=(16, 0, 16, 0),
    )  # fmt: skip
