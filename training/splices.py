"""Averaging a candidate's shaped reward over the ways in which it could have been spliced.

The paper ties candidate i of one step to candidate i of the next (`splices=1`). The candidates are independent, so
that tie is luck: eight identical perfect first steps get different rewards (facts, section 5). `splices=K` averages
over that splicing and K - 1 random ones; `splices="closed"` takes the expectation over all of them, in which every
other step's candidate is drawn uniformly. Ours; the paper has K = 1 only.

A reward is averaged over the splicings in which the candidate is kept. Under `truncate` the choice of the earlier
candidates, which decides that, does not depend on this one, so all candidates of a step are treated alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from training.errors import BadRules, NoClosedForm
from training.groups import StepGroups
from training.ragged import Bools, Floats, Ints, backwards, index_in_task, per_row
from training.reconstruct import random_order
from training.shaping import ROUNDING, Shaped, ShapingRules, shape

Splices = int | Literal["closed"]


@dataclass(frozen=True, slots=True)
class Spliced:
    """Rewards averaged over splicings.

    reward: (S, C), 0 where never kept. kept: (S, C) kept in at least one splicing. weight: (S, C) in [0, 1], the
    share of splicings in which the candidate was kept. clip_rate: share of prefix steps clipped, over all splicings.
    inexact: (E,) closed form only: tasks in which some splicing would have been clipped, which the form leaves out.
    """

    reward: Floats
    kept: Bools
    weight: Floats
    clip_rate: float
    inexact: Bools


def shape_spliced(groups: StepGroups, rules: ShapingRules, splices: Splices = 1, seed: int = 0) -> Spliced:
    """Shaped rewards under 1 (the paper), K, or all splicings. Raises BadRules or NoClosedForm."""
    if splices == "closed":
        return expected(groups, rules)
    if not isinstance(splices, int) or splices < 1:
        raise BadRules(f"splices {splices!r} is neither a positive number nor 'closed'")
    first = shape(groups, rules)
    total, count = first.reward.copy(), first.path.kept.astype(np.int64)
    clipped, prefix = int(first.clipped.sum()), int(first.path.prefix.sum())
    rng = np.random.default_rng(seed)
    for _ in range(splices - 1):
        order = random_order(groups.score.shape[0], groups.score.shape[1], rng)
        again = shape(groups.reordered(order), rules)
        _add(total, count, again, order)
        clipped, prefix = clipped + int(again.clipped.sum()), prefix + int(again.path.prefix.sum())
    none_inexact = np.zeros(len(groups.n_ref), dtype=bool)
    return Spliced(total / np.maximum(count, 1), count > 0, count / splices, clipped / max(prefix, 1), none_inexact)


def _add(total: Floats, count: Ints, shaped: Shaped, order: Ints) -> None:
    """Adds a re-splicing's rewards to the candidates they belong to."""
    back = np.argsort(order, axis=1)
    total += np.take_along_axis(shaped.reward, back, axis=1)
    count += np.take_along_axis(shaped.path.kept, back, axis=1)


@dataclass(frozen=True, slots=True)
class _StepMoments:
    """What a step looks like to the other steps; all (S,).

    valid: share of valid candidates. score: mean score of those (0 if none). loss: mean negative base of the invalid
    ones (<= 0). after: sum of valid-share-weighted losses of all later steps of the task.
    """

    valid: Floats
    score: Floats
    loss: Floats
    after: Floats


def expected(groups: StepGroups, rules: ShapingRules) -> Spliced:
    """The closed form: E[r | candidate, kept] over independent uniform choices of the other steps' candidates.

    Given the failure point tau of the rest, a valid candidate's reward is linear in the other steps' scores, so only
    their means enter; tau is summed backwards through the task. Exact where no splicing clips (always so under the
    default weights where valid means s >= 0.5); `inexact` flags the tasks where that can't be guaranteed.
    Raises NoClosedForm under parts="counts", mean="kept", or reference lengths that are not the tasks' own.
    """
    if rules.parts != "reference" or rules.mean != "reference" or (groups.n_ref != groups.lengths).any():
        raise NoClosedForm("needs parts='reference', mean='reference' and static tasks (n_ref = number of rows)")
    n = per_row(groups.n_ref, groups.offsets).astype(np.float64)
    rate = per_row(rules.penalty_at(groups.n_ref), groups.offsets) / n
    moments = _moments(groups, rate)
    level, slope = _tails(groups, rules, moments, n)
    gain = groups.score / n[:, None] + level[:, None] + slope[:, None] * (groups.score - moments.score[:, None])
    alive = _alive(moments.valid, groups.offsets)
    loss = (groups.score - 1) * rate[:, None]
    if rules.suffix == "keep":
        reward = np.where(groups.valid, alive[:, None] * gain, loss)
        weight = np.ones_like(reward)
    else:
        weight = np.repeat(alive[:, None], groups.score.shape[1], axis=1)
        reward = np.where(weight > 0, np.where(groups.valid, gain, loss), 0.0)
    return Spliced(reward, weight > 0, weight, 0.0, _may_clip(groups, rules))


