"""AndroidControl from its own GZIP TFRecords (google-research/android_control README), one tf.train.Example an episode.

Features: episode_id, goal, screenshots (PNG), accessibility_trees (AndroidAccessibilityForest, android_env's proto),
screenshot_widths, screenshot_heights, actions (JSON, one fewer than screenshots), step_instructions.

Boxes of a click or long press are every `bounds_in_screen` of its forest that is set, windows before their nodes,
in order and with repetitions (OpenBMB/AgentCPM-GUI process_ac.py @acbaf509 reads the text form so), as fractions of
the screenshot. Other labels carry none: no protocol asks, and a forest has hundreds.

Screenshots stay in the shards. Each shard keeps one reading position and its last few episodes, so asking in file
order reads each shard once; going back starts that shard again.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from emulator.tfrecord import Features, TFRecordError, scan_examples
from solar_eval.actions import Action, Box
from solar_eval.benchmarks.labels import LabelFault, from_android_control
from solar_eval.benchmarks.lines import files_of
from solar_eval.benchmarks.subsets import finish_step
from solar_eval.dialects.frames import Size
from solar_eval.errors import DataError, UsageError
from solar_eval.records import Benchmark, BoxSource, Episode, Step, Unreadable

KEPT_EPISODES = 16
"""Episodes whose screenshots a shard keeps in memory, several megabytes each."""
_NOT_SHARDS = (".json", ".jsonl", ".jsonl.gz", ".txt", ".md", ".csv", ".png")


@dataclass(frozen=True, slots=True)
class Options:
    """wanted: which episode ids (None: all). finish: append a finish step on each last screenshot.

    boxes: read the forests, which needs android_env.
    """

    wanted: Callable[[str], bool] | None = None
    finish: bool = False
    boxes: bool = True


def shards_of(path: Path) -> list[Path]:
    """The TFRecord files that `path` means: a file, a glob, or a directory's `android_control*` and `*tfrecord*` files.

    Raises DataError where there are none.
    """
    if not path.is_dir():
        return files_of(path, ("",))
    found = shards_in(path)
    if not found:
        raise DataError("no android_control* or *tfrecord* file", str(path), "gs://gresearch/android_control")
    return found


def shards_in(folder: Path) -> list[Path]:
    """A folder's TFRecord files by their names, in order; maybe none."""
    named = (file for file in folder.iterdir() if file.name.startswith("android_control") or "tfrecord" in file.name)
    return sorted(file for file in named if file.is_file() and not file.name.endswith(_NOT_SHARDS))


def load_tfrecords(path: Path, options: Options = Options(), name: str = "android_control") -> Benchmark:  # frozen
    """The wanted episodes of all shards. Raises DataError if none can be read, UsageError if android_env is missing."""
    seen: dict[str, str] = {}
    episodes: list[Episode] = []
    unreadable: list[Unreadable] = []
    forests = _forest_class() if options.boxes else None
    for file in shards_of(path):
        shard = Shard(file)
        for ordinal, example in enumerate(_scan(file)):
            where = f"{file} episode {ordinal}"
            if isinstance(example, TFRecordError):
                unreadable.append(Unreadable(where, f"record at byte {example.offset}: {example.why}"))
                continue
            episode = _episode(example, shard, ordinal, options, forests, unreadable)
            if episode is None:
                continue
            if episode.id in seen:
                unreadable.append(Unreadable(where, f"episode {episode.id} stands at {seen[episode.id]} already"))
                continue
            seen[episode.id] = where
            episodes.append(episode)
    if not episodes:
        why = f"; the first: {unreadable[0].where}: {unreadable[0].why}" if unreadable else ""
        raise DataError(f"no wanted episode could be read ({len(unreadable)} unreadable items{why})", str(path))
    notes = ("boxes: every node and window of the accessibility forest",) if options.boxes else ("no boxes were read",)
    return Benchmark(name, "", tuple(episodes), tuple(unreadable), notes)


