"""Training curves as figures: one panel a metric, one line a run; bands are ranges of stretches of many updates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from solar_eval.errors import UsageError
from solar_eval.report.plots import Plot, Series, canvas, draw_lines, plain, saved
from solar_eval.view.training import Curves, curves_json

MOST = 24
"""Panels of one figure."""
ACROSS = 3


def training_curves(runs: Sequence[Curves], metrics: Sequence[str] = ()) -> Plot:
    """Curves of the named metrics, or of the first MOST there are. Raises UsageError for a metric nobody has."""
    data = curves_json(runs)
    unknown = [name for name in metrics if name not in data["metrics"]]
    if unknown:
        raise UsageError(f"no metric {unknown[0]!r}", "--metric", f"there are {', '.join(data['metrics'])}")
    names = list(metrics) or list(data["metrics"])[:MOST]
    if not names:
        raise UsageError("the runs hold no metrics", fix="give a folder whose metrics.jsonl has numbers")
    across = min(ACROSS, len(names))
    down = math.ceil(len(names) / across)
    with canvas(3.0 * across, 2.2 * down) as (figure, first):
        first.remove()
        panels = figure.subplots(down, across, squeeze=False).ravel()
        for panel, name in zip(panels, names, strict=False):
            draw_lines(panel, _series(data["runs"], data["metrics"][name]), percent=False, markers=False)
            panel.set_title(plain(name, 40), fontsize=8)
        for panel in panels[len(names) :]:
            panel.set_visible(False)
        for panel in panels[max(0, len(names) - across) : len(names)]:
            panel.set_xlabel(data["counter"])
        if len(runs) > 1:
            panels[0].legend(fontsize=7)
        return saved("training", figure)


def _series(names: Sequence[str], curves: Sequence[Sequence[Sequence[float]]]) -> list[Series]:
    return [_line(name, points) for name, points in zip(names, curves, strict=True)]


def _line(name: str, points: Sequence[Sequence[float]]) -> Series:
    def column(place: int) -> tuple[Any, ...]:
        return tuple(point[place] for point in points)

    banded = bool(points) and len(points[0]) == 4
    return Series(name, column(0), column(1), column(2) if banded else (), column(3) if banded else ())
