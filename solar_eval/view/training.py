"""Training runs for viewing: metrics.jsonl, one JSON object a line with a counter and numbers, as curves.

A folder with metrics.jsonl is one run; a folder of such folders (seeds, variants) is several, drawn over each other.
The counter is the first of COUNTERS that a line has, else its number. Lines of verl's file logger, {"step": n, "data":
{...}}, are read too, from metrics.jsonl or, where there is none, from any .jsonl file of the folder that begins with
one; and verl's rollout dumps (`rollouts`). What is no finite number is left out; lines that can't be read are notes.
Curves of more than POINTS points are drawn as means of equal stretches with their range.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solar_eval.errors import RunDirError
from solar_eval.view.rollouts import FOLDER, read_rollouts, rollout_files, rollout_folders

NAME = "metrics.jsonl"
COUNTERS = ("step", "update", "global_step")
POINTS = 600
RUNS = 24
MAX_LINE = 1_000_000
Point = list[float]
"""[x, y], or [x, mean, lowest, highest] of a stretch."""


@dataclass
class Curves:
    """Curves of one run by metric: [x, y] in the order of the file."""

    name: str
    metrics: dict[str, list[Point]] = field(default_factory=dict)
    counter: str = "line"
    lines: int = 0
    notes: list[str] = field(default_factory=list)


def is_training(path: Path) -> bool:
    """Whether `path` is a training run's folder or holds some."""
    return bool(metric_files(path)) or any(rollout_files(folder) for folder in rollout_folders(path))


def metric_files(path: Path) -> list[Path]:
    """path/metrics.jsonl, or verl's log there, or metrics.jsonl one or two folders below, at most RUNS of them."""
    if (path / NAME).is_file():
        return [path / NAME]
    if logged := [file for file in sorted(path.glob("*.jsonl")) if _of_verl(file)]:
        return logged[:RUNS]
    return sorted({*path.glob(f"*/{NAME}"), *path.glob(f"*/*/{NAME}")})[:RUNS]


def _of_verl(file: Path) -> bool:
    """Whether the first line is one of verl's file logger."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            data = json.loads(lines.readline(MAX_LINE))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and set(data) == {"step", "data"} and isinstance(data["data"], dict)


def read_curves(file: Path, name: str) -> Curves:
    """The curves of one file. Raises RunDirError where it can't be opened."""
    made = Curves(name)
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RunDirError(f"unreadable: {error.strerror or error}", str(file)) from None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            made.notes.append(f"{file.name} of {name}, line {number}: {error}")
            continue
        if isinstance(data, dict):
            _take(made, data)
    return made


def _take(made: Curves, data: Mapping[str, Any]) -> None:
    made.lines += 1
    counter = next((key for key in COUNTERS if _number(data.get(key))), None)
    made.counter = counter or made.counter
    x = float(data[counter]) if counter else float(made.lines)
    nested = data.get("data")
    values = {**data, **nested} if isinstance(nested, dict) else data
    for key, value in values.items():
        if key != counter and _number(value):
            made.metrics.setdefault(str(key), []).append([x, float(value)])


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def thinned(points: Sequence[Point], most: int = POINTS) -> list[Point]:
    """The points, or means of equal stretches with their range: [x, mean, lowest, highest]."""
    if len(points) <= most:
        return [list(point) for point in points]
    size = math.ceil(len(points) / most)
    out: list[Point] = []
    for start in range(0, len(points), size):
        part = points[start : start + size]
        ys = [point[1] for point in part]
        out.append([part[len(part) // 2][0], math.fsum(ys) / len(ys), min(ys), max(ys)])
    return out


class TrainingPages:
    """The pages of one or several training runs below `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        files, folders = metric_files(path), rollout_folders(path)
        self.runs = [read_curves(file, _name(path, file)) for file in files]
        self.notes = [note for run in self.runs for note in run.notes]
        self.rollouts = [one for found in folders for one in read_rollouts(found, _name(path, found), self.notes)]
        if not files and not self.rollouts:
            raise RunDirError(f"holds no {NAME} and no rollouts", str(path))

    @property
    def count(self) -> int:
        """No samples."""
        return 0

    def about(self) -> dict[str, Any]:
        """Curves of every metric, by run, and sampled rollouts by step."""
        return {
            "kind": "training", "title": self.path.resolve().name or str(self.path), "path": str(self.path),
            "facts": _facts(self.path), "notes": self.notes, "training": curves_json(self.runs),
            "rollouts": self.rollouts,
        }  # fmt: skip

    def index(self) -> dict[str, Any]:
        """Nothing to list."""
        return {}

    def entry(self, row: int) -> dict[str, Any]:
        """Raises IndexError: there are no samples."""
        raise IndexError(row)


def curves_json(runs: Iterable[Curves]) -> dict[str, Any]:
    """{counter, runs: [name], metrics: {metric: [points of each run]}}, metrics in the order of first sight."""
    runs = list(runs)
    names = list(dict.fromkeys(name for run in runs for name in run.metrics))
    return {
        "counter": runs[0].counter if runs else "", "runs": [run.name for run in runs],
        "lines": [run.lines for run in runs],
        "metrics": {name: [thinned(run.metrics.get(name, [])) for run in runs] for name in names},
    }  # fmt: skip


def _name(path: Path, file: Path) -> str:
    inside = file.parent.relative_to(path).as_posix()
    plain = file.name in (NAME, FOLDER)
    return (path.resolve().name if plain else file.stem) if inside == "." else inside


def _facts(path: Path) -> list[list[str]]:
    """Plain values of the manifest's identity, if there is one."""
    try:
        data = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    identity = data.get("identity", data) if isinstance(data, dict) else {}
    plain = [(key, value) for key, value in identity.items() if isinstance(value, str | int | float)]
    return [[str(key), str(value)] for key, value in plain[:30]]
