"""Android key codes by name (frameworks/base, KeyEvent.java): those a phone or an agent uses."""

from __future__ import annotations

CODES: dict[str, int] = {
    "SOFT_LEFT": 1, "SOFT_RIGHT": 2, "HOME": 3, "BACK": 4, "CALL": 5, "ENDCALL": 6, "STAR": 17, "POUND": 18,
    "DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22, "DPAD_CENTER": 23, "VOLUME_UP": 24,
    "VOLUME_DOWN": 25, "POWER": 26, "CAMERA": 27, "CLEAR": 28, "COMMA": 55, "PERIOD": 56, "ALT_LEFT": 57,
    "ALT_RIGHT": 58, "SHIFT_LEFT": 59, "SHIFT_RIGHT": 60, "TAB": 61, "SPACE": 62, "SYM": 63, "EXPLORER": 64,
    "ENVELOPE": 65, "ENTER": 66, "DEL": 67, "GRAVE": 68, "MINUS": 69, "EQUALS": 70, "LEFT_BRACKET": 71,
    "RIGHT_BRACKET": 72, "BACKSLASH": 73, "SEMICOLON": 74, "APOSTROPHE": 75, "SLASH": 76, "AT": 77, "NUM": 78,
    "PLUS": 81, "MENU": 82, "NOTIFICATION": 83, "SEARCH": 84, "PAGE_UP": 92, "PAGE_DOWN": 93, "ESCAPE": 111,
    "FORWARD_DEL": 112, "CTRL_LEFT": 113, "CTRL_RIGHT": 114, "CAPS_LOCK": 115, "META_LEFT": 117, "META_RIGHT": 118,
    "MOVE_HOME": 122, "MOVE_END": 123, "NUMPAD_ENTER": 160, "VOLUME_MUTE": 164, "APP_SWITCH": 187,
    "BRIGHTNESS_DOWN": 220, "BRIGHTNESS_UP": 221, "SLEEP": 223, "WAKEUP": 224, "CUT": 277, "COPY": 278, "PASTE": 279,
}  # fmt: skip
CODES |= {str(digit): 7 + digit for digit in range(10)}
CODES |= {chr(ord("A") + n): 29 + n for n in range(26)}
NAMES = {code: name for name, code in CODES.items()}
PLAIN = {
    55: ",", 56: ".", 62: " ", 68: "`", 69: "-", 70: "=", 71: "[", 72: "]", 73: "\\", 74: ";", 75: "'", 76: "/",
    77: "@", 81: "+", 17: "*", 18: "#",
}  # fmt: skip
SHIFTED = {
    55: "<", 56: ">", 62: " ", 68: "~", 69: "_", 70: "+", 71: "{", 72: "}", 73: "|", 74: ":", 75: '"', 76: "?",
    7: ")", 8: "!", 9: "@", 10: "#", 11: "$", 12: "%", 13: "^", 14: "&", 15: "*", 16: "(",
}  # fmt: skip
MODIFIERS = {57, 58, 59, 60, 113, 114, 117, 118}
SHIFTS = {59, 60}
CONTROLS = {113, 114}


def key_code(key: int | str) -> int:
    """Code of `66`, `"66"`, `"ENTER"` or `"KEYCODE_ENTER"`; ValueError for anything else."""
    if isinstance(key, int):
        return key
    name = key.strip().upper().removeprefix("KEYCODE_")
    if name in CODES and not (key.strip().isdecimal()):
        return CODES[name]
    if key.strip().isdecimal():
        return int(key)
    raise ValueError(f"unknown key {key!r}: give a number or an Android name such as KEYCODE_ENTER")


def character(code: int, shift: bool = False) -> str:
    """What a key types, '' for a key that types nothing."""
    if 29 <= code <= 54:
        letter = chr(ord("a") + code - 29)
        return letter.upper() if shift else letter
    if shift and code in SHIFTED:
        return SHIFTED[code]
    if 7 <= code <= 16:
        return str(code - 7)
    return PLAIN.get(code, "")
