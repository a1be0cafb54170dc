"""Contacts, driven by taps: the provider's rows, the draft form's texts and hints, the INSERT intent."""

from __future__ import annotations

from typing import Any

import pytest

from emulator.pocket.apps.contacts import PACKAGE
from emulator.pocket.apps.contacts.editor import split_name
from emulator.pocket.contacts import Contact, PhoneNumber
from emulator.pocket.experts.driver import Driver
from emulator.pocket.intents import INSERT, VIEW, Intent
from emulator.pocket.phone import Phone

MIME = "vnd.android.cursor.dir/contact"


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    made = Driver(phone)
    made.open_app(PACKAGE)
    return made


def rows(phone: Phone) -> list[dict[str, Any]]:
    """What AndroidWorld queries."""
    return [dict(row) for row in phone.content.query("content://contacts/phones/", ["display_name", "number"])]


def fill(driver: Driver, first: str, last: str, number: str) -> None:
    driver.tap_description("Create contact")
    for hint, value in (("First name", first), ("Last name", last), ("Phone", number)):
        driver.type_into(hint, value)


def test_a_saved_contact_is_in_the_provider(phone: Phone, driver: Driver) -> None:
    fill(driver, "Ana", "da Silva\n", "+14155550101\n")
    assert rows(phone) == []
    driver.tap_text("Save")
    assert rows(phone) == [{"display_name": "Ana da Silva", "number": "+14155550101"}]
    assert phone.activities.foreground.cls.endswith("QuickContactActivity")
    assert driver.sees("Ana da Silva") and driver.sees("+14155550101") and driver.sees("Mobile")
    driver.back()
    assert driver.sees("Ana da Silva") and phone.activities.foreground.cls.endswith("PeopleActivity")


def test_draft_form_keeps_hints_and_describes_the_label(phone: Phone, driver: Driver) -> None:
    pytest.importorskip("android_env")
    fill(driver, "Eva", "Lee", "799-802-1530")
    driver.hide_keyboard()
    driver.tap_description("Mobile Phone")
    driver.tap_text("Work")
    nodes = [node for window in phone.forest().windows for node in window.tree.nodes]
    typed = {(node.text, node.hint_text) for node in nodes if node.hint_text}
    assert {("Eva", "First name"), ("Lee", "Last name"), ("799-802-1530", "Phone")} <= typed
    assert ("Work", "Work Phone") in {(node.text, node.content_description) for node in nodes}
    assert rows(phone) == []


def test_the_label_lies_just_below_the_number(driver: Driver) -> None:
    driver.tap_description("Create contact")
    number, label = driver.field("Phone"), driver.get(desc="Mobile Phone")
    height = number.bounds[3] - number.bounds[1]
    assert number.bounds[3] <= label.bounds[1] <= number.bounds[3] + height


def test_insert_intent_save_and_back(phone: Phone) -> None:
    driver = Driver(phone)
    phone.start_activity(Intent(INSERT, mime=MIME, extras={"name": "Ian Pereira", "phone": "+19093406621"}))
    assert driver.field("first").text == "Ian" and driver.field("last").text == "Pereira"
    driver.tap_text("Save")
    driver.back()
    assert phone.activities.foreground.home
    assert rows(phone) == [{"display_name": "Ian Pereira", "number": "+19093406621"}]


def test_leaving_asks_only_if_something_was_typed(phone: Phone, driver: Driver) -> None:
    driver.tap_description("Create contact")
    driver.tap_description("Cancel")
    assert driver.sees("Search contacts")
    fill(driver, "Ana", "Lee", "1")
    driver.tap_description("Cancel")
    assert driver.sees("Your changes have not been saved")
    driver.tap_text("Discard")
    assert driver.sees("Search contacts") and rows(phone) == []


def test_edit_star_and_delete(phone: Phone, driver: Driver) -> None:
    phone.contacts.save(Contact(first="Bo", last="Ek", company="Acme", phones=[PhoneNumber("5550199", 1)]))
    phone.contacts.save(Contact(first="Al", last="Oz", phones=[PhoneNumber("5550100")]))
    before = phone.sqlite(
        "/data/data/com.android.providers.contacts/databases/contacts2.db", "SELECT * FROM raw_contacts WHERE _id = 2"
    )
    driver.tap_text("Bo Ek")
    assert driver.sees("Acme") and driver.sees("Home")
    driver.tap_description("Add to favorites")
    driver.tap_description("Edit contact")
    driver.type_into("Bo", "Boris", clear=True)
    driver.tap_text("Save")
    assert {r["display_name"] for r in rows(phone)} == {"Boris Ek", "Al Oz"}
    assert phone.contacts.find("5550199") == Contact(
        1, "Boris", "Ek", "Acme", [PhoneNumber("5550199", 1)], [], starred=True
    )  # fmt: skip
    driver.tap_description("More options")
    driver.tap_text("Delete")
    driver.tap_text("Delete")
    assert [r["display_name"] for r in rows(phone)] == ["Al Oz"]
    after = phone.sqlite(
        "/data/data/com.android.providers.contacts/databases/contacts2.db", "SELECT * FROM raw_contacts WHERE _id = 2"
    )
    assert before == after, "other people are not touched"


def test_search_and_places(phone: Phone, driver: Driver) -> None:
    for first in ("Ana", "Bo", "Cy"):
        phone.contacts.save(Contact(first=first, phones=[PhoneNumber(f"555{ord(first[0])}")], starred=first == "Cy"))
    driver.type_into("Search contacts", "bo")
    assert driver.sees("Bo") and not driver.sees("Ana")
    driver.back()
    driver.back()
    assert driver.sees("Ana")
    driver.tap_text("Highlights")
    assert driver.sees("Cy") and not driver.sees("Ana")


def test_view_intents(phone: Phone) -> None:
    number = phone.contacts.save(Contact(first="Ana", phones=[PhoneNumber("555")]))
    phone.start_activity(Intent(VIEW, data="content://contacts/people/"))
    assert phone.activities.foreground.package == PACKAGE
    phone.start_activity(Intent(VIEW, data=f"content://com.android.contacts/contacts/{number}"))
    assert Driver(phone).sees("Contact info")


def test_text_and_call_lead_to_other_apps(phone: Phone, driver: Driver) -> None:
    phone.contacts.save(Contact(first="Ana", phones=[PhoneNumber("+1555")]))
    driver.tap_text("Ana")
    driver.tap_description("Text")
    assert phone.activities.foreground.package == "com.simplemobiletools.smsmessenger"
    driver.open_app(PACKAGE)
    driver.tap_description("Call")
    assert phone.activities.foreground.cls == "com.android.incallui.InCallActivity"


def test_clearing_the_provider_empties_the_list(phone: Phone, driver: Driver) -> None:
    phone.contacts.save(Contact(first="Ana"))
    phone.clear_package("com.android.providers.contacts")
    driver.open_app(PACKAGE)
    assert driver.sees("No contacts in this account") and rows(phone) == []


def test_snapshot_in_the_middle_of_the_form(phone: Phone, driver: Driver) -> None:
    fill(driver, "Ana", "Lee", "555")
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_text("Save")
    phone.restore(kept)
    assert phone.state_hash() == name and rows(phone) == [] and driver.field("first").text == "Ana"
    driver.tap_text("Save")
    assert rows(phone) == [{"display_name": "Ana Lee", "number": "555"}]


def test_names_are_split_at_the_first_blank() -> None:
    assert split_name(" Ana da Silva ") == ("Ana", "da Silva")
    assert split_name("Ana") == ("Ana", "") and split_name("") == ("", "")
