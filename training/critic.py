"""The critic of the embedded trainer, for the rules that weigh rewards against a value (CRITIC_RULES).

A policy that can be asked for values (`Valued`) is asked once a batch, before credit; the rule's advantages plus these
values are the returns that the critic is then fitted to, one step of its own optimiser a batch. Advantages are
whitened over the kept rows. Source: VAGEN's Bi-Level GAE (`rules.bi_level_gae`). Departure: VAGEN gives every token a
value and runs a second GAE inside each reply; here a reply has one value, so all of its tokens share the advantage of
their turn (for a policy whose reply is one decision the two are the same).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch

from training.batch import Judged
from training.errors import BadRules
from training.policy import Policy, Sampled
from training.ragged import Ints
from training.rows import parts
from training.rules import Credit

CRITIC_RULES = ("bi_level_gae",)


@runtime_checkable
class Valued(Protocol):
    """A policy with a critic. critic: its own weights, apart from those of `Policy.parameters`."""

    critic: Any

    def values(self, sampled: Sampled, rows: Ints) -> torch.Tensor:
        """Values (R,) of these rows; the gradient reaches the critic's weights alone."""


def valued(policy: Policy, rule: str) -> Valued:
    """The policy as one with a critic. Raises BadRules where it has none."""
    if not isinstance(policy, Valued) or policy.critic is None:
        raise BadRules(f"rule {rule} needs a critic, and policy {policy.name} has none", "phase",
                       "make the policy with critic=True, or take another rule")  # fmt: skip
    return policy


def critic_optimiser(policy: Policy, rule: str, lr: float) -> torch.optim.Optimizer | None:
    """The critic's optimiser, None under rules without one. Raises BadRules where the policy has no critic."""
    if rule not in CRITIC_RULES:
        return None
    return torch.optim.AdamW(valued(policy, rule).critic.parameters(), lr=lr, weight_decay=0.0)


def rows_of(judged: Judged, count: int) -> Ints:
    """All rows of the judged steps in their order: (S' * count,)."""
    return (judged.rows[:, None] * count + np.arange(count)).reshape(-1)


def with_values(policy: Valued, sampled: Sampled, judged: Judged, micro_steps: int) -> Judged:
    """The batch with the critic's value at each of its cells."""
    shape = judged.groups.score.shape
    rows = rows_of(judged, shape[1])
    with torch.no_grad():
        found = [policy.values(sampled, rows[part]) for part in parts(rows // shape[1], micro_steps)]
    value = torch.cat(found).double().cpu().numpy().reshape(shape)
    return replace(judged, groups=replace(judged.groups, value=value))


def whitened(made: Credit) -> Credit:
    """Advantages with mean 0 and variance 1 over the kept rows; unchanged where there are fewer than two."""
    gain = made.advantage[made.kept]
    if len(gain) < 2:
        return made
    white = (made.advantage - gain.mean()) / (gain.std() + 1e-6)
    return replace(made, advantage=np.where(made.kept, white, 0.0))


def fit(
    policy: Valued, optimiser: torch.optim.Optimizer, sampled: Sampled, judged: Judged, made: Credit, micro_steps: int
) -> dict[str, float]:
    """One step of the critic towards the returns of the kept rows (`made` before whitening): its metrics.

    critic_loss: mean squared error before the step. critic_explained: share of the returns' variance it explains.
    """
    assert judged.groups.value is not None
    kept = made.kept.reshape(-1)
    if not kept.any():
        return {}
    value = judged.groups.value.reshape(-1)[kept]
    returns = made.advantage.reshape(-1)[kept] + value
    rows = rows_of(judged, made.kept.shape[1])[kept]
    optimiser.zero_grad(set_to_none=True)
    for part in parts(rows // made.kept.shape[1], micro_steps):
        now = policy.values(sampled, rows[part])
        wanted = torch.as_tensor(returns[part], dtype=now.dtype, device=now.device)
        loss = ((now - wanted) ** 2).sum() / len(rows)
        loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    spread = float(returns.var())
    error = float(((value - returns) ** 2).mean())
    explained = {"critic_explained": 1 - float((returns - value).var()) / spread} if spread > 0 else {}
    return {"critic_loss": error, "value": float(value.mean()), **explained}
