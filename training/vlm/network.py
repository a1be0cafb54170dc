"""A Qwen2.5-VL through its own parts: pictures to features once, tokens and features to hidden states, to logits.

The parts are transformers' (`get_image_features`, `language_model`, `lm_head`); what is ours is that a picture's
features are computed once and shared by all rows that show it, that positions and masks are given explicitly, and
that banned tokens have no probability, in sampling and in training alike (case T08). Works with transformers 5; the
names that changed within it are looked up, not guessed.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from training.errors import BadShape
from training.screens import ScreenStore
from training.vlm.prompts import Prompt

HEAD_CELLS = 2**26
"""Logits computed at once; larger ones are made in portions and made again for the gradient."""


@dataclass
class Network:
    """One model with what it needs. `banned`: (V,) booleans. precision: bfloat16 computes in it on a GPU."""

    model: Any
    banned: torch.Tensor
    precision: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        if getattr(self.text.config, "use_sliding_window", False):
            raise BadShape(
                "a model with sliding-window attention can't be trained here", fix="set use_sliding_window false"
            )
        names = inspect.signature(self.text.forward).parameters
        self.cache_name = "cache" if "cache" in names else "past_key_values"

    @property
    def text(self) -> Any:
        """The language model without its head."""
        return self.model.model.language_model

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device  # type: ignore[no-any-return]

    def computing(self) -> AbstractContextManager[Any]:
        """Autocast where a lower precision is asked for."""
        if self.precision == torch.float32:
            return nullcontext()
        return torch.autocast(self.device.type, dtype=self.precision)

    def features(self, keys: Sequence[str], store: ScreenStore) -> dict[str, torch.Tensor]:
        """Features (tokens, hidden) of each picture, each encoded once whatever the number of rows that show it."""
        unique = list(dict.fromkeys(keys))
        if not unique:
            return {}
        found = [store.patches(key) for key in unique]
        pixels = torch.from_numpy(np.concatenate([patches for patches, _ in found])).to(self.device)
        grids = torch.tensor([[1, h, w] for _, (h, w) in found], device=self.device)
        made = self.model.model.get_image_features(pixels, grids)
        pooled = made.pooler_output if hasattr(made, "pooler_output") else made
        return dict(zip(unique, pooled, strict=True))

    def embedded(self, ids: torch.Tensor, prompts: Sequence[Prompt], features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Token embeddings (B, L, hidden), the pictures' features in place of their placeholders."""
        embeds = self.model.get_input_embeddings()(ids)
        keys = [key for prompt in prompts for key in prompt.images]
        if not keys:
            return embeds  # type: ignore[no-any-return]
        flat = torch.cat([features[key] for key in keys]).to(embeds.dtype)
        places = ids == self.model.config.image_token_id
        if int(places.sum()) != len(flat):
            raise BadShape(f"{int(places.sum())} image tokens for {len(flat)} image features")
        return embeds.masked_scatter(places[..., None], flat)  # type: ignore[no-any-return]

    def hidden(
        self, embeds: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor, cache: Any = None
    ) -> tuple[torch.Tensor, Any]:
        """Last hidden states (B, L, hidden) and the cache. positions (3, B, L); mask (B, 1, L, keys), True: seen."""
        past = {} if cache is None else {self.cache_name: cache}
        out = self.text(
            inputs_embeds=embeds, position_ids=positions, attention_mask={"full_attention": mask},
            use_cache=cache is not None, **past,
        )  # fmt: skip
        return out.last_hidden_state, cache

    def log_softmax(self, hidden: torch.Tensor, temperature: float) -> torch.Tensor:
        """Log-probabilities (M, V) in float32 from hidden states (M, hidden); banned tokens have -inf."""
        logits = self.model.lm_head(hidden).float()
        logits = logits.masked_fill(self.banned[: logits.shape[-1]], float("-inf"))
        return torch.log_softmax(logits / temperature if temperature > 0 else logits, dim=-1)

    def token_log_probs(
        self, hidden: torch.Tensor, targets: torch.Tensor, temperature: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probability of each target (M,) and entropy in nats (M,) of hidden states (M, hidden)."""
        portion = max(1, HEAD_CELLS // len(self.banned))
        if len(hidden) <= portion:
            return self._scored(hidden, targets, temperature)
        from torch.utils.checkpoint import checkpoint

        made = [
            checkpoint(self._scored, h, t, temperature, use_reentrant=False)
            for h, t in zip(torch.split(hidden, portion), torch.split(targets, portion), strict=True)
        ]
        return torch.cat([logp for logp, _ in made]), torch.cat([entropy for _, entropy in made])

    def _scored(
        self, hidden: torch.Tensor, targets: torch.Tensor, temperature: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        logp = self.log_softmax(hidden, temperature)
        finite = logp.masked_fill(self.banned[: logp.shape[-1]], 0.0)
        entropy = -(finite * logp.exp()).sum(dim=-1)
        return logp.gather(-1, targets[:, None])[:, 0], entropy


def value_head(hidden: int, seed: int, width: int = 64) -> torch.nn.Module:
    """Hidden states (M, hidden) to values (M, 1): two layers, zero at the start, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed + 1)
        last = torch.nn.Linear(width, 1)
        torch.nn.init.zeros_(last.weight)
        torch.nn.init.zeros_(last.bias)
        return torch.nn.Sequential(torch.nn.Linear(hidden, width), torch.nn.Tanh(), last)
