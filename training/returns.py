"""Returns and value-based advantages that look ahead along a trajectory, for the comparison rules.

Sources: UI-S1's step return (arXiv 2509.11543; X-PLUG/MobileAgent @f7702e4 UI-S1/uis1/core_uis1.py), GiGPO's
discounted return (arXiv 2505.10978, eq. 5), VAGEN's Bi-Level GAE (mll-lab-nu/VAGEN; facts, section 6). Trajectories
are the columns of a batch in the layout of `ragged`; rows that are not kept count as absent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from training.errors import BadScore, BadShape
from training.ragged import Bools, Floats, Ints, backwards


def discounted(reward: Floats, kept: Bools, offsets: Ints, gamma: float, unbroken: Bools | None = None) -> Floats:
    """R_t = r_t + gamma R_{t+1} over the kept rows of each column: (S, C).

    unbroken: (S, C); where it is False the run ends: the row's return is its own reward, and the rows before it start
    a run of their own without it (UI-S1: a step that does not match takes part in no other step's return).
    """
    runs = kept if unbroken is None else kept & unbroken
    returns = np.where(kept, reward, 0.0)
    for rows, tasks in backwards(offsets):
        here = rows[rows + 1 < offsets[tasks + 1]]
        returns[here] += np.where(runs[here] & runs[here + 1], gamma * returns[here + 1], 0.0)
    return returns


def turn_advantage(
    reward: Floats, value: Floats, kept: Bools, offsets: Ints, gamma: float = 1.0, lam: float = 1.0
) -> Floats:
    """Turn-level GAE: d_k = r_k + gamma V_{k+1} - V_k, A_k = d_k + gamma lam A_{k+1}: (S, C), 0 where not kept.

    reward, value: (S, C), the turn's reward and the critic's value at the turn's last token, same unit. The value
    after the last kept turn is 0.
    """
    advantage = np.where(kept, reward - value, 0.0)
    for rows, tasks in backwards(offsets):
        here = rows[rows + 1 < offsets[tasks + 1]]
        following = here + 1
        ahead = gamma * (value[following] + lam * advantage[following])
        advantage[here] += np.where(kept[here] & kept[following], ahead, 0.0)
    return advantage


@dataclass(frozen=True, slots=True)
class TokenAdvantages:
    """advantage, returns: (B, T), 0 outside the mask. returns are the critic's targets."""

    advantage: Floats
    returns: Floats


def token_advantage(
    turn_return: Floats, value: Floats, mask: Bools, gamma: float = 1.0, lam: float = 1.0, whiten: bool = True
) -> TokenAdvantages:
    """Token-level GAE inside each turn, with the turn's return as the reward of its last token.

    turn_return: (B,), A_k + V_k of `turn_advantage`. value: (B, T) the critic's values. mask: (B, T), the reply's
    tokens; each row is one turn. whiten: subtract the mean and divide by the std over all tokens (VAGEN does).
    Raises BadShape, BadScore.
    """
    if value.shape != mask.shape or turn_return.shape != mask.shape[:1]:
        raise BadShape(f"values {value.shape}, mask {mask.shape}, turn returns {turn_return.shape}")
    if not np.isfinite(turn_return).all() or not np.isfinite(value[mask]).all():
        raise BadScore("a turn's return or a token's value is not finite")
    advantage = np.zeros(mask.shape)
    ahead_value, ahead_gain = np.zeros(len(mask)), np.zeros(len(mask))
    started = np.zeros(len(mask), dtype=bool)
    for t in range(mask.shape[1] - 1, -1, -1):
        here = mask[:, t]
        now = np.where(here, value[:, t], 0.0)
        bonus = np.where(started, 0.0, turn_return)
        gain = bonus + gamma * ahead_value - now + gamma * lam * ahead_gain
        advantage[here, t] = gain[here]
        ahead_value, ahead_gain = np.where(here, now, ahead_value), np.where(here, gain, ahead_gain)
        started |= here
    returns = np.where(mask, advantage + np.where(mask, value, 0.0), 0.0)
    return TokenAdvantages(_whitened(advantage, mask) if whiten else advantage, returns)


def _whitened(advantage: Floats, mask: Bools) -> Floats:
    """Mean 0 and variance 1 over the tokens under the mask; unchanged where there are fewer than two."""
    tokens = advantage[mask]
    if len(tokens) < 2:
        return advantage
    scale = np.sqrt(tokens.var(ddof=1) + 1e-8)
    white: Floats = np.where(mask, (advantage - tokens.mean()) / scale, 0.0)
    return white
