"""A pocket phone inside android_env: a simulator without sockets and without adb.

Definition: android_env 1.3.0 components/simulators/base_simulator.py and components/adb_controller.py. `adb` command
lines (`shell`, `exec-out`, `push`, `pull`, `install`, `emu`, ...) are run on the phone directly. Departs from the real
controller: a command that fails is not run a second time, and nothing is restarted; AdbControllerError comes at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from android_env import environment
from android_env.components import (
    adb_controller,
    config_classes,
    coordinator,
    device_settings,
    errors,
    log_stream,
    task_manager,
)
from android_env.components.simulators import base_simulator
from android_env.proto import state_pb2, task_pb2

from emulator.pocket.faults import FaultKind
from emulator.pocket.fronts.a11y_forwarder import A11yForwarder
from emulator.pocket.fronts.console import Console
from emulator.pocket.fronts.evdev_keys import EVDEV, XKB_OFFSET
from emulator.pocket.fronts.snapshots import Snapshots
from emulator.pocket.phone import Phone
from emulator.pocket.shell.context import decode
from emulator.pocket.shell.endpoint import Endpoint
from emulator.pocket.shell.interpreter import Shell, quote

SERIAL = "pocket-in-process"
DEFAULT_SNAPSHOT = "default_snapshot"


class InProcessAdb(adb_controller.AdbController):  # type: ignore[misc]  # android_env has no types
    """Runs adb command lines on a phone in this process."""

    def __init__(self, endpoint: Endpoint, console: Console) -> None:
        self.endpoint = endpoint
        self.console = console

    def command_prefix(self, include_device_name: bool = True) -> list[str]:
        """For messages only: there is no adb."""
        return ["adb", "-s", SERIAL] if include_device_name else ["adb"]

    def init_server(self, timeout: float | None = None) -> None:
        """No server to start."""

    def execute_command(self, args: list[str], timeout: float | None = None, device_specific: bool = True) -> bytes:
        """Output (both streams, in order) of `adb args`; AdbControllerError for a status other than 0."""
        verb = COMMANDS.get(args[0]) if args else None
        if verb is None:
            raise errors.AdbControllerError(f"adb: unknown command {' '.join(args)[:200]!r}")
        return verb(self, args[1:])

    def shell(self, words: list[str]) -> bytes:
        """`adb shell WORDS`: joined by blanks, as adb does. Faults of the front act here."""
        faults, source = self.endpoint.phone.faults, " ".join(words)
        for kind in (
            FaultKind.OFFLINE,
            FaultKind.UNAUTHORIZED,
            FaultKind.HANGING_COMMAND,
            FaultKind.CONNECTION_DROPPED,
        ):
            if faults.take(kind):
                raise errors.AdbControllerError(
                    f"Error executing adb command: [{source}]\nCaused by: fault {kind.value}"
                )
        result = Shell(self.endpoint.phone, self.endpoint).run(source)
        if (cut := faults.take(FaultKind.TRUNCATED_OUTPUT)) is not None:
            return result.output[: int(cut.number(0))]
        if result.status != 0:
            shown = decode(result.output)[-2000:]
            raise errors.AdbControllerError(f"Error executing adb command: [{source}]\nstatus {result.status}: {shown}")
        return result.output

    def push(self, words: list[str]) -> bytes:
        """`adb push LOCAL REMOTE`: a file."""
        local, remote = Path(words[-2]), words[-1]
        files = self.endpoint.phone.fs
        with self.endpoint.phone.lock:
            target = f"{remote.rstrip('/')}/{local.name}" if files.isdir(remote) or remote.endswith("/") else remote
            try:
                files.mkdir(target.rpartition("/")[0] or "/", parents=True)
                files.write(target, local.read_bytes(), mode=0o644)
            except OSError as error:
                raise errors.AdbControllerError(
                    f"adb: error: failed to copy to '{remote}': {error.strerror}"
                ) from error
        return f"{words[-2]}: 1 file pushed.\n".encode()

    def pull(self, words: list[str]) -> bytes:
        """`adb pull REMOTE [LOCAL]`: a file."""
        remote, local = words[0], Path(words[1] if len(words) > 1 else ".")
        try:
            with self.endpoint.phone.lock:
                data = self.endpoint.phone.fs.read(remote)
        except OSError as error:
            raise errors.AdbControllerError(f"adb: error: failed to stat '{remote}': {error.strerror}") from error
        (local / remote.rpartition("/")[2] if local.is_dir() else local).write_bytes(data)
        return f"{remote}: 1 file pulled.\n".encode()

    def install(self, words: list[str]) -> bytes:
        """`adb install [OPTIONS] APK`."""
        data = Path(words[-1]).read_bytes()
        options = " ".join(quote(word) for word in words[:-1])
        result = Shell(self.endpoint.phone, self.endpoint).run(f"cmd package install {options} -S {len(data)}", data)
        if result.status:
            raise errors.AdbControllerError(f"adb: failed to install {words[-1]}: {decode(result.output)}")
        return result.output

    def emu(self, words: list[str]) -> bytes:
        """`adb emu WORDS`: the console."""
        answer = self.console.answer(" ".join(words))
        if answer.startswith("KO"):
            raise errors.AdbControllerError(f"adb emu {' '.join(words)}: {answer.strip()}")
        return answer.encode()


def _said(text: str) -> Callable[[InProcessAdb, list[str]], bytes]:
    return lambda adb, words: text.encode()


COMMANDS: dict[str, Callable[[InProcessAdb, list[str]], bytes]] = {
    "shell": InProcessAdb.shell,
    "exec-out": InProcessAdb.shell,
    "push": InProcessAdb.push,
    "pull": InProcessAdb.pull,
    "install": InProcessAdb.install,
    "uninstall": lambda adb, words: adb.shell(["pm", "uninstall", *words]),
    "logcat": lambda adb, words: adb.shell(["logcat", "-d", *words]),
    "emu": InProcessAdb.emu,
    "devices": _said(f"List of devices attached\n{SERIAL}\tdevice\n\n"),
    "get-state": _said("device\n"),
    "wait-for-device": _said(""),
    "root": _said("adbd is already running as root\n"),
    "unroot": _said(""),
    "remount": _said("remount succeeded\n"),
    "start-server": _said(""),
    "kill-server": _said(""),
    "reconnect": _said(""),
}


class PocketLogStream(log_stream.LogStream):  # type: ignore[misc]  # android_env has no types
    """The phone's log as `logcat -v epoch` lines, as they come."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(verbose=False)
        self.endpoint = endpoint
        self._stopped = threading.Event()

    def _get_stream_output(self) -> Iterator[str]:
        log, seen = self.endpoint.phone.log, self.endpoint.phone.log.count
        self._stopped.clear()
        while not self._stopped.wait(0.05):
            with self.endpoint.phone.lock:
                new = min(log.count - seen, len(log.lines))
                lines = list(log.lines)[len(log.lines) - new :] if new else []
                seen = log.count
            for line in lines:
                yield f"         {line.time:.3f}  1000  1000 {line.priority} {line.tag}: {line.text}\n"
            yield ""

    def stop_stream(self) -> None:
        """End the stream."""
        self._stopped.set()


