"""What the harness costs a live step, and how long an episode takes beside android_world's own run loop.

Run by `scripts/benchmark`. `overhead` is CPU time of the thread that plays, less what it spends in calls of the phone:
observation, execution, records on disk, progress. Preparing a picture for a model (resize, PNG) is the model's part and
is told apart. `against_upstream` needs a checkout of google-research/android_world (ANDROID_WORLD_PATH) and is skipped,
saying so, without it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solar_eval.actions import Action, Click, OpenApp, Point, Press, Swipe, Type
from solar_eval.live.agents import Agent, AgentRun, Start
from solar_eval.live.board import Board
from solar_eval.live.episode import Rules, StepRecord, run_episode
from solar_eval.live.scripted import Steps
from solar_eval.live.seeing import Observation, Seeing
from solar_eval.live.store import Evidence, Item
from solar_eval.live.task import Expert, Said, Template

SETTINGS = "com.android.settings"
ROUND: tuple[Action, ...] = (
    OpenApp(SETTINGS), Swipe("up"), Swipe("down"), Click(Point(0.5, 0.3)), Type("abc"), Press("back"), Press("home"),
)  # fmt: skip
ROUND_TEMPLATE = Template("Round", 1.0, 1, "easy")
COMPARED = "SystemWifiTurnOff"


class TimedDevice:
    """A device that counts the CPU and wall seconds spent in its calls."""

    def __init__(self, device: Any) -> None:
        self._device, self.serial, self.cpu, self.wall, self.calls = device, device.serial, 0.0, 0.0, 0

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._device, name)
        return self._timed(value) if callable(value) else value

    def _timed(self, call: Any) -> Any:
        def timed(*args: Any, **kwargs: Any) -> Any:
            cpu, wall = time.thread_time(), time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.cpu += time.thread_time() - cpu
                self.wall += time.perf_counter() - wall
                self.calls += 1

        return timed


@dataclass(frozen=True)
class RoundTask:
    """A task without set-up, to be played for so many steps."""

    seed: int = 0
    template: Template = ROUND_TEMPLATE
    name: str = "Round/0"
    goal: str = "Go round."
    expert: Expert | None = None

    @property
    def params(self) -> Mapping[str, object]:
        """None."""
        return {}

    def initialize(self, device: Any) -> None:
        """Home."""
        device.press("home")

    def score(self, device: Any, said: Said) -> float:
        """Nothing to judge."""
        return 0.0

    def tear_down(self, device: Any) -> None:
        """Nothing to undo."""


@dataclass(frozen=True)
class RoundAgent(Agent):
    """Plays ROUND again and again."""

    spec: str = "scripted:round"
    seeing: Seeing = "elements"
    needs_tree: bool = False

    def identity(self) -> Mapping[str, object]:
        """Its name."""
        return {"model": self.spec}

    def begin(self, start: Start) -> AgentRun:
        """A new round."""
        return Steps(_again())


def _again() -> Iterator[Action]:
    while True:
        yield from ROUND


class _Both:
    def __init__(self, *watchers: Any) -> None:
        self.watchers = watchers

    def observed(self, index: int, observation: Observation) -> None:
        """Told to all."""
        for watcher in self.watchers:
            watcher.observed(index, observation)

    def stepped(self, record: StepRecord) -> None:
        """Told to all."""
        for watcher in self.watchers:
            watcher.stepped(record)


def overhead(steps: int = 210) -> float:
    """CPU seconds a step that are neither the phone's nor the model's, with all records kept, 1080 x 2400."""
    from emulator.pocket.phone import Phone
    from emulator.pocket_device import PocketDevice

    device = TimedDevice(PocketDevice(Phone(seed=1)))
    task, board = RoundTask(), Board(1)
    with tempfile.TemporaryDirectory(prefix="solar-eval-") as folder:
        evidence = Evidence(Path(folder), 0, pictures=True)
        reporter = board.begin(0, Item("Round", 0, 0, "", 0), task.goal, device.serial, steps)
        started = time.thread_time()
        run_episode(task, device, RoundAgent(), Rules(budget=steps), _Both(evidence, reporter))
        spent = time.thread_time() - started - device.cpu
        evidence.close()
    return spent / steps


def picture_seconds() -> float:
    """CPU seconds to resize and encode one screenshot for Qwen2.5-VL."""
    from emulator.pocket.phone import Phone
    from emulator.pocket_device import PocketDevice
    from solar_eval.dialects.table import get
    from solar_eval.images import prepare_picture

    png, rule = PocketDevice(Phone(seed=1)).screenshot().png, get("qwen2_5_vl").resize
    started = time.thread_time()
    for _ in range(5):
        prepare_picture(png, rule)
    return (time.thread_time() - started) / 5


# ---- beside android_world's own loop
def json_actions(actions: Sequence[Action], size: tuple[int, int]) -> list[dict[str, object]]:
    """Ours as AndroidWorld's JSONAction fields. ValueError for one that it has not."""
    out: list[dict[str, object]] = []
    for action in actions:
        match action:
            case Click():
                x, y = int(action.point.x * size[0]), int(action.point.y * size[1])
                out.append({"action_type": "click", "x": x, "y": y})
            case OpenApp():
                out.append({"action_type": "open_app", "app_name": "settings"})
            case Press(key="home"):
                out.append({"action_type": "navigate_home"})
            case _:
                raise ValueError(f"{action.kind} is not compared")
    return out


