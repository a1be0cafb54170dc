"""Runs AndroidWorld's own task classes, unmodified, on a phone in this process, with scripted solutions or none.

Needs a checkout of google-research/android_world (commit d9c569f) with its protos compiled; `load` puts it on the path.
The environment is AndroidWorld's `AsyncAndroidEnv` over `load_in_process`. Departures, for speed: the accessibility
forest is asked of the phone directly instead of coming over the forwarder's gRPC (which has tests of its own), and
`time.sleep` in AndroidWorld's modules moves the phone's clock instead of waiting.
"""

from __future__ import annotations

import contextlib
import importlib
import random
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulator.pocket.experts.driver import Driver, Script
from emulator.pocket.fronts.in_process import load_in_process
from emulator.pocket.phone import Phone


def nothing(driver: Driver, params: Mapping[str, Any]) -> None:
    """The script that does nothing."""


@dataclass(frozen=True)
class Verdict:
    """What came of one task: the score, or the step at which it raised (`failed_in`) and the traceback.

    actions: how many the script took. unknown_commands: shell commands the phone did not know.
    """

    task: str
    seed: int
    score: float
    failed_in: str = ""
    error: str = ""
    actions: int = 0
    goal: str = ""
    unknown_commands: int = 0


class VirtualTime:
    """Stands in for the module `time`: sleeping moves the phone's clock and this one, and takes no time."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.slept = 0.0

    def sleep(self, seconds: float) -> None:
        """Let the phone's time pass."""
        self.slept += seconds
        with self.phone.lock:
            self.phone.clock.advance(max(seconds, 0.0))
            self.phone.touched()

    def time(self) -> float:
        """Real time and what was slept."""
        return time.time() + self.slept

    monotonic = perf_counter = time

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """AndroidWorld's modules see this in place of `time`."""
        modules = [m for name, m in sys.modules.items() if name.startswith("android_world.") and hasattr(m, "time")]
        for module in modules:
            module.__dict__["time"] = self
        try:
            yield
        finally:
            for module in modules:
                module.__dict__["time"] = time

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


class Bench:
    """AndroidWorld over one phone. `registry`: task name -> AndroidWorld's class."""

    def __init__(self, phone: Phone, checkout: Path) -> None:
        self.phone = phone
        self.registry = load(checkout)
        self.time = VirtualTime(phone)
        env = load_in_process(phone)
        self.endpoint = env._coordinator._simulator.endpoint
        controller = _controller(phone, env)
        interface = importlib.import_module("android_world.env.interface")
        self.env = interface.AsyncAndroidEnv(controller)

    def task(self, name: str, seed: int) -> Any:
        """A task object with parameters drawn by AndroidWorld from `seed`; KeyError for an unknown name."""
        cls = self.registry[name]
        random.seed(seed)
        params = cls.generate_random_params()
        params["seed"] = seed
        return cls(params)

    def run(self, name: str, seed: int, script: Script = nothing) -> Verdict:
        """Set up, run the script from the home screen, judge, tear down."""
        task = self.task(name, seed)
        driver = Driver(self.phone, pause=self.time.sleep)
        unknown = sum(self.endpoint.unknown.values())
        step, score, error = "initialize", 0.0, ""
        with self.time.in_use():
            try:
                task.initialize_task(self.env)
                step = "script"
                self.phone.key("HOME")
                script(driver, task.params)
                self.env.interaction_cache = driver.answered
                step = "judge"
                score = float(task.is_successful(self.env))
                step = "tear down"
                task.tear_down(self.env)
                step = ""
            except Exception:  # whatever the task or the script raises is the result
                error = traceback.format_exc()
        return Verdict(name, seed, score, step, error, len(driver.actions), task.goal,
                       sum(self.endpoint.unknown.values()) - unknown)  # fmt: skip


def load(checkout: Path) -> dict[str, Any]:
    """AndroidWorld's registry of task classes; ImportError says what the checkout or the environment lacks."""
    if str(checkout) not in sys.path:
        sys.path.insert(0, str(checkout))
    registry = importlib.import_module("android_world.registry").TaskRegistry()
    return dict(registry.get_registry(registry.ANDROID_WORLD_FAMILY))


def _controller(phone: Phone, env: Any) -> Any:
    """AndroidWorld's controller with the forest of this phone."""
    module = importlib.import_module("android_world.env.android_world_controller")

    class Controller(module.AndroidWorldController):  # type: ignore[misc, name-defined]
        """Asks the phone for its forest."""

        def _get_a11y_forest(self) -> Any:
            return phone.forest()

    made = Controller(env, a11y_method=module.A11yMethod.NONE)
    made._a11y_method = module.A11yMethod.A11Y_FORWARDER_APP
    return made
