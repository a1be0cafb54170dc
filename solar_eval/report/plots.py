"""Figures for papers as PNG and SVG: step SR by length, success against tolerance, one reply set under all protocols.

Readable in grey: every series has its own marker and line style as well as its own shade. The same input gives the
same bytes for one version of matplotlib: the Agg and SVG writers get no date, and ids a fixed salt. Intervals are
those of summary.json (95 %, clustered by episode); nothing is estimated here but the tolerance curve.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solar_eval.errors import UsageError
from solar_eval.result_files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMS = ("png", "svg")
STYLES: tuple[tuple[Any, str, str], ...] = (
    ("-", "o", "#1b4f9c"), ("--", "s", "#c2500c"), (":", "^", "#2f7d32"), ("-.", "D", "#7b3fa0"),
    ((0, (5, 1, 1, 1, 1, 1)), "v", "#6b5b00"), ((0, (1, 1)), "P", "#000000"),
)  # fmt: skip
"""Line style, marker and colour of the first, second, ... series; they begin again after the last."""
SETTINGS: Any = {
    "text.parse_math": False,
    "svg.hashsalt": "solar-eval", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.7, "legend.frameon": False, "figure.dpi": 100, "savefig.dpi": 200,
}  # fmt: skip


@dataclass(frozen=True)
class Series:
    """One named line. low, high: ends of the intervals, None where there is none. Values are fractions."""

    name: str
    x: tuple[float, ...]
    value: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Plot:
    """A drawn figure: its file name without suffix, and its bytes by form."""

    name: str
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> list[Path]:
        """Writes every form into `folder`, which is made if need be. Raises RunDirError."""
        folder.mkdir(parents=True, exist_ok=True)
        out = []
        for form, content in self.files.items():
            out.append(folder / f"{self.name}.{form}")
            write_atomically(out[-1], content)
        return out


@contextmanager
def canvas(width: float = 5.2, height: float = 3.3) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one axes under SETTINGS (inches). Raises UsageError where matplotlib is missing."""
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("matplotlib is not installed", "plots", "pip install 'solar-eval[plots]'") from None
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, figure.add_subplot()


def saved(name: str, figure: Figure) -> Plot:
    """The figure in every form. Call it inside `canvas`."""
    files = {}
    for form in FORMS:
        out = io.BytesIO()
        metadata = {"Software": None} if form == "png" else {"Date": None, "Creator": None}
        figure.savefig(out, format=form, metadata=metadata)
        files[form] = out.getvalue()
    return Plot(name, files)


def plain(text: str, longest: int = 60) -> str:
    """A label that matplotlib shows literally: nothing hidden, not too long (SETTINGS turn formulas off)."""
    from solar_eval.report import escape

    return escape.plain(text, longest)


def draw_lines(axes: Axes, series: Sequence[Series], percent: bool = True, markers: bool = True) -> None:
    """Lines with bands (many points) or whiskers (few), one style each."""
    factor = 100.0 if percent else 1.0
    for number, one in enumerate(series):
        style, marker, colour = STYLES[number % len(STYLES)]
        kept = [place for place, value in enumerate(one.value) if value is not None]
        x, y = [one.x[place] for place in kept], [factor * (one.value[place] or 0.0) for place in kept]
        axes.plot(x, y, linestyle=style, marker=marker if markers else None, color=colour, markersize=4,
                  linewidth=1.5, label=plain(one.name))  # fmt: skip
        band = [place for place in kept if one.low and one.low[place] is not None and one.high[place] is not None]
        if band:
            low, high = ([factor * float(side[place] or 0.0) for place in band] for side in (one.low, one.high))
            axes.fill_between([one.x[place] for place in band], low, high, color=colour, alpha=0.15, linewidth=0)


