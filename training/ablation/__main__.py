"""The command behind `scripts/reproduce_ablation`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from solar_eval import entry

app = App(
    name="reproduce_ablation",
    help="SOLAR-RL and its relatives with the pointer policy on the pocket phone: trains, measures, writes the report.",
    result_action="return_value",
)


@app.default
def reproduce(
    *,
    quick: Annotated[bool, Parameter(help="Three minutes: few episodes, two seeds, few updates.", negative="")] = False,
    out: Annotated[
        Path | None, Parameter(help="Where the report is written; default: results/ablation, quick: in WORK.")
    ] = None,
    work: Annotated[Path, Parameter(help="Where episodes and runs are kept.")] = Path("runs/ablation"),
    seeds: Annotated[int | None, Parameter(help="Seeds 0 to n - 1 instead of the plan's.")] = None,
    arms: Annotated[tuple[str, ...], Parameter(help="Only these arms.", consume_multiple=True, negative="")] = (),
    updates: Annotated[int | None, Parameter(help="Updates of every arm instead of the plan's.")] = None,
    episodes: Annotated[int | None, Parameter(help="Recorded episodes instead of the plan's.")] = None,
    every: Annotated[int | None, Parameter(help="Updates between evaluations instead of the plan's.")] = None,
    live: Annotated[int | None, Parameter(help="Live tasks at the end of a run instead of the plan's.")] = None,
    processes: Annotated[int, Parameter(help="Runs at a time; 0: one a core.")] = 0,
) -> int:
    """Runs what is missing and writes tables, curves and claims. The same seeds give the same files."""
    from dataclasses import replace

    from solar_eval.errors import UsageError, unknown_name
    from training.ablation import report
    from training.ablation.arms import BY_NAME
    from training.ablation.plan import FULL, QUICK
    from training.ablation.run import run
    from training.ablation.workers import terminable

    for name in arms:
        if name not in BY_NAME:
            raise unknown_name("arm", name, BY_NAME)
    if seeds is not None and seeds < 2:
        raise UsageError(f"{seeds} seeds give no interval", fix="two or more")
    for option, value in (("updates", updates), ("episodes", episodes)):
        if value is not None and value < 10:
            raise UsageError(f"--{option} {value} is too few", fix="ten or more")
    plan = (QUICK if quick else FULL).changed(arms, seeds, updates, episodes)
    plan = replace(plan, every=every or plan.every, live=plan.live if live is None else live)
    count = processes or os.cpu_count() or 1
    with terminable():
        runs = run(plan, work, count, lambda line: print(line, file=sys.stderr, flush=True))
    folder = out or (work / "quick" if quick else Path("results/ablation"))
    for path in report.write(plan, runs, folder, work):
        print(path)
    return 0


def main() -> None:
    """Entry point; exit codes as in `solar_eval.cli`."""
    entry.run(app, "interrupted; the same command goes on from here")


if __name__ == "__main__":
    main()
