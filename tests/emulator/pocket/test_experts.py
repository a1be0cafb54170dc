"""Scripted users: what the driver finds and does, in process and through a shell."""

from __future__ import annotations

import pytest

from emulator.pocket.contacts import Contact, PhoneNumber
from emulator.pocket.experts import clock, contacts, sms
from emulator.pocket.experts.driver import Action, Driver, NotOnScreen
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.experts.solutions import SOLUTIONS
from emulator.pocket.phone import Phone
from emulator.pocket.shell.endpoint import Endpoint
from emulator.pocket.shell.interpreter import Shell
from emulator.ui_tree import parse

CONTACTS = "com.google.android.contacts"
SETTINGS = "com.android.settings"


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    return Driver(phone, pause=phone.clock.advance)


@pytest.fixture
def over_shell(phone: Phone) -> Driver:
    endpoint = Endpoint(phone)
    return Driver(ShellDevice(lambda line: Shell(phone, endpoint).run(line).output.decode()))


def test_parse_keeps_order_parents_and_flags() -> None:
    node = '<node text="{}" resource-id="a.b:id/{}" class="android.widget.{}" package="a.b" content-desc="" bounds="{}"'
    xml = (
        "<hierarchy rotation=\"0\">"
        + node.format("", "list", "ListView", "[0,0][10,10]") + ' scrollable="true">'
        + node.format("x &amp; y", "t", "TextView", "[0,-4][10,4]") + "/>"
        + node.format("", "e", "EditText", "[2,2][4,9]") + ' focused="true"/>'
        + "</node></hierarchy>"
    )  # fmt: skip
    top, label, field = parse(xml)
    assert (top.index, top.parent, top.scrollable, top.editable) == (0, -1, True, False)
    assert (label.text, label.id, label.parent, label.center) == ("x & y", "t", 0, (5, 0))
    assert field.editable and field.focused and field.parent == 0 and field.bounds == (2, 2, 4, 9)


def test_what_is_missing_is_named_with_what_is_there(driver: Driver) -> None:
    driver.open_app(SETTINGS)
    with pytest.raises(NotOnScreen, match=r"'Sandwich' is not on the screen; there is: .*Battery"):
        driver.tap("Sandwich")
    with pytest.raises(NotOnScreen, match="no text field"):
        driver.type_into("Sandwich", "x")
    with pytest.raises(NotOnScreen):
        driver.scroll_to("Sandwich")
    with pytest.raises(NotOnScreen):
        driver.tap("Battery", index=5)


def test_scroll_to_finds_below_and_above(phone: Phone, driver: Driver) -> None:
    for n in range(60):
        phone.contacts.save(Contact(first=f"Person {n:02d}"))
    driver.open_app(CONTACTS)
    assert not driver.sees("Person 55")
    assert driver.scroll_to("Person 55").label == "Person 55"
    driver.scroll_to("Person 03")
    driver.tap_text("Person 03")
    assert driver.sees("Contact info")


def test_read_list_reads_what_is_out_of_sight(phone: Phone, driver: Driver) -> None:
    names = [f"Person {n:02d}" for n in range(40)]
    for name in names:
        phone.contacts.save(Contact(first=name))
    driver.open_app(CONTACTS)
    read = [text for text in driver.read_list() if text.startswith("Person")]
    assert list(dict.fromkeys(read)) == names


def test_tap_beside(phone: Phone, driver: Driver) -> None:
    for first, number in (("Ana", "111"), ("Bo", "222")):
        phone.contacts.save(Contact(first=first, phones=[PhoneNumber(number)]))
    driver.open_app("com.google.android.dialer")
    driver.tap_text("Contacts")
    driver.tap_beside("Bo", "Call Bo")
    assert driver.sees("222")
    with pytest.raises(NotOnScreen):
        driver.tap_beside("222", "End call")


def test_actions_are_told_before_they_happen(phone: Phone) -> None:
    seen: list[tuple[str, str]] = []

    def note(action: Action) -> None:
        seen.append((action.kind, phone.activities.foreground.package))

    driver = Driver(phone, on_action=note, pause=phone.clock.advance)
    driver.open_app(SETTINGS)
    driver.tap("Display")
    driver.swipe_up()
    driver.wait(3)
    driver.answer("42")
    driver.home()
    kinds = ["open_app", "tap", "swipe", "wait", "answer", "key"]
    assert [kind for kind, _ in seen] == [a.kind for a in driver.actions] == kinds
    assert seen[0][1] == phone.launcher.package and seen[1][1] == SETTINGS
    tap = driver.actions[1]
    assert tap.target is not None and tap.target.label == "Display" and tap.points == (tap.target.center,)
    assert driver.answered == "42"


def test_wait_for_gives_up(driver: Driver) -> None:
    start = len(driver.actions)
    with pytest.raises(NotOnScreen):
        driver.wait_for("Sandwich", 2)
    assert [a.text for a in driver.actions[start:]] == ["0.5"] * 4


def test_clear_and_type(phone: Phone, driver: Driver) -> None:
    driver.open_app(CONTACTS)
    driver.type_into("Search contacts", "one two")
    driver.type_into("one two", "three", clear=True)
    assert driver.field("open_search_bar").text == "three"


def test_scripts_run_through_a_shell_too(phone: Phone, over_shell: Driver) -> None:
    contacts.add_contact(over_shell, {"name": "Ana da Silva", "number": "+14155550101"})
    sms.send(over_shell, {"number": "+14155550101", "message": 'It\'s 100%s; "quoted" $HOME `id` & more | <x>'})
    clock.timer_entry(over_shell, {"hours": 1, "minutes": 2, "seconds": 3})
    assert phone.contacts.name_of("+14155550101") == "Ana da Silva"
    assert [r["body"] for r in phone.content.query("content://sms/sent")] == [
        'It\'s 100%s; "quoted" $HOME `id` & more | <x>'
    ]
    assert over_shell.sees("01h 02m 03s")
    with pytest.raises(ValueError, match="ASCII"):
        over_shell.type_text("\u00e9")


def test_solutions_have_the_names_of_tasks() -> None:
    assert {"ClockTimerEntry", "ContactsAddContact", "SimpleSmsSend", "SystemCopyToClipboard"} <= set(SOLUTIONS)


def test_the_picture_of_the_screen_comes_through_a_shell_too(phone: Phone, driver: Driver, over_shell: Driver) -> None:
    assert over_shell.screenshot() == driver.screenshot() == phone.screenshot_png()
