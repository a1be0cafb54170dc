"""The device shell's language: what a line prints and returns."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.pocket.phone import Phone
from emulator.pocket.shell.interpreter import Shell, quote

CASES = [
    ("echo a b  c", "a b c\n", 0),
    ("echo 'a b'  \"c  d\"", "a b c  d\n", 0),
    ("echo a\\ b \\$HOME", "a b $HOME\n", 0),
    ("echo it\"'\"s 'it'\"'\"'s'", "it's it's\n", 0),
    ("true && echo yes || echo no", "yes\n", 0),
    ("false && echo yes || echo no", "no\n", 0),
    ("false; echo $?", "1\n", 0),
    ("! false; echo $?", "0\n", 0),
    ("true & echo after", "after\n", 0),
    ("(exit 3); echo $?", "3\n", 0),
    ("exit 7", "", 7),
    ("x=1; (x=2); echo $x", "1\n", 0),
    ("x=1; { x=2; }; echo $x", "2\n", 0),
    ("echo $(echo a; echo b)", "a b\n", 0),
    ('echo "$(echo a; echo b)"', "a\nb\n", 0),
    ("echo `echo back`", "back\n", 0),
    ("echo $((1 + 2 * 3)) $((7 / 2)) $((-7 % 3))", "7 3 -1\n", 0),
    ("x=5; echo $((x * 2)) $(($x - 1))", "10 4\n", 0),
    ("echo ${none:-default} ${none} end", "default end\n", 0),
    ("x=abc.tar.gz; echo ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${#x}", "abc.tar abc tar.gz gz 10\n", 0),
    ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n", 0),
    ("if [ 1 -lt 2 ] && [ a = a ]; then echo t; fi", "t\n", 0),
    ("for i in 1 2 3; do echo -n $i; done; echo", "123\n", 0),
    ("for i in a b c; do if [ $i = b ]; then continue; fi; echo $i; done", "a\nc\n", 0),
    ("i=0; while [ $i -lt 5 ]; do i=$((i+1)); if [ $i = 3 ]; then break; fi; done; echo $i", "3\n", 0),
    ("i=3; until [ $i -eq 0 ]; do echo $i; i=$((i-1)); done", "3\n2\n1\n", 0),
    ("case file.txt in *.md) echo md;; *.txt|*.log) echo text;; *) echo other;; esac", "text\n", 0),
    ("echo err >&2; echo out", "err\nout\n", 0),
    ("(echo err >&2) 2>/dev/null; echo out", "out\n", 0),
    ("echo one > /sdcard/f; echo two >> /sdcard/f; cat < /sdcard/f", "one\ntwo\n", 0),
    ("nope 2>&1 | wc -l", "1\n", 0),
    ("printf 'a\\nb\\nc\\n' | grep -v b | tr a-z A-Z", "A\nC\n", 0),
    ('echo a b c | while read x y; do echo "$y-$x"; done', "b c-a\n", 0),
    ('set -- a \'b c\'; for x in "$@"; do echo "[$x]"; done; echo $#', "[a]\n[b c]\n2\n", 0),
    ("sh -c 'echo $0 $1' name arg", "name arg\n", 0),
    ("FOO=bar env | grep FOO; echo [$FOO]", "FOO=bar\n[]\n", 0),
    ("cd /sdcard && pwd; cd ../../..; pwd", "/sdcard\n/\n", 0),
    ("echo /sdcard/D*", "/sdcard/DCIM /sdcard/Documents /sdcard/Download\n", 0),
    ("echo '/sdcard/D*' \"/sdcard/D*\" /sdcard/none*", "/sdcard/D* /sdcard/D* /sdcard/none*\n", 0),
    ("echo 'a;b|c&d>e'", "a;b|c&d>e\n", 0),
    ("echo a # comment", "a\n", 0),
    ('\n\nif [ -d "/sdcard" ]; then\n  echo "Exists"\nelse\n  echo "Does not exist"\nfi\n', "Exists\n", 0),
    ("export ANDROID_LOG_TAGS=''; exec echo hi", "hi\n", 0),
    ("eval 'echo $((1+1))'", "2\n", 0),
    ("which ls; which screenrecord; echo $?", "/system/bin/ls\n1\n", 0),
    ("echo ä€😀", "ä€😀\n", 0),
]


@pytest.mark.parametrize(("line", "output", "status"), CASES)
def test_a_line_prints_and_returns(line: str, output: str, status: int) -> None:
    result = Shell(Phone(size=(540, 1200))).run(line)
    assert (result.output.decode(), result.status) == (output, status)


def test_unknown_command_is_127_and_counted() -> None:
    shell = Shell(Phone(size=(540, 1200)))
    result = shell.run("frobnicate --now; echo $?; frobnicate")
    assert result.status == 127
    assert result.stdout == b"127\n"
    assert b"frobnicate: inaccessible or not found" in result.stderr
    assert shell.unknown == {"frobnicate": 2}


@pytest.mark.parametrize("line", ["echo 'open", "if true; then", "f() { :; }", "echo $(", "cat <<EOF", ")", "a | | b"])
def test_syntax_errors_are_status_2(line: str) -> None:
    result = Shell(Phone(size=(540, 1200))).run(line)
    assert result.status == 2
    assert b"syntax error" in result.stderr


def test_streams_keep_their_order_and_their_kind() -> None:
    result = Shell(Phone(size=(540, 1200))).run("echo 1; echo 2 >&2; echo 3")
    assert (result.stdout, result.stderr, result.output) == (b"1\n3\n", b"2\n", b"1\n2\n3\n")


def test_an_endless_loop_ends_at_the_deadline() -> None:
    shell = Shell(Phone(size=(540, 1200)), deadline=time.monotonic() + 0.2)
    assert shell.run("while true; do :; done").status == 124


def test_endless_log_in_a_pipeline_ends_with_its_reader() -> None:
    assert Shell(Phone(size=(540, 1200))).run("logcat | head -n 1").stdout == b"--------- beginning of main\n"


def test_deep_nesting_is_refused_not_fatal() -> None:
    shell = Shell(Phone(size=(540, 1200)))
    assert shell.run("$(" * 500 + "echo" + ")" * 500).status == 2
    assert shell.run("{ " * 500 + "echo; " + "}; " * 500).status == 2
    assert shell.run('x=\'eval "$x"\'; eval "$x"').status == 2
    assert shell.run("echo alive").stdout == b"alive\n"


PHONE = Phone(size=(540, 1200))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1 \n;|&<>()$`'\"\\{}[]*?#=!~-/.é\0"), max_size=60))
def test_any_text_gives_a_status(text: str) -> None:
    result = Shell(PHONE, deadline=time.monotonic() + 1).run(text)
    assert 0 <= result.status <= 255


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40).filter(lambda text: "\0" not in text))
def test_quoted_text_is_one_argument_unchanged(text: str) -> None:
    result = Shell(PHONE).run(f"printf %s {quote(text)}")
    assert result.stdout.decode("utf-8", "surrogateescape") == text
