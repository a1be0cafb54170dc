"""Solutions of AndroidWorld's Contacts tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

CONTACTS = "com.google.android.contacts"


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


TASKS: dict[str, Script] = {
    "ContactsAddContact": add_contact,
    "ContactsNewContactDraft": contact_draft,
}
