"""Any `Device` as an android_env environment (a dm_env), and android_env's own loader with a calmer adb.

Definition: android_env 1.3.0 env_interface.py, components/specs.py. `DeviceEnv` is what AndroidWorld's
`AsyncAndroidEnv` and controller need of an environment. Departures: no task and no reward (steps are MID for ever); a
touch is sent when the finger lifts, as the tap, long press or swipe it was; `input_text` and `tap` requests act through
the device, so text arrives exactly; a phone that fails raises DeviceError, nothing is relaunched behind one's back.
Hierarchies are not observations of android_env: ask `device.ui_tree()`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import dm_env  # type: ignore[import-untyped, unused-ignore]
import numpy as np
from android_env import env_interface, environment
from android_env.components import (
    action_type,
    adb_call_parser,
    config_classes,
    coordinator,
    device_settings,
    specs,
    task_manager,
)
from android_env.components.simulators.emulator import emulator_simulator
from android_env.proto import adb_pb2, state_pb2, task_pb2
from numpy.typing import NDArray

from emulator.device import Device, to_pixel
from emulator.device_errors import CommandFailed, DeviceOffline, NotSupported
from emulator.env_adb import DeviceAdbController, Failures

SLOP_DP = 8
REFERENCE_WIDTH_DP = 411
LONG_PRESS_SECONDS = 0.5
DEFAULT_SNAPSHOT = "default_snapshot"
Status = adb_pb2.AdbResponse.Status


class DeviceEnv(env_interface.AndroidEnvInterface):  # type: ignore[misc]  # android_env has no types
    """One phone as an environment. failures: see `DeviceAdbController`; `device` stays the caller's to close."""

    def __init__(self, device: Device, failures: Failures = "raise") -> None:
        self.device = device
        self._parser = adb_call_parser.AdbCallParser(DeviceAdbController(device, failures))
        self._finger: list[tuple[float, float]] = []
        self._down_since = 0.0
        self._last_seen = 0.0
        self._action: dict[str, Any] = {}
        self._observation: dict[str, Any] = {}

    # dm_env

    def action_spec(self) -> dict[str, Any]:
        """action_type (TOUCH, LIFT, REPEAT) and touch_position, two fractions of the screen."""
        return dict(specs.base_action_spec())

    def observation_spec(self) -> dict[str, Any]:
        """pixels (height, width, 3), timedelta (microseconds), orientation (one of four); of the screen as it lies."""
        size = self.device.screen_size()
        return dict(specs.base_observation_spec(height=size.height, width=size.width))

    def reset(self) -> dm_env.TimeStep:
        """A FIRST step: looks, and forgets a finger that is down. The phone itself is not changed."""
        self._finger, self._last_seen, self._action = [], 0.0, {}
        return dm_env.restart(self._look())

    def step(self, action: dict[str, Any]) -> dm_env.TimeStep:
        """Carry out one action and look. The time step's reward is 0 and it is never LAST."""
        self._action = dict(action)
        kind = int(np.asarray(action["action_type"]).item())
        if kind == action_type.ActionType.TOUCH:
            if not self._finger:
                self._down_since = time.monotonic()
            x, y = np.asarray(action["touch_position"], dtype=float).reshape(2)
            self._finger.append((float(x), float(y)))
        elif kind == action_type.ActionType.LIFT:
            self._lift()
        elif kind != action_type.ActionType.REPEAT:
            raise NotSupported(f"action type {kind}: this environment has touches", f"{self.device.serial}: step")
        return dm_env.transition(reward=0.0, observation=self._look())

    def _lift(self) -> None:
        """The finger goes up: do what its way amounts to."""
        way, self._finger = self._finger, []
        if not way:
            return
        size = self.device.screen_size()
        held = time.monotonic() - self._down_since
        start, end = to_pixel(*way[0], size), to_pixel(*way[-1], size)
        slop = SLOP_DP * min(size) / REFERENCE_WIDTH_DP
        if max(abs(end[0] - start[0]), abs(end[1] - start[1])) > slop:
            self.device.swipe(*start, *end, max(50, round(1000 * held)), edges=True)
        elif held >= LONG_PRESS_SECONDS:
            self.device.long_press(*start, round(1000 * held))
        else:
            self.device.tap(*start)

    def _look(self) -> dict[str, Any]:
        now = time.time()
        passed = 0 if self._last_seen == 0 else round((now - self._last_seen) * 1e6)
        self._last_seen = now
        pixels = self.device.screenshot().pixels()
        self._observation = {
            "pixels": pixels,
            "timedelta": np.array(passed, dtype=np.int64),
            "orientation": self._orientation(),
        }
        return dict(self._observation)

    def _orientation(self) -> NDArray[np.uint8]:
        """One-hot; DeviceOffline if the phone does not tell it."""
        answer = self._parser.parse(adb_pb2.AdbRequest(get_orientation=adb_pb2.AdbRequest.GetOrientationRequest()))
        if answer.status != Status.OK:
            raise DeviceOffline(f"no orientation: {answer.error_message}", f"{self.device.serial}: orientation")
        one_hot: NDArray[np.uint8] = np.eye(4, dtype=np.uint8)[answer.get_orientation.orientation]
        return one_hot

    def close(self) -> None:
        """Nothing of its own to free."""

    # android_env

    @property
    def raw_action(self) -> dict[str, Any]:
        """The last action."""
        return dict(self._action)

    @property
    def raw_observation(self) -> dict[str, Any]:
        """The last observation."""
        return dict(self._observation)

    def execute_adb_call(self, call: adb_pb2.AdbRequest) -> adb_pb2.AdbResponse:
        """Carry out an adb request, once. DeviceError where the phone failed."""
        match call.WhichOneof("command"):
            case "input_text":
                self.device.type_text(call.input_text.text)
            case "tap":
                self.device.tap(call.tap.x, call.tap.y)
            case _:
                return self._parser.parse(call)
        return adb_pb2.AdbResponse(status=Status.OK)

    def save_state(self, request: state_pb2.SaveStateRequest) -> state_pb2.SaveStateResponse:
        """Keep the whole phone (`snapshot_name` in args)."""
        kinds = state_pb2.SaveStateResponse.Status
        try:
            self.device.snapshot(request.args.get("snapshot_name", DEFAULT_SNAPSHOT))
        except (CommandFailed, NotSupported) as error:
            return state_pb2.SaveStateResponse(status=kinds.ERROR, error_message=str(error))
        return state_pb2.SaveStateResponse(status=kinds.OK)

    def load_state(self, request: state_pb2.LoadStateRequest) -> state_pb2.LoadStateResponse:
        """Bring a kept phone back, checked."""
        kinds = state_pb2.LoadStateResponse.Status
        try:
            self.device.restore(request.args.get("snapshot_name", DEFAULT_SNAPSHOT))
        except (CommandFailed, NotSupported) as error:
            return state_pb2.LoadStateResponse(status=kinds.ERROR, error_message=str(error))
        return state_pb2.LoadStateResponse(status=kinds.OK)


