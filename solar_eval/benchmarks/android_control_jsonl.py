"""AndroidControl labels as JSON lines in Qwen's action space, one episode a line (X-PLUG/MobileAgent UI-S1's form).

An episode is {goal, episode_id?, steps[{action_content, screenshot, step_instruction?, check_options?}]}. The label is
`check_options` where there is one, else `action_content`. Three things to know:

* Swipes. `check_options.direction` is AndroidControl's raw word (the content's direction); the end points beside it in
  `action_content` were drawn by UI-S1, flipped up/down only, and are not read. Where `check_options` holds two points
  and no word, they are the finger's path. Where there is no `check_options` at all (UI-S1's training form) the line is
  drawn along the raw word: all 19 swipes of the sample at hand run downwards, under goals such as reading reviews,
  while 85 of 100 raw words in the test split are `down`. `paths` overrides both readings.
* A `terminate` step was appended upstream: AndroidControl records no such action.
* There are no image sizes: `screens.py` says where ours come from. With an image directory the pictures decide.

Candidate boxes are left, top, right, bottom in pixels. Boxes beside an `open` label are those of the app's icon and go
into `extra["icon_boxes"]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from solar_eval.actions import Action, Box, Finish
from solar_eval.benchmarks import screens
from solar_eval.benchmarks.labels import LabelFault, boxes, from_qwen_space
from solar_eval.benchmarks.lines import Line, files_of, read_lines
from solar_eval.benchmarks.pictures import picture_size, read_picture
from solar_eval.benchmarks.subsets import finish_step
from solar_eval.dialects.frames import ScrollSense, Size
from solar_eval.errors import DataError
from solar_eval.records import Benchmark, BoxSource, Episode, Step, Unreadable

_SHOT = re.compile(r"(\d+)_(\d+)\.\w+$")


@dataclass(frozen=True, slots=True)
class Options:
    """images: directory of `<episode>_<index>.png`. paths: what two end points without a direction word mean (module
    text). finish: append a finish step on the screenshot after the last action.
    """

    images: Path | None = None
    paths: ScrollSense | None = None
    finish: bool = False


def load_jsonl(path: Path, options: Options = Options(), name: str = "android_control") -> Benchmark:  # frozen
    """All episodes of one JSON lines file (or of a directory or glob). Raises DataError if nothing can be read."""
    seen: dict[str, str] = {}
    episodes: list[Episode] = []
    unreadable: list[Unreadable] = []
    for file in files_of(path, (".jsonl", ".jsonl.gz")):
        for line in read_lines(file):
            if isinstance(line, Unreadable):
                unreadable.append(line)
                continue
            episode = _Episode(line, options).build(unreadable)
            if episode is None:
                continue
            if episode.id in seen:
                unreadable.append(Unreadable(line.where, f"episode {episode.id} stands at {seen[episode.id]} already"))
                continue
            seen[episode.id] = line.where
            episodes.append(episode)
    if not episodes:
        why = f"; the first: {unreadable[0].where}: {unreadable[0].why}" if unreadable else ""
        raise DataError(f"no episode could be read ({len(unreadable)} unreadable items{why})", str(path))
    return Benchmark(name, "", tuple(episodes), tuple(unreadable), _notes(episodes, options))


def _notes(episodes: list[Episode], options: Options) -> tuple[str, ...]:
    steps = [step for episode in episodes for step in episode.steps]
    drawn = sum(dict(step.extra).get("swipe_read_from") == "line along the raw word" for step in steps)
    notes = ["boxes: candidate boxes recorded with the labels"]
    if options.images is None:
        notes.append("screen sizes: known for 1,412 test episodes, else from the labels (benchmarks/screens.py)")
    if drawn:
        notes.append(f"{drawn} swipes have no direction word: read as lines drawn along the content's direction")
    return tuple(notes)


class _Episode:
    """One line on its way to an Episode."""

    def __init__(self, line: Line, options: Options) -> None:
        self.line, self.options = line, options
        steps = line.data.get("steps")
        self.steps: list[Any] = steps if isinstance(steps, list) else []
        self.number = self._episode_number()
        self.id = str(self.number if self.number is not None else f"line{line.number}")
        goal = line.data.get("goal")
        self.goal = goal if isinstance(goal, str) else ""

    def build(self, unreadable: list[Unreadable]) -> Episode | None:
        """The episode, or None with the reason in `unreadable`."""
        if not self.steps or not self.goal:
            missing = "steps: a list that isn't empty is needed" if self.goal else "goal: text is needed"
            unreadable.append(Unreadable(self.line.where, missing))
            return None
        inferred = screens.infer(self._points(), self._drawn())
        steps = [self._step(index, inferred, unreadable) for index in range(len(self.steps))]
        if self.options.finish and not isinstance(steps[-1].label, Finish):
            steps.append(self._finish(len(steps), inferred))
        return Episode(self.id, self.goal, tuple(steps))

    def _episode_number(self) -> int | None:
        recorded = self.line.data.get("episode_id")
        if isinstance(recorded, int) and not isinstance(recorded, bool):
            return recorded
        if isinstance(recorded, str) and recorded.isdigit():
            return int(recorded)
        first = self.steps[0].get("screenshot") if self.steps and isinstance(self.steps[0], dict) else None
        match = _SHOT.search(first) if isinstance(first, str) else None
        return int(match.group(1)) if match else None

    def _step(self, index: int, inferred: Size, unreadable: list[Unreadable]) -> Step:
        data = self.steps[index] if isinstance(self.steps[index], dict) else {}
        step_id = f"{self.id}/{index}"
        picture = self._picture(data, index)
        screen = self._screen(index, inferred, picture, unreadable)
        label, fault, extra = self._label(data, screen)
        found, source, more = self._boxes(data, label, screen, f"{self.line.where} step {step_id}", unreadable)
        low = data.get("step_instruction")
        return Step(
            id=step_id, episode=self.id, index=index, goal=self.goal, low=low if isinstance(low, str) else "",
            label=label, screen=screen, boxes=found, box_source=source, label_fault=fault,
            appended=isinstance(label, Finish), screenshot=partial(read_picture, picture) if picture else None,
            extra=extra + more,
        )  # fmt: skip

    def _label(self, data: dict[str, Any], screen: Size) -> tuple[Action | None, str, tuple[tuple[str, object], ...]]:
        content, check = data.get("action_content"), data.get("check_options")
        recorded = check if isinstance(check, dict) else content
        if not isinstance(recorded, dict):
            return None, "neither check_options nor action_content is an object", ()
        paths = self.options.paths or ("finger" if recorded is check else "content")
        try:
            label = from_qwen_space(recorded, screen, paths)
        except LabelFault as error:
            return None, str(error), ()
        if recorded.get("action") != "swipe" or recorded.get("direction") is not None:
            return label, "", ()
        read_from = "finger path" if paths == "finger" else "line along the raw word"
        return label, "", (("swipe_read_from", read_from),)

    def _boxes(
        self, data: dict[str, Any], label: Action | None, screen: Size, where: str, unreadable: list[Unreadable]
    ) -> tuple[tuple[Box, ...] | None, BoxSource, tuple[tuple[str, object], ...]]:
        recorded = _recorded_boxes(data)
        if recorded is None:
            return None, "none", ()
        try:
            found = boxes(recorded, screen)
        except LabelFault as error:
            unreadable.append(Unreadable(where, f"candidate_bbox: {error}; the step is scored without boxes"))
            return None, "none", ()
        if label is not None and label.kind == "open_app":
            return None, "none", (("icon_boxes", found),)
        return found, "candidates", ()

    def _finish(self, index: int, inferred: Size) -> Step:
        picture = self._picture({}, index)
        screen = self._screen(index, inferred, picture, [])
        return finish_step(self.id, index, self.goal, screen, partial(read_picture, picture) if picture else None)

    def _picture(self, data: dict[str, Any], index: int) -> Path | None:
        if self.options.images is None:
            return None
        named = data.get("screenshot")
        name = Path(named).name if isinstance(named, str) and named else f"{self.id}_{index}.png"
        return self.options.images / name

    def _screen(self, index: int, inferred: Size, picture: Path | None, unreadable: list[Unreadable]) -> Size:
        fallback = screens.screen_of(self.number, index, inferred)
        if picture is None:
            return fallback
        try:
            return picture_size(picture)
        except DataError as error:
            unreadable.append(Unreadable(f"{self.line.where} step {self.id}/{index}", str(error)))
            return fallback

    def _labels(self) -> Iterator[dict[str, Any]]:
        for step in self.steps:
            if isinstance(step, dict):
                yield from (part for part in (step.get("action_content"), step.get("check_options"))
                            if isinstance(part, dict))  # fmt: skip

    def _points(self) -> Iterator[tuple[float, float]]:
        for label in self._labels():
            if label.get("action") in ("click", "long_press") and _is_pair(label.get("coordinate")):
                yield label["coordinate"][0], label["coordinate"][1]

    def _drawn(self) -> Iterator[tuple[float, float, float, float]]:
        for label in self._labels():
            start, end = label.get("coordinate"), label.get("coordinate2")
            if label.get("action") == "swipe" and _is_pair(start) and _is_pair(end):
                yield start[0], start[1], end[0], end[1]


def _recorded_boxes(data: dict[str, Any]) -> object:
    check, content = data.get("check_options"), data.get("action_content")
    if isinstance(check, dict) and "candidate_bbox" in check:
        return check["candidate_bbox"] if check["candidate_bbox"] is not None else []
    if isinstance(content, dict) and content.get("bbox") is not None:
        return content["bbox"]
    return None


def _is_pair(value: object) -> TypeGuard[list[float]]:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, int | float) and not isinstance(part, bool) for part in value)
    )
