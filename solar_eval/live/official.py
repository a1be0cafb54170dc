"""Official AndroidWorld as a live benchmark: its tasks, parameters, set-up and judgement over our devices.

The only file that imports android_world. It is taken as the user installed it (importable, or a folder put first on
the path), never built or changed on disk, and tested with google-research/android_world @d9c569f. Used are its
registry, `generate_random_params`, `initialize_task`, `is_successful` and `tear_down`; not its agents, its runner, its
checkpoints. The environment is emulator/env.py, so that adb commands are carried out once, no server is killed, texts
arrive whole and trees are fresh.

Seeds are AndroidWorld's (suite_utils._get_instance_seed): sha256("<seed>_<task>_0") mod 2**32, drawn from a generator
of the task's own (standins.py), which gives the same parameters as upstream's global one. MarkorCreateFolder names its
folder after the computer's clock; here after the phone's fixed date and the seed. A missing app snapshot, which
upstream only logs before it starts on whatever state there is, is an error here.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emulator.device_errors import DeviceError, NotSupported
from solar_eval.errors import DataError, unknown_name
from solar_eval.live.standins import Context, inside, install
from solar_eval.live.task import Difficulty, Expert, Said, Template

if TYPE_CHECKING:
    from emulator.device import Device
    from emulator.pocket.experts.driver import Driver

TESTED = "d9c569f"
PACKAGE = "android_world"
DATED = frozenset({"android_world.task_evals.single.markor"})
"""Modules that take a parameter from the computer's clock."""
PHONE_DATE = datetime(2023, 10, 15, 15, 34, tzinfo=UTC)
"""AndroidWorld's fixed date (env/device_constants.py)."""
NEEDS_HINTS = frozenset({"ContactsNewContactDraft"})
"""Tasks whose judge reads the hints of fields."""
STATELESS = frozenset({"clipper", ""})
"""Apps of which upstream keeps no snapshot."""
FIXES = {
    "absl": "absl-py", "cv2": "opencv-python-headless", "fuzzywuzzy": "fuzzywuzzy", "PIL": "pillow",
    "google.protobuf": "protobuf", "dm_env": "dm-env", "skimage": "scikit-image",
}  # fmt: skip


class AppDataMissing(DeviceError):
    """The phone was not set up for AndroidWorld: an app's clean data is not there to be restored."""


# ---- the package as installed
def load_official(folder: Path | None) -> AndroidWorld:
    """AndroidWorld's suite from `folder` (several joined by the system's path separator) or as importable.

    DataError says what is missing: the package, compiled protos, a fitting protobuf, another requirement.
    """
    if folder is not None:
        _put_first(folder)
    try:
        importlib.import_module("android_env")
        registry = importlib.import_module(f"{PACKAGE}.registry")
    except Exception as error:  # an import runs foreign code; whatever it raises is told, with what to do
        raise _why_not(error, folder) from error
    importlib.import_module("absl.logging").set_verbosity("error")
    for needed in ("env.interface", "env.android_world_controller", "utils.app_snapshot"):
        importlib.import_module(f"{PACKAGE}.{needed}")
    install({name: module for name, module in sys.modules.items() if name.startswith(PACKAGE + ".")}, DATED)
    table = registry.TaskRegistry()
    return AndroidWorld(dict(table.get_registry(table.ANDROID_WORLD_FAMILY)), Path(str(registry.__file__)).parent)


def _put_first(folder: Path) -> None:
    parts = [Path(part).expanduser().resolve() for part in str(folder).split(os.pathsep) if part]
    if not any((part / PACKAGE / "registry.py").is_file() for part in parts):
        raise DataError("holds no android_world/registry.py", str(folder),
                        "give a checkout of github.com/google-research/android_world")  # fmt: skip
    loaded = sys.modules.get(PACKAGE)
    for part in reversed(parts):
        if str(part) not in sys.path:
            sys.path.insert(0, str(part))
    where = str(getattr(loaded, "__file__", "") or "")
    if loaded is not None and where and not any(where.startswith(str(part)) for part in parts):
        raise DataError(f"android_world is loaded already, from {where}", str(folder), "start again with one of them")


