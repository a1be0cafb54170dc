"""Where the metrics of a run go: metrics.jsonl always, tensorboard, wandb or trackio beside it if asked.

One update, one line, written and flushed at once (`solar_eval.line_file`). A resumed run starts from a checkpoint that
may be older than the last line: lines beyond it are moved to `metrics.jsonl.undone-N`, a torn last line to
`metrics.jsonl.torn-N` (case T12), so that the file reads as if nothing had happened. Numbers that are not finite are
null in the file, and named in `not_finite`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from solar_eval.errors import UsageError, unknown_name
from solar_eval.line_file import LineFile, line_bytes
from solar_eval.result_files import write_atomically

NAME = "metrics.jsonl"


class Sink(Protocol):
    """A further place that shows curves."""

    def log(self, metrics: Mapping[str, float], update: int) -> None:
        """Takes the numbers of one update."""

    def close(self) -> None:
        """Flushes."""


class MetricsLog:
    """The log of a run in `folder`; `updates`: how many updates the weights have seen (later lines are moved away)."""

    def __init__(self, folder: Path, updates: int = 0, sinks: Sequence[Sink] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.lines = LineFile(folder / NAME)
        self.torn = self.lines.mend_tail()
        self.undone = _rewind(self.lines, updates)
        self.sinks = tuple(sinks)

    def write(self, update: int, metrics: Mapping[str, Any]) -> None:
        """Appends {"update": update, ...}. Raises RunDirError where the disk does not take it."""
        bad = [name for name, value in metrics.items() if isinstance(value, float) and not math.isfinite(value)]
        plain = {name: None if name in bad else value for name, value in metrics.items()}
        self.lines.append({"update": update, **plain, **({"not_finite": bad} if bad else {})})
        numbers = {n: float(v) for n, v in plain.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        for sink in self.sinks:
            sink.log(numbers, update)

    def close(self) -> None:
        """Flushes everything; may be called twice."""
        self.lines.close()
        for sink in self.sinks:
            sink.close()


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """All whole lines of a run's metrics, in order."""
    return [data for _, data in LineFile(folder / NAME).read()]


def _rewind(lines: LineFile, updates: int) -> Path | None:
    """Moves the lines of updates beyond `updates` to a file of their own; returns it, None where there are none."""
    kept: list[bytes] = []
    undone: list[bytes] = []
    for _, data in lines.read():
        later = isinstance(data.get("update"), int) and data["update"] > updates
        (undone if later else kept).append(line_bytes(data))
    if not undone:
        return None
    number = 1
    while (copy := lines.path.with_name(f"{NAME}.undone-{number}")).exists():
        number += 1
    write_atomically(copy, b"".join(undone))
    write_atomically(lines.path, b"".join(kept))
    return copy


class _TensorBoard:
    def __init__(self, folder: Path, name: str, config: Mapping[str, Any]) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.writer = SummaryWriter(str(folder / "tensorboard"))

    def log(self, metrics: Mapping[str, float], update: int) -> None:
        for key, value in metrics.items():
            self.writer.add_scalar(key, value, update)

    def close(self) -> None:
        self.writer.close()


class _Tracker:
    """wandb and trackio have the same three calls."""

    def __init__(self, module: str, name: str, config: Mapping[str, Any]) -> None:
        import importlib

        self.module = importlib.import_module(module)
        self.run = self.module.init(project="solar-train", name=name, config=dict(config))

    def log(self, metrics: Mapping[str, float], update: int) -> None:
        self.module.log(dict(metrics), step=update)

    def close(self) -> None:
        self.module.finish()


SINKS = ("tensorboard", "wandb", "trackio")


def sinks_named(names: Sequence[str], folder: Path, config: Mapping[str, Any]) -> list[Sink]:
    """The sinks of these names. Raises UsageError for an unknown name or a package that is not installed."""
    made: list[Sink] = []
    for name in names:
        if name not in SINKS:
            raise unknown_name("logger", name, SINKS)
        try:
            if name == "tensorboard":
                made.append(_TensorBoard(folder, folder.name, config))
            else:
                made.append(_Tracker(name, folder.name, config))
        except ImportError as error:
            raise UsageError(f"{name} can't be imported ({error})", "loggers", f"pip install {name}") from None
    return made
