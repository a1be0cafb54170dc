"""Every command with arguments nobody would give: a status and a message, never a defect."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.pocket.phone import Phone
from emulator.pocket.shell.builtins import BUILTINS
from emulator.pocket.shell.interpreter import Shell, quote
from emulator.pocket.shell.table import COMMANDS

PHONE = Phone(size=(540, 1200))
ENDLESS = {"logcat", "app_process"}
WORDS = [
    "", "-", "--", "-x", "-n", "-c", "-d", "-e", "-f", "-S", "-w", "-m", "-p", "-t", "-v", "-r", "-i", "-R", "-a",
    "-u", "-k", "abc", "0", "-1", "99999999999999999999", "1e9", "1.5", "[", "(", ")", "{}", ";", "+", "*", "\\",
    "é", "%s", "%d", "a-", "-b", "/", "/sdcard", "/nope", "/system/build.prop", "..", "get", "put", "list",
    "start", "broadcast", "dump", "tap", "swipe", "text", "keyevent", "query", "--uri", "content://sms",
    "content://x", "--bind", "a:b:c", "stack", "remove", "packages", "clear", "call", "global", "enable", "wifi",
    "size", "SELECT 1", "s/a/b/", "s/(/b/", "/x/d", "-name", "-size", "-exec", "-mtime", "!",
    "com.android.settings", "--es", "--ei", "install", "activity", "package", "motionevent", "DOWN",
    "keycombination", "press",
]  # fmt: skip


@pytest.mark.parametrize("name", sorted((set(COMMANDS) | set(BUILTINS)) - ENDLESS))
@settings(max_examples=20, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=5))
def test_no_arguments_are_a_defect(name: str, words: list[str]) -> None:
    line = " ".join([name, *(quote(word.replace("\0", "")) for word in words)])
    result = Shell(PHONE, deadline=time.monotonic() + 5).run(line, b"one\ntwo\n")
    assert 0 <= result.status <= 255
    assert b"internal error" not in result.output, f"{line}\n" + "\n".join(
        entry.text for entry in list(PHONE.log.lines)[-12:]
    )


def test_endless_output_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from emulator.pocket.shell.streams import Buffer

    monkeypatch.setattr(Buffer, "LIMIT", 10_000)
    assert Shell(PHONE).run("while true; do echo x; done | head -n 1").stdout == b"x\n"
    assert Shell(PHONE).run("while true; do echo x; done").status == 141


def test_growing_values_come_to_an_end() -> None:
    shell = Shell(PHONE, deadline=time.monotonic() + 20)
    result = shell.run("x=aaaaaaaa; while true; do x=$x$x$x$x || exit 9; done")
    assert result.status == 9 and b"value too long" in result.stderr
