"""android_env over a Device: in process, over adb, and android_env's own loader with our adb."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("android_env")
pytest.importorskip("immutabledict")
pytest.importorskip("grpc")

import dm_env
from android_env import env_interface
from android_env.components import action_type, errors
from android_env.proto import adb_pb2, state_pb2

from emulator.device_errors import NotSupported
from emulator.env import DeviceEnv, load_android_env
from emulator.pocket.phone import Phone
from emulator.pocket_device import PocketDevice

SETTINGS = "com.android.settings"
Request = adb_pb2.AdbRequest
Status = adb_pb2.AdbResponse.Status
Action = action_type.ActionType
SPACE = Request.SettingsRequest.Namespace.SYSTEM
PACKAGES = Request.PackageManagerRequest
REQUESTS = [
    Request(get_current_activity=Request.GetCurrentActivity()),
    Request(get_orientation=Request.GetOrientationRequest()),
    Request(tap=Request.Tap(x=1, y=2)),
    Request(press_button=Request.PressButton(button=Request.PressButton.HOME)),
    Request(input_text=Request.InputText(text="hi")),
    Request(start_activity=Request.StartActivity(full_activity=f"{SETTINGS}/.Settings")),
    Request(send_broadcast=Request.SendBroadcast(action="some.ACTION")),
    Request(force_stop=Request.ForceStop(package_name=SETTINGS)),
    Request(push=Request.Push(content=b"pushed", path="/sdcard/x.txt")),
    Request(dumpsys=Request.DumpsysRequest(service="window")),
    Request(settings=Request.SettingsRequest(name_space=SPACE, put=Request.SettingsRequest.Put(key="a", value="9"))),
    Request(package_manager=PACKAGES(clear=PACKAGES.Clear(package_name=SETTINGS))),
    Request(package_manager=PACKAGES(list=PACKAGES.List(packages=PACKAGES.List.Packages()))),
]


def touch(kind: int, x: float = 0.5, y: float = 0.5) -> dict[str, Any]:
    return {"action_type": np.array(kind, np.int32), "touch_position": np.array([x, y], np.float32)}


def generic(*words: str) -> Any:
    return Request(generic=Request.GenericRequest(args=list(words)))


@pytest.fixture(params=["in process", "adb"])
def device(request: pytest.FixtureRequest) -> Any:
    if request.param == "in process":
        return PocketDevice(Phone(seed=3, size=(540, 1200)))
    return request.getfixturevalue("plug")(emulator=True)


def phone_of(device: Any) -> Phone:
    phone = device.phone if isinstance(device, PocketDevice) else device.handle.phone
    assert isinstance(phone, Phone)
    return phone


def test_observations_follow_their_specs(device: Any) -> None:
    env: env_interface.AndroidEnvInterface = DeviceEnv(device)
    step = env.reset()
    assert step.step_type == dm_env.StepType.FIRST and step.reward is None
    later = env.step(touch(Action.REPEAT))
    assert later.step_type == dm_env.StepType.MID and later.observation["timedelta"] > 0
    for name, spec in env.observation_spec().items():
        spec.validate(later.observation[name])
    for name, spec in env.action_spec().items():
        spec.validate(touch(Action.TOUCH)[name])
    assert (step.observation["pixels"] == phone_of(device).screenshot()[:, :, :3]).all()
    assert list(step.observation["orientation"]) == [1, 0, 0, 0]
    device.shell("wm user-rotation lock 1")
    turned = env.step(touch(Action.REPEAT)).observation
    assert turned["pixels"].shape == (540, 1200, 3) and list(turned["orientation"]) == [0, 1, 0, 0]
    assert env.raw_observation["pixels"] is turned["pixels"]


def test_touches_become_what_they_were(device: Any) -> None:
    env, phone = DeviceEnv(device), phone_of(device)
    env.reset()
    device.open_app("Settings")
    item = next(e for e in device.ui_tree().elements if e.text == "Display")
    x, y = item.center[0] / 540, item.center[1] / 1200
    env.step(touch(Action.TOUCH, x, y))
    assert len(phone.activities.front.screens) == 1, "the finger is still down"
    env.step(touch(Action.LIFT))
    assert len(phone.activities.front.screens) == 2
    env.step(touch(Action.LIFT))
    for height in (0.0, 0.3, 0.7):
        env.step(touch(Action.TOUCH, 0.5, height))
    env.step(touch(Action.LIFT))
    assert phone.system.shade == "notifications", "a finger from the edge is meant"
    with pytest.raises(NotSupported):
        env.step(touch(Action.KEYDOWN))


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda r: str(r.WhichOneof("command")))
def test_every_request(request_: Any) -> None:
    env = DeviceEnv(PocketDevice(Phone(seed=3, size=(540, 1200))))
    answer = env.execute_adb_call(request_)
    assert answer.status == Status.OK, answer


def test_command_lines(device: Any, tmp_path: Path) -> None:
    env = DeviceEnv(device)
    run = lambda *words: env.execute_adb_call(generic(*words)).generic.output  # noqa: E731
    (tmp_path / "f").write_bytes(b"\x00x")
    run("push", str(tmp_path / "f"), "/sdcard/")
    run("pull", "/sdcard/f", str(tmp_path / "g"))
    assert (tmp_path / "g").read_bytes() == b"\x00x"
    assert run("shell", "echo", "a  b") == b"a b\n"
    assert run("shell", "echo é") == "é\n".encode()
    assert run("exec-out", "screencap", "-p") == phone_of(device).screenshot_png()
    assert run("exec-out", "cat", "/sdcard/f") == b"\x00x"
    assert b"device" in run("devices") and run("get-state") == b"device\n"
    for words in (["kill-server"], ["start-server"], ["root"], ["wait-for-device"]):
        run(*words)
    run("emu", "sms send 555 hello there")
    assert b"hello there" in run("shell", "content query --uri content://sms/inbox")
    pulled = env.execute_adb_call(Request(pull=Request.Pull(path="/sdcard/f")))
    assert pulled.pull.content == b"\x00x"
    for words in (["shell", "false"], ["pull", "/sdcard/none", str(tmp_path)], ["emu", "nonsense"], ["sideload"], []):
        with pytest.raises(errors.AdbControllerError):
            run(*words)


def test_states(device: Any) -> None:
    env = DeviceEnv(device)
    device.push("/sdcard/x", b"1")
    ok = state_pb2.SaveStateResponse.Status.OK
    assert env.save_state(state_pb2.SaveStateRequest(args={"snapshot_name": "a"})).status == ok
    device.push("/sdcard/x", b"2")
    assert env.load_state(state_pb2.LoadStateRequest(args={"snapshot_name": "a"})).status == ok
    assert device.pull("/sdcard/x") == b"1"
    answer = env.load_state(state_pb2.LoadStateRequest(args={"snapshot_name": "none"}))
    assert answer.status == state_pb2.LoadStateResponse.Status.ERROR and answer.error_message


@pytest.mark.slow
def test_android_envs_own_loader(plug: Callable[..., Any], server: Any) -> None:
    device = plug(emulator=True)
    handle = device.handle
    ports = {"console_port": handle.console_port, "adb_port": handle.adb_port, "grpc_port": handle.grpc_port}
    env = load_android_env(device, **ports, adb_server_port=server.port, adb_path=server.path)
    try:
        step = env.reset()
        assert (step.observation["pixels"] == handle.phone.screenshot()[:, :, :3]).all()
        assert device.shell("settings get system show_touches").stdout.strip() in {"0", "null"}
        with pytest.raises(errors.AdbControllerError):
            env.execute_adb_call(generic("shell", "echo x >> /sdcard/count; false"))
        assert device.pull("/sdcard/count") == b"x\n"
        device.open_app("Settings")
        item = next(e for e in device.ui_tree().elements if e.text == "Display")
        for kind in (Action.TOUCH, Action.LIFT):
            env.step(touch(kind, item.center[0] / 540, item.center[1] / 1200))
        assert len(handle.phone.activities.front.screens) == 2
    finally:
        env.close()
    assert server.alive() and not handle.endpoint.unknown
    with pytest.raises(ValueError, match="whole path"):
        load_android_env(device, **ports, adb_server_port=server.port, adb_path="adb")
