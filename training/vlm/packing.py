"""Rows that share a prompt share its computation: a step's prompt once, its replies behind it, blind to each other.

    tokens     prompt .......... | reply 1 ... | reply 2 ... | reply 3 ...
    sees       itself, causally  | prompt, itself            (causally)
    position   0 .. P-1 (mrope)  | next ...    | next ...    | next ...     each reply goes on behind the prompt

So N replies of R tokens cost P + N R tokens instead of N (P + R), and a screenshot is encoded once. A test compares the
log-probabilities with those of the plain model, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from training.ragged import Ints
from training.vlm.prompts import Prompt


@dataclass(frozen=True)
class Packed:
    """G prompts with R replies in all, padded to L tokens.

    ids: (G, L). positions: (3, G, L). mask: (G, 1, L, L), True where a token is seen. group, place: (M,) where the
    hidden state stands that predicts each of the M reply tokens. target: (M,) that token. row, column: (M,) its reply
    and its number within it. last: (R, 2), group and place of each reply's own last token.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    last: torch.Tensor
    group: torch.Tensor
    place: torch.Tensor
    target: torch.Tensor
    row: torch.Tensor
    column: torch.Tensor


def pack(prompts: Sequence[Prompt], replies: Sequence[Sequence[Ints]], pad: int, device: torch.device) -> Packed:
    """prompts[g] with replies[g], each of at least one token. Rows count through all groups in order."""
    length = max(len(p.ids) + sum(map(len, r)) for p, r in zip(prompts, replies, strict=True))
    ids = np.full((len(prompts), length), pad, dtype=np.int64)
    positions = np.zeros((3, len(prompts), length), dtype=np.int64)
    part = np.full((len(prompts), length), -1, dtype=np.int64)
    found: list[tuple[Ints, ...]] = []
    ends: list[tuple[int, int]] = []
    row = 0
    for g, (prompt, said) in enumerate(zip(prompts, replies, strict=True)):
        p = len(prompt.ids)
        ids[g, :p], positions[:, g, :p], part[g, :p] = prompt.ids, prompt.positions, 0
        at = p
        for number, reply in enumerate(said):
            n = len(reply)
            ids[g, at : at + n], part[g, at : at + n] = reply, number + 1
            positions[:, g, at : at + n] = prompt.next + np.arange(n)
            before = np.r_[p - 1, at + np.arange(n - 1)]
            found.append((np.full(n, g), before, reply, np.full(n, row), np.arange(n)))
            at, row = at + n, row + 1
            ends.append((g, at - 1))
    columns = [torch.from_numpy(np.concatenate(c)).to(device) for c in zip(*found, strict=True)]
    return Packed(torch.from_numpy(ids).to(device), torch.from_numpy(positions).to(device),
                  visible(torch.from_numpy(part).to(device)), torch.tensor(ends, device=device), *columns)  # fmt: skip


def visible(part: torch.Tensor) -> torch.Tensor:
    """The mask (G, 1, L, L) of parts (G, L): 0 the prompt, 1.. replies, -1 padding (which sees only itself)."""
    length = part.shape[1]
    query, key = part[:, :, None], part[:, None, :]
    earlier = torch.ones((length, length), dtype=torch.bool, device=part.device).tril()
    seen = ((key == 0) | (key == query)) & earlier & (query >= 0) & (key >= 0)
    itself = torch.eye(length, dtype=torch.bool, device=part.device)
    return (seen | itself)[:, None]


def left_padded(
    prompts: Sequence[Prompt], pad: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """ids (S, P), positions (3, S, P) and the prompts' places (S, P), for sampling: all prompts end together."""
    length = max(len(prompt.ids) for prompt in prompts)
    ids = np.full((len(prompts), length), pad, dtype=np.int64)
    positions = np.zeros((3, len(prompts), length), dtype=np.int64)
    real = np.zeros((len(prompts), length), dtype=bool)
    for s, prompt in enumerate(prompts):
        first = length - len(prompt.ids)
        ids[s, first:], positions[:, s, first:], real[s, first:] = prompt.ids, prompt.positions, True
    return tuple(torch.from_numpy(x).to(device) for x in (ids, positions, real))  # type: ignore[return-value]