class Shard:
    """Screenshots of one file by the episode's place in it. Safe to ask from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._kept: OrderedDict[int, list[Any]] = OrderedDict()
        self._examples: Iterator[Features | TFRecordError] = iter(())
        self._next = 0
        self._open = False

    def screenshot(self, ordinal: int, index: int) -> bytes:
        """PNG bytes of screenshot `index` of the episode at `ordinal`. Raises DataError."""
        with self._lock:
            if ordinal not in self._kept:
                self._read_to(ordinal)
            pictures = self._kept[ordinal]
        if index >= len(pictures):
            raise DataError(
                f"it has {len(pictures)} screenshots, number {index} was asked", f"{self.path} episode {ordinal}"
            )
        return bytes(pictures[index])

    def _read_to(self, ordinal: int) -> None:
        if not self._open or ordinal < self._next:
            self._examples, self._next, self._open = _scan(self.path), 0, True
        for example in self._examples:
            here, self._next = self._next, self._next + 1
            pictures = [] if isinstance(example, TFRecordError) else example.get("screenshots", [])
            self._kept[here] = list(pictures)
            if len(self._kept) > KEPT_EPISODES:
                self._kept.popitem(last=False)
            if here == ordinal:
                return
        self._open = False
        raise DataError("the file is shorter than when it was loaded", f"{self.path} episode {ordinal}")


def _scan(file: Path) -> Iterator[Features | TFRecordError]:
    try:
        yield from scan_examples(file)
    except OSError as error:
        raise DataError(f"the shard can't be read ({error.strerror or error})", str(file)) from error


def _episode(
    example: Features, shard: Shard, ordinal: int, options: Options, forests: Any, unreadable: list[Unreadable]
) -> Episode | None:
    where = f"{shard.path} episode {ordinal}"
    try:
        reader = _Example(example)
    except LabelFault as error:
        unreadable.append(Unreadable(where, str(error)))
        return None
    if options.wanted is not None and not options.wanted(reader.id):
        return None
    steps = [reader.step(index, shard, ordinal, forests, unreadable) for index in range(len(reader.actions))]
    if options.finish:
        last = len(reader.actions)
        picture = partial(shard.screenshot, ordinal, last) if last < reader.pictures else None
        steps.append(finish_step(reader.id, last, reader.goal, reader.size(last), picture))
    return Episode(reader.id, reader.goal, tuple(steps))


class _Example:
    """One example with its features checked. Raises LabelFault naming a feature that is missing or of another type."""

    def __init__(self, example: Features) -> None:
        ids = _list_of(example, "episode_id", int)
        goals = _list_of(example, "goal", bytes)
        self.actions = _list_of(example, "actions", bytes)
        if len(ids) != 1 or len(goals) != 1 or not self.actions:
            raise LabelFault("episode_id and goal need one value each, actions at least one")
        self.id, self.goal = str(ids[0]), goals[0].decode("utf-8", "replace")
        self.lows = _list_of(example, "step_instructions", bytes, needed=False)
        self.trees = _list_of(example, "accessibility_trees", bytes, needed=False)
        self.widths = _list_of(example, "screenshot_widths", int)
        self.heights = _list_of(example, "screenshot_heights", int)
        self.pictures = len(_list_of(example, "screenshots", bytes, needed=False))
        sizes = [*self.widths, *self.heights]
        if not sizes or len(self.widths) != len(self.heights) or min(sizes) <= 0:
            raise LabelFault("screenshot_widths and screenshot_heights need equally many positive values")

    def size(self, index: int) -> Size:
        """Size of screenshot `index`; the last one known where the lists are short."""
        known = min(index, len(self.widths) - 1)
        return self.widths[known], self.heights[known]

    def step(self, index: int, shard: Shard, ordinal: int, forests: Any, unreadable: list[Unreadable]) -> Step:
        """One labelled step; what is wrong with it stands in its label_fault or in `unreadable`."""
        size, where = self.size(index), f"{shard.path} episode {ordinal} step {self.id}/{index}"
        label, fault = _label(self.actions[index], size)
        boxes: tuple[Box, ...] | None = None
        source: BoxSource = "none"
        if forests is not None and label is not None and label.kind in {"click", "long_press"}:
            try:
                boxes, source = self._boxes(index, forests, size), "forest"
            except LabelFault as error:
                unreadable.append(Unreadable(where, f"{error}; the step is scored without boxes"))
        return Step(
            id=f"{self.id}/{index}", episode=self.id, index=index, goal=self.goal,
            low=self.lows[index].decode("utf-8", "replace") if index < len(self.lows) else "", label=label, screen=size,
            boxes=boxes, box_source=source, label_fault=fault,
            screenshot=partial(shard.screenshot, ordinal, index) if index < self.pictures else None,
        )  # fmt: skip

    def _boxes(self, index: int, forests: Any, size: Size) -> tuple[Box, ...]:
        from google.protobuf.message import DecodeError

        if index >= len(self.trees):
            raise LabelFault(f"no accessibility tree for screenshot {index}")
        try:
            forest = forests.FromString(self.trees[index])
        except DecodeError as error:
            raise LabelFault(f"the accessibility tree can't be read ({error})") from error
        return tuple(forest_boxes(forest, size))


def forest_boxes(forest: Any, size: Size) -> Iterator[Box]:
    """Every `bounds_in_screen` of an AndroidAccessibilityForest in its text form's order, as fractions of `size`."""
    for window in forest.windows:
        for part in (window, *window.tree.nodes):
            if part.HasField("bounds_in_screen"):
                b = part.bounds_in_screen
                yield Box(b.left / size[0], b.top / size[1], b.right / size[0], b.bottom / size[1])


def _label(raw: bytes, size: Size) -> tuple[Action | None, str]:
    try:
        data = json.loads(raw)
        if not isinstance(data, dict):
            raise LabelFault(f"the action is no object: {raw!r:.80}")
        return from_android_control(data, size), ""
    except (ValueError, RecursionError) as error:
        return None, str(error)


def _list_of(example: Features, name: str, kind: type, needed: bool = True) -> list[Any]:
    if needed and name not in example:
        raise LabelFault(f"feature {name} is missing")
    values = example.get(name, [])
    if values and not isinstance(values[0], kind):
        raise LabelFault(f"feature {name}: {kind.__name__} values are needed, not {type(values[0]).__name__}")
    return list(values)


def _forest_class() -> Any:
    try:
        from android_env.proto.a11y import android_accessibility_forest_pb2
    except ImportError as error:
        raise UsageError(
            f"accessibility forests need android_env, which can't be imported ({error})",
            fix="pip install 'solar-eval[android]', or load without boxes",
        ) from error
    return android_accessibility_forest_pb2.AndroidAccessibilityForest
