"""Offline trajectory reconstruction: N candidates per step become N trajectories, cut at their first invalid step.

Source: SOLAR-RL (arXiv 2604.22558), offline trajectory reconstruction and failure points; facts, sections 1 to 3. The
candidates are sampled on the expert's screenshot and history, so any candidate of one step can follow any candidate
of the step before; the paper ties equal indices together, `random_order` ties others (facts, section 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from training.groups import StepGroups
from training.ragged import Bools, Ints, index_in_task, per_row, running_count, task_sum

Suffix = Literal["truncate", "keep"]
"""truncate (default): nothing after the failure point is trained; keep: every step is. The published texts say both."""


@dataclass(frozen=True, slots=True)
class Trajectories:
    """E x C trajectories of a batch, column by column.

    t_star: (E, C) the failure point: index of the first invalid step, the number of rows where there is none.
    success: (E, C) no invalid step and at least n_ref steps. prefix: (S, C) valid steps before the failure point and
    before n_ref (steps beyond the reference are extra and count nothing). failing: (S, C) the step at the failure
    point. kept: (S, C) the steps that are trained under the suffix rule. punished: (S, C) kept invalid steps; among
    extra steps only the failure point itself.
    """

    t_star: Ints
    success: Bools
    prefix: Bools
    failing: Bools
    kept: Bools
    punished: Bools


def reconstruct(groups: StepGroups, suffix: Suffix = "truncate") -> Trajectories:
    """Cuts the trajectory in each column of each task at its failure point."""
    offsets = groups.offsets
    invalid = ~groups.valid
    seen = running_count(invalid, offsets)
    unbroken, failing = seen == 0, invalid & (seen == 1)
    t_star = task_sum(unbroken, offsets)
    within = (index_in_task(offsets) < per_row(groups.n_ref, offsets))[:, None]
    long_enough = groups.lengths >= groups.n_ref
    success = (t_star == groups.lengths[:, None]) & long_enough[:, None]
    if suffix == "truncate":
        return Trajectories(t_star, success, unbroken & within, failing, unbroken | failing, failing)
    everything = np.ones_like(unbroken)
    return Trajectories(t_star, success, unbroken & within, failing, everything, failing | (invalid & within))


def random_order(n_steps: int, n_candidates: int, rng: np.random.Generator) -> Ints:
    """One random re-splicing: an independent uniform permutation of the candidates at every step. (S, C)."""
    order: Ints = np.argsort(rng.random((n_steps, n_candidates)), axis=1)
    return order