def _why_not(error: BaseException, folder: Path | None) -> DataError:
    where = str(folder) if folder is not None else "android_world"
    text = f"{type(error).__name__}: {error}"
    name = getattr(error, "name", None) or ""
    if name == PACKAGE:
        return DataError("is not importable", where, "give --android-world CHECKOUT")
    if "_pb2" in text:
        fix = (
            "compile them as its setup.py does: python -m grpc_tools.protoc over task_evals/information_retrieval/proto"
        )
        return DataError(f"its protos are not compiled ({text})", where, fix)
    if "gencode" in text or "runtime_version" in text or type(error).__name__ == "VersionError":
        fix = "its compiled protos and the installed protobuf don't fit: compile them again, or install that protobuf"
        return DataError(f"protobuf mismatch ({text})", where, fix)
    if isinstance(error, ModuleNotFoundError):
        package = FIXES.get(name, FIXES.get(name.partition(".")[0], name.replace("_", "-")))
        return DataError(f"it needs {name}, which is not installed", where, f"pip install {package}")
    return DataError(f"can't be imported ({text})", where, "does its own test suite run in this environment?")


def _commit(package: Path) -> str:
    """The commit of the checkout the package lies in, "" if it is none."""
    head = package.parent / ".git" / "HEAD"
    try:
        text = head.read_text(encoding="utf-8").strip()
        if text.startswith("ref: "):
            text = (head.parent / text.removeprefix("ref: ")).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
    return text[:7]


def _digest(package: Path) -> str:
    """Hash of everything that decides a score: sources and task descriptions, tests apart."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        kept = path.suffix in (".py", ".textproto", ".json") and not path.name.endswith(("_test.py", "_pb2.py"))
        if kept and "agents" not in path.parts:
            digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


# ---- the benchmark
@dataclass(frozen=True)
class AndroidWorld:
    """classes: task name -> AndroidWorld's class. package: the folder it was imported from."""

    classes: Mapping[str, Any]
    package: Path
    name: str = "android_world"
    _kept: dict[str, Template] = field(default_factory=dict)

    @cached_property
    def version(self) -> str:
        """Commit (if it is a checkout) and hash of its sources."""
        return "-".join(part for part in (_commit(self.package), _digest(self.package)) if part)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers must know: another commit than the one this was tested with."""
        commit = _commit(self.package)
        if commit == TESTED:
            return ()
        return (f"android_world is at {commit or 'an unknown commit'}; this version was tested with {TESTED}",)

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """All tasks of the family, by name."""
        path = self.package / "task_metadata.json"
        known = {entry["task_name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}
        return tuple(self._template(name, known.get(name, {})) for name in sorted(self.classes))

    def _template(self, name: str, entry: Mapping[str, Any]) -> Template:
        task = self._make(name, 0)
        difficulty: Difficulty = entry.get("difficulty", "medium")
        return Template(name, float(task.complexity), int(entry.get("optimal_steps") or 0), difficulty,
                        tuple(filter(None, entry.get("tags", ()))), tuple(task.app_names))  # fmt: skip

    def _make(self, name: str, seed: int) -> Any:
        """AndroidWorld's own object with the parameters of a seed."""
        number = instance_seed(name, seed)
        rng = random.Random(number)
        now = PHONE_DATE.replace(tzinfo=None) + timedelta(seconds=number % 86_400)
        with inside(Context(rng, tempfile.gettempdir(), now=now)):
            cls = self.classes[name]
            params = cls.generate_random_params()
            return cls(params | {"seed": number})

    def instantiate(self, template: str, seed: int) -> OfficialTask:
        """See LiveBenchmark."""
        if template not in self.classes:
            raise unknown_name("AndroidWorld task", template, self.classes)
        found = next(t for t in self.templates if t.name == template)
        return OfficialTask(found, seed, self._make(template, seed))


