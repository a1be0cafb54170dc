"""OpenTracks: aggregated stats: count, distance, moving time and speed by kind of sport, over chosen days and kinds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any, ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.opentracks import data
from emulator.pocket.parts import page, toolbar
from emulator.pocket.pickers import DatePicker
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import (
    button,
    checkbox,
    column,
    divider,
    empty,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    spacer,
    text,
)


@dataclass
class Totals(Screen):
    """The sums. Days are ordinals, 0 for none; `kinds` empty means all."""

    activity: ClassVar[str] = f"{data.PACKAGE}.AggregatedStatisticsActivity"

    first: int = 0
    last: int = 0
    kinds: list[str] = field(default_factory=list)

    def build(self) -> View:
        """Bar with the filter, a card for each kind."""
        chosen = data.Filter(self.first, self.last, tuple(self.kinds))
        found = data.totals([t for t in data.tracks(self.phone) if chosen.takes(t)])
        active = bool(self.first or self.last or self.kinds)
        tools = [icon_button("filter", "Filter", self.filter, id="aggregated_statistics_filter")]
        if active:
            tools.append(icon_button("close", "Clear filter", self.clear, id="aggregated_statistics_clear_filter"))
        bar = toolbar("Aggregated stats", back=self.finish, actions=tools)
        nothing = "No tracks match the filter" if active else "Record your first track to see aggregated statistics"
        cards = [view for total in found for view in (self._card(total), divider())]
        body = scroll(*cards, spacer(height=24), id="aggregated_stats_list") if cards else empty(nothing, "chart")
        return page(bar, body)

    def _card(self, total: data.Total) -> View:
        far, unit = data.distance(self.phone, total.distance)
        speed, per = data.rate(self.phone, total.category, total.distance, total.moving_ms)
        kind = data.icon_of(total.category)
        label = "Avg moving pace" if kind in data.PACED else "Avg moving speed"
        head = row(
            icon(kind, 26, data.ORANGE, id="aggregated_stats_sport_icon"),
            text(total.category, size=20, id="aggregated_stats_type_label"),
            text(f"({total.count})", size=20, color="text_dim", id="aggregated_stats_num_tracks"),
            gap=10,
        )
        figures = row(
            text(far, size=26, id="aggregated_stats_distance"),
            text(unit, size=14, color="text_dim", padding=(0, 8, 0, 0), id="aggregated_stats_distance_unit"),
            spacer(weight=1), text(data.time_label(total.moving_ms), size=26, id="aggregated_stats_time"), gap=4,
        )  # fmt: skip
        slow = row(text(label, size=13, color="text_dim", weight=1), text(f"{speed} {per}", size=14,
                   id="aggregated_stats_avg_rate"))  # fmt: skip
        return column(head, figures, slow, padding=(20, 14, 20, 14), gap=6, id="aggregated_stats_item")

    def filter(self) -> None:
        """The funnel."""
        self.ask(FilterDialog(self.first, self.last, list(self.kinds)), "filter")

    def clear(self) -> None:
        """Everything again."""
        self.first, self.last, self.kinds = 0, 0, []

    def on_result(self, key: str, value: Any) -> None:
        """The filter was set."""
        self.first, self.last, self.kinds = value


@dataclass
class FilterDialog(Screen):
    """Kinds of sport to tick, first and last day. Finishes with (first, last, kinds)."""

    activity: ClassVar[str] = f"{data.PACKAGE}.AggregatedStatisticsActivity"

    first: int = 0
    last: int = 0
    kinds: list[str] = field(default_factory=list)

    def build(self) -> View:
        """Dates first, then every kind there is a track of."""
        names = sorted({data.category_of(track) for track in data.tracks(self.phone)})
        rows = [
            list_row(name, on_tap=partial(self.toggle, name), icon_name=data.icon_of(name), id="filter_item",
                     trailing=[checkbox(name in self.kinds, partial(self.toggle, name), desc=name)])
            for name in names
        ]  # fmt: skip
        return page(
            toolbar("Filter", navigation=("close", "Close", self.finish), actions=[
                button("OK", self.done, style="text", id="filter_dialog_ok")]),
            scroll(self._date("From", "first"), self._date("To", "last"), divider(), *rows, id="filter_items"),
        )  # fmt: skip

    def _date(self, label: str, name: str) -> View:
        day = getattr(self, name)
        shown = data.date_label(date.fromordinal(day)) if day else ""
        words = text(shown or "Choose a day", width=FILL, color="text" if day else "text_faint",
                     id=f"filter_date_edit_text_{label.lower()}")  # fmt: skip
        labelled = column(text(label, size=13, color="text_dim"), words, weight=1)
        return row(
            icon("calendar", 22), labelled, gap=16, padding=(16, 12, 16, 12), on_tap=partial(self.pick, name),
            id=f"filter_date_{label.lower()}",
        )  # fmt: skip

    def pick(self, name: str) -> None:
        """A day is to be chosen."""
        day = date.fromordinal(getattr(self, name)) if getattr(self, name) else self.phone.clock.datetime().date()
        self.ask(DatePicker(day.year, day.month, day.day), name)

    def on_result(self, key: str, value: Any) -> None:
        """A day was chosen."""
        setattr(self, key, date(*value).toordinal())

    def toggle(self, name: str) -> None:
        """A kind of sport."""
        self.kinds = [k for k in self.kinds if k != name] if name in self.kinds else [*self.kinds, name]

    def done(self) -> None:
        """OK."""
        self.finish((self.first, self.last, self.kinds))
