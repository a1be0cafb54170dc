"""The clipped GRPO loss with its KL term and diagnostics, one set of formulas for numpy arrays and torch tensors.

Source: GRPO (arXiv 2402.03300) with PPO's clipping, separate lower and upper bounds (DAPO, arXiv 2503.14476), the
low-variance KL estimate (k3) against the reference policy; defaults .2 / .28 and 1e-3 from the facts, section 3. The
arithmetic is that of verl 0.9.1 (core_algos: compute_policy_loss_vanilla, kl_penalty, agg_loss), to which it is
compared in the tests. Departures: dual clipping is off by default (verl: 3); values under the mask are replaced before
anything is computed, so that a banned token's -inf never becomes a NaN gradient; a batch without tokens has loss 0
where a masked mean is NaN; log-probabilities that are not finite are an error.

Only functions that numpy and torch share are used; `_namespace` picks them by the type of the input, and torch is
never imported here. B rows (replies), T tokens. All log-probabilities are natural logarithms.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from training.errors import BadRules, BadScore, BadShape

Array: TypeAlias = Any
"""A numpy array or a torch tensor; all arrays of one call are of one kind."""
Aggregate = Literal["token_mean", "token_sum", "row_mean_token_mean", "row_mean_token_sum"]
LOG_RATIO_LIMIT = 20.0
KL_LIMIT = 10.0
"""Limits of log-ratios and of a token's KL (verl 0.9.1), against overflow."""


@dataclass(frozen=True, slots=True)
class LossRules:
    """Settings of the loss. Raises BadRules.

    clip_low, clip_high: the ratio is clipped to [1 - clip_low, 1 + clip_high]. dual_clip: bound on ratio x |A| for
    negative advantages, > 1, None for none. kl: weight of the KL to the reference policy. entropy: weight of the
    entropy bonus. aggregate: token_mean weighs all tokens alike; row_mean_token_mean all replies alike;
    row_mean_token_sum is Dr. GRPO's without its constant.
    """

    clip_low: float = 0.2
    clip_high: float = 0.28
    dual_clip: float | None = None
    kl: float = 1e-3
    entropy: float = 0.0
    aggregate: Aggregate = "token_mean"

    def __post_init__(self) -> None:
        if not 0 <= self.clip_low < 1 or self.clip_high < 0:
            raise BadRules(f"clip bounds {self.clip_low}, {self.clip_high} are not in [0, 1) and [0, inf)")
        if self.dual_clip is not None and self.dual_clip <= 1:
            raise BadRules(f"dual_clip {self.dual_clip} is not above 1")
        if self.aggregate not in Aggregate.__args__:  # type: ignore[attr-defined]
            raise BadRules(f"aggregate {self.aggregate!r} is not known")


@dataclass(frozen=True, slots=True)
class LossInputs:
    """What the loss is computed from.

    logp: (B, T) of the sampled tokens under the policy that is trained; its gradient flows. old_logp: (B, T) under
    the policy that sampled. advantage: (B,) or (B, T). mask: (B, T) booleans, the reply's tokens. ref_logp: (B, T)
    under the reference policy, None for no KL. entropy: (B, T) in nats, None for no bonus. row_weight: (B,), for
    instance `Spliced.weight`; it multiplies the policy term only. total_tokens, total_rows: denominators of the whole
    batch where this is one micro-batch of it, so that micro-batch losses add up to the batch's.
    """

    logp: Array
    old_logp: Array
    advantage: Array
    mask: Array
    ref_logp: Array | None = None
    entropy: Array | None = None
    row_weight: Array | None = None
    total_tokens: float | None = None
    total_rows: float | None = None


@dataclass(frozen=True, slots=True)
class LossOutputs:
    """loss = policy + kl weight x kl - entropy weight x entropy: scalars of the input's kind.

    diagnostics: scalars without gradient. approx_kl: mean of old_logp - logp. clip_fraction: tokens whose clipped
    term is the one used; clip_high_fraction, clip_low_fraction: tokens beyond either bound; dual_clip_fraction.
    ratio_max. zero_advantage: share of tokens with advantage 0. tokens, rows: what was counted.
    """

    loss: Array
    policy: Array
    kl: Array
    entropy: Array
    diagnostics: dict[str, Array]