def instance_seed(name: str, seed: int) -> int:
    """The seed that upstream gives the first instance of a task in a suite of this seed."""
    return int(hashlib.sha256(f"{seed}_{name}_0".encode()).hexdigest(), 16) % 2**32


def plain(value: Any) -> Any:
    """A parameter as JSON, the same in every process: pictures by the hash of their pixels, objects by their fields."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = [plain(item) for item in value]
        return sorted(items, key=repr) if isinstance(value, set | frozenset) else items
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if hasattr(value, "tobytes"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString(deterministic=True).hex()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return f"{type(value).__module__}.{type(value).__qualname__}"


# ---- a task
@dataclass
class OfficialTask:
    """One instance. `official`: AndroidWorld's own object; made anew for every episode."""

    template: Template
    seed: int
    official: Any
    _env: Any = None
    _context: Context | None = None
    _folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def name(self) -> str:
        """ "<template>/<seed>"."""
        return f"{self.template.name}/{self.seed}"

    @property
    def goal(self) -> str:
        """AndroidWorld's sentence."""
        return str(self.official.goal)

    @cached_property
    def params(self) -> Mapping[str, object]:
        """The drawn parameters as JSON."""
        return {str(key): plain(value) for key, value in self.official.params.items()}

    @property
    def expert(self) -> Expert | None:
        """Our scripted solution on the pocket phone, if there is one."""
        from emulator.pocket.experts.solutions import SOLUTIONS

        script = SOLUTIONS.get(self.template.name)
        return None if script is None else partial(_scripted, script, self.official.params)

    def initialize(self, device: Device) -> None:
        """See LiveTask. AppDataMissing where the phone was not set up for AndroidWorld."""
        self._open(device)
        with self._inside():
            self.official.initialized = False
            self.official.initialize_task(self._env)
        if self.official.start_on_home_screen:
            device.press("home")

    def score(self, device: Device, said: Said) -> float:
        """See LiveTask."""
        if self._env is None:
            raise RuntimeError(f"{self.name}: judged before it was initialized")
        self._env.interaction_cache = said.answer
        with self._inside():
            return float(self.official.is_successful(self._env))

    def tear_down(self, device: Device) -> None:
        """See LiveTask."""
        if self._env is not None:
            with self._inside():
                self.official.tear_down(self._env)
        env, self._env = self._env, None
        if env is not None and self._folder is not None:
            self._folder.cleanup()

    def _open(self, device: Device) -> None:
        """The environment of this phone, in the state that AndroidWorld counts on."""
        pocket = is_pocket(device)
        if pocket:
            device.shell("pocket reset")
        else:
            _need_snapshots(device, self.official.app_names)
        self._folder = tempfile.TemporaryDirectory(prefix="solar-eval-")
        sleep = partial(_sleep_on, device) if pocket else None
        self._context = Context(random.Random(instance_seed(self.template.name, self.seed)), self._folder.name, sleep)
        self._env = environment(device, self.template.name in NEEDS_HINTS)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        assert self._context is not None
        with inside(self._context):
            yield


def is_pocket(device: Device) -> bool:
    """Whether it is the built-in phone, however it is reached."""
    return device.shell("type pocket >/dev/null 2>&1 && echo yes").stdout.strip() == "yes"


def _scripted(script: Any, params: Mapping[str, Any], driver: Driver) -> None:
    script(driver, params)


def _sleep_on(device: Device, seconds: float) -> None:
    """Lets the pocket phone's time pass."""
    device.shell(["sleep", f"{max(seconds, 0.0):g}"])


