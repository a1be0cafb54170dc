"""Transport faults on request, and what clients then see."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from emulator.pocket.faults import Fault, FaultKind

Run = Callable[..., Any]


def test_truncated_output_has_exit_code_0(device: Run, handle: Any) -> None:
    handle.phone.faults.add(Fault(FaultKind.TRUNCATED_OUTPUT, value="5"))
    result = device("shell", "echo hello world; exit 9")
    assert (result.stdout, result.returncode) == (b"hello", 0)
    assert device("shell", "echo hello world").stdout == b"hello world\n", "once only"


def test_connection_dropped_mid_command(adb: Any, device: Run, handle: Any) -> None:
    handle.phone.faults.add(Fault(FaultKind.CONNECTION_DROPPED, value="5"))
    result = device("shell", "echo hello world")
    assert result.stdout in (b"", b"hello")
    adb.run("disconnect", handle.serial)
    adb.run("connect", handle.address)
    assert device("shell", "echo hello world").stdout == b"hello world\n"


def test_slow_command(device: Run, handle: Any) -> None:
    handle.phone.faults.add(Fault(FaultKind.SLOW_COMMAND, value="0.7"))
    start = time.monotonic()
    assert device("shell", "echo hi").stdout == b"hi\n"
    assert time.monotonic() - start >= 0.7


def test_hanging_command_holds_up_nobody_else(device: Run, handle: Any) -> None:
    handle.phone.faults.add(Fault(FaultKind.HANGING_COMMAND))
    with pytest.raises(subprocess.TimeoutExpired):
        device("shell", "echo hi", timeout=0.7)
    assert device("shell", "echo hi").stdout == b"hi\n"


@pytest.mark.slow  # adb itself waits 10 s for an offline device
def test_offline(adb: Any, handle: Any) -> None:
    handle.phone.faults.add(Fault(FaultKind.OFFLINE, times=-1))
    adb.run("connect", handle.address)
    assert f"{handle.serial}\toffline".encode() in adb.run("devices").stdout
    assert adb.run("-s", handle.serial, "shell", "echo hi").returncode == 1
    handle.phone.faults.clear()
    adb.run("disconnect", handle.serial)
    assert b"connected" in adb.run("connect", handle.address).stdout
    assert adb.run("-s", handle.serial, "shell", "echo hi").stdout == b"hi\n"
    handle.phone.faults.add(Fault(FaultKind.OFFLINE, times=-1))
    assert adb.run("-s", handle.serial, "shell", "echo hi").returncode != 0, "a live connection is cut too"
    adb.run("disconnect", handle.serial)


def test_unauthorized(adb: Any, handle: Any) -> None:
    handle.phone.faults.add(Fault(FaultKind.UNAUTHORIZED))
    adb.run("connect", handle.address)
    assert f"{handle.serial}\tunauthorized".encode() in adb.run("devices").stdout
    result = adb.run("-s", handle.serial, "shell", "echo hi")
    assert result.returncode == 1 and b"unauthorized" in result.stderr
    adb.run("disconnect", handle.serial)


def test_one_phones_faults_are_its_own(adb: Any) -> None:
    from emulator.pocket.server import pocket_phones

    with pocket_phones(2, size=(540, 1200)) as (bad, good):
        for handle in (bad, good):
            adb.run("connect", handle.address)
        bad.phone.faults.add(Fault(FaultKind.HANGING_COMMAND, times=-1))
        hanging = [
            subprocess.Popen([adb.path, "-s", bad.serial, "shell", "echo hi"], env=adb.env, stdout=subprocess.PIPE)
            for _ in range(3)
        ]
        start = time.monotonic()
        assert adb.run("-s", good.serial, "shell", "echo hi").stdout == b"hi\n"
        assert time.monotonic() - start < 2
        for process in hanging:
            process.kill()
            process.communicate()

        for handle in (bad, good):
            adb.run("disconnect", handle.serial)
