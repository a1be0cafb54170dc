"""Simple SMS Messenger, driven by taps: what AndroidWorld's checks read of the provider and the screen."""

from __future__ import annotations

import pytest

from emulator.pocket.apps.sms_messenger.thread import PACKAGE
from emulator.pocket.contacts import Contact, PhoneNumber
from emulator.pocket.experts.driver import Driver
from emulator.pocket.intents import SEND, SENDTO, VIEW, Intent
from emulator.pocket.messages import MESSAGES_DB
from emulator.pocket.phone import Phone

NUMBER = "+14155550103"
WHOM, WHAT = "Add Contact or Number\u2026", "Type a message\u2026"


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    made = Driver(phone)
    made.open_app(PACKAGE)
    return made


def sent(phone: Phone) -> list[tuple[str, str]]:
    """(address, body) of content://sms/sent, newest first."""
    return [(r["address"], r["body"]) for r in phone.content.query("content://sms/sent")]


def test_send_to_a_new_number(phone: Phone, driver: Driver) -> None:
    driver.tap_description("New conversation")
    driver.type_into(WHOM, NUMBER + "\n")
    driver.tap_description("OK")
    driver.type_into(WHAT, "Don't forget, it's at 5.\n")
    assert sent(phone) == []
    driver.tap_text("SMS")
    assert sent(phone) == [(NUMBER, "Don't forget, it's at 5.")]
    row = phone.content.query("content://sms/sent")[0]
    assert phone.clock.now_ms() - row["date"] < 2000 and row["type"] == 2
    assert phone.activities.foreground.package == PACKAGE
    assert not any(text.startswith("Sending") for text in driver.texts())
    assert driver.field(WHAT).text == WHAT, "the field is empty again"
    driver.tap_text("SMS")
    assert len(sent(phone)) == 1, "an empty message isn't sent"


def test_reply_and_order(phone: Phone, driver: Driver) -> None:
    for number, body in (("+1111", "first"), ("+1222", "second"), ("+1111", "third")):
        phone.sms_received(number, body)
    assert [e.text for e in driver.find_all(id="conversation_address")] == ["+1111", "+1222"]
    driver.tap_text("+1222")
    driver.type_into(WHAT, "Answer")
    driver.tap_text("SMS")
    assert sent(phone) == [("+1222", "Answer")]
    driver.back()
    driver.back()
    assert [e.text for e in driver.find_all(id="conversation_address")] == ["+1222", "+1111"]


def test_an_opened_conversation_is_read_and_its_notification_goes(phone: Phone, driver: Driver) -> None:
    phone.sms_received("+1111", "hello")
    phone.sms_received("+1222", "hello")
    assert [r["read"] for r in phone.content.query("content://sms/inbox")] == [0, 0]
    driver.tap_text("+1111")
    assert {r["address"]: r["read"] for r in phone.content.query("content://sms/inbox")} == {"+1111": 1, "+1222": 0}
    assert [n.title for n in phone.system.notifications] == ["+1222"]


def test_sendto_intent_fills_recipient_and_body(phone: Phone) -> None:
    driver = Driver(phone)
    phone.start_activity(Intent(SENDTO, data=f"sms:{NUMBER}", extras={"sms_body": "It's me"}))
    assert phone.activities.foreground.package == PACKAGE and driver.sees(NUMBER) and driver.sees("It's me")
    assert sent(phone) == []
    driver.tap_text("SMS")
    assert sent(phone) == [(NUMBER, "It's me")]


@pytest.mark.parametrize("data", ["smsto:+1%20555?body=a%20b", "sms:+1 555?x=1&body=a%20b"])
def test_address_and_body_in_the_uri(phone: Phone, data: str) -> None:
    phone.start_activity(Intent(VIEW, data=data))
    Driver(phone).tap_text("SMS")
    assert sent(phone) == [("+1 555", "a b")]


def test_shared_text_goes_to_a_chosen_contact(phone: Phone) -> None:
    phone.contacts.save(Contact(first="Ana", phones=[PhoneNumber(NUMBER)]))
    driver = Driver(phone)
    phone.start_activity(Intent(SEND, mime="text/plain", extras={"android.intent.extra.TEXT": "shared"}))
    if driver.sees("Open with"):
        driver.tap_text("SMS Messenger")
        driver.tap_text("Just once")
    driver.tap_text("Ana")
    driver.tap_text("SMS")
    assert sent(phone) == [(NUMBER, "shared")]


