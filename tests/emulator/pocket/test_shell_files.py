"""Files through the device shell: the exact forms AndroidWorld uses, toybox's formats, bad input."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

from emulator.pocket.phone import Phone
from emulator.pocket.shell.interpreter import Result, Shell


@pytest.fixture
def shell() -> Shell:
    return Shell(Phone(size=(540, 1200)))


def ok(shell: Shell, line: str) -> str:
    result: Result = shell.run(line)
    assert result.status == 0, result.output.decode()
    return result.output.decode()


def test_create_and_read_as_android_world_does(shell: Shell) -> None:
    folder = "/storage/emulated/0/Documents/Markor"
    ok(shell, f"mkdir -p {folder}")
    ok(shell, f"echo 'Don'\"'\"'t forget; $HOME `x` \"q\"' > {folder}/note.md")
    assert ok(shell, f"cat {folder}/note.md") == 'Don\'t forget; $HOME `x` "q"\n'
    assert ok(shell, "cat /sdcard/Documents/Markor/note.md") == ok(shell, "cat /data/media/0/Documents/Markor/note.md")


def test_long_listing_has_nine_columns_and_access_time(shell: Shell) -> None:
    ok(shell, "echo hello > /sdcard/Music/'a song.mp3'")
    before = ok(shell, "ls /sdcard/Music -ll -au")
    line = next(line for line in before.splitlines() if line.startswith("-"))
    parts = line.split(None, 8)
    assert parts[4] == "6" and parts[8] == "a song.mp3" and parts[7] == "+0000"
    assert datetime.fromisoformat(f"{parts[5]} {parts[6][:-3]}") == datetime(2023, 10, 15, 15, 34)
    ok(shell, "sleep 60; cat '/sdcard/Music/a song.mp3'")
    assert ok(shell, "ls /sdcard/Music -ll -au") == before, "reading must not change what the listing shows"


def test_find_prints_the_prefix_it_was_given(shell: Shell) -> None:
    ok(shell, "mkdir -p /sdcard/Download/d; echo x > /sdcard/Download/d/f.txt")
    assert ok(shell, "find /sdcard/Download -type f -o -type d").splitlines() == [
        "/sdcard/Download",
        "/sdcard/Download/d",
        "/sdcard/Download/d/f.txt",
    ]
    assert ok(shell, "find /sdcard/Download -name '*.txt'") == "/sdcard/Download/d/f.txt\n"
    ok(shell, "find /storage/emulated/0/ -mindepth 1 -type f -delete")
    assert ok(shell, "find /sdcard -type f") == ""
    assert ok(shell, "ls -d /sdcard/Download/d") == "/sdcard/Download/d\n"


def test_copy_of_a_directorys_content_and_its_clearing(shell: Shell) -> None:
    ok(
        shell,
        "mkdir -p /data/data/p/databases /data/snap; echo 1 > /data/data/p/databases/a.db; echo 2 > /data/data/p/b",
    )
    ok(shell, "cp -a /data/data/p/. /data/snap/")
    ok(shell, "rm -r /data/data/p/*")
    assert ok(shell, "ls -1 /data/data/p") == ""
    ok(shell, "cp -a /data/snap/. /data/data/p/; restorecon -RD /data/data/p; chmod 777 -R /data/data/p")
    assert ok(shell, "cat /data/data/p/databases/a.db /data/data/p/b") == "1\n2\n"
    assert ok(shell, "stat -c %a /data/data/p/b") == "777\n"


def test_status_and_words_for_what_is_missing(shell: Shell) -> None:
    for line, words in (
        ("ls /nope", "ls: /nope: No such file or directory"),
        ("cat /nope", "cat: /nope: No such file or directory"),
        ("rm /nope", "rm: /nope: No such file or directory"),
        ("rm /sdcard", "rm: /sdcard: Is a directory"),
        ("mkdir /sdcard", "mkdir: /sdcard: File exists"),
        ("mkdir /a/b/c", "mkdir: /a/b/c: No such file or directory"),
        ("rmdir /sdcard", "rmdir: /sdcard: Directory not empty"),
        ("echo x > /nope/f", "can't create /nope/f: No such file or directory"),
        ("cat < /nope", "can't open /nope: No such file or directory"),
        ("cp /nope /sdcard", "cp: /nope: No such file or directory"),
    ):
        result = shell.run(line)
        assert result.status == 1 and words in result.output.decode(), line
    assert shell.run("rm -f /nope").status == 0
    assert shell.run("ls -@").status == 1


def test_no_path_leaves_the_phone(shell: Shell, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("host")
    climb = "/sdcard/../../../../../.."
    assert shell.run(f"cat {climb}{secret}").status == 1
    assert shell.run(f"echo gone > {climb}{secret}").status == 1
    assert shell.run(f"cp /system/build.prop {climb}{tmp_path}/x").status == 1
    assert shell.run(f"mkdir -p {climb}{tmp_path}/made").status == 0, "made inside the phone"
    assert secret.read_text() == "host" and not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "statement", ["ATTACH DATABASE '{}' AS e; CREATE TABLE e.t(x)", "VACUUM INTO '{}'", "ATTACH '{}' AS e"]
)
def test_no_sql_reaches_the_hosts_disk(shell: Shell, tmp_path: Path, statement: str) -> None:
    target = tmp_path / "evil.db"
    ok(shell, 'sqlite3 /data/x.db "CREATE TABLE t(a); INSERT INTO t VALUES (1)"')
    assert shell.run(f'sqlite3 /data/x.db "{statement.format(target)}"').status == 1
    where = f"1) UNION SELECT 1; {statement.format(target)}; --"
    assert shell.run(f'content query --uri content://sms/sent --where "{where}"').status == 1
    assert not target.exists()


def test_a_full_disk_is_an_error_and_nothing_more(shell: Shell) -> None:
    shell.phone.fs.quota = shell.phone.fs.used + 100
    result = shell.run("echo " + "x" * 200 + " > /sdcard/big")
    assert result.status == 1 and b"No space left on device" in result.output
    ok(shell, "echo small > /sdcard/small")
    assert ok(shell, "cat /sdcard/small") == "small\n"


def test_sqlite_prints_as_the_device_does(shell: Shell) -> None:
    db = "/data/data/com.example/databases/x.db"
    ok(shell, f"mkdir -p {db.rpartition('/')[0]}")
    ok(shell, f"sqlite3 {db} \"CREATE TABLE t(a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x|y'), (2, NULL);\"")
    assert ok(shell, f'sqlite3 {db} "SELECT * FROM t ORDER BY a"') == "1|x|y\n2|\n"
    assert ok(shell, f"echo 'SELECT count(*) FROM t;' | sqlite3 {db}") == "2\n"
    result = shell.run(f'sqlite3 {db} "SELECT * FROM none"')
    assert result.status == 1 and b"no such table: none" in result.stderr


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("printf 'b\\na\\nb\\n' | sort | uniq -c", "      1 a\n      2 b\n"),
        ("printf '1 2\\n3 4\\n' | cut -d ' ' -f 2", "2\n4\n"),
        ("seq 5 | head -n 2; seq 5 | tail -n 1", "1\n2\n5\n"),
        ("printf 'a\\nb\\n' | sed -n '2p'", "b\n"),
        ("echo path=/a/b | sed 's|/a/|/c/|'", "path=/c/b\n"),
        ("echo aXbX | sed -E 's/([a-z])X/\\1-/g'", "a-b-\n"),
        ("printf 'visible=true x\\nvisible=false y\\n' | grep -E visible=true", "visible=true x\n"),
        ("printf 'one\\ntwo\\n' | grep -c o; printf 'one\\n' | grep -o 'n.'", "2\nne\n"),
        ("echo hello | md5sum", "b1946ac92492d2347c6235b4d2611184  -\n"),
        ("echo aGk= | base64 -d", "hi"),
        ("echo a b | wc -w; basename /a/b.txt .txt; dirname /a/b.txt", "2\nb\n/a\n"),
        ("printf 'a b\\n' | xargs -n 1 echo x", "x a\nx b\n"),
        ("printf '%05d|%-4s|%x\\n' 42 ab 255", "00042|ab  |ff\n"),
        ("echo one | tee /sdcard/t; cat /sdcard/t", "one\none\n"),
        ("test -f /system/build.prop && [ ! -d /nope ] && echo yes", "yes\n"),
        (
            "touch -d '2023-01-02 03:04:05' /sdcard/t; stat -c %Y /sdcard/t; ls -l /sdcard/t | cut -d ' ' -f 6,7",
            "1672628645\n2023-01-02 03:04\n",
        ),
    ],
)
def test_text_commands(shell: Shell, line: str, output: str) -> None:
    assert ok(shell, line) == output


def test_du_df_and_modes(shell: Shell) -> None:
    ok(shell, "mkdir /sdcard/m; echo x > /sdcard/m/f; chmod u=rw,go-rwx /sdcard/m/f")
    assert ok(shell, "ls -l /sdcard/m").splitlines()[1].startswith("-rw-------")
    assert re.fullmatch(r"\d+\t/sdcard/m\n", ok(shell, "du -s /sdcard/m"))
    assert "/storage/emulated" in ok(shell, "df")
    assert shell.run("chmod 9z9 /sdcard/m").status == 1


@pytest.mark.parametrize(
    "line", ["mv / /sdcard/x", "cp -r / /sdcard/x", "rm -r /", "mv /sdcard /sdcard/x", "cp -r /data /data/x"]
)
def test_a_tree_does_not_swallow_itself(shell: Shell, line: str) -> None:
    before = ok(shell, "find / -type d")
    assert shell.run(line).status == 1
    assert ok(shell, "find / -type d") == before
