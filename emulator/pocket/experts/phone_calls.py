"""Solutions of AndroidWorld's phone tasks, which exist (task_evals/single/phone.py) but not in its registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

DIALER = "com.google.android.dialer"
SMS = "com.simplemobiletools.smsmessenger"


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


def answer(driver: Driver, params: Mapping[str, Any]) -> None:
    """Take the call that rings, going back to its screen first where that is not in front."""
    if not driver.sees("Answer"):
        driver.open_app(DIALER)
        driver.tap_text("Return to call")
    driver.tap_description("Answer")


def call_sender(driver: Driver, params: Mapping[str, Any]) -> None:
    """Call whoever wrote last, from the conversation."""
    driver.open_app(SMS)
    driver.tap_element(driver.get(id="conversation_address"))
    driver.tap_description("Dial number")


UNREGISTERED: dict[str, Script] = {
    "PhoneMakeCall": make_call,
    "PhoneRedialNumber": redial,
    "PhoneReturnMissedCall": redial,
    "PhoneAnswerCall": answer,
    "PhoneCallTextSender": call_sender,
}
