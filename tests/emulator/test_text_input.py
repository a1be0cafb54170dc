"""Routes of text: quoting exact for a POSIX shell, what a field may do with a text and what means that it was lost."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import text_input
from emulator.text_input import INPUT_METHODS, holds, inserted, key_commands, pieces

printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=60)


def typed_by(commands: list[str]) -> str:
    """What Android types for these commands: AOSP's reading of the argument (`%s` is a blank)."""
    return "".join(_sent(shlex.split(command)[2]) for command in commands)


def _sent(argument: str) -> str:
    """InputShellCommand.sendText, by its rule: a percent sign followed by s is a blank; one percent sign a time."""
    out, index = [], 0
    while index < len(argument):
        if argument[index] == "%" and argument[index + 1 : index + 2] == "s":
            out.append(" ")
            index += 2
        else:
            out.append(argument[index])
            index += 1
    return "".join(out)


@given(printable)
def test_keys_type_exactly_the_text(text: str) -> None:
    commands = list(key_commands(text))
    assert all(command.startswith("input text ") and len(shlex.split(command)) == 3 for command in commands)
    assert typed_by(commands) == text


@settings(max_examples=25, deadline=None)
@given(printable)
def test_a_real_shell_sees_one_argument(text: str) -> None:
    for command in key_commands(text):
        done = subprocess.run(
            ["sh", "-c", command.replace("input text", "printf %s", 1)], capture_output=True, check=True
        )
        assert done.stdout.decode() == shlex.split(command)[2]


def test_d52_apostrophe() -> None:
    (command,) = key_commands("it's (ok)")
    assert shlex.split(command) == ["input", "text", "it's%s(ok)"]


@pytest.mark.parametrize("text", ["%s", "100%s of", "%%s", "a %s%s b", "%", "% s"])
def test_a_percent_sign_stays_one(text: str) -> None:
    assert typed_by(list(key_commands(text))) == text


@pytest.mark.parametrize("text", ["é", "价格", "😀", "ａ", "a\tb", "a\nb", "\u00a0"])
def test_keys_refuse_what_they_cannot_carry(text: str) -> None:
    with pytest.raises(ValueError, match="ASCII"):
        list(key_commands(text))


@given(st.text(max_size=80), st.integers(4, 20))
def test_pieces_are_the_text(text: str, limit: int) -> None:
    parts = list(pieces(text, limit))
    assert "".join(parts) == text
    assert all(len(part.encode("utf-8", "surrogatepass")) <= limit for part in parts)


def test_input_methods_carry_base64_only() -> None:
    for method in INPUT_METHODS:
        words = shlex.split(method.command("价格; rm -rf / `x` $HOME"))
        assert words[:4] == ["am", "broadcast", "-a", method.action]
        assert words[-1].isascii() and not set(words[-1]) & set(";`$ ")


def test_composing_keyboards() -> None:
    assert text_input.composes("com.google.android.inputmethod.pinyin/.PinyinIME")
    assert text_input.composes("com.sohu.inputmethod.sogou/.SogouIME")
    assert not text_input.composes("com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME")
    assert not any(text_input.composes(method.id) for method in INPUT_METHODS)


@pytest.mark.parametrize(
    ("before", "after", "typed"),
    [
        ("", "hello", "hello"),
        ("First name", "Anna", "Anna"),  # the hint was shown
        ("abc", "abcdef", "def"),
        ("abc", "xabc", "x"),
        ("abc def", "abcXdef", "X"),  # over a selection
        ("Phone", "(555) 010-1234", "5550101234"),
        ("", "12", "a1b2"),  # a number field drops letters
        ("", "HELLO", "hello"),
        ("", "abcd", "abcdefgh"),  # a greatest length
        ("1", "1,234", "234"),
    ],
)
def test_what_a_field_may_do(before: str, after: str, typed: str) -> None:
    assert holds(before, after, typed)


@pytest.mark.parametrize(
    ("before", "after", "typed"),
    [
        ("", "", "hello"),
        ("First name", "First name", "hello"),
        ("", "ello", "hello"),
        ("", "hllo", "hello"),
        ("First name", "lo", "hello"),
        ("abc", "abcef", "def"),
        ("", "678577", "央视频"),
        ("", "cafe", "café"),
        ("", "12 cup", "½ cup"),
        ("", "ehllo", "hello"),  # out of order
    ],
)
def test_what_means_lost(before: str, after: str, typed: str) -> None:
    assert not holds(before, after, typed)


@given(st.text(max_size=20), st.text(min_size=1, max_size=10), st.integers(0, 20))
def test_an_insertion_is_recognized(before: str, typed: str, place: int) -> None:
    place = min(place, len(before))
    assert inserted(before, before[:place] + typed + before[place:], typed)


def test_passwords_count() -> None:
    assert holds("", "•••", "abc", password=True)
    assert not holds("", "••", "abc", password=True)
