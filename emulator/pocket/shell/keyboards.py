"""Input methods on the phone, and the broadcasts by which test keyboards are driven.

Two such keyboards are understood when they are installed and selected: ADBKeyBoard (com.android.adbkeyboard/.AdbIME,
senzhk/ADBKeyBoard) and uiautomator2's (com.github.uiautomator/.AdbKeyboard, openatx/uiautomator2 _input.py). As on a
real phone, their broadcasts do nothing while another keyboard is selected.
"""

from __future__ import annotations

import base64
import binascii

from emulator.pocket.intents import Intent
from emulator.pocket.phone import Phone

LATIN = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
U2_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"


def installed_keyboards(phone: Phone) -> list[str]:
    """Ids of the input methods, the built-in one first."""
    return [LATIN, *(name for name in (ADB_KEYBOARD, U2_KEYBOARD) if name.partition("/")[0] in phone.packages)]


def clear_field(phone: Phone) -> None:
    """Empty the focused field."""
    with phone.lock:
        if phone.editor.select_all():
            phone.editor.delete()
        phone.touched()


def keyboard_broadcast(phone: Phone, intent: Intent) -> tuple[int, str] | None:
    """(result code, data) if the broadcast is one a test keyboard answers; None if it is not theirs."""
    selected = phone.settings["secure"].get("default_input_method", "")
    if intent.action.startswith("ADB_KEYBOARD_"):
        if selected != U2_KEYBOARD or U2_KEYBOARD not in installed_keyboards(phone):
            return 0, ""
        return _u2(phone, intent)
    if intent.action.startswith(("ADB_INPUT_", "ADB_EDITOR_", "ADB_CLEAR_TEXT")):
        if selected == ADB_KEYBOARD and ADB_KEYBOARD in installed_keyboards(phone):
            _adb_keyboard(phone, intent)
        return 0, ""
    return None


def _u2(phone: Phone, intent: Intent) -> tuple[int, str]:
    match intent.action.removeprefix("ADB_KEYBOARD_"):
        case "INPUT_TEXT":
            text = _decoded(intent.text("text"))
            if text is None:
                return 0, "text is not base64"
            phone.text(text)
        case "SET_TEXT":
            clear_field(phone)
            phone.text(_decoded(intent.text("text")) or "")
        case "CLEAR_TEXT":
            clear_field(phone)
        case "EDITOR_CODE" | "SMART_ENTER":
            phone.key("KEYCODE_ENTER")
        case "HIDE":
            phone.keyboard.hide()
        case "GET_CLIPBOARD":
            return -1, base64.b64encode(phone.clipboard.encode()).decode()
        case _:
            return 0, ""
    return -1, "success"


def _adb_keyboard(phone: Phone, intent: Intent) -> None:
    match intent.action:
        case "ADB_INPUT_TEXT":
            phone.text(intent.text("msg"))
        case "ADB_INPUT_B64":
            phone.text(_decoded(intent.text("msg")) or "")
        case "ADB_INPUT_CHARS":
            phone.text("".join(chr(int(code)) for code in intent.text("chars").split(",") if code.strip().isdigit()))
        case "ADB_INPUT_CODE":
            phone.key(int(intent.text("code")) if intent.text("code").isdigit() else "KEYCODE_UNKNOWN")
        case "ADB_EDITOR_CODE":
            phone.key("KEYCODE_ENTER")
        case "ADB_CLEAR_TEXT":
            clear_field(phone)


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
