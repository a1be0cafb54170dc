"""Run directories made from made-up steps through the real scorer and the real run directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from solar_eval.actions import Action, Click, OpenApp, Point, Press, Type
from solar_eval.dialects.table import get as get_dialect
from solar_eval.protocols import get
from solar_eval.records import Benchmark, Episode, RecordedParse, Reply, Step
from solar_eval.run_dir import RunDir
from solar_eval.scoring import pipeline

LABELS: tuple[Action, ...] = (OpenApp("Clock"), Click(Point(0.2, 0.2)), Type("seven"), Press("back"))
"""Labels of an episode's steps, in turn."""
WRONG = Press("home")

MakeRun = Callable[..., Path]


def episodes(count: int = 4, steps: int = 4, goal: str = "Set an alarm") -> tuple[Episode, ...]:
    """`count` episodes e0, e1, ... of `steps` steps whose labels go round LABELS."""
    return tuple(
        Episode(
            f"e{e}", goal,
            tuple(
                Step(f"e{e}/{i}", f"e{e}", i, goal, "", LABELS[i % len(LABELS)], (1080, 2400)) for i in range(steps)
            ),
        )
        for e in range(count)
    )  # fmt: skip


def benchmark_of(made: tuple[Episode, ...], name: str = "android_control_high", subset: str = "made_up") -> Benchmark:
    return Benchmark(name, subset, made)


def answers(made: Benchmark, wrong: Sequence[str] = (), missing: Sequence[str] = ()) -> dict[str, Action | None]:
    """The labels as answers, but for the steps in `wrong`; those in `missing` have none."""
    return {s.id: WRONG if s.id in wrong else s.label for s in made.steps if s.id not in missing}


@pytest.fixture
def make_run() -> MakeRun:
    """make_run(path, benchmark, answers, protocols=..., model=..., owed=..., run=..., about=...) -> path."""

    def make(
        path: Path,
        benchmark: Benchmark,
        said: Mapping[str, Action | None],
        *,
        protocols: str = "guievalkit_2025_09,strict",
        model: str = "openai:tester",
        owed: Sequence[str] = (),
        run: Mapping[str, Any] | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> Path:
        replies = {i: Reply(i, "", recorded=RecordedParse(action, "" if action else "no verb")) for i, action in
                   said.items()}  # fmt: skip
        replies |= {step: Reply(step, None, error="server: down") for step in owed}
        chosen = [get(name) for name in protocols.split(",")]
        scored = pipeline.score(benchmark, replies, get_dialect("qwen2_5_vl"), chosen, "recorded")
        identity = {"benchmark": benchmark.name, "subset": benchmark.subset, "model": model}
        with RunDir.create_or_resume(path, identity, about or {}) as open_run:
            open_run.append_many(replies.values())
            head = {"run": dict(run)} if run else {}
            open_run.write_results(head | pipeline.summary(scored), pipeline.sample_rows(scored))
        return path

    return make
