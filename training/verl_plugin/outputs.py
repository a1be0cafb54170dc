"""verl's agent loop output with a reward of its own for each step.

verl 0.9.1 copies the last output's reward and reward_extra_info onto all outputs of a session
(`AgentLoopWorkerTQ._agent_loop_postprocess`), so per-step rewards are lost. Here each output keeps its own and writes
it at its own last token; the field that verl overwrites is ignored (facts: training_stack.md section 1.4).
"""

from __future__ import annotations

from typing import Any

import torch
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput


class StepOutput(AgentLoopOutput):
    """One step of one candidate. step_reward: its own reward, float. own_info: its own reward_extra_info."""

    step_reward: float = 0.0
    own_info: dict[str, Any] = {}  # noqa: RUF012  (a pydantic field: copied for each instance)

    def as_dict(self) -> dict[str, Any]:
        """What goes into TransferQueue: verl's fields, `rm_scores` (response length,) holding the step's reward."""
        out = super().as_dict()
        out.pop("step_reward", None)
        out.pop("own_info", None)
        scores = torch.zeros_like(out["response_mask"], dtype=torch.float32)
        if len(scores):
            scores[-1] = self.step_reward
        out["rm_scores"] = scores
        out["extra_fields"]["reward_extra_info"] = dict(self.own_info)
        return out
