"""Typing exactly what is asked: which route can carry a text, how it is quoted, and whether the field holds it.

Routes. `input text` turns characters into key events of a US keyboard: printable ASCII only, `%s` stands for a blank
(AOSP InputShellCommand.sendText), and a keyboard that composes (Pinyin, kana) would take the keys for its own. An
input method gets the text as base64 in a broadcast: uiautomator2's keyboard or ADBKeyBoard, whichever the phone has.
The clipboard is pasted by uiautomator2's server. A text goes by one route whole, or not at all: nothing is folded,
dropped or approximated (android_world env/adb_utils.py drops what is not ASCII).
"""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from emulator.device import Tree
from emulator.ui_tree import Element

Route = Literal["input text", "input method", "clipboard"]
COMPOSING = re.compile(
    "pinyin|sogou|baidu|iflytek|wubi|zhuyin|cangjie|chinese|japanese|mozc|wnn|simeji|korean|hangul|vietnamese", re.I
)
LONGEST_COMMAND = 1000  # characters of one `input text`
LONGEST_BROADCAST = 20_000  # UTF-8 bytes of one broadcast


@dataclass(frozen=True)
class InputMethod:
    """A keyboard that types what a broadcast holds. extra: name of the base64 text; answers: whether it says success.

    clear: the action that empties the field.
    """

    id: str
    action: str
    extra: str
    clear: str
    answers: bool

    @property
    def package(self) -> str:
        """Its package."""
        return self.id.partition("/")[0]

    def command(self, text: str) -> str:
        """The shell command that types `text`."""
        data = base64.b64encode(text.encode()).decode()
        return shlex.join(["am", "broadcast", "-a", self.action, "--es", self.extra, data])


# Sources: openatx/uiautomator2 _input.py @39742b7; senzhk/ADBKeyBoard README.
INPUT_METHODS = (
    InputMethod(
        "com.github.uiautomator/.AdbKeyboard", "ADB_KEYBOARD_INPUT_TEXT", "text", "ADB_KEYBOARD_CLEAR_TEXT", True
    ),
    InputMethod("com.android.adbkeyboard/.AdbIME", "ADB_INPUT_B64", "msg", "ADB_CLEAR_TEXT", False),
)


def by_keys(text: str) -> bool:
    """Whether `input text` can carry it."""
    return text.isascii() and text.isprintable()


def composes(keyboard: str) -> bool:
    """Whether key events would be composed by this keyboard (its id) into something else."""
    return COMPOSING.search(keyboard) is not None


def key_commands(text: str) -> Iterator[str]:
    """`input text` commands that type an ASCII text; ValueError for another.

    A blank is sent as `%s`. A literal `%s` is split between two commands, since there is no way to write it in one.
    """
    if not by_keys(text):
        raise ValueError("input text carries printable ASCII only")
    for part in _without_blank_signs(text):
        for start in range(0, len(part), LONGEST_COMMAND):
            yield "input text " + shlex.quote(part[start : start + LONGEST_COMMAND].replace(" ", "%s"))


def _without_blank_signs(text: str) -> Iterator[str]:
    """Pieces of which none holds `%s`."""
    start = 0
    for match in re.finditer("%(?=s)", text):
        yield text[start : match.end()]
        start = match.end()
    if start < len(text):
        yield text[start:]


def pieces(text: str, limit: int = LONGEST_BROADCAST) -> Iterator[str]:
    """The text in parts of at most `limit` UTF-8 bytes; no character is divided."""
    part: list[str] = []
    size = 0
    for character in text:
        length = len(character.encode("utf-8", "surrogatepass"))
        if size + length > limit:
            yield "".join(part)
            part, size = [], 0
        part.append(character)
        size += length
    if part:
        yield "".join(part)


def focused_field(tree: Tree) -> Element | None:
    """The text field with the focus."""
    return next((e for e in tree.elements if e.focused and e.editable), None)


def same_field(before: Element, after: Element) -> bool:
    """Whether both are the same field of the same app, as far as the hierarchy tells."""
    return (before.package, before.id, before.cls) == (after.package, after.id, after.cls)


def holds(before: str, after: str, typed: str, *, password: bool = False) -> bool:
    """Whether a field that showed `before` and now shows `after` has got `typed`.

    `before` may be the hint of an empty field. A field may add characters of its own (`(555) 010-1234`), change case,
    stop at its greatest length, or refuse a whole kind of characters (letters in a number field): those are the app's
    doing. Characters missing in any other way were lost on the way.
    """
    if password:
        return len(after) in {len(before) + len(typed), len(typed)}
    if inserted(before, after, typed):
        return True
    if is_within(before, after) and not is_within(after, before):
        rest = _without(after, before)
        return _explained(typed, rest)
    return after != before and _explained(typed, after)


def inserted(before: str, after: str, typed: str) -> bool:
    """Whether `after` is `typed` alone, or `before` with `typed` put in somewhere, perhaps over a selection."""
    if after == typed:
        return True
    at = after.find(typed)
    while at >= 0:
        head, tail = after[:at], after[at + len(typed) :]
        if before.startswith(head) and before.endswith(tail) and len(head) + len(tail) <= len(before):
            return True
        at = after.find(typed, at + 1)
    return False


def _explained(typed: str, got: str) -> bool:
    """Whether a field's own rules make `got` of `typed`: additions, case, a greatest length, kinds of characters.

    A field that drops a kind of characters adds no letters or digits: `12` for `½` is a loss, not a rule.
    """
    wanted, found = typed.casefold(), got.casefold()
    kinds = {_kind(c) for c in found}
    kept = "".join(c for c in wanted if _kind(c) in kinds)
    if not kept:
        return False
    if is_within(kept, found):
        added = _without(found, kept)
        return kept == wanted or not any(c.isalnum() for c in added)
    return kept.startswith(found) and len(found) >= min(4, len(kept))


def _kind(character: str) -> str:
    if character.isalpha():
        return "letter"
    return "digit" if character.isdigit() else "blank" if character.isspace() else "sign"


def is_within(inner: str, outer: str) -> bool:
    """Whether `outer` holds the characters of `inner` in their order."""
    left = iter(outer)
    return all(character in left for character in inner)


def _without(outer: str, inner: str) -> str:
    """`outer` less the characters of `inner` (the first of each, in order)."""
    kept, at = [], 0
    for character in outer:
        if at < len(inner) and character == inner[at]:
            at += 1
        else:
            kept.append(character)
    return "".join(kept)