def test_paste(phone: Phone, driver: Driver) -> None:
    phone.clipboard = "clip, it's"
    phone.start_activity(Intent(SENDTO, data=f"smsto:{NUMBER}"))
    driver.long_press(WHAT)
    driver.tap("Paste", index=-1)
    driver.tap_text("SMS")
    assert sent(phone) == [(NUMBER, "clip, it's")]


def test_copy_forward_and_delete_a_message(phone: Phone, driver: Driver) -> None:
    phone.sms_received("+1111", "keep")
    phone.sms_received("+1111", "the address")
    driver.tap_text("+1111")
    driver.long_press("the address")
    driver.tap_description("Copy to clipboard")
    assert phone.clipboard == "the address"
    driver.long_press("the address")
    driver.tap_description("Forward message")
    driver.type_into(WHOM, "+1222")
    driver.tap_description("OK")
    driver.tap_text("SMS")
    assert sent(phone) == [("+1222", "the address")]
    driver.back()
    driver.long_press("the address")
    driver.tap_description("Delete")
    driver.tap_text("Yes")
    assert [r["body"] for r in phone.content.query("content://sms/inbox")] == ["keep"]


def test_delete_conversations(phone: Phone, driver: Driver) -> None:
    for number in ("+1111", "+1222", "+1333"):
        phone.sms_received(number, "hi")
    driver.long_press("+1111")
    driver.tap_text("+1333")
    driver.tap_description("Delete")
    assert driver.sees("Are you sure you want to delete 2 conversations?")
    driver.tap_text("Yes")
    assert [r["address"] for r in phone.content.query("content://sms/inbox")] == ["+1222"]


def test_raw_deletes_empty_the_list(phone: Phone, driver: Driver) -> None:
    phone.sms_received("+1111", "hi")
    driver.open_app(PACKAGE)
    assert driver.sees("+1111")
    phone.sqlite(MESSAGES_DB, "DELETE FROM sms;")
    phone.sqlite(MESSAGES_DB, "DELETE FROM threads;")
    driver.open_app(PACKAGE)
    assert driver.sees("Start a conversation") and not driver.sees("+1111")
    phone.sms_received("+1111", "again")
    driver.tap_text("+1111")
    assert [e.text for e in driver.find_all(id="thread_message_body")] == ["again"]


def test_airplane_mode_sends_nothing(phone: Phone) -> None:
    phone.settings["global"]["airplane_mode_on"] = "1"
    driver = Driver(phone)
    phone.start_activity(Intent(SENDTO, data=f"sms:{NUMBER}", extras={"sms_body": "x"}))
    driver.tap_text("SMS")
    assert sent(phone) == [] and driver.sees("x"), "the text stays in the field"


def test_names_of_contacts_and_search(phone: Phone, driver: Driver) -> None:
    phone.contacts.save(Contact(first="Ana", last="Lee", phones=[PhoneNumber("+1 (415) 555-0103")]))
    phone.sms_received(NUMBER, "lunch?")
    phone.sms_received("+1222", "dinner?")
    driver.open_app(PACKAGE)
    assert driver.sees("Ana Lee")
    driver.type_into("Search", "lunch")
    assert driver.sees("Ana Lee") and not driver.sees("+1222")


def test_the_newest_message_is_in_sight(phone: Phone, driver: Driver) -> None:
    for n in range(40):
        phone.sms_received("+1111", f"message {n}")
    driver.tap_text("+1111")
    assert driver.sees("message 39") and not driver.sees("message 0")
    driver.type_into(WHAT, "mine")
    driver.tap_text("SMS")
    assert driver.sees("mine")
    driver.hide_keyboard()
    driver.scroll_to("message 0")


def test_notification_opens_the_conversation(phone: Phone) -> None:
    phone.sms_received("+1111", "psst")
    driver = Driver(phone)
    phone.key("NOTIFICATION")
    driver.tap_text("psst")
    assert phone.activities.foreground.cls.endswith("ThreadActivity") and driver.sees(WHAT)


def test_snapshot_in_the_middle_of_writing(phone: Phone, driver: Driver) -> None:
    phone.sms_received("+1111", "hi")
    driver.tap_text("+1111")
    driver.type_into(WHAT, "half")
    kept, name = phone.snapshot(), phone.state_hash()
    driver.tap_text("SMS")
    phone.restore(kept)
    assert phone.state_hash() == name and sent(phone) == []
    driver.type_text(" done")
    driver.tap_text("SMS")
    assert sent(phone) == [("+1111", "half done")]
