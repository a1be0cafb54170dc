"""Solutions of AndroidWorld's Contacts tasks, and of the phone tasks that its registry leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

CONTACTS = "com.google.android.contacts"
DIALER = "com.google.android.dialer"


def _fill(driver: Driver, first: str, last: str, phone: str) -> None:
    driver.open_app(CONTACTS)
    driver.tap_description("Create contact")
    for hint, value in (("First name", first), ("Last name", last), ("Phone", phone)):
        driver.scroll_to(hint)
        driver.type_into(hint, value)


def add_contact(driver: Driver, params: Mapping[str, Any]) -> None:
    """A new contact with name and number, saved."""
    first, _, last = params["name"].partition(" ")
    _fill(driver, first, last, params["number"])
    driver.tap_text("Save")


def contact_draft(driver: Driver, params: Mapping[str, Any]) -> None:
    """The form filled in, with a label for the number, not saved."""
    _fill(driver, params["first"], params["last"], params["phone"])
    driver.hide_keyboard()
    driver.tap_description("Mobile Phone")
    driver.tap_text(params["phone_label"])


def make_call(driver: Driver, params: Mapping[str, Any]) -> None:
    """Dial a number on the key pad."""
    driver.open_app(DIALER)
    driver.tap_description("key pad")
    for digit in params["phone_number"]:
        driver.tap_description(digit)
    driver.tap_description("dial")


def redial(driver: Driver, params: Mapping[str, Any]) -> None:
    """Call the newest entry of the call log: the number just talked to, or just missed."""
    driver.open_app(DIALER)
    driver.tap_description("Recents")
    entry = next(e for e in driver.elements() if e.desc.startswith("Call "))
    driver.tap_element(entry)


TASKS: dict[str, Script] = {
    "ContactsAddContact": add_contact,
    "ContactsNewContactDraft": contact_draft,
}
UNREGISTERED: dict[str, Script] = {
    "PhoneMakeCall": make_call,
    "PhoneRedialNumber": redial,
    "PhoneReturnMissedCall": redial,
}
