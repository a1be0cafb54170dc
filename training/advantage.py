"""Group-relative advantages over flat rows or over step groups.

Source: GRPO (arXiv 2402.03300, eq. for outcome supervision): A = (r - mean) / std within a group of answers to one
prompt. The group here is the candidates that are alive at one (task, step): they share the prompt (facts, section 3;
case T06). Departures, each because a public run broke without it: std is two-pass in float64 and a group with std
under the floor has advantage 0 (T01, T02); a group of one has advantage 0, not its raw reward (T04); a reward that is
not finite is an error, or is left out of its group and counted, and never reaches a mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from training.errors import BadRules, BadScore, BadShape
from training.ragged import Bools, Floats, Ints, per_row

Grouping = Literal["step", "episode", "mixed"]


@dataclass(frozen=True, slots=True)
class AdvantageRules:
    """How rewards become advantages. Raises BadRules.

    group: step (default), candidates at one (task, step); episode, all kept rows of a task; mixed,
    episode_weight x episode + step_weight x step (UI-S1, arXiv 2509.11543). scale: std, or none (mean only, Dr. GRPO,
    arXiv 2503.20783). baseline: the group's mean and std, or those of the others (leave_one_out); with the latter a
    std under the floor leaves the difference unscaled, since it says nothing about the row itself. ddof: 1 as torch's
    and verl's std, 0 as numpy's. std_floor: in reward units. eps: added to std; 1e-6 is verl's.
    bad: whether a reward that is not finite raises BadScore or is skipped and counted.
    """

    group: Grouping = "step"
    scale: Literal["std", "none"] = "std"
    baseline: Literal["group", "leave_one_out"] = "group"
    episode_weight: float = 1.0
    step_weight: float = 1.0
    std_floor: float = 1e-6
    eps: float = 1e-6
    ddof: Literal[0, 1] = 1
    bad: Literal["raise", "skip"] = "raise"

    def __post_init__(self) -> None:
        if self.std_floor < 0 or self.eps < 0:
            raise BadRules(f"std_floor {self.std_floor} and eps {self.eps} must not be negative")
        if self.group not in {"step", "episode", "mixed"} or self.ddof not in {0, 1}:
            raise BadRules(f"group {self.group!r} or ddof {self.ddof!r} is not known")


@dataclass(frozen=True, slots=True)
class GroupStats:
    """What the grouping looked like: counts of groups, except rows and bad, which count rows.

    single: groups of one row. flat: groups of at least two rows with std at or under the floor; both give advantage 0.
    bad: rows left out because their reward was not finite.
    """

    rows: int
    groups: int
    single: int
    flat: int
    bad: int

    @property
    def zero_variance(self) -> float:
        """Share of groups that teach nothing (frac_zero_std in other trainers); 0 where there is no group."""
        return (self.single + self.flat) / self.groups if self.groups else 0.0


def normalise(
    reward: NDArray[Any], group: NDArray[Any], rules: AdvantageRules | None = None
) -> tuple[Floats, GroupStats]:
    """Advantages of M rows in groups: reward (M,), group (M,) any integer key; (M,). Raises BadScore, BadShape."""
    rules = rules or AdvantageRules()
    values = np.asarray(reward, dtype=np.float64)
    if values.ndim != 1 or values.shape != np.shape(group):
        raise BadShape(f"rewards {values.shape} and group keys {np.shape(group)} are not of one length")
    good = np.isfinite(values)
    if rules.bad == "raise" and not good.all():
        first = int(np.argmin(good))
        raise BadScore(f"{int((~good).sum())} rewards are not finite, the first is {values[first]}", f"row {first}")
    keys, code = np.unique(np.asarray(group)[good], return_inverse=True)
    advantage = np.zeros(len(values))
    advantage[good], single, flat = _within(values[good], code, len(keys), rules)
    return advantage, GroupStats(int(good.sum()), len(keys), single, flat, int((~good).sum()))


def _within(values: Floats, code: Ints, n: int, rules: AdvantageRules) -> tuple[Floats, int, int]:
    count = np.bincount(code, minlength=n)
    mean = np.bincount(code, weights=values, minlength=n) / np.maximum(count, 1)
    centred = values - mean[code]
    squares = np.bincount(code, weights=centred**2, minlength=n)
    std = np.sqrt(squares / np.maximum(count - rules.ddof, 1))
    flat = (count > 1) & (std <= rules.std_floor)
    dead = (flat | (count < 2))[code]
    if rules.baseline == "leave_one_out":
        advantage = _leave_one_out(centred, squares[code], count[code], rules)
    elif rules.scale == "std":
        advantage = centred / (std[code] + rules.eps) if rules.eps else centred / np.where(std > 0, std, 1)[code]
    else:
        advantage = centred
    return np.where(dead, 0.0, advantage), int((count == 1).sum()), int(flat.sum())


def _leave_one_out(centred: Floats, squares: NDArray[Any], count: NDArray[Any], rules: AdvantageRules) -> Floats:
    """Difference to the others' mean, over the others' std where that is above the floor.

    The others' sum of squares about their own mean is SS - c^2 n / (n - 1), with c centred already: no raw second
    moments, and what rounding leaves of a zero is under any floor for rewards of size 1.
    """
    others = np.maximum(count - 1, 1)
    difference: Floats = centred * count / others
    if rules.scale == "none":
        return difference
    rest = np.maximum(squares - centred**2 * count / others, 0.0)
    std = np.sqrt(rest / np.maximum(others - rules.ddof, 1))
    scaled = (others > 1) & (std > rules.std_floor)
    advantage: Floats = difference / np.where(scaled, std + rules.eps, 1.0)
    return advantage


@dataclass(frozen=True, slots=True)
class Advantages:
    """advantage: (S, C), 0 where not kept. step, episode: the statistics of the groupings that were used."""

    advantage: Floats
    step: GroupStats | None
    episode: GroupStats | None


def advantages(reward: Floats, kept: Bools, offsets: Ints, rules: AdvantageRules | None = None) -> Advantages:
    """Advantages of the kept rows of a batch in the layout of `ragged`: reward (S, C), kept (S, C)."""
    rules = rules or AdvantageRules()
    total = np.zeros(reward.shape)
    by_step = by_episode = None
    if rules.group in {"step", "mixed"}:
        step = np.broadcast_to(np.arange(len(reward))[:, None], reward.shape)
        part, by_step = normalise(reward[kept], step[kept], rules)
        total[kept] += part * (rules.step_weight if rules.group == "mixed" else 1.0)
    if rules.group in {"episode", "mixed"}:
        task = np.broadcast_to(per_row(np.arange(len(offsets) - 1), offsets)[:, None], reward.shape)
        part, by_episode = normalise(reward[kept], task[kept], rules)
        total[kept] += part * (rules.episode_weight if rules.group == "mixed" else 1.0)
    return Advantages(total, by_step, by_episode)