class GrpoLoss:
    """The loss as a pure object: `GrpoLoss(rules)(inputs)`; same inputs, same outputs, nothing kept."""

    def __init__(self, rules: LossRules | None = None) -> None:
        self.rules = rules or LossRules()

    def __call__(self, inputs: LossInputs) -> LossOutputs:
        """Raises BadShape for arrays that don't fit, BadScore for values that are not finite under the mask."""
        xp = _namespace(inputs.logp)
        _check(xp, inputs)
        mask = inputs.mask
        log_ratio = _masked(xp, mask, inputs.logp) - _masked(xp, mask, inputs.old_logp)
        log_ratio = xp.clip(log_ratio, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
        ratio = xp.exp(log_ratio)
        advantage = inputs.advantage if inputs.advantage.ndim == 2 else inputs.advantage[:, None]
        advantage = advantage + xp.zeros_like(ratio)
        terms, clipped, dual = self._terms(xp, ratio, advantage)
        if inputs.row_weight is not None:
            terms = terms * inputs.row_weight[:, None]
        zero = xp.zeros_like(ratio)
        kl = zero if inputs.ref_logp is None else low_variance_kl(xp, inputs.logp, inputs.ref_logp, mask)
        entropy = zero if inputs.entropy is None else inputs.entropy
        policy, kl, entropy = (self._aggregate(xp, x, inputs) for x in (terms, kl, entropy))
        loss = policy + self.rules.kl * kl - self.rules.entropy * entropy
        found = self._diagnostics(xp, mask, _plain(log_ratio), _plain(advantage), _plain(clipped), _plain(dual))
        return LossOutputs(loss, policy, kl, entropy, found)

    def _terms(self, xp: Any, ratio: Array, advantage: Array) -> tuple[Array, Array, Array]:
        """-min(ratio A, clip(ratio) A) a token, whether clipping decided, and whether dual clipping did: (B, T)."""
        plain = -advantage * ratio
        bounded = -advantage * xp.clip(ratio, 1 - self.rules.clip_low, 1 + self.rules.clip_high)
        terms, clipped = xp.maximum(plain, bounded), bounded > plain
        if self.rules.dual_clip is None:
            return terms, clipped, xp.zeros_like(clipped)
        limit = -advantage * self.rules.dual_clip
        dual = (advantage < 0) & (terms > limit)
        return xp.where(dual, limit, terms), clipped, dual

    def _aggregate(self, xp: Any, values: Array, inputs: LossInputs) -> Array:
        """One number from (B, T) under the mask; rows without a token are no rows."""
        mask = inputs.mask
        kept = _masked(xp, mask, values)
        lengths = xp.where(mask, xp.ones_like(kept), xp.zeros_like(kept)).sum(axis=-1)
        if self.rules.aggregate == "token_sum":
            return kept.sum()
        if self.rules.aggregate == "token_mean":
            tokens = lengths.sum() if inputs.total_tokens is None else inputs.total_tokens
            return kept.sum() / _at_least_one(xp, tokens)
        rows = (lengths > 0).sum() if inputs.total_rows is None else inputs.total_rows
        sums = kept.sum(axis=-1)
        if self.rules.aggregate == "row_mean_token_mean":
            sums = sums / xp.maximum(lengths, xp.ones_like(lengths))
        return sums.sum() / _at_least_one(xp, rows)

    def _diagnostics(
        self, xp: Any, mask: Array, log_ratio: Array, advantage: Array, clipped: Array, dual: Array
    ) -> dict[str, Array]:
        tokens = mask.sum()
        safe = _at_least_one(xp, tokens)
        ratio = xp.exp(log_ratio)

        def share(flags: Array) -> Array:
            return (flags & mask).sum() / safe

        return {
            "approx_kl": -_masked(xp, mask, log_ratio).sum() / safe,
            "clip_fraction": share(clipped),
            "clip_high_fraction": share(ratio > 1 + self.rules.clip_high),
            "clip_low_fraction": share(ratio < 1 - self.rules.clip_low),
            "dual_clip_fraction": share(dual),
            "ratio_max": _masked(xp, mask, ratio).max() if ratio.shape[0] and ratio.shape[1] else tokens,
            "zero_advantage": share(advantage == 0),
            "tokens": tokens,
            "rows": mask.any(axis=-1).sum(),
        }


def low_variance_kl(xp: Any, logp: Array, ref_logp: Array, mask: Array) -> Array:
    """k3 = exp(d) - d - 1 with d = ref_logp - logp, a token: (B, T), 0 outside the mask. Source: Schulman 2020."""
    gap = xp.clip(_masked(xp, mask, ref_logp) - _masked(xp, mask, logp), -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
    return xp.clip(xp.exp(gap) - gap - 1, -KL_LIMIT, KL_LIMIT)


def _namespace(array: Array) -> Any:
    """numpy for numpy arrays, else the module the array's type comes from (torch), which is imported already."""
    return np if isinstance(array, np.ndarray) else sys.modules[type(array).__module__.split(".", maxsplit=1)[0]]


def _masked(xp: Any, mask: Array, values: Array) -> Array:
    return xp.where(mask, values, xp.zeros_like(values))


def _plain(array: Array) -> Array:
    """Without gradient."""
    return array.detach() if hasattr(array, "detach") else array


def _at_least_one(xp: Any, count: Array | float) -> Array | float:
    return max(count, 1) if isinstance(count, int | float) else xp.clip(count, 1, None)


def _check(xp: Any, inputs: LossInputs) -> None:
    shape = tuple(inputs.logp.shape)
    arrays = {"old_logp": inputs.old_logp, "mask": inputs.mask, "ref_logp": inputs.ref_logp, "entropy": inputs.entropy}
    for name, array in arrays.items():
        if array is not None and tuple(array.shape) != shape:
            raise BadShape(f"{name} {tuple(array.shape)} does not fit logp {shape}")
    if tuple(inputs.advantage.shape) not in {shape, shape[:1]}:
        raise BadShape(f"advantage {tuple(inputs.advantage.shape)} is neither {shape} nor {shape[:1]}")
    for name, array in {"logp": inputs.logp, **arrays}.items():
        if array is None or name == "mask":
            continue
        bad = inputs.mask & ~xp.isfinite(_plain(array))
        if bool(bad.any()):
            rows = [row for row, wrong in enumerate(bad.any(axis=-1)) if bool(wrong)][:5]
            raise BadScore(f"{name} is not finite in {int(bad.sum())} tokens", f"rows {rows}")
    if not bool(xp.isfinite(inputs.advantage).all()):
        raise BadScore("an advantage is not finite", fix="see AdvantageRules(bad='skip')")
