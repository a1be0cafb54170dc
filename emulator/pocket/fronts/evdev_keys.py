"""Keyboard codes of the emulator's sendKey to Android's key names.

Evdev codes: linux/input-event-codes.h; XKB codes are evdev + 8 (X11's keycodes on Linux). Browser key names: the W3C's
UI Events KeyboardEvent key values, with the emulator's own GoHome, GoBack and AppSwitch.
"""

from __future__ import annotations

XKB_OFFSET = 8
ROWS = {2: "1234567890", 16: "QWERTYUIOP", 30: "ASDFGHJKL", 44: "ZXCVBNM"}
EVDEV: dict[int, str] = {
    1: "ESCAPE",
    12: "MINUS",
    13: "EQUALS",
    14: "DEL",
    15: "TAB",
    26: "LEFT_BRACKET",
    27: "RIGHT_BRACKET",
    28: "ENTER",
    29: "CTRL_LEFT",
    39: "SEMICOLON",
    40: "APOSTROPHE",
    41: "GRAVE",
    42: "SHIFT_LEFT",
    43: "BACKSLASH",
    51: "COMMA",
    52: "PERIOD",
    53: "SLASH",
    54: "SHIFT_RIGHT",
    56: "ALT_LEFT",
    57: "SPACE",
    58: "CAPS_LOCK",
    96: "NUMPAD_ENTER",
    97: "CTRL_RIGHT",
    100: "ALT_RIGHT",
    102: "HOME",
    103: "DPAD_UP",
    104: "PAGE_UP",
    105: "DPAD_LEFT",
    106: "DPAD_RIGHT",
    107: "MOVE_END",
    108: "DPAD_DOWN",
    109: "PAGE_DOWN",
    111: "FORWARD_DEL",
    113: "VOLUME_MUTE",
    114: "VOLUME_DOWN",
    115: "VOLUME_UP",
    116: "POWER",
    139: "MENU",
    158: "BACK",
    172: "HOME",
    217: "SEARCH",
    580: "APP_SWITCH",
}
EVDEV |= {first + index: name for first, names in ROWS.items() for index, name in enumerate(names)}
BROWSER = {
    "Enter": "ENTER",
    "Backspace": "DEL",
    "Delete": "FORWARD_DEL",
    "Tab": "TAB",
    "Escape": "ESCAPE",
    "ArrowUp": "DPAD_UP",
    "ArrowDown": "DPAD_DOWN",
    "ArrowLeft": "DPAD_LEFT",
    "ArrowRight": "DPAD_RIGHT",
    "Home": "HOME",
    "GoHome": "HOME",
    "GoBack": "BACK",
    "AppSwitch": "APP_SWITCH",
    "Power": "POWER",
    "ContextMenu": "MENU",
    "AudioVolumeUp": "VOLUME_UP",
    "AudioVolumeDown": "VOLUME_DOWN",
    "AudioVolumeMute": "VOLUME_MUTE",
}
