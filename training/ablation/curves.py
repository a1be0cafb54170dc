"""Curves with bands over seeds, as SVG. The same numbers give the same file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from training.ablation.arms import BY_NAME
from training.ablation.table import LONG, SUPER_LONG, Results, band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS: tuple[tuple[str, str], ...] = (
    ("expected_reward", "mean action reward, held out"),
    ("reward", "mean action reward, training batches"),
    ("press_back", "press-back accuracy"),
    (LONG, "action SR, long (8 to 13 steps)"),
    (SUPER_LONG, "action SR, super-long (14 and more)"),
    ("episode_sr", "episode SR, offline"),
)
FIGURES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("curves", "SOLAR-RL and GRPO", ("sft", "offline_rl", "grpo_direct", "solar_direct", "grpo_two_stage",
                                     "solar_two_stage")),
    ("curves_variants", "variants of the shaping, direct", ("solar_direct", "solar_literal_direct",
                                                            "solar_keep_direct", "solar_splices8_direct",
                                                            "solar_closed_direct")),
    ("curves_relatives", "relatives", ("offline_rl", "solar_direct", "ui_s1", "gigpo", "bi_level_gae",
                                       "grpo_direct")),
)  # fmt: skip
"""File, title and arms of each picture; arms that were not run are left out."""
COLOURS = ("#4c78a8", "#f58518", "#e45756", "#54a24b", "#b279a2", "#2f4b3c")


def draw(results: Results, folder: Path, note: str) -> list[Path]:
    """Writes all pictures of which some arm was run. note: stands under each."""
    made = []
    for name, title, arms in FIGURES:
        present = [arm for arm in arms if results.of(arm)]
        if present:
            made.append(_figure(results, present, f"Pointer policy, pocket: {title}", note, folder / f"{name}.svg"))
    return made


def _figure(results: Results, arms: Sequence[str], title: str, note: str, path: Path) -> Path:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "solar-eval", "font.size": 8, "svg.fonttype": "none"}):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(11, 6.2), layout="constrained")
        axes = figure.subplots(2, 3)
        for at, (measure, words) in enumerate(PANELS):
            _panel(axes[at // 3][at % 3], results, arms, measure, words)
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        figure.suptitle(f"{title} ({note})")
        figure.savefig(path, format="svg", metadata={"Date": None})
    return path


def _panel(axes: Axes, results: Results, arms: Sequence[str], measure: str, words: str) -> None:
    for at, arm in enumerate(arms):
        curve = results.training_curve if measure == "reward" else results.curve
        updates, rows = curve(arm, measure)
        if not len(updates):
            continue
        mean, low, high = band(rows)
        colour = COLOURS[at % len(COLOURS)]
        axes.plot(updates, mean, color=colour, label=BY_NAME[arm].title, linewidth=1.4)
        axes.fill_between(updates, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set_title(words)
    axes.set_xlabel("update")
    axes.grid(alpha=0.25)