def _need_snapshots(device: Device, apps: tuple[str, ...]) -> None:
    """AppDataMissing names the first app whose snapshot is not on the phone."""
    snapshots = importlib.import_module(f"{PACKAGE}.utils.app_snapshot")
    for app in apps:
        if app in STATELESS:
            continue
        path = snapshots._snapshot_path(app)
        if device.shell(["test", "-d", path]).exit_code != 0:
            raise AppDataMissing(f"no snapshot of {app} at {path}", device.serial,
                                 "run AndroidWorld's own set-up (run.py --perform_emulator_setup) on it")  # fmt: skip


class _Handle:
    """The device with what android_env asks for where it can: a console and root."""

    def __init__(self, device: Device) -> None:
        self._device, self.serial = device, device.serial

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def console(self, command: str) -> str:
        """`adb emu`."""
        try:
            return str(self._device.console(command))  # type: ignore[attr-defined]  # not every device has one
        except (AttributeError, NotSupported) as error:
            words = command.split(" ", 3)
            if words[:2] != ["sms", "send"] or not is_pocket(self._device):
                raise NotSupported("this phone has no console", self.serial, "use an emulator's serial") from error
        return self._device.shell(["pocket", "sms", *words[2:]]).stdout

    def root(self) -> None:
        """`adb root`, where the phone knows it."""
        become = getattr(self._device, "root", None)
        if become is not None:
            become()


def environment(device: Device, hints: bool) -> Any:
    """AndroidWorld's AsyncAndroidEnv over a device. hints: a judge will ask for fields' hints; NotSupported without."""
    from emulator.env import DeviceEnv
    from solar_eval.live.forest import forest_of, tells_hints

    module = importlib.import_module(f"{PACKAGE}.env.android_world_controller")
    interface = importlib.import_module(f"{PACKAGE}.env.interface")

    class Controller(module.AndroidWorldController):  # type: ignore[misc, name-defined]
        """Asks the device for its hierarchy, and never reconnects behind one's back."""

        def _get_a11y_forest(self) -> Any:
            phone = getattr(device, "phone", None)
            if phone is not None:
                return phone.forest()
            tree = device.ui_tree()
            if hints and not tells_hints(tree):
                raise NotSupported("its hierarchy does not tell the hints of fields", device.serial,
                                   "this task can't be judged here")  # fmt: skip
            return forest_of(tree)

        def get_a11y_forest(self) -> Any:
            """Fresh, or an error."""
            return self._get_a11y_forest()

    controller = Controller(DeviceEnv(_Handle(device)), a11y_method=module.A11yMethod.NONE)
    controller._a11y_method = module.A11yMethod.A11Y_FORWARDER_APP
    return interface.AsyncAndroidEnv(controller)


def upstream_loop(task: OfficialTask, device: Device, actions: Sequence[Mapping[str, object]]) -> float:
    """Plays `actions` (AndroidWorld's JSONAction fields) with android_world's own runner; seconds from home to done.

    For comparison only (speed.py). The agent waits for a stable screen before each action, as run.py's agents do; real
    time passes wherever upstream sleeps.
    """
    import time

    runner = importlib.import_module(f"{PACKAGE}.episode_runner")
    base = importlib.import_module(f"{PACKAGE}.agents.base_agent")
    json_action = importlib.import_module(f"{PACKAGE}.env.json_action")

    class Scripted(base.EnvironmentInteractingAgent):  # type: ignore[misc, name-defined]
        """Acts one action after another."""

        def __init__(self, env: Any) -> None:
            super().__init__(env, "scripted", transition_pause=None)
            self.left = [json_action.JSONAction(**action) for action in actions]

        def step(self, goal: str) -> Any:
            """One action; done after the last one."""
            self.get_post_transition_state()
            if not self.left:
                return base.AgentInteractionResult(True, {})
            self.env.execute_action(self.left.pop(0))
            return base.AgentInteractionResult(False, {})

    env = environment(device, False)
    started = time.perf_counter()
    runner.run_episode(task.goal, Scripted(env), len(actions) + 1, True, print_fn=lambda text: None)
    return time.perf_counter() - started
