"""Sampling replies: each prompt is read once, and its N candidates decode side by side on the one cache.

A decoding step puts the N candidates' last tokens behind the prompt as N positions of one sequence; each sees the
prompt and its own earlier tokens. So the prompt's cache is never copied, and its keys are read once for all candidates.

    cache      prompt .......... | c1 c2 c3 | c1 c2 c3 | ...        one column of N tokens a step
    c2 sees    prompt .......... |    c2    |    c2    |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from training.screens import ScreenStore
from training.vlm.network import Network
from training.vlm.packing import left_padded, visible
from training.vlm.prompts import Prompt


@dataclass(frozen=True)
class Drawn:
    """Sampled tokens (rows, T) with their log-probabilities and what of them is the reply (its end included)."""

    tokens: torch.Tensor
    logp: torch.Tensor
    mask: torch.Tensor
    cut: int


@torch.no_grad()
def draw(
    network: Network, prompts: Sequence[Prompt], store: ScreenStore, count: int, most: int, temperature: float,
    end: int, pad: int, generator: torch.Generator,
) -> Drawn:  # fmt: skip
    """`count` replies of at most `most` tokens for each prompt; row s * count + c. Temperature 0 takes the likeliest.

    Log-probabilities are those of the distribution that was drawn from (at temperature 0: of temperature 1).
    """
    with network.computing():
        hidden, cache, real, following = _prefilled(network, prompts, store)
        hidden = hidden.repeat_interleave(count, 0)
        own = torch.eye(count, dtype=torch.bool, device=hidden.device).expand(len(prompts), 1, -1, -1)
        mask = real[:, None, None, :].expand(-1, -1, count, -1)
        done = torch.zeros(len(hidden), dtype=torch.bool, device=hidden.device)
        columns: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
        for step in range(most):
            logp = network.log_softmax(hidden, temperature)
            token = logp.argmax(dim=1) if temperature <= 0 else _chosen(logp, generator)
            token = torch.where(done, pad, token)
            columns.append((token, logp.gather(1, token[:, None])[:, 0].masked_fill(done, 0.0), ~done))
            done = done | (token == end)
            if bool(done.all()) or step == most - 1:
                break
            mask = torch.cat([mask, own], dim=3)
            position = (following + step)[None, :, None].expand(3, -1, count)
            embeds = network.model.get_input_embeddings()(token.view(len(prompts), count))
            states, cache = network.hidden(embeds, position, mask, cache)
            hidden = states.flatten(0, 1)
    tokens, logps, mask = (torch.stack(column, dim=1) for column in zip(*columns, strict=True))
    return Drawn(tokens, logps, mask, int((~done).sum()))


def _prefilled(
    network: Network, prompts: Sequence[Prompt], store: ScreenStore
) -> tuple[torch.Tensor, Any, torch.Tensor, torch.Tensor]:
    """Last hidden states (S, hidden), cache, the prompts' places (S, P) and their next positions (S,)."""
    from transformers import DynamicCache

    features = network.features([key for prompt in prompts for key in prompt.images], store)
    ids, positions, real = left_padded(prompts, int(network.banned.nonzero()[0]), network.device)
    embeds = network.embedded(ids, prompts, features)
    hidden, cache = network.hidden(embeds, positions, visible(torch.where(real, 0, -1)), DynamicCache())
    following = torch.tensor([prompt.next for prompt in prompts], device=network.device)
    return hidden[:, -1], cache, real, following


def _chosen(logp: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """One token a row. Drawn on the CPU, so that a seed means the same on every device."""
    return torch.multinomial(logp.exp().cpu(), 1, generator=generator)[:, 0].to(logp.device)