def _moments(groups: StepGroups, rate: Floats) -> _StepMoments:
    valid = groups.valid
    hits, misses = valid.sum(axis=1), (~valid).sum(axis=1)
    score = np.where(valid, groups.score, 0.0).sum(axis=1) / np.maximum(hits, 1)
    loss = np.where(valid, 0.0, groups.score - 1).sum(axis=1) / np.maximum(misses, 1) * rate
    share = hits / valid.shape[1]
    after = np.zeros_like(share)
    for rows, tasks in backwards(groups.offsets):
        inner = rows + 1 < groups.offsets[tasks + 1]
        here, following = rows[inner], rows[inner] + 1
        after[here] = after[following] + (1 - share[following]) * loss[following]
    return _StepMoments(share, score, loss, after)


def _tails(groups: StepGroups, rules: ShapingRules, moments: _StepMoments, n: Floats) -> tuple[Floats, Floats]:
    """E[(R_target - sum b) / tau | the candidate's step is passed], as level + slope (s - mean s); both (S,).

    tau = t + 1 ... N - 1 is the first later failure, tau = N success; `at[t]` is the term for tau = t.
    """
    step = index_in_task(groups.offsets).astype(np.float64)
    before = _sum_before(moments.score, groups.offsets)
    owed = moments.loss + (moments.after if rules.suffix == "keep" else 0.0)
    slope_at = (rules.quality - 1) / n
    term = slope_at * before + rules.progress * step / n - (owed if rules.target == "literal" else 0.0)
    safe = np.maximum(step, 1)
    at, slope_at_tau = term / safe, slope_at / safe
    level, slope = np.zeros_like(at), np.zeros_like(at)
    for rows, tasks in backwards(groups.offsets):
        last = rows + 1 == groups.offsets[tasks + 1]
        end, here = rows[last], rows[~last]
        level[end] = (slope_at[end] * (before + moments.score)[end] + rules.progress + rules.success) / n[end]
        slope[end] = slope_at[end] / n[end]
        following, passed = here + 1, moments.valid[here + 1]
        level[here] = (1 - passed) * at[following] + passed * level[following]
        slope[here] = (1 - passed) * slope_at_tau[following] + passed * slope[following]
    return level, slope


def _sum_before(values: Floats, offsets: Ints) -> Floats:
    """Sum of the task's earlier values at each row: (S,) to (S,)."""
    before = np.zeros_like(values)
    lengths = np.diff(offsets)
    for t in range(1, int(lengths.max(initial=0))):
        rows = offsets[:-1][lengths > t] + t
        before[rows] = before[rows - 1] + values[rows - 1]
    return before


def _alive(valid: Floats, offsets: Ints) -> Floats:
    """Probability that all earlier steps' choices were valid: (S,)."""
    alive = np.ones_like(valid)
    lengths = np.diff(offsets)
    for t in range(1, int(lengths.max(initial=0))):
        rows = offsets[:-1][lengths > t] + t
        alive[rows] = alive[rows - 1] * valid[rows - 1]
    return alive


def _may_clip(groups: StepGroups, rules: ShapingRules) -> Bools:
    """Tasks with scores so uneven that some prefix step could be pushed below 0: (E,). Sufficient, not necessary."""
    low = np.minimum.reduceat(np.where(groups.valid, groups.score, 1.0).min(axis=1), groups.offsets[:-1])
    high = np.maximum.reduceat(np.where(groups.valid, groups.score, 0.0).max(axis=1), groups.offsets[:-1])
    some = np.logical_or.reduceat(np.any(groups.valid, axis=1), groups.offsets[:-1])
    clips: Bools = some & (low - (1 - rules.quality) * high + rules.progress < -ROUNDING)
    return clips
