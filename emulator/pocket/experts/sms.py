"""Solutions of AndroidWorld's Simple SMS Messenger tasks, and of the clipboard task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

SMS = "com.simplemobiletools.smsmessenger"
CONTACTS = "com.google.android.contacts"
WHOM, WHAT = "Add Contact or Number\u2026", "Type a message\u2026"


def _new_conversation(driver: Driver, number: str) -> None:
    driver.open_app(SMS)
    driver.tap_description("New conversation")
    driver.type_into(WHOM, number)
    driver.tap_description("OK")


def _say(driver: Driver, message: str) -> None:
    driver.type_into(WHAT, message)
    driver.tap_text("SMS")


def send(driver: Driver, params: Mapping[str, Any]) -> None:
    """A message to a number nobody has written to."""
    _new_conversation(driver, params["number"])
    _say(driver, params["message"])


def reply(driver: Driver, params: Mapping[str, Any]) -> None:
    """An answer in the conversation with a number."""
    driver.open_app(SMS)
    driver.scroll_to(params["number"])
    driver.tap_text(params["number"])
    _say(driver, params["message"])


def reply_to_newest(driver: Driver, params: Mapping[str, Any]) -> None:
    """An answer in the topmost conversation."""
    driver.open_app(SMS)
    driver.tap_element(driver.get(id="conversation_address"))
    _say(driver, params["message"])


def send_clipboard(driver: Driver, params: Mapping[str, Any]) -> None:
    """What is on the clipboard, pasted into the message field."""
    _new_conversation(driver, params["number"])
    driver.long_press(WHAT)
    driver.tap("Paste", index=-1)
    driver.tap_text("SMS")


def forward_address(driver: Driver, params: Mapping[str, Any]) -> None:
    """What one person wrote last, read from the screen, to another person."""
    driver.open_app(SMS)
    driver.scroll_to(params["name2"])
    driver.tap_text(params["name2"])
    address = driver.find_all(id="thread_message_body")[-1].text
    driver.back()
    driver.tap_description("New conversation")
    driver.scroll_to(params["name1"])
    driver.tap_text(params["name1"])
    _say(driver, address)


def resend(driver: Driver, params: Mapping[str, Any]) -> None:
    """The own message, found by its place on the right, typed again."""
    driver.open_app(SMS)
    driver.scroll_to(params["name"])
    driver.tap_text(params["name"])
    bubbles = driver.find_all(id="thread_message_body")
    edge = max(bubble.bounds[2] for bubble in bubbles)
    own = [bubble.text for bubble in bubbles if bubble.bounds[2] == edge]
    _say(driver, own[-1])


def copy_to_clipboard(driver: Driver, params: Mapping[str, Any]) -> None:
    """Type the text into a search field, select it, copy it."""
    driver.open_app(CONTACTS)
    driver.type_into("Search contacts", params["clipboard_content"])
    driver.long_press_element(driver.get(id="open_search_bar"))
    driver.tap("Select all", index=-1)
    driver.tap("Copy", index=-1)


TASKS: dict[str, Script] = {
    "SimpleSmsSend": send,
    "SimpleSmsReply": reply,
    "SimpleSmsReplyMostRecent": reply_to_newest,
    "SimpleSmsSendClipboardContent": send_clipboard,
    "SimpleSmsSendReceivedAddress": forward_address,
    "SimpleSmsResend": resend,
    "SystemCopyToClipboard": copy_to_clipboard,
}
