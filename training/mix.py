"""Which tasks an update trains on: sources with shares, shuffled by epoch, computed from the update's number alone.

The order has no state: batch u of a phase is a function of the seed and u, so a resumed run draws what the
uninterrupted one would have drawn, at an epoch boundary too. An epoch has as many draws as there are tasks; a source of
share p gets its p of them and goes through its own permutations one after another, so that a small source repeats and
a large one is used up over several epochs. Without shares every task comes once an epoch.

The two stages (SOLAR-RL, arXiv 2604.22558: atomic adaptation, then trajectory optimisation; the mix is not published)
differ in the unit: `atomic` draws single steps, `trajectories` whole episodes. `balanced` flattens the shares of action
kinds or of length buckets, so that rare ones are not starved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from training.errors import BadRules, EmptyGroup
from training.policy import Task

Key = Callable[[Task], str]
BUCKETS = (("short", 1), ("long", 8), ("super_long", 14))
"""Names and first lengths in steps of the length buckets (facts, section 3)."""


@dataclass(frozen=True)
class Source:
    """Tasks of one origin. `share`: its part of the draws, relative to the other sources' shares; None: by size."""

    name: str
    tasks: tuple[Task, ...]
    share: float | None = None


def bucket_of(task: Task) -> str:
    """short (under 8 steps), long (8 to 13) or super_long (14 and more)."""
    return [name for name, first in BUCKETS if len(task.steps) >= first][-1]


def kind_of(task: Task) -> str:
    """The label's kind of a task's first step."""
    label = task.steps[0].step.label
    return label.kind if label is not None else ""


def atomic(source: Source, flatten: float = 0.0) -> list[Source]:
    """A source's steps, each a task of one step; `flatten` 1 draws all kinds of action alike."""
    return balanced(Source(source.name, tuple(one for t in source.tasks for one in t.atoms()), source.share), kind_of,
                    flatten)  # fmt: skip


def trajectories(source: Source, flatten: float = 0.0) -> list[Source]:
    """A source's episodes; `flatten` 1 draws all length buckets alike."""
    return balanced(source, bucket_of, flatten)


def balanced(source: Source, key: Key, flatten: float) -> list[Source]:
    """A source split by `key` into sources whose shares are proportional to size ** (1 - flatten)."""
    if not 0 <= flatten <= 1:
        raise BadRules(f"flatten {flatten} is outside 0..1")
    if flatten == 0:
        return [source]
    parts: dict[str, list[Task]] = {}
    for task in source.tasks:
        parts.setdefault(key(task), []).append(task)
    weights = {name: len(tasks) ** (1 - flatten) for name, tasks in parts.items()}
    whole = len(source.tasks) if source.share is None else source.share
    total = sum(weights.values())
    return [Source(f"{source.name}/{n}", tuple(t), whole * weights[n] / total) for n, t in sorted(parts.items())]


@dataclass
class Order:
    """The endless sequence of draws. Raises EmptyGroup where there is no task, BadRules for shares that aren't any."""

    sources: Sequence[Source]
    seed: int
    _epochs: dict[int, list[Task]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.sources = [source for source in self.sources if source.tasks]
        if not self.sources:
            raise EmptyGroup("there is no task to train on")
        shares = [len(s.tasks) if s.share is None else s.share for s in self.sources]
        if not all(np.isfinite(shares)) or min(shares) < 0 or sum(shares) <= 0:
            raise BadRules(f"the shares {shares} are not numbers above 0")
        if len({s.share is None for s in self.sources}) > 1:
            raise BadRules("some sources have a share and some do not", "mix", "give every source a share, or none")
        self._quota = _quotas(np.array(shares, dtype=np.float64), self.epoch_size)

    @property
    def epoch_size(self) -> int:
        """Draws an epoch: the number of tasks."""
        return sum(len(source.tasks) for source in self.sources)

    def batch(self, number: int, size: int) -> list[Task]:
        """Draws number * size to (number + 1) * size - 1; a batch may span two epochs."""
        first, n = number * size, self.epoch_size
        return [self.epoch(i // n)[i % n] for i in range(first, first + size)]

    def epoch(self, number: int) -> list[Task]:
        """All draws of one epoch, in order."""
        if number not in self._epochs:
            while len(self._epochs) > 1:
                self._epochs.pop(next(iter(self._epochs)))
            self._epochs[number] = self._draws(number)
        return self._epochs[number]

    def _draws(self, number: int) -> list[Task]:
        drawn: list[Task] = []
        for index, (source, quota) in enumerate(zip(self.sources, self._quota, strict=True)):
            n, first = len(source.tasks), number * int(quota)
            places = range(first, first + int(quota))
            turns = {turn: _shuffled(n, (self.seed, index, turn)) for turn in {place // n for place in places}}
            drawn += [source.tasks[turns[place // n][place % n]] for place in places]
        return [drawn[i] for i in _shuffled(len(drawn), (self.seed, len(self.sources), number))]


def _shuffled(n: int, key: tuple[int, ...]) -> NDArray[np.int64]:
    order: NDArray[np.int64] = np.random.default_rng(np.random.SeedSequence(key)).permutation(n)
    return order


def _quotas(shares: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Whole numbers that add up to `total` in proportion to the shares (largest remainders)."""
    exact = shares / shares.sum() * total
    quota: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    missing = total - int(quota.sum())
    quota[np.argsort(-(exact - quota), kind="stable")[:missing]] += 1
    return quota
