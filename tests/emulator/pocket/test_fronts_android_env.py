"""android_env against a pocket phone: its own loader over adb, gRPC and console, and the in-process simulator."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emulator.pocket.faults import Fault, FaultKind
from emulator.pocket.phone import Phone

pytest.importorskip("android_env")
pytest.importorskip("immutabledict")
pytest.importorskip("grpc")

from android_env import loader
from android_env.components import action_type, config_classes, errors
from android_env.proto import adb_pb2, state_pb2
from android_env.wrappers import a11y_grpc_wrapper

from emulator.pocket.fronts.in_process import PocketSimulator, load_in_process
from emulator.pocket.server import announce

SETTINGS = "com.android.settings"
Request = adb_pb2.AdbRequest
REQUESTS = [
    Request(get_current_activity=Request.GetCurrentActivity()),
    Request(get_orientation=Request.GetOrientationRequest()),
    Request(tap=Request.Tap(x=1, y=2)),
    Request(press_button=Request.PressButton(button=Request.PressButton.HOME)),
    Request(input_text=Request.InputText(text="hi")),
    Request(start_activity=Request.StartActivity(full_activity=f"{SETTINGS}/.Settings")),
    Request(start_screen_pinning=Request.StartScreenPinning(full_activity=f"{SETTINGS}/{SETTINGS}.Settings")),
    Request(send_broadcast=Request.SendBroadcast(action="some.ACTION")),
    Request(force_stop=Request.ForceStop(package_name=SETTINGS)),
    Request(push=Request.Push(content=b"pushed", path="/sdcard/x.txt")),
    Request(pull=Request.Pull(path="/sdcard/x.txt")),
    Request(dumpsys=Request.DumpsysRequest(service="window")),
    Request(generic=Request.GenericRequest(args=["shell", "echo", "a  b"])),
    Request(
        settings=Request.SettingsRequest(
            name_space=Request.SettingsRequest.Namespace.SYSTEM,
            put=Request.SettingsRequest.Put(key="screen_brightness", value="9"),
        )
    ),
    Request(
        package_manager=Request.PackageManagerRequest(clear=Request.PackageManagerRequest.Clear(package_name=SETTINGS))
    ),
    Request(
        package_manager=Request.PackageManagerRequest(
            grant=Request.PackageManagerRequest.Grant(package_name=SETTINGS, permissions=["android.permission.CAMERA"])
        )
    ),
    Request(
        package_manager=Request.PackageManagerRequest(
            list=Request.PackageManagerRequest.List(packages=Request.PackageManagerRequest.List.Packages())
        )
    ),
]


def touch(kind: Any, x: float = 0.5, y: float = 0.5) -> dict[str, Any]:
    return {"action_type": np.array(kind, np.int32), "touch_position": np.array([x, y], np.float32)}


def check_requests(env: Any) -> None:
    """Every kind of adb request is answered with OK."""
    for request in REQUESTS:
        response = env.execute_adb_call(request)
        assert response.status == adb_pb2.AdbResponse.Status.OK, f"{request} {response}"
        if request.WhichOneof("command") == "pull":
            assert response.pull.content == b"pushed"
        if request.WhichOneof("command") == "generic":
            assert response.generic.output == b"a b\n"


@pytest.fixture
def loaded(adb: Any, handle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """android_env.loader.load with all three ports given."""
    monkeypatch.setenv("HOME", adb.env["HOME"])
    announce(handle.adb_port, adb.port)
    (tmp_path / "task.textproto").write_text('id: "pocket"\n')
    config = config_classes.AndroidEnvConfig(
        task=config_classes.FilesystemTaskConfig(path=str(tmp_path / "task.textproto")),
        simulator=config_classes.EmulatorConfig(
            emulator_launcher=config_classes.EmulatorLauncherConfig(
                adb_port=handle.adb_port, emulator_console_port=handle.console_port, grpc_port=handle.grpc_port
            ),
            adb_controller=config_classes.AdbControllerConfig(adb_path=adb.path, adb_server_port=adb.port),
        ),
    )
    for _ in range(50):
        if b"device" in adb.run("-s", handle.emulator_serial, "get-state").stdout:
            break
        time.sleep(0.1)
    env = loader.load(config)
    yield env
    env.close()
    assert not handle.endpoint.unknown, handle.endpoint.unknown


def test_loader_steps_requests_and_snapshots(loaded: Any, handle: Any) -> None:
    timestep = loaded.reset()
    assert timestep.observation["pixels"].shape == (1200, 540, 3)
    assert (timestep.observation["pixels"] == handle.phone.screenshot()[:, :, :3]).all()
    assert loaded.save_state(state_pb2.SaveStateRequest()).status == state_pb2.SaveStateResponse.Status.OK
    check_requests(loaded)
    loaded.step(touch(action_type.ActionType.TOUCH))
    loaded.step(touch(action_type.ActionType.LIFT))
    assert handle.phone.fs.exists("/sdcard/x.txt")
    assert loaded.load_state(state_pb2.LoadStateRequest()).status == state_pb2.LoadStateResponse.Status.OK
    assert not handle.phone.fs.exists("/sdcard/x.txt")
    unknown = state_pb2.LoadStateRequest(args={"snapshot_name": "none"})
    assert loaded.load_state(unknown).status == state_pb2.LoadStateResponse.Status.NOT_FOUND


@pytest.mark.slow
def test_accessibility_forests_arrive(loaded: Any, handle: Any) -> None:
    env = a11y_grpc_wrapper.A11yGrpcWrapper(loaded, enable_a11y_tree_info=True, latest_a11y_info_only=True)
    env.reset()
    time.sleep(0.6)
    forests = env.accumulate_new_extras()["accessibility_tree"]
    assert forests[-1].windows
    sent = handle.forwarder.sent
    handle.phone.settings["global"]["airplane_mode_on"] = "1"
    time.sleep(0.5)
    stopped = handle.forwarder.sent
    time.sleep(0.5)
    assert sent >= 2 and handle.forwarder.sent == stopped, "nothing is sent in airplane mode"


def test_grpc_keys_touches_and_pictures(handle: Any) -> None:
    import grpc
    from android_env.proto import emulator_controller_pb2 as pb
    from android_env.proto import emulator_controller_pb2_grpc as pb_grpc
    from google.protobuf import empty_pb2

    options = [("grpc.max_receive_message_length", -1)]
    address, credentials = f"localhost:{handle.grpc_port}", grpc.local_channel_credentials()
    with grpc.secure_channel(address, credentials, options=options) as channel:
        stub = pb_grpc.EmulatorControllerStub(channel)
        assert stub.getStatus(empty_pb2.Empty()).booted
        picture = stub.getScreenshot(pb.ImageFormat(format=pb.ImageFormat.RGBA8888))
        assert picture.image == handle.phone.screenshot().tobytes()
        assert (picture.format.width, picture.format.height) == (540, 1200)
        assert stub.getScreenshot(pb.ImageFormat(format=pb.ImageFormat.PNG)).image == handle.phone.screenshot_png()
        assert len(stub.getScreenshot(pb.ImageFormat(format=pb.ImageFormat.RGB888)).image) == 540 * 1200 * 3
        handle.phone.launch(SETTINGS)
        for code_type, code in ((pb.KeyboardEvent.XKB, 110), (pb.KeyboardEvent.Evdev, 102)):
            handle.phone.launch(SETTINGS)
            stub.sendKey(pb.KeyboardEvent(codeType=code_type, eventType=pb.KeyboardEvent.keypress, keyCode=code))
            assert handle.phone.activities.foreground.home
        handle.phone.launch(SETTINGS)
        stub.sendKey(pb.KeyboardEvent(key="GoHome", eventType=pb.KeyboardEvent.keypress))
        assert handle.phone.activities.foreground.home
        stub.sendKey(pb.KeyboardEvent(keyCode=99999))
        before = handle.phone.clock.now()
        for pressure in (1, 1, 0):
            stub.sendTouch(pb.TouchEvent(touches=[pb.Touch(x=270, y=600, pressure=pressure)]))
        assert handle.phone.clock.now() == before + 1, "down, move, up is one action"
        stub.setClipboard(pb.ClipData(text="ü"))
        assert stub.getClipboard(empty_pb2.Empty()).text == "ü"
        stub.sendSms(pb.SmsMessage(srcAddress="+1", text="hi"))
        assert handle.phone.content.query("content://sms/inbox")[0]["body"] == "hi"
        stub.setVmState(pb.VmRunState(state=pb.VmRunState.RESET))
        assert stub.getVmState(empty_pb2.Empty()).state == pb.VmRunState.RUNNING


def test_in_process_is_the_same_without_sockets(tmp_path: Path) -> None:
    phone = Phone(seed=3, size=(540, 1200))
    env = load_in_process(phone)
    assert env.reset().observation["pixels"].shape == (1200, 540, 3)
    check_requests(env)
    before = phone.clock.now()
    for kind in (action_type.ActionType.TOUCH, action_type.ActionType.LIFT):
        timestep = env.step(touch(kind))
    assert phone.clock.now() > before
    assert (timestep.observation["pixels"] == phone.screenshot()[:, :, :3]).all()
    env.save_state(state_pb2.SaveStateRequest())
    phone.fs.remove("/sdcard/x.txt")
    env.load_state(state_pb2.LoadStateRequest())
    assert phone.fs.exists("/sdcard/x.txt")
    env.close()


def test_in_process_adb_command_lines(tmp_path: Path) -> None:
    simulator = PocketSimulator(Phone(size=(540, 1200)))
    adb = simulator.create_adb_controller()
    (tmp_path / "f").write_text("x")
    adb.execute_command(["push", str(tmp_path / "f"), "/sdcard/"])
    adb.execute_command(["pull", "/sdcard/f", str(tmp_path / "g")])
    assert (tmp_path / "g").read_text() == "x"
    adb.execute_command(["emu", "sms", "send", "+15551234", "Hello", "there"])
    assert b"body=Hello there" in adb.execute_command(["shell", "content query --uri content://sms/inbox"])
    assert adb.execute_command(["root"]) and adb.execute_command(["devices"]) and adb.execute_command(["get-state"])
    with pytest.raises(errors.AdbControllerError, match="No such file"):
        adb.execute_command(["shell", "ls", "/nope"])
    with pytest.raises(errors.AdbControllerError):
        adb.execute_command(["pull", "/nope", str(tmp_path / "h")])
    with pytest.raises(errors.AdbControllerError, match="unknown command"):
        adb.execute_command(["frobnicate"])
    with pytest.raises(errors.AdbControllerError):
        adb.execute_command(["emu", "geo", "fix", "x", "y"])


def test_in_process_faults() -> None:
    simulator = PocketSimulator(Phone(size=(540, 1200)))
    adb = simulator.create_adb_controller()
    for kind in (FaultKind.OFFLINE, FaultKind.UNAUTHORIZED, FaultKind.HANGING_COMMAND, FaultKind.CONNECTION_DROPPED):
        simulator.phone.faults.add(Fault(kind))
        with pytest.raises(errors.AdbControllerError, match=kind.value):
            adb.execute_command(["shell", "echo", "hi"])
        assert adb.execute_command(["shell", "echo", "hi"]) == b"hi\n"
    simulator.phone.faults.add(Fault(FaultKind.TRUNCATED_OUTPUT, value="3"))
    assert adb.execute_command(["shell", "echo", "hello"]) == b"hel"


def test_same_seed_and_actions_give_the_same_bytes() -> None:
    def run() -> tuple[bytes, str]:
        phone = Phone(seed=5, size=(540, 1200))
        env = load_in_process(phone)
        env.reset()
        check_requests(env)
        env.step(touch(action_type.ActionType.TOUCH, 0.3, 0.7))
        pixels = env.step(touch(action_type.ActionType.LIFT, 0.3, 0.7)).observation["pixels"].tobytes()
        env.close()
        return pixels, phone.state_hash()

    assert run() == run()
