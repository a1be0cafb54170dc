"""The pictures of Simple Calendar Pro: a month of days, an event's row, the heading of a day."""

from __future__ import annotations

from calendar import Calendar as MonthDays
from collections.abc import Callable
from datetime import date

from emulator.pocket.apps.simple_calendar.data import Event, on_day
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import column, icon_button, row, spacer, stack, text

LETTERS = "SMTWTFS"
CHIP = 16.0


def weeks_of(year: int, month: int) -> list[list[date]]:
    """Six weeks from Sunday on that hold the month."""
    weeks = MonthDays(firstweekday=6).monthdatescalendar(year, month)
    while len(weeks) < 6:
        last = weeks[-1][-1]
        weeks.append([date.fromordinal(last.toordinal() + n) for n in range(1, 8)])
    return weeks


def title_bar(title: str, back: Action, on: Action, choose: Action) -> View:
    """Arrows left and right of what is shown."""
    return row(
        icon_button("left", "Previous", back, id="top_left_arrow"),
        text(title, size=18, bold=1, align="center", weight=1, on_tap=choose, id="top_value", padding=(0, 8, 0, 8)),
        icon_button("right", "Next", on, id="top_right_arrow"), height=48, padding=(8, 0, 8, 0),
    )  # fmt: skip


def month_grid(
    year: int, month: int, today: date, events: list[Event], on_tap: Callable[[date], Action],
    chosen: date | None = None, row_height: float = 0,
) -> View:  # fmt: skip
    """Weekday letters, then six weeks. With `row_height` the cells show dots, else they fill and show titles."""
    head = row(*[text(c, size=13, color="text_dim", align="center", weight=1) for c in LETTERS], height=26)
    rows = []
    for week in weeks_of(year, month):
        cells = [_cell(day, day.month == month, today, on_day(events, day), on_tap(day), day == chosen, row_height)
                 for day in week]  # fmt: skip
        line = row(*cells, align="start", height=row_height or FILL)
        line.weight = 0 if row_height else 1
        rows.append(line)
    body = column(*rows, height=6 * row_height if row_height else FILL, weight=0 if row_height else 1)
    return column(head, body, height=-2.0 if row_height else FILL, weight=0 if row_height else 1, id="month_view")


def _cell(day: date, inside: bool, today: date, events: list[Event], tap: Action, chosen: bool, low: float) -> View:
    color = "on_primary" if day == today else "text" if inside else "text_faint"
    number = stack(
        text(str(day.day), size=14, color=color, align="center", width=FILL, id="day_monthly_number_id"), width=26,
        height=26, justify="center", radius=13,
        background="primary" if day == today else "primary_soft" if chosen else None,
    )  # fmt: skip
    parts: list[View] = [number]
    if low:
        parts += [stack(width=5, height=5, radius=3, background="primary")] if events else []
    else:
        parts += [_chip(event, inside) for event in events[:5]]
    cell = column(*parts, align="center", weight=1, gap=2, padding=(1, 3, 1, 0), height=low or FILL, on_tap=tap,
                  id="month_view_background")  # fmt: skip
    cell.desc = f"{day.day} {day:%B}"
    return cell


def _chip(event: Event, inside: bool) -> View:
    label = text(event.title, size=9.5, color="on_primary" if inside else "on_primary_soft", lines=1, width=FILL,
                 padding=(3, 2, 1, 1), id="day_monthly_event_id")  # fmt: skip
    return stack(label, background="primary" if inside else "primary_soft", radius=3, height=CHIP)


def event_row(event: Event, on_tap: Action, on_long: Action, marked: bool, when: str = "") -> View:
    """Colour, title, time, description."""
    parts = [
        text(event.title, size=16, lines=1, id="event_item_title", width=FILL, bold=1),
        text(when or event.times(), size=14, color="text_dim", id="event_item_time", width=FILL, lines=1),
    ]
    if event.description:
        said = event.description.replace("\n", " ")
        parts.append(text(said, size=14, color="text_dim", lines=1, id="event_item_description", width=FILL))
    bar = stack(width=4, height=48, radius=2, background="primary")
    made = row(bar, column(*parts, weight=1, gap=2), gap=12, padding=(16, 8, 16, 8), on_tap=on_tap,
               id="event_item_frame", background="primary_soft" if marked else None)  # fmt: skip
    made.on_long, made.selected = on_long, marked
    return made


def day_heading(label: str, today: bool) -> View:
    """The day above its events."""
    return column(text(label, size=14, bold=1, color="primary" if today else "text_dim", id="event_section_title"),
                  spacer(height=2), padding=(16, 14, 16, 2))  # fmt: skip
