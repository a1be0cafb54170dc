"""The pointer policy's network: bags of hashed words, their product, a small perceptron, a softmax over the menu.

logit(option) = w2 . relu(W1 [c, o, c * o, f]) with c the context's bag through one layer, o the option's bag, f its
dense features. The critic (for Bi-Level GAE only) is a network of its own over the context's bag. Ours; no source.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from training.pointer.batch import Batch
from training.pointer.features import BUCKETS, DENSE

ABSENT = -1e9
"""Logit of an option that is not there."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Widths of the network."""

    embedding: int = 32
    hidden: int = 64


class PointerNet(nn.Module):
    """Logits over menus."""

    def __init__(self, sizes: Sizes, seed: int) -> None:
        super().__init__()
        width = sizes.embedding
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.context = nn.EmbeddingBag(BUCKETS, width, mode="mean")
            self.option = nn.EmbeddingBag(BUCKETS, width, mode="mean")
            self.mix = nn.Linear(width, width)
            self.first = nn.Linear(3 * width + DENSE, sizes.hidden)
            self.second = nn.Linear(sizes.hidden, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Log-probabilities over the menus: (S, K), ABSENT where there is no option."""
        context = torch.tanh(
            self.mix(self.context(torch.from_numpy(batch.context), torch.from_numpy(batch.context_start)))
        )
        option = self.option(torch.from_numpy(batch.option), torch.from_numpy(batch.option_start))
        row = torch.from_numpy(batch.row)
        mine = context[row]
        inputs = torch.cat([mine, option, mine * option, torch.from_numpy(batch.dense)], dim=1)
        scores = self.second(torch.relu(self.first(inputs)))[:, 0]
        present = torch.from_numpy(batch.present)
        logits = torch.full(present.shape, ABSENT).masked_scatter(present, scores)
        return torch.log_softmax(logits, dim=1)


class Critic(nn.Module):
    """The value of a step before its action, between no bounds: (S,)."""

    def __init__(self, sizes: Sizes, seed: int) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.context = nn.EmbeddingBag(BUCKETS, sizes.embedding, mode="mean")
            self.first = nn.Linear(sizes.embedding, sizes.hidden)
            self.second = nn.Linear(sizes.hidden, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Values: (S,)."""
        context = self.context(torch.from_numpy(batch.context), torch.from_numpy(batch.context_start))
        return torch.as_tensor(self.second(torch.relu(self.first(context)))[:, 0])
