"""The defects of android_world and android_env (facts, V1..V14) that belong to the device layer: ours does it right.

V6 to V9, V11 and V12 are about suites, checkpoints and scores: tested with the live runner.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("android_env")
pytest.importorskip("immutabledict")

from android_env.components import errors
from android_env.proto import adb_pb2

from emulator import gestures
from emulator.adb import AdbDevice
from emulator.adb_server import AdbServer
from emulator.device_errors import DeviceError, DeviceOffline, DeviceTimeout, NoFreshTree, TruncatedOutput
from emulator.env import DeviceEnv
from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.server import pocket_phones
from emulator.settle import settle

Request = adb_pb2.AdbRequest
Status = adb_pb2.AdbResponse.Status


def shell(*words: str, seconds: float = 0) -> adb_pb2.AdbRequest:
    return Request(generic=Request.GenericRequest(args=["shell", *words]), timeout_sec=seconds)


def test_v1_a_failed_command_runs_once_and_cuts_nobody(server: AdbServer, plug: Callable[..., Any]) -> None:
    device, other = plug(), plug()
    env = DeviceEnv(device)
    result: list[Any] = []
    running = threading.Thread(target=lambda: result.append(other.shell("sleep 1; echo whole")))
    running.start()
    process = server._process
    for _ in range(3):
        with pytest.raises(errors.AdbControllerError):
            env.execute_adb_call(shell("echo x >> /sdcard/count; false"))
    running.join()
    assert device.pull("/sdcard/count") == b"x\nx\nx\n"
    assert result[0].stdout == "whole\n"
    assert server._process is process and server.alive()


def test_v1_a_broadcast_that_times_out_is_sent_once(plug: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from emulator.pocket.shell import table

    am, sent = table.COMMANDS["am"], []

    def slow(context: Any) -> int:
        sent.append(list(context.arguments))
        time.sleep(1.5)
        return am(context)

    monkeypatch.setitem(table.COMMANDS, "am", slow)
    device = plug()
    with pytest.raises(DeviceTimeout):
        DeviceEnv(device).execute_adb_call(shell("am broadcast -a some.ACTION", seconds=0.5))
    time.sleep(1.3)
    assert len(sent) == 1


def test_v1_nobody_elses_kill_server_ends_ours(device: Any, server: AdbServer) -> None:
    subprocess.run([server.path, "-P", str(server.port), "kill-server"], capture_output=True, timeout=20, check=False)
    assert server.alive() and device.shell("echo on").stdout == "on\n"


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_v2_a_failure_is_what_the_caller_chose(device: Any, seconds: float) -> None:
    raising, telling = DeviceEnv(device), DeviceEnv(device, failures="status")
    with pytest.raises(errors.AdbControllerError, match="status 3"):
        raising.execute_adb_call(shell("echo why; exit 3", seconds=seconds))
    answer = telling.execute_adb_call(shell("echo why; exit 3", seconds=seconds))
    assert answer.status == Status.ADB_ERROR and "why" in answer.error_message
    device.handle.phone.faults.add(Fault(FaultKind.HANGING_COMMAND))
    answer = telling.execute_adb_call(shell("echo never", seconds=0.4))
    assert answer.status == Status.TIMEOUT
    with pytest.raises(errors.AdbControllerError):
        raising.execute_adb_call(Request(pull=Request.Pull(path="/sdcard/none")))


def test_v2_a_phones_fault_is_never_a_commands_failure(device: Any) -> None:
    device.handle.phone.faults.add(Fault(FaultKind.TRUNCATED_OUTPUT, value="3"))
    with pytest.raises(TruncatedOutput):
        DeviceEnv(device, failures="status").execute_adb_call(shell("echo hello world"))


def test_v3_a_server_that_dies_in_the_middle_is_an_error() -> None:
    server = AdbServer().start()
    with pocket_phones(1, size=(540, 1200)) as (handle,):
        device = AdbDevice(server.connect(handle.address), server_port=server.port, timeout=10)
        threading.Timer(0.5, server.stop).start()
        start = time.monotonic()
        with pytest.raises((TruncatedOutput, DeviceOffline)):
            device.shell("echo begun; sleep 5; echo done")
        assert time.monotonic() - start < 4
        with pytest.raises(DeviceOffline):
            device.shell("echo again")


@pytest.mark.parametrize("cut", ["0", "1", "5", "11"])
def test_v3_exit_code_0_is_no_evidence(device: Any, cut: str) -> None:
    device.handle.phone.faults.add(Fault(FaultKind.TRUNCATED_OUTPUT, value=cut))
    with pytest.raises(TruncatedOutput):
        device.shell("echo hello world; exit 9")


def test_v4_an_old_tree_is_an_error_and_trees_do_not_pile_up(plug: Callable[..., Any]) -> None:
    device = plug(timeout=3.0)
    assert "launcher" in device.ui_tree().package
    device.open_app("Settings")
    device.handle.phone.faults.add(Fault(FaultKind.STALE_HIERARCHY, times=-1))
    with pytest.raises(NoFreshTree, match="launcher"):
        device.ui_tree()
    seen = settle(device, cap_s=0.2)
    assert seen.tree is None and "launcher" in seen.tree_error
    device.handle.phone.faults.clear()
    trees = [device.ui_tree() for _ in range(12)]
    assert len({tree.elements for tree in trees}) == 1


V5_TEXTS = ["a*b ~ c?", "é", "中文", "100%s", "a；reboot", "x; echo $(id) `id` & | > < [a] {b} !"]


@pytest.mark.parametrize("text", V5_TEXTS)
@pytest.mark.parametrize("through_env", [False, True])
def test_v5_typed_text_is_exactly_the_text(device: Any, text: str, through_env: bool) -> None:
    device.open_app("Contacts")
    device.tap(*next(e for e in device.ui_tree().elements if e.label == "Create contact").center)
    device.tap(*next(e for e in device.ui_tree().elements if e.editable).center)
    if through_env:
        answer = DeviceEnv(device).execute_adb_call(Request(input_text=Request.InputText(text=text)))
        assert answer.status == Status.OK
    else:
        device.type_text(text)
    assert device.handle.phone.editor.field().text == text
    assert device.foreground().package == "com.google.android.contacts", "no Enter, no second command"


def test_v10_one_rule_for_four_directions(device: Any) -> None:
    ends = {d: gestures.finger(d, (0, 0, 540, 1200)) for d in gestures.DIRECTIONS}
    assert ends["left"][2] < ends["left"][0] and ends["right"][2] > ends["right"][0]
    assert ends["up"][3] < ends["up"][1] and ends["down"][3] > ends["down"][1]
    for x1, y1, _, _ in ends.values():
        assert 54 <= x1 <= 486 and 120 <= y1 <= 1080, "never begun at an edge"
    device.open_app("Settings")
    assert device.ui_tree().elements[0].index == 0, "an index is a number, and 0 is one"


def test_v13_no_time_is_refused_and_two_taps_are_one_command(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        device.shell("true", timeout=0)
    device.screenshot()
    services: list[str] = []
    do_once = device.adb.do_once
    monkeypatch.setattr(
        device.adb, "do_once", lambda command, limit: services.append(command) or do_once(command, limit)
    )
    taps: list[tuple[int, int]] = []
    tap = device.handle.phone.tap
    monkeypatch.setattr(device.handle.phone, "tap", lambda x, y: taps.append((x, y)) or tap(x, y))
    device.double_tap(5, 600)
    assert taps == [(5, 600), (5, 600)] and len(services) == 1


def test_v14_a_lost_tree_is_got_again_without_a_new_environment(plug: Callable[..., Any]) -> None:
    device = plug()
    device.open_app("Settings")
    expected = device.ui_tree()
    pushed = device.handle.endpoint.phone.fs.version
    device._reader.u2._process.sock.close()  # the server on the phone is gone
    device._reader.u2._process = None
    while device.handle.endpoint.ports["tcp:9008"]:
        time.sleep(0.05)
    assert device.ui_tree().elements == expected.elements
    assert device.handle.endpoint.phone.fs.version == pushed, "nothing was installed again"
    assert device._reader.fallback == ""


def test_the_environment_of_the_process_is_left_alone(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_HOME", "/somewhere")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "12345")
    DeviceEnv(device).reset()
    assert os.environ["ANDROID_HOME"] == "/somewhere" and os.environ["ANDROID_ADB_SERVER_PORT"] == "12345"


def test_every_error_says_where_and_is_a_device_error() -> None:
    for kind in (DeviceOffline, DeviceTimeout, TruncatedOutput, NoFreshTree):
        error = kind("what", "phone: call", "fix")
        assert isinstance(error, DeviceError) and str(error) == "phone: call: what\n  fix"
