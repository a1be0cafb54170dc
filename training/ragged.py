"""Arithmetic on ragged batches: E tasks of different lengths, laid end to end as S rows, C columns wide.

`offsets` (E + 1 integers, offsets[0] = 0, offsets[-1] = S) marks where each task's rows begin; no task is empty. A
column of a task is one trajectory. Nothing is padded: 94k steps x 8 candidates are 752k numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def offsets_of(lengths: Ints) -> Ints:
    """Row offsets (E + 1) of tasks with these lengths (E)."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def per_row(values: NDArray[Any], offsets: Ints) -> NDArray[Any]:
    """A value of each task (E, ...) repeated for each of its rows (S, ...)."""
    return np.repeat(values, np.diff(offsets), axis=0)


def task_sum(values: NDArray[Any], offsets: Ints) -> NDArray[Any]:
    """Sums over each task's rows: (S, C) to (E, C). Booleans are counted."""
    numbers = values.astype(np.int64) if values.dtype == np.bool_ else values
    return np.add.reduceat(numbers, offsets[:-1], axis=0) if len(numbers) else numbers


def running_count(flags: Bools, offsets: Ints) -> Ints:
    """How many flags are set in each column from the task's first row to this row inclusive: (S, C) to (S, C).

    For counts only: differences of cumulative sums are exact for integers and not for floats.
    """
    total = np.cumsum(flags, axis=0, dtype=np.int64)
    first = offsets[:-1]
    counts: Ints = total - per_row(total[first] - flags[first], offsets)
    return counts


def index_in_task(offsets: Ints) -> Ints:
    """The step number of each row within its task, from 0: (S,)."""
    steps: Ints = np.arange(offsets[-1], dtype=np.int64) - per_row(offsets[:-1], offsets)
    return steps


def backwards(offsets: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Pairs (rows, tasks) of all tasks' step t, for t from the longest task's last step down to 0.

    A recursion that looks one step ahead handles all tasks of the batch at once; the row after `rows` is `rows + 1`
    wherever `rows + 1 < offsets[tasks + 1]`.
    """
    lengths = np.diff(offsets)
    for t in range(int(lengths.max(initial=0)) - 1, -1, -1):
        tasks = np.flatnonzero(lengths > t)
        yield offsets[tasks] + t, tasks
