"""Trajectory-aware reward shaping: base scores, aggregation, target, alignment.

Source: SOLAR-RL (arXiv 2604.22558), its three stages Aggregation, Base Normalization and Total Reward Alignment, as
the public summaries state them; weights, penalty and division are open there and ours (facts, section 3; docs/
training.md). With N the reference length, T = t* the valid steps before the failure, s the atomic score:

    base      b_t = s_t / N for t < T;   b_t = -lambda(N) (1 - s_t) / N for invalid steps that are kept
    aggregate R_traj = w_q sum_{t<T} s_t / N + w_c T / N + w_s [success]
    target    literal: R_target = R_traj           aligned (default): R_target = R_traj + sum of the negative b_t
    align     r_t = b_t + (R_target - sum b) / T  for t < T;   r_t = b_t otherwise;   below 0 a prefix step is clipped
    penalty   lambda(N) = lambda_0 min(1, N / 14)

`aligned` is the smallest repair of the published sum: under `literal` the prefix also has to earn back the negative
part, so that a correct early step is paid more because the trajectory fails soon after (facts, section 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from training.errors import BadRules
from training.groups import StepGroups
from training.ragged import Bools, Floats, Ints, per_row, task_sum
from training.reconstruct import Suffix, Trajectories, reconstruct

Target = Literal["aligned", "literal"]
ROUNDING = 1e-12
"""A prefix reward this little below 0 is rounding, not a clip."""


@dataclass(frozen=True, slots=True)
class ShapingRules:
    """The free choices of the shaping. Raises BadRules where they contradict each other.

    quality, progress, success: weights w_q, w_c, w_s of R_traj, summing to 1. target, suffix: see the module and
    `reconstruct`. parts: what the positive and the negative part are divided by, the reference length or the number
    of steps in the part (both readings of "normalise positive and negative parts"). mean: w_q's factor is the sum of
    scores over n_ref, or the mean over the kept steps (not monotone in the length of the valid prefix).
    penalty: lambda_0 in [0, 1]. penalty_length: steps at which the penalty reaches it; None: from the first step on.
    """

    quality: float = 0.3
    progress: float = 0.2
    success: float = 0.5
    target: Target = "aligned"
    suffix: Suffix = "truncate"
    parts: Literal["reference", "counts"] = "reference"
    mean: Literal["reference", "kept"] = "reference"
    penalty: float = 1.0
    penalty_length: int | None = 14

    def __post_init__(self) -> None:
        weights = (self.quality, self.progress, self.success)
        if not all(0 <= w <= 1 for w in weights) or abs(sum(weights) - 1) > 1e-9:
            raise BadRules(f"the weights {weights} are not three numbers in 0..1 whose sum is 1")
        if not 0 <= self.penalty <= 1:
            raise BadRules(f"penalty {self.penalty} is outside 0..1; above 1 a return could pass -1")
        if self.penalty_length is not None and self.penalty_length < 1:
            raise BadRules(f"penalty_length {self.penalty_length} is not a positive number of steps")
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise BadRules(f"{name} {getattr(self, name)!r} is none of {', '.join(known)}")

    def penalty_at(self, n_ref: Ints) -> Floats:
        """lambda(N) for reference lengths (E,), without unit; (E,)."""
        if self.penalty_length is None:
            return np.full(n_ref.shape, self.penalty)
        return self.penalty * np.minimum(1.0, n_ref / self.penalty_length)

    def success_outranks_failure(self, n_ref: int, threshold: float = 0.5) -> bool:
        """Whether the worst success (every s at the validity threshold) has a higher R_traj than the best failure.

        The best failure has N - 1 perfect steps: w_s > w_q (1 - 1/N - threshold) - w_c / N. The facts (section 3)
        state it with 1 in place of 1 - 1/N, which is sufficient.
        """
        best_failure = (self.quality + self.progress) * (n_ref - 1) / n_ref
        return self.quality * threshold + self.progress + self.success > best_failure + ROUNDING


CHOICES: dict[str, tuple[str, ...]] = {
    "target": ("aligned", "literal"),
    "suffix": ("truncate", "keep"),
    "parts": ("reference", "counts"),
    "mean": ("reference", "kept"),
}


@dataclass(frozen=True, slots=True)
class Shaped:
    """Shaped rewards of E x C trajectories.

    reward: (S, C), 0 where not kept. base: (S, C) before alignment. r_traj, target: (E, C). clipped: (S, C) prefix
    steps whose reward was raised to 0; where there is one, the rewards sum to more than the target.
    """

    reward: Floats
    base: Floats
    r_traj: Floats
    target: Floats
    clipped: Bools
    path: Trajectories

    @property
    def clip_rate(self) -> float:
        """Share of the prefix steps that were clipped (0 where there is no prefix step)."""
        return float(self.clipped.sum() / max(int(self.path.prefix.sum()), 1))


def shape(groups: StepGroups, rules: ShapingRules | None = None) -> Shaped:
    """Shaped rewards of all trajectories of a batch; `groups` must have been checked."""
    rules = rules or ShapingRules()
    path = reconstruct(groups, rules.suffix)
    positive, negative = base_parts(groups, path, rules)
    gain, loss = task_sum(positive, groups.offsets), task_sum(negative, groups.offsets)
    r_traj = aggregate(groups, path, rules)
    target = r_traj + loss if rules.target == "aligned" else r_traj
    steps = task_sum(path.prefix, groups.offsets)
    target = np.where(steps == 0, loss, target)
    share = (target - gain - loss) / np.maximum(steps, 1)
    aligned = positive + np.where(path.prefix, per_row(share, groups.offsets), 0.0)
    clipped = path.prefix & (aligned < -ROUNDING)
    return Shaped(np.maximum(aligned, 0.0) + negative, positive + negative, r_traj, target, clipped, path)


def base_parts(groups: StepGroups, path: Trajectories, rules: ShapingRules) -> tuple[Floats, Floats]:
    """Base Normalization: the positive part (valid prefix) and the negative part (<= 0), both (S, C)."""
    offsets = groups.offsets
    penalty = rules.penalty_at(groups.n_ref)[:, None]
    if rules.parts == "reference":
        length = groups.n_ref[:, None].astype(np.float64)
        per_valid, per_invalid = per_row(1 / length, offsets), per_row(penalty / length, offsets)
    else:
        valid, invalid = task_sum(path.prefix, offsets), task_sum(path.punished, offsets)
        per_valid = per_row(1 / np.maximum(valid, 1), offsets)
        per_invalid = per_row(penalty / np.maximum(invalid, 1), offsets)
    positive = np.where(path.prefix, groups.score * per_valid, 0.0)
    negative = np.where(path.punished, (groups.score - 1) * per_invalid, 0.0)
    return positive, negative


def aggregate(groups: StepGroups, path: Trajectories, rules: ShapingRules) -> Floats:
    """Aggregation: R_traj in [0, 1] of each trajectory, (E, C)."""
    offsets, n_ref = groups.offsets, groups.n_ref[:, None]
    if rules.mean == "reference":
        quality = task_sum(np.where(path.prefix, groups.score, 0.0), offsets) / n_ref
    else:
        counted = path.prefix | path.failing
        quality = task_sum(np.where(counted, groups.score, 0.0), offsets) / np.maximum(task_sum(counted, offsets), 1)
    progress = np.minimum(path.t_star, n_ref) / n_ref
    r_traj: Floats = rules.quality * quality + rules.progress * progress + rules.success * path.success
    return r_traj