class PocketSimulator(base_simulator.BaseSimulator):  # type: ignore[misc]  # android_env has no types
    """android_env's view of one phone in this process."""

    def __init__(self, phone: Phone, config: config_classes.SimulatorConfig | None = None) -> None:
        super().__init__(config or config_classes.SimulatorConfig())
        self.phone = phone
        self.endpoint = Endpoint(phone)
        self.snapshots = Snapshots(phone)
        self.console = Console(self.endpoint, self.snapshots, "pocket", on_kill=lambda: None)
        self.forwarder = A11yForwarder(self.endpoint)
        self._picture: tuple[int, Any] | None = None

    def adb_device_name(self) -> str:
        """The serial in messages."""
        return SERIAL

    def create_adb_controller(self) -> InProcessAdb:
        """A controller; all of one simulator act on the same phone."""
        return InProcessAdb(self.endpoint, self.console)

    def create_log_stream(self) -> PocketLogStream:
        """A stream of the phone's log."""
        return PocketLogStream(self.endpoint)

    def _launch_impl(self) -> None:
        """The phone runs already."""

    def send_touch(self, touches: list[tuple[int, int, bool, int]]) -> None:
        """(x, y, down, finger) each; the first finger's count."""
        with self.phone.lock:
            for x, y, down, finger in touches:
                if finger == touches[0][3]:
                    self.phone.touch("move" if down else "up", int(x), int(y))

    def send_key(self, keycode: Any, event_type: str) -> None:
        """An XKB code, as android_env sends on Linux; it acts when it goes down."""
        if event_type not in ("keydown", "keyup", "keypress"):
            raise ValueError(f"event type must be keydown, keyup or keypress, got {event_type!r}")
        name = EVDEV.get(int(keycode) - XKB_OFFSET)
        if name is not None and event_type != "keyup":
            with self.phone.lock:
                self.phone.key(f"KEYCODE_{name}")

    def _get_screenshot_impl(self) -> Any:
        """uint8 (height, width, 3), read-only; the same array as long as the picture stays the same."""
        with self.phone.lock:
            generation = self.phone.generation
            if self._picture is None or self._picture[0] != generation:
                pixels = self.phone.screenshot().copy()
                pixels.flags.writeable = False
                self._picture = (generation, pixels[:, :, :3])
            return self._picture[1]

    def load_state(self, request: Any) -> Any:
        """Back to a saved snapshot; NOT_FOUND for an unknown name."""
        found = self.snapshots.load(request.args.get("snapshot_name", DEFAULT_SNAPSHOT))
        status = state_pb2.LoadStateResponse.Status
        return state_pb2.LoadStateResponse(status=status.OK if found else status.NOT_FOUND)

    def save_state(self, request: Any) -> Any:
        """Keep the phone under a name."""
        self.snapshots.save(request.args.get("snapshot_name", DEFAULT_SNAPSHOT))
        return state_pb2.SaveStateResponse(status=state_pb2.SaveStateResponse.Status.OK)

    def close(self) -> None:
        """Stop the forwarder; the phone stays as it is."""
        self.forwarder.stop()
        super().close()


def load_in_process(phone: Phone, task: Any = None) -> environment.AndroidEnv:
    """An AndroidEnv over a phone in this process, what android_env.loader.load gives over an emulator.

    task: an android_env task_pb2.Task; by default an empty one (no steps, no rewards).
    """
    simulator = PocketSimulator(phone)
    manager = task_manager.TaskManager(task or task_pb2.Task(id="pocket"), config=config_classes.TaskManagerConfig())
    settings = device_settings.DeviceSettings(simulator)
    return environment.AndroidEnv(
        simulator=simulator,
        coordinator=coordinator.Coordinator(
            simulator, manager, device_settings=settings, config=config_classes.CoordinatorConfig()
        ),
        task_manager=manager,
    )
