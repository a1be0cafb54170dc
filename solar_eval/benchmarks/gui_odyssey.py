"""GUI-Odyssey from its annotation files, one JSON file an episode (OpenGVLab/GUI-Odyssey, Hugging Face data set).

Version 1 (2024, 7,735 episodes) and version 2 (2025-07-31, 8,334 episodes; adds `low_level_instruction`, `sam2_bbox`
and others) are told apart by those fields. Words and rules follow data/format_converter.py and introduction.md
@fefcbe9d: coordinates are 0-1000 per axis; CLICK may carry a key (KEY_HOME, KEY_BACK, KEY_APPSELECT); a SCROLL is the
finger's path from start to end, horizontal only if |dx| > |dy| in that 0-1000 frame, and one of no length is DOWN, as
the converter has it. Older descriptions also name TYPE, IMPOSSIBLE, HOME, BACK, KEY_RECENT: read the same.

Scroll labels are direction words, as every published evaluation compares them; the path itself, in fractions, is kept
in `extra["swipe_path"]`. Layout of `data`: annotations/*.json, splits/{random,task,device,app}_split.json with
{"train": [file names], "test": [...]}, screenshots/*.png.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any, Literal

from solar_eval.actions import Action, Box, Click, Finish, Key, LongPress, Point, Press, Swipe, Type
from solar_eval.benchmarks.labels import LabelFault, boxes, pair, pixel_direction, text
from solar_eval.benchmarks.lines import decoded, files_of
from solar_eval.benchmarks.pictures import read_picture
from solar_eval.dialects.frames import Size
from solar_eval.errors import DataError, unknown_name
from solar_eval.records import Benchmark, BoxSource, Episode, Step, Unreadable

Split = Literal["random", "task", "device", "app"]
PUBLISHED: dict[str, tuple[int, int]] = {
    "random_v1": (1933, 29_426), "task_v1": (1016, 0), "device_v1": (1262, 0), "app_v1": (1139, 17_455),
    "random_v2": (1666, 0), "task_v2": (1135, 0), "device_v2": (1381, 0), "app_v2": (1169, 0),
}  # fmt: skip
"""Test episodes and steps as published (0: no count is); ../facts/offline_protocols.md section 1.2."""
OS_ATLAS = "os_atlas_17920"
"""OS-Atlas's test list, also GUI-R1's. No list of it is public; the recorded replies over it are 1,016 complete
episodes, the size of version 1's task split, so that is what is loaded: the note says whether 17,920 steps came out."""
SUBSETS = (*PUBLISHED, "random", "task", "device", "app", "all", OS_ATLAS)
"""Names of subsets; without a version the data's own is taken. `all`: every annotation, whatever the splits say."""
KEYS: dict[str, Key] = {
    "KEY_HOME": "home", "KEY_BACK": "back", "KEY_APPSELECT": "recents", "KEY_RECENT": "recents",
    "HOME": "home", "BACK": "back", "PRESS_HOME": "home", "PRESS_BACK": "back", "PRESS_RECENT": "recents",
}  # fmt: skip
GRID: Size = (1000, 1000)


def load_odyssey(data: Path, subset: str = "random", part: str = "test", name: str = "gui_odyssey") -> Benchmark:
    """Episodes of one split. `part`: train or test. Raises DataError, and UsageError for an unknown subset.

    A version in the name that isn't the data's is an error: their splits differ.
    """
    if subset not in SUBSETS:
        raise unknown_name("subset", subset, SUBSETS)
    split, _, version = ("task_v1" if subset == OS_ATLAS else subset).partition("_")
    folder = data / "annotations" if (data / "annotations").is_dir() else data
    unreadable: list[Unreadable] = []
    pictures = next((data / sub for sub in ("screenshots", "images") if (data / sub).is_dir()), None)
    episodes: dict[str, Episode] = {}
    versions: set[str] = set()
    for file in _files(data, folder, split, part, unreadable):
        made = _read_episode(file, pictures, unreadable)
        if made is None:
            continue
        episode, found = made
        if episode.id in episodes:
            unreadable.append(Unreadable(str(file), f"episode {episode.id} was read from another file already"))
            continue
        episodes[episode.id] = episode
        versions.add(found)
    if not episodes:
        why = f"; the first: {unreadable[0].where}: {unreadable[0].why}" if unreadable else ""
        raise DataError(f"no episode could be read ({len(unreadable)} unreadable items{why})", str(data))
    held = "v2" if "v2" in versions else "v1"
    if version and version != held:
        raise DataError(f"the annotations are version {held[1:]}, {subset} is version {version[1:]}", str(folder),
                        f"ask for {split} or {split}_{held}")  # fmt: skip
    full = subset if subset in ("all", OS_ATLAS) else f"{split}_{held}"
    made_of = tuple(episodes.values())
    return Benchmark(name, full, made_of, tuple(unreadable), _notes(full, part, made_of, held))


