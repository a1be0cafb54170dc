"""`solar-eval plot RUN...`: figures of one or several runs as PNG and SVG."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from solar_eval.errors import UsageError, unknown_name
from solar_eval.report import plots


def run(
    paths: Sequence[Path], out: Path, protocol: str = "", metrics: Sequence[str] = (), data: Path | None = None,
    to: TextIO | None = None,
) -> int:  # fmt: skip
    """Writes the figures that the runs allow; prints their names; returns 0. Raises UsageError, DataError, RunDirError.

    Offline runs: step SR by length and tolerance curves with one line a run, the protocol spread of the first run.
    Training folders: their curves. data: the benchmark's files, for screen sizes and boxes.
    """
    from solar_eval.view.training import is_training

    kinds = {is_training(path) and not (path / "samples.jsonl").is_file() for path in paths}
    if not paths or len(kinds) > 1:
        raise UsageError("runs of one kind are needed", "RUN", "plot offline runs and training runs apart")
    plots = _training(paths, metrics) if kinds == {True} else _offline(paths, protocol, data)
    for plot in plots:
        for file in plot.write(out):
            print(file, file=to or sys.stdout)
    return 0


def _training(paths: Sequence[Path], metrics: Sequence[str]) -> list[plots.Plot]:
    from solar_eval.report.plots_training import training_curves
    from solar_eval.view.training import TrainingPages

    return [training_curves([one for path in paths for one in TrainingPages(path).runs], metrics)]


def _offline(paths: Sequence[Path], protocol: str, data: Path | None) -> list[plots.Plot]:
    from solar_eval.view.curves import points, tolerance_curve
    from solar_eval.view.offline import load_offline

    runs = {}
    for path in paths:
        loaded = load_offline(path, data)
        name = loaded.side.model if loaded.side.model not in runs else f"{loaded.side.model} ({path})"
        runs[name] = loaded
    common = [name for name in next(iter(runs.values())).protocols if all(name in r.protocols for r in runs.values())]
    chosen = protocol or next(iter(common), "")
    if chosen not in common:
        raise unknown_name("protocol of all the runs", chosen, common)
    summaries = {name: loaded.side.summary for name, loaded in runs.items()}
    curves = {name: points(tolerance_curve(loaded.columns)) for name, loaded in runs.items()}
    first = next(iter(summaries))
    return [plots.by_length(summaries, chosen), plots.tolerance(curves), plots.protocol_spread(summaries[first], first)]
