"""The rows of a batch on their way through the loss: which are trained, in what portions, and what is summed up.

A row is one reply; rows of one step stay together, so that a policy encodes the step once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from training.batch import Judged
from training.loss import LossInputs
from training.policy import Scored
from training.ragged import Ints
from training.rules import Credit


@dataclass(frozen=True)
class Rows:
    """The kept rows of a batch, R of them: row in `Sampled`, step, advantage, weight; ordered by step."""

    row: Ints
    step: Ints
    advantage: torch.Tensor
    weight: torch.Tensor

    @classmethod
    def of(cls, judged: Judged, made: Credit) -> Rows:
        """From the credit's (S', C) arrays."""
        width = made.kept.shape[1]
        order = np.argsort(judged.rows, kind="stable")
        here, candidate = np.nonzero(made.kept[order])
        here = order[here]
        step = judged.rows[here]
        advantage = torch.as_tensor(made.advantage[here, candidate], dtype=torch.float32)
        weight = torch.as_tensor(made.weight[here, candidate], dtype=torch.float32)
        return cls(step * width + candidate, step, advantage, weight)


def loss_inputs(
    scored: Scored, rows: Rows, here: Ints, old: torch.Tensor | None, reference: torch.Tensor | None,
    totals: tuple[float, float],
) -> LossInputs:  # fmt: skip
    """What the loss needs of the rows at positions `here`. old: None where the batch is used once (on policy)."""
    width, device = scored.logp.shape[1], scored.logp.device
    before = scored.logp.detach() if old is None else old[here, :width]
    ref = None if reference is None else reference[here, :width]
    weight = rows.weight[here].to(device)
    return LossInputs(scored.logp, before, rows.advantage[here].to(device), scored.mask, ref, scored.entropy,
                      None if bool((weight == 1).all()) else weight, *totals)  # fmt: skip


@dataclass
class Sums:
    """Micro-batch losses added up (they share their denominators), diagnostics weighted by tokens."""

    sums: dict[str, float] = field(default_factory=dict)
    tokens: float = 0.0

    def add(self, out: Any, scored: Scored, sampled: torch.Tensor) -> None:
        """One micro-batch. sampled: the rows' log-probabilities when they were drawn; they should hardly differ."""
        count = float(out.diagnostics["tokens"])
        self.tokens += count
        gap = (scored.logp.detach() - sampled[:, : scored.logp.shape[1]]).abs()
        entropy = torch.where(scored.mask, scored.entropy.detach(), 0.0).sum()
        found = {
            name: float(out.diagnostics[name]) * count for name in ("approx_kl", "clip_fraction", "zero_advantage")
        }
        found |= {"entropy": float(entropy), "sampling_gap": float(torch.where(scored.mask, gap, 0.0).sum())}
        for name, value in found.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        self.sums["loss"] = self.sums.get("loss", 0.0) + float(out.loss.detach())
        self.sums["kl"] = self.sums.get("kl", 0.0) + float(out.kl.detach() if hasattr(out.kl, "detach") else out.kl)

    def means(self) -> dict[str, float]:
        """Sums of what is a share of the whole already, means a token of the rest."""
        whole = {"loss", "kl"}
        safe = max(self.tokens, 1.0)
        return {n: v if n in whole else v / safe for n, v in self.sums.items()} | {"tokens": self.tokens}


def parts(step: Ints, most: int) -> Iterator[Ints]:
    """Positions 0..R-1 cut into stretches of at most `most` different steps; rows of one step stay together."""
    number = np.cumsum(np.r_[0, np.diff(step) != 0])
    for first in range(0, int(number[-1]) + 1 if len(number) else 0, most):
        yield np.flatnonzero((number >= first) & (number < first + most))


def minibatches(rows: Rows, count: int, seed: int) -> Iterator[Ints]:
    """Positions of the rows in `count` nearly equal sets of whole steps; in order where there is one set only."""
    if count == 1:
        yield np.arange(len(rows.row), dtype=np.int64)
        return
    steps = np.random.default_rng(seed).permutation(np.unique(rows.step))
    for part in np.array_split(steps, min(count, len(steps))):
        yield np.flatnonzero(np.isin(rows.step, part))
