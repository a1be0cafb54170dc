"""The dialer: call state, call log, the call screen; and Clipper's broadcasts."""

from __future__ import annotations

import pytest

from emulator.pocket import calls
from emulator.pocket.apps import clipper
from emulator.pocket.apps.dialer import MAIN
from emulator.pocket.apps.dialer.places import PACKAGE
from emulator.pocket.contacts import INCOMING, MISSED, OUTGOING, Contact, PhoneNumber
from emulator.pocket.experts.driver import Driver
from emulator.pocket.intents import CALL, DIAL, Intent
from emulator.pocket.phone import Phone

NUMBER = "5551234567"


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    made = Driver(phone, pause=phone.clock.advance)
    made.open_app(PACKAGE)
    return made


def log(phone: Phone) -> list[tuple[str, int, int]]:
    """(number, type, duration) of the call log, newest first."""
    return [(r["number"], r["type"], r["duration"]) for r in phone.content.query("content://call_log/calls")]


def test_main_activity(phone: Phone, driver: Driver) -> None:
    assert phone.activities.foreground.component == f"{PACKAGE}/{MAIN}"


def test_call_from_the_key_pad(phone: Phone, driver: Driver) -> None:
    driver.tap_description("key pad")
    for digit in NUMBER:
        driver.tap_description(digit)
    driver.tap_description("dial")
    assert calls.state(phone) == calls.OFFHOOK and phone.activities.foreground.package == PACKAGE
    assert driver.sees(NUMBER) and driver.sees("Hold")
    driver.wait(30)
    driver.tap_description("End call")
    assert calls.state(phone) == calls.IDLE and phone.activities.foreground.cls != calls.IN_CALL
    assert log(phone) == [(NUMBER, OUTGOING, 31)]


def test_typing_goes_into_the_key_pad(phone: Phone, driver: Driver) -> None:
    driver.tap_description("key pad")
    driver.type_text("+1 555x01")
    assert driver.sees("+1 55501"), "letters can't be dialled"
    driver.tap_description("backspace")
    assert driver.sees("+1 5550")


def test_call_and_dial_intents(phone: Phone) -> None:
    driver = Driver(phone)
    phone.start_activity(Intent(DIAL, data=f"tel:{NUMBER}"))
    assert calls.state(phone) == calls.IDLE and driver.sees(NUMBER)
    phone.start_activity(Intent(CALL, data=f"tel:{NUMBER}"))
    assert calls.state(phone) == calls.OFFHOOK and calls.number(phone) == NUMBER
    phone.key("ENDCALL")
    assert calls.state(phone) == calls.IDLE and len(log(phone)) == 1
    phone.key("ENDCALL")
    assert phone.system.awake


def test_missed_call_and_return(phone: Phone) -> None:
    phone.contacts.save(Contact(first="Ana", phones=[PhoneNumber(NUMBER)]))
    driver = Driver(phone)
    calls.ring(phone, NUMBER)
    assert driver.sees("Incoming call") and driver.sees("Ana") and driver.sees(NUMBER)
    phone.key("ENDCALL")
    assert log(phone) == [(NUMBER, MISSED, 0)] and phone.system.notifications[-1].title == "Missed call"
    driver.open_app(PACKAGE)
    driver.tap_description("Call Ana")
    assert calls.state(phone) == calls.OFFHOOK and calls.number(phone) == NUMBER


def test_answer_after_going_home(phone: Phone) -> None:
    driver = Driver(phone)
    calls.ring(phone, NUMBER)
    driver.home()
    driver.open_app(PACKAGE)
    driver.tap_text("Return to call")
    driver.tap_description("Answer")
    assert calls.state(phone) == calls.OFFHOOK and log(phone)[0][1] == INCOMING
    calls.ring(phone, "999")
    assert calls.number(phone) == NUMBER and log(phone)[0][:2] == ("999", MISSED), "busy"


def test_decline(phone: Phone) -> None:
    driver = Driver(phone)
    calls.ring(phone, NUMBER)
    driver.tap_description("Decline")
    assert calls.state(phone) == calls.IDLE and phone.activities.foreground.home


def test_history_can_be_emptied(phone: Phone, driver: Driver) -> None:
    phone.contacts.log_call(NUMBER, OUTGOING)
    driver.open_app(PACKAGE)
    assert driver.sees(NUMBER)
    phone.content.delete("content://call_log/calls")
    driver.open_app(PACKAGE)
    assert driver.sees("Your call history is empty")


def test_a_call_survives_a_snapshot(phone: Phone) -> None:
    calls.dial(phone, NUMBER)
    kept, name = phone.snapshot(), phone.state_hash()
    calls.hang_up(phone)
    phone.restore(kept)
    assert phone.state_hash() == name and calls.state(phone) == calls.OFFHOOK
    Driver(phone).tap_description("End call")
    assert calls.state(phone) == calls.IDLE


def test_clipper_reads_only_in_front(phone: Phone) -> None:
    phone.clipboard = "secret"
    assert phone.broadcast(Intent("clipper.get")) == (0, "")
    phone.launch(clipper.PACKAGE)
    assert phone.activities.foreground.component == "ca.zgrs.clipper/ca.zgrs.clipper.Main"
    assert phone.broadcast(Intent("clipper.get")) == (-1, "secret")
    code, data = phone.broadcast(Intent("clipper.set", extras={"text": "new, it's"}))
    assert code == -1 and data and phone.clipboard == "new, it's"
    assert phone.broadcast(Intent("clipper.set"))[0] == 0 and phone.clipboard == "new, it's"
    phone.key("BACK")
    assert phone.activities.foreground.home


def test_clipper_service_can_be_stopped(phone: Phone) -> None:
    driver = Driver(phone)
    driver.open_app(clipper.PACKAGE)
    phone.clipboard = "x"
    driver.tap_text("Stop Service")
    assert phone.broadcast(Intent("clipper.get")) == (0, "")
    driver.tap_text("Start Service")
    assert phone.broadcast(Intent("clipper.get")) == (-1, "x")
