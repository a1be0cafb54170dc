"""input: what fingers and keys do.

Definition: AOSP InputShellCommand.java. `swipe` without movement and with 400 ms or more is a long press.
"""

from __future__ import annotations

import re
from typing import Literal

from emulator.pocket.shell.context import Command, Context


def input_(context: Context) -> int:
    """`input [SOURCE] [-d DISPLAY] text|keyevent|tap|swipe|draganddrop|press|motionevent|keycombination ...`."""
    words = list(context.arguments)
    while words and words[0] in ("touchscreen", "keyboard", "mouse", "touchpad", "dpad", "stylus", "gamepad"):
        words.pop(0)
    if words[:1] == ["-d"]:
        del words[:2]
    verb, rest = (words[0] if words else ""), words[1:]
    if verb not in INPUT_VERBS:
        context.err(f"Error: Unknown command: {verb}\n")
        return 255
    try:
        return INPUT_VERBS[verb](context, rest)
    except (ValueError, IndexError):
        context.err(f"Error: Invalid arguments for command: {verb}\n")
        return 255


def _points(words: list[str], count: int) -> list[float]:
    values = [float(word) for word in words[:count]]
    if len(values) < count or not all(abs(value) < 1e6 for value in values):
        raise ValueError(words)
    return values


def _tap(context: Context, words: list[str]) -> int:
    x, y = _points(words, 2)
    context.phone.tap(int(x), int(y))
    return 0


def _swipe(context: Context, words: list[str]) -> int:
    x, y, to_x, to_y = _points(words, 4)
    duration = int(words[4]) if len(words) > 4 else 300
    context.phone.swipe(int(x), int(y), int(to_x), int(to_y), max(0, duration))
    return 0


def _drag(context: Context, words: list[str]) -> int:
    x, y, to_x, to_y = _points(words, 4)
    context.phone.drag(int(x), int(y), int(to_x), int(to_y), int(words[4]) if len(words) > 4 else 1000)
    return 0


def _text(context: Context, words: list[str]) -> int:
    """What has no key on the key map makes Android's `input text` fail with a NullPointerException: so does this."""
    text = words[0].replace("%s", " ")
    if not text.isascii():
        context.err("Exception occurred while executing 'text':\njava.lang.NullPointerException: ")
        context.err("Attempt to get length of null array\n")
        return 255
    context.phone.text(text)
    return 0


def _keys(context: Context, words: list[str]) -> int:
    long = "--longpress" in words
    times = 2 if "--doubletap" in words else 1
    names = [word for word in words if not word.startswith("--")]
    if not names:
        raise ValueError("no key")
    for name in names * times:
        press(context, name, long=long)
    return 0


def press(context: Context, name: str, *, long: bool = False) -> None:
    """A key by Android's name (with or without KEYCODE_) or number; an unknown one is a ValueError."""
    context.phone.key(int(name) if re.fullmatch(r"\d+", name) else name)


def _combination(context: Context, words: list[str]) -> int:
    names = [word for word in words if word not in ("-t",)]
    if len(names) < 2:
        raise ValueError("at least two keys")
    context.phone.key_combination([int(name) if name.isdigit() else name for name in names])
    return 0


def _motion(context: Context, words: list[str]) -> int:
    x, y = _points(words[1:], 2)
    if words[0] not in ("DOWN", "UP", "MOVE", "CANCEL"):
        raise ValueError(words[0])
    kinds: dict[str, Literal["down", "move", "up"]] = {"DOWN": "down", "MOVE": "move", "UP": "up", "CANCEL": "up"}
    context.phone.touch(kinds[words[0]], int(x), int(y))
    return 0


def _nothing(context: Context, words: list[str]) -> int:
    return 0


INPUT_VERBS = {
    "tap": _tap,
    "swipe": _swipe,
    "draganddrop": _drag,
    "text": _text,
    "keyevent": _keys,
    "keycombination": _combination,
    "motionevent": _motion,
    "press": _nothing,
    "roll": _nothing,
}


COMMANDS: dict[str, Command] = {"input": input_}
