"""Updates of the pointer policy on packed episodes: supervised, and by any credit rule; fast enough for 94k steps.

The embedded trainer (`training.loop`) trains the same network behind the `Policy` protocol; here candidates are indices
into menus whose scores are known, so that nothing is parsed or scored twice. Credit, advantages and loss are those of
`training.rules` and `training.loss`; a test holds one update of either against the other.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from training.errors import BadRules, Diverged
from training.groups import StepGroups
from training.loss import GrpoLoss, LossInputs, LossRules
from training.pointer.batch import Batch, gather, rows_of
from training.pointer.dataset import Pack
from training.pointer.network import ABSENT, Critic, PointerNet, Sizes
from training.ragged import Floats, Ints, offsets_of
from training.rules import Credit, CreditRules, credit, success_rate

CRITIC_RULE = "bi_level_gae"


@dataclass(frozen=True)
class Settings:
    """Of an update. steps: episodes are drawn until a batch has so many steps (the paper's global batch of 128).

    candidates: a step (8 in the paper), at temperature 1. minibatches: optimiser steps made of one batch, each on its
    share of the steps. lr: Adam's. critic_lr: of the critic, where the rule needs one.
    """

    steps: int = 128
    candidates: int = 8
    minibatches: int = 2
    lr: float = 1e-3
    critic_lr: float = 3e-3
    max_grad_norm: float = 1.0
    loss: LossRules = field(default_factory=LossRules)
    sizes: Sizes = field(default_factory=Sizes)

    def __post_init__(self) -> None:
        if min(self.steps, self.candidates, self.minibatches) < 1 or self.lr <= 0:
            raise BadRules("steps, candidates, minibatches and lr must be positive")


@dataclass(frozen=True, slots=True)
class Done:
    """What an update saw, before it changed anything.

    reward: mean atomic score of the candidates (the paper's mean action reward). success: share of spliced
    trajectories without an invalid step. kept: share of candidates that were trained. idle: share of groups without
    variance. entropy: mean over steps, nats. clipped: share of clipped terms in the last optimiser step.
    """

    reward: float
    success: float
    kept: float
    idle: float
    entropy: float
    clipped: float


def draws(pack: Pack, episodes: Ints, steps: int, seed: int) -> Iterator[Ints]:
    """Endless batches of episodes, shuffled by epoch, each with at least `steps` steps."""
    epoch, lengths = 0, pack.lengths
    waiting: list[int] = []
    total = 0
    while True:
        for one in np.random.default_rng([seed, epoch]).permutation(episodes):
            waiting.append(int(one))
            total += int(lengths[one])
            if total >= steps:
                yield np.array(waiting, dtype=np.int64)
                waiting, total = [], 0
        epoch += 1


def pick(logp: Floats, count: int, rng: np.random.Generator) -> Ints:
    """`count` options of each menu, drawn from probabilities exp(logp) (S, K): (S, count)."""
    reached = np.cumsum(np.exp(logp), axis=1)
    thrown = rng.random((len(logp), count)) * reached[:, -1:]
    chosen: Ints = (thrown[:, :, None] >= reached[:, None, :]).sum(axis=2)
    last = logp.shape[1] - 1 - np.argmax((logp > ABSENT / 2)[:, ::-1], axis=1)
    drawn: Ints = np.minimum(chosen, last[:, None])
    return drawn


class Learner:
    """A network with its optimiser. `freeze` keeps the weights as they are now as the reference of the KL term."""

    def __init__(self, settings: Settings, seed: int, critic: bool = False) -> None:
        self.settings = settings
        self.net = PointerNet(settings.sizes, seed)
        self.critic = Critic(settings.sizes, seed + 1) if critic else None
        self.reference = copy.deepcopy(self.net)
        self.restart()

    def restart(self, lr: float | None = None) -> None:
        """A fresh optimiser."""
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=lr or self.settings.lr, fused=True)
        if self.critic is not None:
            self.critic_optimiser = torch.optim.Adam(self.critic.parameters(), lr=self.settings.critic_lr, fused=True)

    def freeze(self) -> None:
        """The reference of the KL term becomes the policy as it is."""
        self.reference = copy.deepcopy(self.net)

    def supervise(self, pack: Pack, episodes: Ints, targets: Ints | None = None) -> float:
        """One step of cross-entropy towards the labels, or towards `targets` (S of the whole pack); the loss."""
        rows = rows_of(pack, episodes)
        batch, _ = gather(pack, rows)
        wanted = torch.from_numpy((pack.label if targets is None else targets)[rows])
        loss = -self.net(batch).gather(1, wanted[:, None]).mean()
        self._descend(loss)
        return float(loss.detach())

    def reinforce(self, pack: Pack, episodes: Ints, rule: str, rules: CreditRules, seed: int) -> Done:
        """One update by a credit rule: sample, look up, credit, and `minibatches` optimiser steps."""
        rng = np.random.default_rng(seed)
        rows = rows_of(pack, episodes)
        batch, options = gather(pack, rows)
        with torch.no_grad():
            old = self.net(batch)
            reference = self.reference(batch) if self.settings.loss.kl > 0 else None
        logp = old.numpy().astype(np.float64)
        chosen = pick(logp, self.settings.candidates, rng)
        groups = self.judged(pack, episodes, batch, options, chosen)
        made = credit(rule, groups, replace(rules, seed=seed))
        if rule == CRITIC_RULE:
            made = self._criticised(batch, groups, made)
        clipped = self._learn(pack, rows, made, chosen, old, reference, rng)
        stats = list(made.groups.values())
        count = sum(s.groups for s in stats)
        present = np.where(batch.present, logp, 0.0)
        entropy = -(np.exp(logp) * present).sum(axis=1).mean()
        idle = sum(s.single + s.flat for s in stats) / count if count else 0.0
        return Done(float(groups.score.mean()), success_rate(groups), float(made.kept.mean()), idle, float(entropy),
                    clipped)  # fmt: skip

    def judged(self, pack: Pack, episodes: Ints, batch: Batch, options: Ints, chosen: Ints) -> StepGroups:
        """Scores of the chosen options (S, C), looked up."""
        first = np.flatnonzero(batch.column == 0)
        at = options[first[:, None] + chosen]
        value = None
        if self.critic is not None:
            with torch.no_grad():
                value = np.repeat(self.critic(batch).numpy().astype(np.float64)[:, None], chosen.shape[1], axis=1)
        lengths = pack.lengths[episodes]
        return StepGroups(pack.score[at], pack.valid[at], offsets_of(lengths), lengths, pack.type_ok[at],
                          np.ones(at.shape, dtype=bool), value).checked()  # fmt: skip

    def _learn(
        self, pack: Pack, rows: Ints, made: Credit, chosen: Ints, old: torch.Tensor, reference: torch.Tensor | None,
        rng: np.random.Generator,
    ) -> float:  # fmt: skip
        clipped = 0.0
        for part in np.array_split(rng.permutation(len(rows)), self.settings.minibatches):
            step, candidate = np.nonzero(made.kept[part])
            if not len(step):
                continue
            used, inverse = np.unique(step, return_inverse=True)
            batch, _ = gather(pack, rows[part[used]])
            here, option = part[step], torch.from_numpy(chosen[part[step], candidate])[:, None]
            now = self.net(batch)[torch.from_numpy(inverse)].gather(1, option)
            before = old[torch.from_numpy(here)].gather(1, option)
            ref = None if reference is None else reference[torch.from_numpy(here)].gather(1, option)
            weight = made.weight[here, candidate]
            out = GrpoLoss(self.settings.loss)(LossInputs(
                now, before, torch.from_numpy(made.advantage[here, candidate]).float(),
                torch.ones_like(now, dtype=torch.bool), ref,
                row_weight=None if (weight == 1).all() else torch.from_numpy(weight).float(),
            ))  # fmt: skip
            self._descend(out.loss)
            clipped = float(out.diagnostics["clip_fraction"])
        return clipped

    def _descend(self, loss: torch.Tensor) -> None:
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = float(torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.max_grad_norm))
        if not np.isfinite(norm):
            raise Diverged("the gradient is not finite", fix="a smaller lr")
        self.optimiser.step()

    def _criticised(self, batch: Batch, groups: StepGroups, made: Credit) -> Credit:
        """Trains the critic on the returns; advantages whitened over the kept rows, as VAGEN does."""
        assert self.critic is not None and groups.value is not None
        kept = made.kept
        target = torch.from_numpy(made.advantage + groups.value).float()
        keep = torch.from_numpy(kept)
        loss = ((self.critic(batch)[:, None] - target)[keep] ** 2).mean()
        self.critic_optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.critic_optimiser.step()
        gain = made.advantage[kept]
        white = (made.advantage - gain.mean()) / (gain.std() + 1e-6)
        return replace(made, advantage=np.where(kept, white, 0.0))
