"""The paper's scale, 94k steps x 8 candidates, within seconds and without holding gigabytes."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from training.advantage import advantages
from training.groups import StepGroups
from training.ragged import offsets_of
from training.rules import RULES, CreditRules, credit
from training.shaping import ShapingRules
from training.splices import shape_spliced

pytestmark = pytest.mark.slow
STEPS, CANDIDATES = 94_000, 8


@pytest.fixture(scope="module")
def paper_scale() -> StepGroups:
    """About 15k tasks with 94k steps, lengths 1 to 40 with the mean of AndroidControl."""
    rng = np.random.default_rng(0)
    lengths = 1 + np.minimum(rng.geometric(1 / 5.3, 15_000), 39)
    lengths = lengths[: int(np.searchsorted(np.cumsum(lengths), STEPS)) + 1]
    lengths[-1] -= int(lengths.sum()) - STEPS if lengths.sum() - STEPS < lengths[-1] else 0
    shape = (int(lengths.sum()), CANDIDATES)
    valid = rng.random(shape) < 0.8
    score = np.where(valid, rng.uniform(0.5, 1, shape), rng.uniform(0, 0.5, shape))
    made = StepGroups(score, valid, offsets_of(lengths), lengths, valid, valid, rng.normal(size=shape))
    return made.checked()


def measured(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds (best of two) and peak of new memory in GiB."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / 2**30
    tracemalloc.stop()
    return min(seconds), peak


@pytest.mark.parametrize("splices", [1, "closed"])
def test_shaping_and_advantages(paper_scale: StepGroups, splices: Any) -> None:
    def work() -> None:
        made = shape_spliced(paper_scale, ShapingRules(), splices)
        advantages(made.reward, made.kept, paper_scale.offsets)

    seconds, gigabytes = measured(work)
    print(f"{len(paper_scale.score)} steps x {CANDIDATES}, splices={splices}: {seconds:.2f} s, {gigabytes:.2f} GiB")
    assert seconds < 3
    assert gigabytes < 1


@pytest.mark.parametrize("name", RULES)
def test_every_rule(paper_scale: StepGroups, name: str) -> None:
    seconds, gigabytes = measured(lambda: credit(name, paper_scale, CreditRules()))
    print(f"{name}: {seconds:.2f} s, {gigabytes:.2f} GiB")
    assert seconds < 6
    assert gigabytes < 1