class _Simulator(emulator_simulator.EmulatorSimulator):  # type: ignore[misc]
    """android_env's emulator with our adb controller."""

    def __init__(self, config: config_classes.EmulatorConfig, device: Device, failures: Failures) -> None:
        self._device, self._failures = device, failures
        super().__init__(config)

    def create_adb_controller(self) -> DeviceAdbController:
        """Ours: nothing is run twice, no server is killed."""
        return DeviceAdbController(self._device, self._failures)

    def create_log_stream(self) -> Any:
        """android_env's own, with the right server and serial."""
        from android_env.components import adb_log_stream

        config = self._config.adb_controller
        prefix = [config.adb_path, "-P", str(config.adb_server_port), "-s", config.device_name]
        return adb_log_stream.AdbLogStream(adb_command_prefix=prefix, verbose=self._config.verbose_logs)


def load_android_env(
    device: Device,
    *,
    console_port: int,
    adb_port: int,
    grpc_port: int,
    adb_server_port: int,
    adb_path: str,
    task: task_pb2.Task | None = None,
    failures: Failures = "raise",
) -> environment.AndroidEnv:
    """android_env.loader.load for an emulator that runs already: pictures and touches by gRPC, adb through `device`.

    The picture is left as the phone draws it: no touch dots, no pointer lines, bars where they are (android_env's
    defaults change all three). task: an android_env task, by default an empty one.
    """
    if Path(adb_path).name == adb_path:
        raise ValueError(f"adb_path must be a whole path, not {adb_path!r}")
    config = config_classes.EmulatorConfig(
        emulator_launcher=config_classes.EmulatorLauncherConfig(
            emulator_console_port=console_port, adb_port=adb_port, grpc_port=grpc_port, tmp_dir=tempfile.gettempdir()
        ),
        adb_controller=config_classes.AdbControllerConfig(adb_path=adb_path, adb_server_port=adb_server_port),
    )
    simulator = _Simulator(config, device, failures)
    manager = task_manager.TaskManager(task or task_pb2.Task(id="device"), config=config_classes.TaskManagerConfig())
    plain = config_classes.DeviceSettingsConfig(
        show_touches=False, show_pointer_location=False, show_status_bar=True, show_navigation_bar=True
    )
    return environment.AndroidEnv(
        simulator=simulator,
        coordinator=coordinator.Coordinator(
            simulator,
            manager,
            device_settings=device_settings.DeviceSettings(simulator),
            config=config_classes.CoordinatorConfig(device_settings=plain),
        ),
        task_manager=manager,
    )
