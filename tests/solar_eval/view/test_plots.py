"""Figures: the same bytes each time, nothing read as a formula, told apart without colour."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from solar_eval.errors import UsageError
from solar_eval.report import plots
from solar_eval.report.plots_training import training_curves
from solar_eval.view.training import Curves, TrainingPages, read_curves, thinned

pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plots)")


def cell(value: float | None, low: float | None, high: float | None) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "n": 9, "clusters": 4}


def summary(shift: float = 0.0) -> dict[str, Any]:
    lengths = {"1-4": cell(0.6 + shift, 0.4, 0.9), "5-7": cell(0.4, 0.2, 0.6), "14+": cell(1.0, None, None)}
    view = {
        "by_length": {name: {"step_sr": part} for name, part in lengths.items()},
        "step_sr": cell(0.5 + shift, 0.3, 0.8),
    }
    return {"protocols": {name: {"views": {"subset": view}, "defined_here": name != "c"} for name in ("a", "b", "c")}}


def every_plot() -> list[plots.Plot]:
    rows = [{"tolerance": x, "value": x, "low": x / 2, "high": min(1.0, 2 * x)} for x in (0.0, 0.1, 0.5)]
    runs = [
        Curves(name, {"loss": [[float(i), i * k / 10] for i in range(20)]}, "update", 20)
        for k, name in ((1, "s0"), (2, "s1"))
    ]
    return [
        plots.by_length({"one": summary(), "two $x_1$ </svg>": summary(0.2)}, "a"),
        plots.tolerance({"one": rows, "two": rows}),
        plots.protocol_spread(summary(), "one"), training_curves(runs),
    ]  # fmt: skip


def test_the_same_bytes_each_time_in_both_forms(tmp_path: Path) -> None:
    first, second = every_plot(), every_plot()
    assert [plot.name for plot in first] == ["step_sr_by_length", "tolerance", "protocol_spread", "training"]
    for one, other in zip(first, second, strict=True):
        assert one.files == other.files and set(one.files) == {"png", "svg"}
        assert one.files["png"].startswith(b"\x89PNG") and b"<svg" in one.files["svg"]
        assert not re.search(rb"<dc:date>", one.files["svg"])
        assert {file.suffix for file in one.write(tmp_path)} == {".png", ".svg"}


def test_figures_are_not_empty_and_differ_without_colour() -> None:
    from PIL import Image

    for plot in every_plot():
        with Image.open(io.BytesIO(plot.files["png"])) as image:
            dark = image.convert("L").point(lambda value: 255 if value < 140 else 0)
            assert dark.getbbox() is not None and sum(dark.histogram()[200:]) > 1000, plot.name
    styles = [(str(line), marker) for line, marker, _ in plots.STYLES]
    assert len({line for line, _ in styles}) == len({marker for _, marker in styles}) == len(plots.STYLES)


def test_an_unknown_metric_is_named() -> None:
    with pytest.raises(UsageError, match="no metric 'lost'"):
        training_curves([Curves("a", {"loss": [[0.0, 1.0]]})], ["lost"])


# ---- training files
def test_metrics_are_read_whatever_the_lines_hold(tmp_path: Path) -> None:
    lines = ['{"update": 1, "loss": 2.0, "note": "x", "ok": true}', "{broken",
             '{"update": 2, "loss": NaN, "reward/mean": 1}', "[1]", "", '{"update": 3, "loss": 1.0}']  # fmt: skip
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = read_curves(tmp_path / "metrics.jsonl", "run")
    assert made.metrics == {"loss": [[1.0, 2.0], [3.0, 1.0]], "reward/mean": [[2.0, 1.0]]}
    assert made.counter == "update" and made.lines == 3 and len(made.notes) == 1 and "line 2" in made.notes[0]


def test_several_seeds_are_several_runs(tmp_path: Path) -> None:
    for seed in (0, 1):
        (tmp_path / f"seed{seed}").mkdir()
        (tmp_path / f"seed{seed}" / "metrics.jsonl").write_text(json.dumps({"step": 5, "loss": seed}) + "\n")
    about = TrainingPages(tmp_path).about()
    assert about["training"]["runs"] == ["seed0", "seed1"] and about["training"]["counter"] == "step"
    assert about["training"]["metrics"]["loss"] == [[[5.0, 0.0]], [[5.0, 1.0]]]


def test_long_curves_become_stretches_with_their_range() -> None:
    thin = thinned([[float(i), float(i % 2)] for i in range(1000)], 100)
    assert len(thin) == 100 and all(point[1:] == [0.5, 0.0, 1.0] for point in thin)
    assert thinned([[1.0, 2.0]]) == [[1.0, 2.0]]


# ---- the command
def test_plot_draws_what_the_runs_allow(made: Any, tmp_path: Path) -> None:
    from solar_eval.cli import app

    assert app(["plot", str(made.run), "--out", str(tmp_path), "--data", str(made.data), "--protocol", "strict"]) == 0
    names = {"step_sr_by_length", "tolerance", "protocol_spread"}
    assert {file.name for file in tmp_path.iterdir()} == {f"{name}.{form}" for name in names for form in ("png", "svg")}
    with pytest.raises(UsageError, match="unknown protocol"):
        app(["plot", str(made.run), "--out", str(tmp_path), "--data", str(made.data), "--protocol", "stricter"])


def test_view_and_training_plot_through_the_command_line(made: Any, tmp_path: Path) -> None:
    from solar_eval.cli import app

    assert app(["view", str(made.run), "--out", str(tmp_path / "site"), "--pictures", "none"]) == 0
    assert (tmp_path / "site" / "index.html").is_file()
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "metrics.jsonl").write_text('{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.0}\n')
    assert app(["plot", str(tmp_path / "train"), "--out", str(tmp_path / "figures"), "--metric", "loss"]) == 0
    assert (tmp_path / "figures" / "training.svg").is_file()
    with pytest.raises(UsageError, match="one kind"):
        app(["plot", str(tmp_path / "train"), str(made.run), "--out", str(tmp_path)])