def _notes(full: str, part: str, episodes: tuple[Episode, ...], version: str) -> tuple[str, ...]:
    notes = ["boxes: sam2_bbox" if version == "v2" else "no boxes in version 1"]
    published = PUBLISHED | {OS_ATLAS: (1016, 17_920)}
    expected = published.get(full, (0, 0)) if part == "test" else (0, 0)
    steps = sum(len(episode.steps) for episode in episodes)
    if full == OS_ATLAS:
        notes.append("the list itself is not public: this is the task split of version 1")
    if expected[0] and expected[0] != len(episodes):
        notes.append(f"{full}: {len(episodes)} episodes here, published are {expected[0]}")
    if expected[1] and expected[1] != steps:
        notes.append(f"{full}: {steps} steps here, published are {expected[1]}")
    return tuple(notes)


def _files(data: Path, folder: Path, split: str, part: str, unreadable: list[Unreadable]) -> list[Path]:
    if split == "all":
        return files_of(folder, (".json",))
    candidates = [data / "splits" / f"{split}_split.json", data / f"{split}_split.json"]
    path = next((file for file in candidates if file.is_file()), None)
    if path is None:
        raise DataError(f"the split file {split}_split.json is missing", str(data / "splits"),
                        "it comes with OpenGVLab/GUI-Odyssey on Hugging Face; subset `all` needs none")  # fmt: skip
    lists = _read_json(path)
    names = lists.get(part) if isinstance(lists, dict) else None
    if not isinstance(names, list):
        raise DataError(f"no list named {part!r}", str(path))
    files = []
    for name in dict.fromkeys(str(name) for name in names):
        file = folder / (name if name.endswith(".json") else f"{name}.json")
        if file.is_file():
            files.append(file)
        else:
            unreadable.append(Unreadable(str(file), f"named in {path.name}, but there is no such file"))
    return files


def _read_json(path: Path) -> Any:
    try:
        return json.loads(decoded(path.read_bytes()), strict=False)
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"not readable as JSON ({error})", str(path)) from error


def _read_episode(file: Path, pictures: Path | None, unreadable: list[Unreadable]) -> tuple[Episode, str] | None:
    try:
        data = _read_json(file)
        return _Annotation(data, file, pictures).episode(unreadable)
    except (DataError, LabelFault) as error:
        unreadable.append(Unreadable(str(file), getattr(error, "what", "") or str(error)))
        return None


