"""What a user does again and again: typing into a field, replacing a text, switches, pickers.

Only taps, long presses, swipes, typing, opening an app, BACK, HOME and ENTER: every action is one of
`solar_eval.actions`.
"""

from __future__ import annotations

from datetime import date

from emulator.pocket.experts.driver import Driver, NotOnScreen
from emulator.ui_tree import Element

SETTINGS = "com.android.settings"
CLOCK = "com.google.android.deskclock"
CONTACTS = "com.google.android.contacts"
DIALER = "com.google.android.dialer"
SMS = "com.simplemobiletools.smsmessenger"
FILES = "com.google.android.documentsui"
MARKOR = "net.gsantner.markor"
CALENDAR = "com.simplemobiletools.calendar.pro"
EXPENSE = "com.arduia.expense"
TASKS = "org.tasks"
BROCCOLI = "com.flauschcode.broccoli"
CLIPPER = "ca.zgrs.clipper"
TYPING = "Switch to text input mode for the time input."


def tap_id(driver: Driver, name: str) -> None:
    """Tap the first element with this id."""
    driver.tap_element(driver.get(id=name))


def tap_far(driver: Driver, label: str) -> None:
    """Tap an element, scrolling to it first where it is not in sight."""
    driver.tap_element(driver.scroll_to(label))


def hold_far(driver: Driver, label: str) -> None:
    """Hold an element, scrolling to it first where it is not in sight."""
    driver.long_press_element(driver.scroll_to(label))


def replace(driver: Driver, field: Element, text: str) -> None:
    """Another text in a field: hold it, select all, type over it."""
    driver.long_press_element(field)
    if driver.sees("Select all"):
        driver.tap("Select all", index=-1)
    driver.type_text(text)


def switch_of(driver: Driver, title: str) -> Element:
    """The switch in the row of a title."""
    row = driver.get(text=title)
    found = [e for e in driver.elements() if e.checkable and e.cls.endswith(("Switch", "CheckBox")) and e.beside(row)]
    if not found:
        raise NotOnScreen(f"no switch beside {title!r}")
    return found[0]


def set_switch(driver: Driver, title: str, on: bool) -> None:
    """Tap the switch of a row unless it stands right."""
    state = switch_of(driver, title)
    if state.checked != on:
        driver.tap_element(state)


def settings_page(driver: Driver, *path: str) -> None:
    """Open Settings and go down by titles."""
    driver.open_app(SETTINGS)
    for title in path:
        tap_far(driver, title)


def pick_time(driver: Driver, hour: int, minute: int) -> None:
    """Fill in an open time picker by typing."""
    driver.tap_description(TYPING)
    for name, value in (("hour", hour), ("minute", minute)):
        replace(driver, driver.get(id=f"input_{name}"), f"{value:02d}")
    driver.tap_text("OK")


def pick_on_dial(driver: Driver, hour: int, minute: int) -> None:
    """Fill in an open time picker on its face; minutes are multiples of five."""
    driver.tap_description(str(hour))
    driver.tap_description(str(minute))
    driver.tap_text("OK")


def pick_date(driver: Driver, day: date) -> None:
    """Fill in an open date picker."""
    wanted = f"{day.day} {day:%B %Y}"
    for _ in range(24):
        if driver.sees(wanted):
            break
        driver.tap_description("Next month")
    driver.tap_description(wanted)
    driver.tap_text("OK")
