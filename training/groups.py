"""The input of all credit rules: scores and validity of C candidates at each step of E tasks.

Row layout as in `ragged`: S rows (all tasks' steps end to end), C columns (candidate indices). Candidate i of all
steps of a task, read down the column, is trajectory i (facts, section 1: "splice equal candidate indices").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from training.errors import BadScore, BadShape, EmptyGroup
from training.ragged import Bools, Floats, Ints, index_in_task, offsets_of

SkipReason = Literal["no steps", "no candidates", "score is not finite", "score outside 0..1", "shapes differ"]
Number = TypeVar("Number", np.float64, np.bool_)


@dataclass(frozen=True, slots=True)
class StepGroups:
    """E tasks, S steps, C candidates a step.

    score: (S, C) Phi(a_pred, a_gt) in [0, 1], the atomic score. valid: (S, C). offsets: (E + 1), see `ragged`.
    n_ref: (E,) length of the reference trajectory in steps; on static data the task's own number of rows.
    Only some comparison rules need the rest: type_ok (S, C) the action's type is right; format_ok (S, C) the reply
    kept to the prompt's format; value (S, C) a critic's value at the end of the step's reply.
    """

    score: Floats
    valid: Bools
    offsets: Ints
    n_ref: Ints
    type_ok: Bools | None = None
    format_ok: Bools | None = None
    value: Floats | None = None

    @property
    def lengths(self) -> Ints:
        """Number of rows of each task: (E,)."""
        return np.diff(self.offsets)

    def checked(self) -> StepGroups:
        """Itself. Raises BadShape, EmptyGroup or BadScore, naming the first offending task, step and candidate."""
        if self.score.ndim != 2 or self.score.shape != self.valid.shape or self.offsets[-1] != len(self.score):
            raise BadShape(f"scores {self.score.shape}, validity {self.valid.shape}, {self.offsets[-1]} rows announced")
        if len(self.n_ref) != len(self.offsets) - 1:
            raise BadShape(f"{len(self.n_ref)} reference lengths for {len(self.offsets) - 1} tasks")
        if (self.lengths < 1).any():
            raise EmptyGroup("a task without steps", f"task {int(np.argmax(self.lengths < 1))}")
        if len(self.score) and self.score.shape[1] < 1:
            raise EmptyGroup("steps without candidates")
        if (self.n_ref < 1).any():
            raise BadShape("the reference length is not positive", f"task {int(np.argmax(self.n_ref < 1))}")
        wrong = ~(np.isfinite(self.score) & (self.score >= 0) & (self.score <= 1))
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            raise BadScore(f"score {self.score[row, column]} is not a number in 0..1", self.place(row, column))
        return self

    def place(self, row: int, column: int) -> str:
        """Where a cell stands, in words."""
        task = int(np.searchsorted(self.offsets, row, side="right")) - 1
        return f"task {task}, step {row - int(self.offsets[task])}, candidate {column}"

    @property
    def dead_at_start(self) -> Bools:
        """Tasks whose candidates are all invalid at step 0: (E,). Under `truncate` their later steps train nothing."""
        dead: Bools = ~np.any(self.valid[self.offsets[:-1]], axis=1)
        return dead

    def reordered(self, order: Ints) -> StepGroups:
        """Candidates of each row rearranged: column i becomes candidate order[row, i]. order: (S, C)."""
        return StepGroups(
            _taken(self.score, order), _taken(self.valid, order), self.offsets, self.n_ref,
            None if self.type_ok is None else _taken(self.type_ok, order),
            None if self.format_ok is None else _taken(self.format_ok, order),
            None if self.value is None else _taken(self.value, order),
        )  # fmt: skip


def _taken(array: NDArray[Number], order: Ints) -> NDArray[Number]:
    return np.take_along_axis(array, order, axis=1)


def trajectory(score: ArrayLike, valid: ArrayLike, n_ref: int) -> StepGroups:
    """One trajectory of T steps as a batch: score and valid are (T,). Raises as `StepGroups.checked`."""
    scores = np.asarray(score, dtype=np.float64).reshape(-1, 1)
    flags = np.asarray(valid, dtype=bool).reshape(-1, 1)
    rows = np.array([0, len(scores)], dtype=np.int64)
    return StepGroups(scores, flags, rows, np.array([n_ref], dtype=np.int64)).checked()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A task that was left out of a batch: its position in the input, and why."""

    task: int
    reason: SkipReason


def from_tasks(tasks: Sequence[tuple[ArrayLike, ArrayLike]]) -> tuple[StepGroups, Ints, list[Skipped]]:
    """A batch of static tasks, leaving out what can't be trained on.

    tasks: (score, valid) of each task, both (T, C); C is that of most tasks, others are skipped. A candidate that was
    never generated is a NaN score.
    Returns the batch, the input positions of its tasks (E,), and what was skipped, by name. A task is skipped whole:
    a trajectory can't be spliced through a step that has no score. Raises EmptyGroup if nothing is left.
    """
    kept: list[tuple[int, Floats, Bools]] = []
    skipped: list[Skipped] = []
    arrays = [(np.asarray(score, dtype=np.float64), np.asarray(valid, dtype=bool)) for score, valid in tasks]
    widths = Counter(scores.shape[1] for scores, _ in arrays if scores.ndim == 2 and scores.size)
    width = max(widths, key=lambda w: widths[w], default=0)
    for position, (scores, flags) in enumerate(arrays):
        reason = _fault(scores, flags, width)
        if reason is None:
            kept.append((position, scores, flags))
        else:
            skipped.append(Skipped(position, reason))
    if not kept:
        reasons = ", ".join(sorted({s.reason for s in skipped})) or "no tasks given"
        raise EmptyGroup(f"no task of {len(tasks)} can be trained on ({reasons})")
    lengths = np.array([len(scores) for _, scores, _ in kept], dtype=np.int64)
    groups = StepGroups(np.concatenate([s for _, s, _ in kept]), np.concatenate([v for _, _, v in kept]),
                        offsets_of(lengths), lengths)  # fmt: skip
    return groups.checked(), np.array([p for p, _, _ in kept], dtype=np.int64), skipped


def _fault(scores: Floats, flags: Bools, width: int) -> SkipReason | None:
    if scores.size == 0:
        return "no candidates" if scores.ndim == 2 and len(scores) else "no steps"
    if scores.ndim != 2 or scores.shape != flags.shape or scores.shape[1] != width:
        return "shapes differ"
    if not np.isfinite(scores).all():
        return "score is not finite"
    return None if ((scores >= 0) & (scores <= 1)).all() else "score outside 0..1"


def alive_by_step(kept: Bools, offsets: Ints) -> Floats:
    """Mean number of candidates alive at step 0, 1, ... over the tasks that are that long: (longest task,).

    An early warning (facts, section 5): where it falls under 2, a step group has no advantage.
    """
    step = index_in_task(offsets)
    counts = np.bincount(step)
    alive: Floats = np.bincount(step, weights=kept.sum(axis=1)) / counts
    return alive