def by_length(runs: Mapping[str, Mapping[str, Any]], protocol: str) -> Plot:
    """Step SR in each length bucket with its interval. runs: name -> summary.json."""
    names = list(dict.fromkeys(name for summary in runs.values() for name in _lengths(summary, protocol)))
    with canvas() as (figure, axes):
        for number, (run, summary) in enumerate(runs.items()):
            cells = _lengths(summary, protocol)
            _, marker, colour = STYLES[number % len(STYLES)]
            shift = 0.12 * (number - (len(runs) - 1) / 2)
            for place, name in enumerate(names):
                cell = cells.get(name, {}).get("step_sr", {})
                if cell.get("value") is not None:
                    label = plain(run) if name == next(iter(cells)) else None
                    _whisker(axes, place + shift, cell, marker, colour, label)
        axes.set_xticks(range(len(names)), [plain(name) for name in names])
        axes.set(xlabel="steps of the episode", ylabel="step SR (%)", ylim=(0, 104), title=plain(protocol),
                 xlim=(-0.5, max(0.5, len(names) - 0.5)))  # fmt: skip
        figure.legend(loc="outside lower center", ncols=min(3, len(runs)), fontsize=8)
        return saved("step_sr_by_length", figure)


def _lengths(summary: Mapping[str, Any], protocol: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = summary["protocols"][protocol]["views"]["subset"]["by_length"]
    return found


def _whisker(axes: Axes, x: float, cell: Mapping[str, Any], marker: str, colour: str, label: str | None) -> None:
    value, low, high = (None if cell[key] is None else 100 * cell[key] for key in ("value", "low", "high"))
    error = None
    if value is not None and low is not None and high is not None:
        error = [[max(0.0, value - low)], [max(0.0, high - value)]]
    centre = 0.0 if value is None else value
    axes.errorbar([x], [centre], yerr=error, marker=marker, color=colour, markersize=5, capsize=3, linestyle="none",
                  label=label)  # fmt: skip


def tolerance(curves: Mapping[str, Sequence[Mapping[str, Any]]], marks: Sequence[float] = (0.04, 0.14)) -> Plot:
    """Share of pointing labels hit within a tolerance. curves: name -> rows of `view.curves.points`."""
    series = [
        Series(name, *(tuple(row[key] for row in rows) for key in ("tolerance", "value", "low", "high")))
        for name, rows in curves.items()
    ]
    with canvas() as (figure, axes):
        for mark in marks:
            axes.axvline(mark, color="#888888", linewidth=0.8, linestyle=(0, (2, 2)))
            axes.text(mark, 1, f" {mark:g}", fontsize=7, color="#666666", va="bottom")
        draw_lines(axes, series)
        axes.set(
            xlabel="tolerance (fraction of each axis)", ylabel="points within it (%)", ylim=(0, 102), xlim=(0, 0.5)
        )
        axes.legend(loc="lower right")
        return saved("tolerance", figure)


def protocol_spread(summary: Mapping[str, Any], name: str, metric: str = "step_sr") -> Plot:
    """One reply set under each of its protocols, sorted, with intervals: how much the rules alone move the number."""
    cells = {key: part["views"]["subset"][metric] for key, part in summary["protocols"].items()}
    shown = sorted((key for key in cells if cells[key]["value"] is not None), key=lambda key: cells[key]["value"])
    with canvas(5.2, 0.9 + 0.22 * max(4, len(shown))) as (figure, axes):
        for place, key in enumerate(shown):
            cell, here = cells[key], summary["protocols"][key].get("defined_here", True)
            value = 100 * cell["value"]
            if cell["low"] is not None:
                axes.plot([100 * cell["low"], 100 * cell["high"]], [place, place], color="#777777", linewidth=1.4)
            axes.plot([value], [place], marker="o", color="#1b4f9c", markerfacecolor="#1b4f9c" if here else "white")
        axes.set_yticks(range(len(shown)), [plain(key) for key in shown])
        metric_name = {"step_sr": "step SR", "type_match": "TM", "episode_sr": "episode SR"}.get(metric, metric)
        axes.set(xlabel=f"{metric_name} (%), 95 % intervals\nhollow: not defined for this benchmark by its source",
                 xlim=(0, 104), title=plain(name))  # fmt: skip
        axes.xaxis.label.set_fontsize(8)
        return saved("protocol_spread", figure)
