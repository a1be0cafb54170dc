"""One row is one episode: the file that verl's dataset reads, and how it is written from recorded episodes.

A row holds paths of pictures, never their bytes: bytes times rollouts filled 640 GiB of host memory in verl#7391. The
picture that a path names has already the size that the model sees, so that rollout, training and labels share one size
(facts: training_stack.md section 5, items 2 and 18). JSON lines, UTF-8; labels in the project's frame.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solar_eval.actions import Box, from_json, to_json
from solar_eval.asking import PromptPlan
from solar_eval.dialects.frames import ResizeRule, Size
from solar_eval.errors import DataError
from solar_eval.images import prepare_picture
from solar_eval.protocols import Family
from solar_eval.records import Episode, Step

BUCKETS: tuple[tuple[int, str], ...] = ((4, "short"), (7, "medium"), (13, "long"))
"""Upper step counts of the length buckets; from 14 steps on it is super_long (published; the other bounds are ours)."""


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One episode of the training file.

    images: the picture of each step, in order, a path relative to the file. sizes: their pixels (width, height).
    """

    episode: Episode
    family: Family
    images: tuple[Path, ...]
    sizes: tuple[Size, ...]

    @property
    def bucket(self) -> str:
        """The length bucket of the episode by its number of steps."""
        return bucket_of(len(self.episode.steps))


def bucket_of(n_steps: int) -> str:
    """short, medium, long or super_long, by the number of reference steps."""
    return next((name for limit, name in BUCKETS if n_steps <= limit), "super_long")


def write_rows(episodes: Iterable[Episode], family: Family, plan: PromptPlan, out: Path) -> tuple[int, list[str]]:
    """Writes `out` (JSON lines) and the resized pictures beside it; (rows written, reasons of what was left out).

    An episode is left out whole where a label or a picture can't be read: no trajectory goes through such a step.
    """
    folder = out.parent / f"{out.stem}_pictures"
    folder.mkdir(parents=True, exist_ok=True)
    written, left_out = 0, []
    partial = out.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        for episode in episodes:
            try:
                row = _row(episode, family, plan.resize, folder, out.parent)
            except DataError as error:
                left_out.append(f"{episode.id}: {error.what}")
                continue
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            written += 1
    partial.replace(out)
    return written, left_out


def _row(episode: Episode, family: Family, resize: ResizeRule, folder: Path, root: Path) -> dict[str, Any]:
    if not episode.steps:
        raise DataError("no steps", episode.id)
    steps = [_step(step, resize, folder, root) for step in episode.steps if not step.history_only]
    return {"episode_id": episode.id, "goal": episode.goal, "family": family, "steps": steps}


def _step(step: Step, resize: ResizeRule, folder: Path, root: Path) -> dict[str, Any]:
    if step.label is None:
        raise DataError(f"step {step.index}: label unreadable ({step.label_fault})", step.id)
    if step.screenshot is None:
        raise DataError(f"step {step.index}: no screenshot", step.id)
    picture = prepare_picture(step.screenshot(), resize)
    path = folder / (step.id.replace("/", "_").replace("..", "_") + ".png")
    path.write_bytes(picture.data)
    return {
        "id": step.id, "index": step.index, "low": step.low, "label": to_json(step.label), "screen": list(step.screen),
        "boxes": None if step.boxes is None else [list(box) for box in step.boxes], "box_source": step.box_source,
        "app": step.app, "image": str(path.relative_to(root)), "image_size": list(picture.size),
        "extra": [list(pair) for pair in step.extra],
    }  # fmt: skip


def read_rows(path: Path) -> Iterator[EpisodeRow]:
    """The rows of a file in order. DataError names the file and line of what does not fit."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(str(error), str(path), "write it with `solar-train verl-data`") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield parse_row(line, f"{path}:{number}", path.parent)


def parse_row(line: str, where: str, root: Path) -> EpisodeRow:
    """One line as a row; paths become absolute under `root`. Raises DataError."""
    try:
        data = json.loads(line)
        steps = tuple(_read_step(one, data) for one in data["steps"])
        images = tuple(root / one["image"] for one in data["steps"])
        sizes = tuple((int(one["image_size"][0]), int(one["image_size"][1])) for one in data["steps"])
        if not steps:
            raise ValueError("an episode without steps")
        if data["family"] not in {"android_control", "gui_odyssey"}:
            raise ValueError(f"family {data['family']!r} is neither android_control nor gui_odyssey")
        return EpisodeRow(Episode(data["episode_id"], data["goal"], steps), data["family"], images, sizes)
    except (ValueError, LookupError, TypeError) as error:
        raise DataError(f"not an episode row ({type(error).__name__}: {error})", where,
                        "write the file again with `solar-train verl-data`") from None  # fmt: skip


def _read_step(one: dict[str, Any], row: dict[str, Any]) -> Step:
    boxes = one["boxes"]
    return Step(
        id=one["id"], episode=row["episode_id"], index=int(one["index"]), goal=row["goal"], low=one["low"],
        label=from_json(one["label"]), screen=(int(one["screen"][0]), int(one["screen"][1])),
        boxes=None if boxes is None else tuple(Box(*box) for box in boxes), box_source=one["box_source"],
        app=one["app"], extra=tuple((pair[0], pair[1]) for pair in one["extra"]),
    )  # fmt: skip


def split_file(path: Path, share: float, seed: int) -> tuple[int, int]:
    """Moves `share` of the rows, drawn without replacement, to `<path>.val.jsonl`; (rows kept, rows moved)."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    order = list(range(len(lines)))
    random.Random(seed).shuffle(order)
    held = set(order[: round(len(lines) * share)])
    for target, wanted in ((path, False), (path.with_suffix(".val.jsonl"), True)):
        text = "".join(line + "\n" for i, line in enumerate(lines) if (i in held) is wanted)
        partial = target.with_suffix(".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    return len(lines) - len(held), len(held)
