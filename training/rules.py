"""Credit rules by name: SOLAR-RL and what it is compared with, all from the same candidates.

Each rule turns a batch of step groups into rewards, the rows that are trained, and their advantages, so that a
trainer swaps rules without other changes. Sources stand at each rule; facts, sections 3 and 6. Supervised fine-tuning
has no rule here: it has labels and no advantages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from solar_eval.errors import unknown_name
from training.advantage import AdvantageRules, GroupStats, advantages, normalise
from training.errors import BadScore, BadShape
from training.groups import StepGroups
from training.ragged import Bools, Floats, per_row, running_count, task_sum
from training.reconstruct import reconstruct
from training.returns import discounted, turn_advantage
from training.shaping import ShapingRules
from training.splices import Splices, shape_spliced


@dataclass(frozen=True, slots=True)
class UiS1Rules:
    """UI-S1's numbers (arXiv 2509.11543; facts, section 6).

    format, type, exact: parts of the step reward. The paper's .1 / .4 / .5; its code (X-PLUG/MobileAgent @f7702e4
    gui_traj.py) gives .1 / .45 / .45 and .09 for an action that could be read at all. patches: how many mismatches
    are replaced by the label before the rollout stops (1 in the paper, 2 in its example script), None for all.
    filter_std: tasks whose step-0 returns have a population std at or under it are left out; None keeps all.
    """

    format: float = 0.1
    type: float = 0.4
    exact: float = 0.5
    gamma: float = 0.5
    patches: int | None = 1
    filter_std: float | None = 0.3


@dataclass(frozen=True, slots=True)
class CreditRules:
    """Settings of all rules; each reads what it needs.

    splices, seed: see `splices.shape_spliced`. discount: GiGPO's and the turn level's gamma. lam: GAE's lambda at
    turn level.
    """

    shaping: ShapingRules = field(default_factory=ShapingRules)
    advantage: AdvantageRules = field(default_factory=AdvantageRules)
    splices: Splices = 1
    seed: int = 0
    ui_s1: UiS1Rules = field(default_factory=UiS1Rules)
    discount: float = 0.95
    lam: float = 1.0


@dataclass(frozen=True, slots=True)
class Credit:
    """What a rule makes of a batch.

    reward, advantage: (S, C), 0 where not kept. kept: (S, C), rows that are trained. weight: (S, C) in [0, 1], share
    of splicings that kept the row (1 or 0 under other rules). groups: statistics of the groupings, by name.
    clip_rate: share of prefix rewards clipped at 0. dropped: tasks left out by the rule's own filter.
    """

    reward: Floats
    advantage: Floats
    kept: Bools
    weight: Floats
    groups: dict[str, GroupStats]
    clip_rate: float = 0.0
    dropped: int = 0


Rule = Callable[[StepGroups, CreditRules], Credit]


def solar(groups: StepGroups, rules: CreditRules) -> Credit:
    """SOLAR-RL: shaped rewards, GRPO within the candidates alive at a step (arXiv 2604.22558; facts, section 3)."""
    spliced = shape_spliced(groups, rules.shaping, rules.splices, rules.seed)
    return _grouped(groups, spliced.reward, spliced.kept, spliced.weight, rules.advantage, spliced.clip_rate)


def per_step(groups: StepGroups, rules: CreditRules) -> Credit:
    """Offline RL and stage 1: the atomic score of every step as its reward, step groups, no trajectory.

    Source: "atomic adaptation" of SOLAR-RL (facts, section 1). rules.advantage.group is ignored: a step stands alone.
    """
    kept = np.ones(groups.score.shape, dtype=bool)
    return _grouped(groups, groups.score, kept, kept.astype(np.float64), replace(rules.advantage, group="step"))


def sparse_grpo(groups: StepGroups, rules: CreditRules) -> Credit:
    """GRPO with a sparse trajectory reward, SOLAR-RL's baseline: R = 1[success], given to all kept steps.

    The group is the C spliced trajectories of the task; advantage (S, C) is the trajectory's, at each kept step.
    Source: facts, section 3 (the paper names "GRPO, sparse trajectory reward" and no more).
    """
    path = reconstruct(groups, rules.shaping.suffix)
    gain = path.success.astype(np.float64)
    advantage, stats = _by_trajectory(gain, rules.advantage)
    kept = path.kept
    reward = np.where(kept, per_row(gain, groups.offsets), 0.0)
    return Credit(reward, np.where(kept, per_row(advantage, groups.offsets), 0.0), kept, kept.astype(np.float64),
                  {"trajectory": stats})  # fmt: skip


def ui_s1(groups: StepGroups, rules: CreditRules) -> Credit:
    """UI-S1: discounted returns over the unbroken matching run; advantage = episode part + step part.

    Episode part: the step's own reward normalised over all kept rows of the task. Step part: the return normalised
    within (task, step). Both weights 1, mean and std (its example script's mode). Departure: a group of one gives 0
    in the episode part too, where the code gives the raw reward. Needs type_ok and format_ok.
    """
    own = rules.ui_s1
    if groups.type_ok is None or groups.format_ok is None:
        raise BadShape("UI-S1's reward needs type_ok and format_ok")
    reward = own.format * groups.format_ok + own.type * groups.type_ok + own.exact * groups.valid
    kept = np.ones_like(groups.valid)
    if own.patches is not None:
        misses_before = running_count(~groups.valid, groups.offsets) - ~groups.valid
        kept = misses_before <= own.patches
    returns = discounted(reward, kept, groups.offsets, own.gamma, groups.valid)
    spread = returns[groups.offsets[:-1]].std(axis=1)
    chosen = np.ones(len(spread), dtype=bool)
    if own.filter_std is not None and groups.score.shape[1] > 1:
        chosen = spread > own.filter_std
    kept = kept & per_row(chosen, groups.offsets)[:, None]
    episode = advantages(reward, kept, groups.offsets, replace(rules.advantage, group="episode"))
    step = advantages(returns, kept, groups.offsets, replace(rules.advantage, group="step"))
    total = rules.advantage.episode_weight * episode.advantage + rules.advantage.step_weight * step.advantage
    return Credit(np.where(kept, returns, 0.0), total, kept, kept.astype(np.float64),
                  _named(("step", step.step), ("episode", episode.episode)),
                  dropped=int((~chosen).sum()))  # fmt: skip


def gigpo(groups: StepGroups, rules: CreditRules) -> Credit:
    """GiGPO: A = A_episode + w A_step (arXiv 2505.10978, eq. 3 to 8), on static data.

    Episode part: the trajectory's success normalised over the task's C trajectories. Step part: the discounted
    success normalised within rows that share an anchor observation, which on static data is the step group.
    """
    path = reconstruct(groups, rules.shaping.suffix)
    kept, gain = path.kept, path.success.astype(np.float64)
    episode, by_trajectory = _by_trajectory(gain, rules.advantage)
    last = np.zeros(groups.score.shape)
    last[groups.offsets[1:] - 1] = gain
    returns = discounted(last, kept, groups.offsets, rules.discount)
    step = advantages(returns, kept, groups.offsets, replace(rules.advantage, group="step"))
    total = np.where(kept, per_row(episode, groups.offsets), 0.0) * rules.advantage.episode_weight
    total = total + rules.advantage.step_weight * step.advantage
    return Credit(returns, total, kept, kept.astype(np.float64),
                  _named(("step", step.step), ("trajectory", by_trajectory)))  # fmt: skip


def bi_level_gae(groups: StepGroups, rules: CreditRules) -> Credit:
    """VAGEN's Bi-Level GAE at turn level, with the critic's values given in `groups.value`.

    The turn's reward is the success at the trajectory's last step plus nothing else; `returns.token_advantage` is the
    second level for replies of several tokens. Not normalised here; VAGEN whitens over the batch's tokens.
    """
    if groups.value is None:
        raise BadShape("Bi-Level GAE needs a critic's value at each step")
    path = reconstruct(groups, rules.shaping.suffix)
    if not np.isfinite(groups.value[path.kept]).all():
        raise BadScore("a critic's value is not finite")
    reward = np.zeros(groups.score.shape)
    reward[groups.offsets[1:] - 1] = path.success
    value = np.where(path.kept, groups.value, 0.0)
    gain = turn_advantage(reward, value, path.kept, groups.offsets, rules.discount, rules.lam)
    return Credit(reward, gain, path.kept, path.kept.astype(np.float64), {})


def _grouped(
    groups: StepGroups, reward: Floats, kept: Bools, weight: Floats, rules: AdvantageRules, clip_rate: float = 0.0
) -> Credit:
    made = advantages(reward, kept, groups.offsets, rules)
    return Credit(reward, made.advantage, kept, weight, _named(("step", made.step), ("episode", made.episode)),
                  clip_rate)  # fmt: skip


def _by_trajectory(gain: Floats, rules: AdvantageRules) -> tuple[Floats, GroupStats]:
    """Advantages (E, C) of trajectory rewards (E, C) within each task."""
    task = np.repeat(np.arange(len(gain)), gain.shape[1])
    flat, stats = normalise(gain.reshape(-1), task, rules)
    return flat.reshape(gain.shape), stats


def _named(*found: tuple[str, GroupStats | None]) -> dict[str, GroupStats]:
    return {name: stats for name, stats in found if stats is not None}


RULES: dict[str, Rule] = {
    "solar": solar,
    "per_step": per_step,
    "sparse_grpo": sparse_grpo,
    "ui_s1": ui_s1,
    "gigpo": gigpo,
    "bi_level_gae": bi_level_gae,
}


def credit(name: str, groups: StepGroups, rules: CreditRules | None = None) -> Credit:
    """Applies a rule by name. Raises UsageError for a name that is not in RULES, and what the rule raises."""
    if name not in RULES:
        raise unknown_name("credit rule", name, RULES)
    return RULES[name](groups, rules or CreditRules())


def success_rate(groups: StepGroups) -> float:
    """Share of the E x C spliced trajectories without an invalid step: the sampled task success."""
    path = reconstruct(groups)
    return float(path.success.mean())


def prefix_share(groups: StepGroups) -> float:
    """Mean of t* / n_ref over the spliced trajectories (UI-S1's PG, on the expert's history)."""
    prefix = task_sum(reconstruct(groups).prefix, groups.offsets)
    return float((prefix / groups.n_ref[:, None]).mean())
