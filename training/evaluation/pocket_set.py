"""Expert episodes of pocket_world as GZIP TFRecords in AndroidControl's schema: the offline pocket set.

Schema and scroll words as in `emulator.pocket.export` (google-research/android_control README). Different from that
export: the episodes are pocket_world's tasks, so that a checkpoint can be asked about the same tasks offline and live;
instructions are those of `trajectories.instruction`. The same arguments give the same bytes; the folder is written
beside and renamed, so that one that is there is whole. The data is the pocket phone's own, never AndroidControl.

With `instructions=False` the step instructions are empty: read at level low, such an episode is asked as at level high.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from emulator.pocket.experts import driver as scripted
from emulator.pocket.export import ExportError, android_control_action
from emulator.pocket.phone import Phone
from emulator.tfrecord import Features, write_examples
from solar_eval.actions import Action, Finish
from solar_eval.benchmarks.pocket_world import PocketWorld
from solar_eval.benchmarks.pocket_world.access import PhoneAccess
from solar_eval.benchmarks.pocket_world.spec import Task
from solar_eval.benchmarks.pocket_world.trajectories import SIZE, NotSolved, Watcher
from solar_eval.errors import UsageError
from solar_eval.live.task import Said

SHARD = 100


class Recorder(Watcher):
    """Solves a task and keeps, before every action, the screenshot and the accessibility forest."""

    def __init__(self, phone: Phone, instructions: bool = True) -> None:
        super().__init__(phone)
        self.instructions = instructions
        self.example: Features = {name: [] for name in FEATURES}

    def _note(self, action: scripted.Action) -> None:
        if action.kind != "answer":
            made, _ = android_control_action(action, self.phone.label_of)
            self._add("actions", json.dumps(made, ensure_ascii=False).encode())
        super()._note(action)

    def note(self, action: Action, words: str) -> None:
        """Keeps what is on the screen; a final "done" has a screenshot but no action, as in the data set."""
        super().note(action, words)
        self._add("screenshots", self.phone.screenshot_png())
        self._add("accessibility_trees", self.phone.forest().SerializeToString(deterministic=True))
        width, height = self.phone.display_size
        self._add("screenshot_widths", width)
        self._add("screenshot_heights", height)
        if not isinstance(action, Finish):
            self._add("step_instructions", words.encode() if self.instructions else b"")

    def _add(self, name: str, value: bytes | int) -> None:
        self.example[name] = [*self.example[name], value]


FEATURES = (
    "screenshots", "accessibility_trees", "screenshot_widths", "screenshot_heights", "actions", "step_instructions",
)  # fmt: skip


def record_task(phone: Phone, task: Task, number: int, instructions: bool = True) -> Features:
    """One solved task. ExportError for an action the schema does not have; NotSolved where the expert does not."""
    access, recorder = PhoneAccess(phone), Recorder(phone, instructions)
    task.initialize(access)
    task.expert(recorder)
    if recorder.answered:
        raise ExportError(f"{task.spec.name} ends with an answer, AndroidControl has no action for that")
    recorder.note(Finish("success"), "")
    if task.score(access, Said("", "success")) != 1.0:
        raise NotSolved(f"{task.name}: the expert scores 0.0 for {task.goal!r}")
    return {"episode_id": [number], "goal": [task.goal.encode()], **recorder.example}


def names_of(templates: Sequence[str]) -> list[str]:
    """The templates that these patterns name, in the suite's order. UsageError for a pattern that names none."""
    specs = PocketWorld().specs
    for pattern in templates:
        if not any(fnmatchcase(name, pattern) for name in specs):
            raise UsageError(f"no template of pocket_world fits {pattern!r}", "tasks", "see docs/pocket_world.md")
    return [name for name in specs if any(fnmatchcase(name, pattern) for pattern in templates)]


def episodes(
    templates: Sequence[str], seeds: Iterable[int], size: tuple[int, int] = SIZE, instructions: bool = True,
    first: int = 0,
) -> Iterator[Features]:  # fmt: skip
    """Episodes seed by seed, each time through the templates; numbers from `first`. Errors as above."""
    names, benchmark = names_of(templates), PocketWorld()
    phone, number = Phone(size=size), first
    for seed in seeds:
        for name in names:
            yield record_task(phone, benchmark.instantiate(name, seed), number, instructions)
            number += 1


def distinct(made: Iterable[Features]) -> Iterator[Features]:
    """Without episodes whose goal, pictures and actions another one had before."""
    seen: set[bytes] = set()
    for one in made:
        told = hashlib.sha256()
        for name in ("goal", "screenshots", "actions"):
            for value in one[name]:
                told.update(hashlib.sha256(value if isinstance(value, bytes) else repr(value).encode()).digest())
        if told.digest() not in seen:
            seen.add(told.digest())
            yield one


def write_pocket_set(
    folder: Path, templates: Sequence[str], seeds: Sequence[int], size: tuple[int, int] = SIZE,
    instructions: bool = True,
) -> int:  # fmt: skip
    """Writes FOLDER whole or not at all and returns the number of its episodes (all in the list `test`)."""
    beside = _beside(folder)
    count = _write(beside, list(episodes(templates, seeds, size, instructions)))
    return _place(beside, folder, count)


def write_training_sets(
    folder: Path, templates: Sequence[str], seeds: Sequence[int], size: tuple[int, int] = SIZE,
    instructions: bool = True, first: int = 0,
) -> int:  # fmt: skip
    """FOLDER/TEMPLATE, a set of each template's distinct episodes, whole or not at all; returns how many in all.

    So a template whose episodes hardly differ is not drowned by one with many names: sources of equal shares. Episodes
    are numbered from `first`, each template from its own thousand: no two have one number.
    """
    beside, count = _beside(folder), 0
    for place, name in enumerate(names_of(templates)):
        made = list(distinct(episodes([name], seeds, size, instructions, first + 1000 * place)))
        count += _write(beside / name, made)
    return _place(beside, folder, count)


def _beside(folder: Path) -> Path:
    beside = folder.with_name(f".{folder.name}-new")
    shutil.rmtree(beside, ignore_errors=True)
    return beside


def _write(folder: Path, made: Sequence[Features]) -> int:
    folder.mkdir(parents=True)
    shards = -(-len(made) // SHARD)
    for shard in range(shards):
        part = made[shard * SHARD : (shard + 1) * SHARD]
        write_examples(folder / f"android_control-{shard:05d}-of-{shards:05d}", iter(part))
    ids = [value for one in made for value in one["episode_id"]]
    (folder / "splits.json").write_text(json.dumps({"train": [], "validation": [], "test": ids}), encoding="utf-8")
    return len(made)


def _place(beside: Path, folder: Path, count: int) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)
    return count
