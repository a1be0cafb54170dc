"""Typing over adb on a pocket phone: exact, by the route that can carry it, read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emulator.device_errors import InputMethodNotActive, TextNotTyped
from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.shell import table

LATIN = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
U2 = "com.github.uiautomator/.AdbKeyboard"


def open_field(device: Any) -> None:
    """Contacts' editor with the focus in its first field."""
    device.open_app("Contacts")
    new = next(e for e in device.ui_tree().elements if e.label == "Create contact")
    device.tap(*new.center)
    first = next(e for e in device.ui_tree().elements if e.editable)
    device.tap(*first.center)


def field_text(device: Any) -> str:
    """What the phone itself says the focused field holds."""
    view = device.handle.phone.editor.field()
    assert view is not None
    return str(view.text)


@pytest.fixture
def editor(device: Any) -> Any:
    open_field(device)
    return device


@pytest.mark.parametrize(
    "text",
    [
        "hello world",
        "it's (ok)",
        "a; input keyevent 3",
        "$(reboot) `reboot` ${HOME} && || > /sdcard/x < y",
        "* ? ~ [a-z] {a,b} ! % ^ #",
        "100%sure 50 %s",
        '"quoted" \\ back\\slash \\n',
        " leading and trailing ",
        "-n --help",
        "价格（元）",
        "＄HOME；ls",
        "café ½ cup ok 😀 👩‍👩‍👧 さくら",
        "עברית العربية",
    ],
)
def test_exactly_this_text(editor: Any, text: str) -> None:
    editor.type_text(text)
    assert field_text(editor) == text
    assert not editor.handle.endpoint.unknown


@pytest.mark.slow
def test_long_texts(editor: Any) -> None:
    for text in ("0123456789 abc, def " * 120 + "%s" * 9, "价格😀" * 1500):
        editor.type_text(text, clear=True)
        assert field_text(editor) == text


def test_clear_and_append(editor: Any) -> None:
    editor.type_text("one")
    editor.type_text(" two")
    assert field_text(editor) == "one two"
    editor.type_text("three", clear=True)
    assert field_text(editor) == "three"
    editor.type_text("", clear=True)
    assert field_text(editor) == ""
    editor.type_text("", clear=True)


def test_a_line_feed_is_enter(editor: Any) -> None:
    first = editor.handle.phone.activities.top.focus
    editor.type_text("Anna\r\nSmith")
    assert editor.handle.phone.activities.top.focus != first, "Enter goes to the next field"
    assert field_text(editor) == "Smith"


def test_the_users_keyboard_comes_back(editor: Any) -> None:
    secure = editor.handle.phone.settings["secure"]
    assert secure["default_input_method"] == LATIN
    with editor:
        editor.type_text("é")
        assert secure["default_input_method"] == U2
    assert secure["default_input_method"] == LATIN
    editor.close()


def test_ascii_leaves_the_keyboard_alone(editor: Any) -> None:
    editor.type_text("plain")
    assert editor.handle.phone.settings["secure"]["default_input_method"] == LATIN
    assert U2.partition("/")[0] not in editor.handle.phone.packages


def test_a_composing_keyboard_gets_no_keys(editor: Any) -> None:
    editor.handle.phone.settings["secure"]["default_input_method"] = "com.sohu.inputmethod.sogou/.SogouIME"
    editor.type_text("hello")
    assert field_text(editor) == "hello"
    assert editor.handle.phone.settings["secure"]["default_input_method"] == U2


def test_without_a_test_keyboard_the_clipboard_carries_it(plug: Callable[..., Any]) -> None:
    device = plug(install_keyboard=False)
    open_field(device)
    device.handle.phone.clipboard = "mine"
    device.type_text("价格 é")
    assert field_text(device) == "价格 é"
    assert device.handle.phone.clipboard == "mine", "put back"


def test_no_route_is_a_refusal(plug: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from emulator import u2_server

    monkeypatch.setattr(u2_server, "available", lambda: False)
    device = plug(hierarchy="dump")
    open_field(device)
    with pytest.raises(TextNotTyped, match="test keyboard"):
        device.type_text("价格")
    assert field_text(device) == ""


def test_a_keyboard_that_does_not_become_active_is_an_error(editor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ime = table.COMMANDS["ime"]
    monkeypatch.setitem(table.COMMANDS, "ime", lambda context: 1 if "set" in context.arguments else ime(context))
    with pytest.raises(InputMethodNotActive, match="would not become"):
        editor.type_text("é")
    assert field_text(editor) == ""


@pytest.mark.parametrize("bad", ["\ud83d", "a\x00b", "a\x1bb", "\x7f"])
def test_what_is_no_text_is_refused(editor: Any, bad: str) -> None:
    with pytest.raises(TextNotTyped):
        editor.type_text(bad)
    assert field_text(editor) == ""


def test_lost_characters_are_typed_again_when_the_field_was_empty(editor: Any) -> None:
    editor.handle.phone.faults.add(Fault(FaultKind.LOST_CHARACTERS, value="2"))
    editor.type_text("hello")
    assert field_text(editor) == "hello"


def test_lost_characters_in_a_full_field_are_an_error(editor: Any) -> None:
    editor.type_text("abc")
    editor.handle.phone.faults.add(Fault(FaultKind.LOST_CHARACTERS, value="2"))
    with pytest.raises(TextNotTyped, match="the field holds 'abcllo'"):
        editor.type_text("hello")


def test_without_a_field_nothing_happens(device: Any) -> None:
    device.press("home")
    device.type_text("hello")
    device.type_text("é")


def test_the_keyboard_is_hidden_only_if_shown(editor: Any) -> None:
    phone = editor.handle.phone
    assert phone.keyboard.visible
    screen = phone.activities.top
    assert editor.hide_keyboard() and not phone.keyboard.visible
    assert not editor.hide_keyboard()
    assert phone.activities.top is screen, "BACK did not leave the screen"


@pytest.mark.parametrize(("typed", "held"), [("abc", ""), ("a1b2", "12"), ("$5", "5")])
def test_a_number_field_refuses_letters_and_that_is_its_right(
    editor: Any, monkeypatch: pytest.MonkeyPatch, typed: str, held: str
) -> None:
    phone = editor.handle.phone
    text = phone.text
    monkeypatch.setattr(phone, "text", lambda given: text("".join(c for c in given if c.isdigit())))
    editor.type_text(typed)
    assert field_text(editor) == held


@pytest.mark.slow
def test_a_field_that_takes_nothing_is_an_error(editor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor.handle.phone, "text", lambda given: None)
    with pytest.raises(TextNotTyped):
        editor.type_text("abc")