class _Heard:
    """Keeps the actions of an episode."""

    def __init__(self) -> None:
        self.actions: list[Action] = []

    def observed(self, index: int, observation: Observation) -> None:
        """Not kept."""

    def stepped(self, record: StepRecord) -> None:
        """Kept, but for the declaration that it is done."""
        if record.decision.action is not None and record.decision.action.kind != "finish":
            self.actions.append(record.decision.action)


def against_upstream(checkout: Path, seed: int = 30) -> dict[str, float]:
    """Wall seconds of one task with the same scripted actions on the same phone: ours, upstream, and how many times."""
    from emulator.pocket.phone import Phone
    from emulator.pocket_device import PocketDevice
    from solar_eval.live.official import load_official, upstream_loop
    from solar_eval.live.scripted import ScriptedAgent

    benchmark, heard = load_official(checkout), _Heard()
    device = PocketDevice(Phone(seed=1))
    played = run_episode(benchmark.instantiate(COMPARED, seed), device, ScriptedAgent("expert"), Rules(), heard)
    task = benchmark.instantiate(COMPARED, seed)
    task.initialize(device)
    size = device.screen_size()
    upstream = upstream_loop(task, device, json_actions(heard.actions, (size.width, size.height)))
    score = task.score(device, Said())
    task.tear_down(device)
    ours = played.seconds["play"]
    return {"ours_s": ours, "upstream_s": upstream, "times": upstream / ours, "actions": len(heard.actions),
            "ours_score": played.score, "upstream_score": score}  # fmt: skip


@contextmanager
def _told(what: str) -> Iterator[None]:
    print(f"{what}: ", end="", flush=True)
    yield


def main() -> None:
    """One line a figure."""
    with _told("live   overhead of the harness a step"):
        print(f"{1000 * overhead():.2f} ms CPU (model and phone apart)")
    with _told("live   one picture for Qwen2.5-VL"):
        print(f"{1000 * picture_seconds():.0f} ms CPU")
    found = os.environ.get("ANDROID_WORLD_PATH", "")
    with _told("live   an episode beside android_world's own loop"):
        if not found:
            print("skipped: ANDROID_WORLD_PATH does not name a checkout of google-research/android_world")
            return
        told = against_upstream(Path(found))
        print(f"{COMPARED}, {told['actions']:.0f} actions: ours {told['ours_s']:.2f} s, upstream "
              f"{told['upstream_s']:.2f} s, {told['times']:.0f} times")  # fmt: skip


if __name__ == "__main__":
    main()
