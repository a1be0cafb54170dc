"""The alarm page, and alarms.db with the columns of AOSP DeskClock's table alarm_templates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from emulator.pocket.databases import Row
from emulator.pocket.views import View
from emulator.pocket.widgets import BUTTON, column, empty, icon_button, list_row, row, scroll, spacer, switch, text

if TYPE_CHECKING:
    from emulator.pocket.apps.clock import DeskClock
    from emulator.pocket.phone import Phone

PACKAGE = "com.google.android.deskclock"
DB = f"/data/data/{PACKAGE}/databases/alarms.db"
SCHEMA = """
CREATE TABLE IF NOT EXISTS alarm_templates (
    _id INTEGER PRIMARY KEY AUTOINCREMENT, hour INTEGER NOT NULL, minutes INTEGER NOT NULL,
    daysofweek INTEGER NOT NULL DEFAULT 0, enabled INTEGER NOT NULL DEFAULT 1, vibrate INTEGER NOT NULL DEFAULT 1,
    label TEXT NOT NULL DEFAULT '', ringtone TEXT, delete_after_use INTEGER NOT NULL DEFAULT 0
);
"""
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
BITS = (0x40, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20)  # of `daysofweek`, in the order of DAYS


def defaults(phone: Phone) -> None:
    """The two alarms of a new Clock, both off: weekdays 8:30, weekend 9:00."""
    prefs = phone.prefs(PACKAGE)
    if not prefs.flag("alarms_created"):
        for hour, minutes, days in ((8, 30, 0x1F), (9, 0, 0x60)):
            phone.db(DB).insert("alarm_templates", {"hour": hour, "minutes": minutes, "daysofweek": days, "enabled": 0})
        prefs.set("alarms_created", True)


def add(phone: Phone, hour: int, minute: int) -> int:
    """A new alarm, on; returns its id."""
    return phone.db(DB).insert("alarm_templates", {"hour": hour, "minutes": minute})


def change(phone: Phone, number: int, values: dict[str, Any]) -> None:
    """Change columns of one alarm."""
    phone.db(DB).update("alarm_templates", "_id", number, values)


def build(screen: DeskClock) -> tuple[View, View | None]:
    """Cards by time of day, and the button for a new one."""
    rows = screen.phone.db(DB).query("SELECT * FROM alarm_templates ORDER BY hour, minutes, _id")
    cards = [_card(screen, alarm) for alarm in rows]
    now = screen.phone.clock.datetime()
    button = View("android.widget.ImageButton", icon="add", icon_size=28, desc="Add alarm", width=72, height=72,
                  radius=24, background="primary_soft", color="on_primary_soft", id="fab",
                  on_tap=partial(screen.pick_time, "new", now.hour, now.minute))  # fmt: skip
    body = scroll(*cards, key="alarms", padding=(16, 8, 16, 8), gap=12) if cards else empty("No Alarms", "alarm")
    return body, row(button, justify="center", height=96)


def days_text(alarm: Row) -> str:
    """When it rings, in words."""
    chosen = [name[:3] for name, bit in zip(DAYS, BITS, strict=True) if alarm["daysofweek"] & bit]
    if len(chosen) == 7:
        return "Every day"
    if chosen:
        return ", ".join(chosen)
    return "Scheduled" if alarm["enabled"] else "Not scheduled"


def _card(screen: DeskClock, alarm: Row) -> View:
    number, on = alarm["_id"], bool(alarm["enabled"])
    opened = screen.expanded == number
    color = "text" if on else "text_dim"
    time = f"{alarm['hour']:02d}:{alarm['minutes']:02d}"
    arrow = icon_button("up" if opened else "down", "Collapse alarm" if opened else "Expand alarm",
                        partial(screen.set, "expanded", 0 if opened else number), id="arrow")  # fmt: skip
    head = text(alarm["label"] or "Add label", size=14, color="text_dim", weight=1, id="label",
                on_tap=partial(screen.pick_label, f"label {number}", alarm["label"])) if opened or alarm["label"] else (
        spacer(weight=1))  # fmt: skip
    pick = partial(screen.pick_time, f"time {number}", alarm["hour"], alarm["minutes"])
    toggle = switch(on, partial(change, screen.phone, number, {"enabled": int(not on)}), id="onoff", desc=time)
    parts = [
        row(head, arrow),
        text(time, size=48, color=color, id="digital_clock", on_tap=pick),
        row(text(days_text(alarm), size=14, color=color, weight=1, id="days_of_week"), toggle),
    ]
    if opened:
        parts.append(row(*[_day(screen, alarm, i) for i in range(7)], padding=(0, 8, 0, 8)))
        parts.append(list_row("Delete", on_tap=partial(_delete, screen, number), icon_name="delete", title_id="delete"))
    return column(*parts, background="card", radius=22, padding=(20, 4, 12, 14))


def _day(screen: DeskClock, alarm: Row, index: int) -> View:
    on = bool(alarm["daysofweek"] & BITS[index])
    action = partial(change, screen.phone, alarm["_id"], {"daysofweek": alarm["daysofweek"] ^ BITS[index]})
    disc = View(BUTTON, text=DAYS[index][0], desc=DAYS[index], width=36, height=36, radius=18, size=14, on_tap=action,
                background="primary" if on else "surface_high", color="on_primary" if on else "text",
                text_align="center", checkable=True, checked=on)  # fmt: skip
    return column(disc, weight=1, align="center")


def _delete(screen: DeskClock, number: int) -> None:
    screen.phone.db(DB).execute("DELETE FROM alarm_templates WHERE _id = ?", (number,))
    screen.toast("Alarm deleted")