class _Annotation:
    """One annotation file. Raises LabelFault for what an episode can't be without."""

    def __init__(self, data: Any, file: Path, pictures: Path | None) -> None:
        if not isinstance(data, dict):
            raise LabelFault(f"an object is needed, not {type(data).__name__}")
        task = data["task_info"] if isinstance(data.get("task_info"), dict) else {}
        self.file, self.pictures = file, pictures
        self.goal = text(task, "instruction")
        self.steps: list[Any] = data["steps"] if isinstance(data.get("steps"), list) else []
        if not self.steps:
            raise LabelFault("steps: a list that isn't empty is needed")
        recorded = data.get("episode_id")
        self.id = str(recorded) if isinstance(recorded, str | int) else file.stem
        self.device: dict[str, Any] = data["device_info"] if isinstance(data.get("device_info"), dict) else {}
        self.screen = _screen(self.device)
        apps = task.get("app")
        self.app = ", ".join(str(app) for app in apps) if isinstance(apps, list) else ""
        named = {"category": task.get("category"), "device": self.device.get("device_name")}
        self.tags = tuple(f"{kind}:{name}" for kind, name in named.items() if isinstance(name, str) and name)

    def episode(self, unreadable: list[Unreadable]) -> tuple[Episode, str]:
        """The episode and the version of the data set that it is of."""
        steps = tuple(self._step(index, unreadable) for index in range(len(self.steps)))
        new = any(
            isinstance(step, dict) and ("sam2_bbox" in step or "low_level_instruction" in step) for step in self.steps
        )
        return Episode(self.id, self.goal, steps, self.tags), "v2" if new else "v1"

    def _step(self, index: int, unreadable: list[Unreadable]) -> Step:
        data = self.steps[index] if isinstance(self.steps[index], dict) else {}
        label, fault, extra = _label(data)
        found, source = self._boxes(data, label, f"{self.file} step {self.id}/{index}", unreadable)
        low, shot = data.get("low_level_instruction"), data.get("screenshot")
        picture = self.pictures / Path(shot).name if self.pictures is not None and isinstance(shot, str) else None
        load = partial(read_picture, picture) if picture else None
        return Step(
            id=f"{self.id}/{index}", episode=self.id, index=index, goal=self.goal,
            low=low if isinstance(low, str) else "", label=label, screen=self.screen, boxes=found, box_source=source,
            app=self.app, label_fault=fault, screenshot=load, extra=extra,
        )  # fmt: skip

    def _boxes(
        self, data: dict[str, Any], label: Action | None, where: str, unreadable: list[Unreadable]
    ) -> tuple[tuple[Box, ...] | None, BoxSource]:
        if "sam2_bbox" not in data or not isinstance(label, Click | LongPress):
            return None, "none"
        try:
            return boxes(data["sam2_bbox"], GRID), "sam2"
        except LabelFault as error:
            unreadable.append(Unreadable(where, f"sam2_bbox: {error}; the step is scored without a box"))
            return None, "none"


def _screen(device: dict[str, Any]) -> Size:
    w, h = device.get("w"), device.get("h")
    if isinstance(w, int) and isinstance(h, int) and w > 0 and h > 0:
        return w, h
    raise LabelFault(f"device_info: w and h need to be positive, they are {w!r} and {h!r}")


def _label(data: dict[str, Any]) -> tuple[Action | None, str, tuple[tuple[str, object], ...]]:
    try:
        action, extra = from_odyssey(data.get("action"), data.get("info"))
    except LabelFault as error:
        return None, str(error), ()
    return action, "", extra


def from_odyssey(action: object, info: object) -> tuple[Action, tuple[tuple[str, object], ...]]:
    """One recorded action, and what goes into the step's extra. Raises LabelFault."""
    if action in ("CLICK", "LONG_PRESS"):
        if isinstance(info, str) and info in KEYS:
            return Press(KEYS[info]), ()
        point = _points(info)[0]
        return (Click(point) if action == "CLICK" else LongPress(point)), ()
    if action == "SCROLL":
        return _scroll(_points(info))
    if action in ("TEXT", "TYPE"):
        return Type(text({"info": info}, "info")), ()
    if action == "COMPLETE":
        return Finish("success"), ()
    if action in ("INCOMPLETE", "IMPOSSIBLE"):
        return Finish("infeasible"), ()
    if isinstance(action, str) and action in KEYS:
        return Press(KEYS[action]), ()
    raise LabelFault(f"action: {action!r:.80} is no action of GUI-Odyssey")


def _scroll(ends: list[Point]) -> tuple[Action, tuple[tuple[str, object], ...]]:
    if len(ends) != 2:
        raise LabelFault(f"info: a scroll needs [start, end], here are {len(ends)} points")
    start, end = ends
    try:
        drawn = pixel_direction(start, end, GRID)
    except LabelFault:
        drawn = "down"
    return Swipe(direction=drawn, word=drawn), _path(start, end)


def _path(start: Point, end: Point) -> tuple[tuple[str, object], ...]:
    return (("swipe_path", (start, end)),)


def _points(info: object) -> list[Point]:
    """[[x, y], ...], [x, y], or the same written as text, in fractions of the screen."""
    if isinstance(info, str):
        numbers = re.findall(r"-?\d+(?:\.\d+)?", info)
        info = [[float(x), float(y)] for x, y in zip(numbers[::2], numbers[1::2], strict=False)]
    if isinstance(info, list) and info and not isinstance(info[0], list | tuple):
        info = [info]
    if not isinstance(info, list) or not info:
        raise LabelFault(f"info: a list of points is needed, not {info!r:.80}")
    return [pair("info", point, GRID) for point in info]
