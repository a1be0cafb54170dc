"""Pro Expense (arduia): home with this week's graph, expense logs, entry form, statistics.

AndroidWorld reads the table `expense` (data.py) and, when it sets the app up after `pm clear`, taps NEXT and
CONTINUE. A phone comes with that done. Names and ids: arduia/ProExpense res/values/strings.xml and res/layout.
Left out: backup files, feedback, other languages and currencies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.pro_expense import data
from emulator.pocket.apps.pro_expense.entry import Entry, wide_button
from emulator.pocket.apps.pro_expense.logs import Logs, Sheets
from emulator.pocket.boot import SNAPSHOTS
from emulator.pocket.intents import Intent
from emulator.pocket.parts import drawer, page, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import button, column, icon, list_row, progress, radio, row, scroll, spacer, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = data.PACKAGE
MAIN = f"{PACKAGE}.ui.MainActivity"
DAYS = ("SU", "MO", "TU", "WE", "TH", "FR", "SAT")
RECENT = 5
LANGUAGES = ("English", "German", "French", "Chinese", "Bengali", "Burmese")
CURRENCIES = ("US Dollar ($)", "Euro (\u20ac)", "British Pound (\u00a3)", "Japanese Yen (\u00a5)", "Kyat (K)")
READY = "onboarded"


@dataclass
class Home(Sheets):
    """The first screen: onboarding the first time, then graph, sums, recent expenses."""

    step: int = 0
    choice: int = 0

    def build(self) -> View:
        """Onboarding or home."""
        if not self.phone.prefs(PACKAGE).flag(READY):
            return self._onboarding()
        recent = data.expenses(self.phone)[:RECENT]
        head = row(
            text("Recent", size=18, weight=1, id="tv_recent"),
            button("MORE", partial(self.go, Logs), style="text", id="btn_recent_more"), padding=(4, 0, 0, 0),
        )  # fmt: skip
        rows = [self.line(e, partial(self.look, e["expense_id"])) for e in recent]
        nothing = [text("No spending logged yet this month", color="text_dim", align="center", width=FILL,
                        padding=(0, 24, 0, 24), id="tv_empty")]  # fmt: skip
        body = scroll(
            column(self._graph(), self._sums(), head, padding=(16, 8, 16, 0), gap=12), *(rows or nothing),
            spacer(height=88), id="rv_home",
        )  # fmt: skip
        add = View(
            "android.widget.ImageButton", icon="add", on_tap=self.add, id="fb_add", width=56, height=56, radius=28,
            background=data.BLUE, color="white",
        )  # fmt: skip
        bar = toolbar("Home", navigation=("menu", "Open navigation drawer", partial(self.open, "drawer")))
        return page(bar, body, fab=add)

    def _graph(self) -> View:
        start, spent = data.week(self.phone)
        end = start + timedelta(days=6)
        most = max(*spent, 1)
        wide, high = 339.0, 92.0
        points = [(wide * (i + 0.5) / 7, 8 + high * (1 - value / most)) for i, value in enumerate(spent)]
        curve = View(width=wide, height=high + 14, strokes=[(points, "white", 2.5)] + [
            ([(x - 0.5, y), (x + 0.5, y)], "white", 7) for x, y in points])  # fmt: skip
        labels = row(*[text(d, size=11, color="white", align="center", weight=1) for d in DAYS])
        dates = text(f"{start:%b} {start.day} - {end:%b} {end.day}", size=13, color="white", id="tv_date_range")
        top = row(text("Expenses in this Week", size=14, color="white", weight=1), dates)
        return column(
            top, curve, labels, background=data.BLUE, radius=14, padding=(20, 16, 20, 14), gap=8, id="cd_graph"
        )

    def _sums(self) -> View:
        income, outcome = data.totals(self.phone)
        now = self.phone.clock.datetime()
        parts = [
            column(text(label, size=12, color="text_dim"),
                   row(text(data.money(value), size=20, bold=1, id=id), text(data.CURRENCY, size=13), gap=4),
                   weight=1, gap=4)
            for label, value, id in (
                ("INCOME", income, "tv_income_value"), ("OUTCOME", outcome, "tv_outcome_value"))
        ]  # fmt: skip
        return column(text(f"{now:%B %Y}", size=15), row(*parts), background="card", radius=14, gap=10,
                      padding=(20, 14, 20, 14), id="cd_in_out")  # fmt: skip

    def _onboarding(self) -> View:
        title, options, label = (
            ("Choose Language", LANGUAGES, "NEXT") if self.step == 0 else ("Choose Currency", CURRENCIES, "CONTINUE")
        )
        rows = [radio(i == self.choice, partial(self.set, "choice", i), label=o) for i, o in enumerate(options)]
        return page(
            column(text("Hello! Welcome to Pro Expense", size=22), text(title, color="text_dim"), gap=8,
                   padding=(24, 40, 24, 16)),
            scroll(*rows, padding=(16, 0, 16, 0)),
            column(wide_button(label, self.next_step), padding=(24, 12, 24, 24)),
        )  # fmt: skip

    def next_step(self) -> None:
        """NEXT, then CONTINUE."""
        if self.step == 0:
            self.step, self.choice = 1, 0
        else:
            self.phone.prefs(PACKAGE).set(READY, True)

    def overlay(self) -> View | None:
        """Also the drawer."""
        if self.opened != "drawer":
            return super().overlay()
        places: list[tuple[str, str, Callable[[], Screen]]] = [
            ("list", "Expense Logs", Logs), ("sort", "Statistics", Statistics), ("info", "About", About),
        ]  # fmt: skip
        items = [(name, label, partial(self.go, screen)) for name, label, screen in places]
        return drawer("Pro Expense", [("house", "Home", self.dismiss), *items], selected="Home",
                      subtitle="Your finance notebook", color=data.BLUE, on_color="white")  # fmt: skip

    def go(self, screen: Callable[[], Screen]) -> None:
        """Another place of the app."""
        self.dismiss()
        self.push(screen())

    def add(self) -> None:
        """The round button."""
        self.push(Entry())


@dataclass
class Statistics(Screen):
    """How much each category took, of all expenses."""

    def build(self) -> View:
        """Bars, largest first."""
        sums: dict[int, int] = {}
        for entry in data.expenses(self.phone, "Outcome"):
            sums[entry["category"]] = sums.get(entry["category"], 0) + entry["amount"]
        total = sum(sums.values())
        rows = [self._row(number, sums[number], total) for number in sorted(sums, key=lambda n: (-sums[n], n))]
        nothing = text("No Data", color="text_dim", align="center", width=FILL, padding=(0, 40, 0, 0))
        body = scroll(text("Category Statistics", size=18), *(rows or [nothing]), padding=(20, 12, 20, 24), gap=16)
        return page(toolbar("Statistics", back=self.finish), body)

    def _row(self, number: int, value: int, total: int) -> View:
        entry = data.category(number)
        share = text(f"{value / total:.0%}", color="text_dim")
        head = row(icon(entry.icon, 20), text(entry.name, weight=1), share, gap=12)
        return column(head, progress(value / total, 8), gap=8)


@dataclass
class About(Screen):
    """About the app."""

    def build(self) -> View:
        """Name and version."""
        rows = [list_row("Version", "1.0.0"), list_row("Developer", "Arduia and open source contributors")]
        return page(
            toolbar("About", back=self.finish), scroll(text("Pro Expense", size=22, padding=(16, 16, 16, 8)), *rows)
        )


def _main(intent: Intent) -> Screen:
    return Home()


def _start(phone: Phone) -> None:
    """A phone comes with the app set up; only after `pm clear` does it ask for language and currency."""
    if not phone.fs.exists(f"{SNAPSHOTS}/{PACKAGE}"):
        phone.prefs(PACKAGE).set(READY, True)


APP = App(
    package=PACKAGE, label="Pro Expense", icon=("money", data.BLUE), main=MAIN, activities={MAIN: _main},
    databases={data.DATABASE: data.SCHEMA}, start=_start, system=False, version="1.0.0",
)  # fmt: skip
