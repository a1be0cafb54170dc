"""solar-emulator on the command line."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from emulator.cli import main; main()"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, check=False)


def test_help_is_quick() -> None:
    start = time.monotonic()
    result = run("--help")
    assert result.returncode == 0 and "pocket" in result.stdout and "screenshot" in result.stdout
    assert time.monotonic() - start < 3


def test_screenshot(tmp_path: Path) -> None:
    path = tmp_path / "s.png"
    assert run("screenshot", str(path), "--size", "540x1200", "--launch", "com.android.settings").returncode == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pocket", "--size", "5x5"], "--size '5x5'"),
        (["pocket", "--count", "0"], "--count 0"),
        (["pocket", "--adb-port", "80"], "--adb-port 80"),
        (["screenshot", "/tmp/x.png", "--launch", "no.such.app", "--size", "540x1200"], "--launch no.such.app"),
        (["export", "/tmp/x", "--episodes", "0"], "--episodes 0"),
    ],
)
def test_bad_input_is_one_line_and_status_2(words: list[str], message: str) -> None:
    result = run(*words)
    assert result.returncode == 2
    assert message in result.stderr and "Traceback" not in result.stderr and len(result.stderr.splitlines()) == 1


def test_phones_run_in_the_foreground_until_interrupted() -> None:
    pytest.importorskip("grpc")
    process = subprocess.Popen(
        [*COMMAND, "pocket", "--count", "2", "--size", "540x1200"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        text = ""
        while "Ctrl-C" not in text:
            line = process.stdout.readline()
            assert line, text
            text += line
        ports = [int(port) for port in re.findall(r"adb connect 127\.0\.0\.1:(\d+)", text)]
        assert len(ports) == 2 and not set(ports) & {5037, *range(5554, 5586)}
        for port in ports:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        taken = run("pocket", "--adb-port", str(ports[0]))
        assert taken.returncode == 2 and "can't be had" in taken.stderr
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        if process.stdout is not None:
            process.stdout.close()
