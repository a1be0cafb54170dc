"""The arms of the ablation: what each one trains by, in stages that share one budget of updates.

All start from the same warmed-up policy of their seed. "direct" arms train by their rule from the first update on;
"two-stage" arms spend the first part of the budget on the per-step score (atomic adaptation) and the rest on their
rule. Names and pairs of the paper's comparison: facts, section 7.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from training.rules import CreditRules
from training.shaping import ShapingRules

Kind = Literal["start", "supervised", "paper", "relative", "variant"]
SFT = "sft"
ATOMIC = "per_step"


@dataclass(frozen=True)
class Arm:
    """rule: of the last stage, a name of `training.rules.RULES` or SFT; None trains nothing. two_stage: see the module.

    kind: where it stands in the table. colour: of its curve.
    """

    name: str
    title: str
    rule: str | None
    kind: Kind
    two_stage: bool = False
    rules: CreditRules = field(default_factory=CreditRules)

    def stages(self, updates: int, first: float) -> list[tuple[str, int]]:
        """(rule, updates) in order; `first`: the atomic stage's share of a two-stage budget."""
        if self.rule is None:
            return []
        if not self.two_stage:
            return [(self.rule, updates)]
        atomic = round(updates * first)
        return [(ATOMIC, atomic), (self.rule, updates - atomic)]


def _solar(name: str, title: str, rules: CreditRules) -> list[Arm]:
    """A variant of the shaping, direct and in two stages."""
    return [
        Arm(f"solar_{name}_direct", f"direct SOLAR-RL, {title}", "solar", "variant", False, rules),
        Arm(f"solar_{name}_two_stage", f"two-stage SOLAR-RL, {title}", "solar", "variant", True, rules),
    ]


ARMS: tuple[Arm, ...] = (
    Arm("start", "warmed-up start (no training)", None, "start"),
    Arm("sft", "SFT on all labels", SFT, "supervised"),
    Arm("offline_rl", "offline RL (per-step score)", ATOMIC, "paper"),
    Arm("grpo_direct", "direct GRPO (sparse)", "sparse_grpo", "paper"),
    Arm("solar_direct", "direct SOLAR-RL", "solar", "paper"),
    Arm("grpo_two_stage", "two-stage GRPO (sparse)", "sparse_grpo", "paper", True),
    Arm("solar_two_stage", "two-stage SOLAR-RL", "solar", "paper", True),
    Arm("ui_s1", "UI-S1 rule", "ui_s1", "relative"),
    Arm("gigpo", "GiGPO", "gigpo", "relative"),
    Arm("bi_level_gae", "Bi-Level GAE (turn level)", "bi_level_gae", "relative"),
    *_solar("literal", "literal target", CreditRules(shaping=ShapingRules(target="literal"))),
    *_solar("keep", "suffix kept", CreditRules(shaping=ShapingRules(suffix="keep"))),
    *_solar("splices8", "8 splicings", CreditRules(splices=8)),
    *_solar("closed", "closed form", CreditRules(splices="closed")),
)
BY_NAME = {arm.name: arm for arm in ARMS}
