"""The `solar:` section of a verl configuration: what verl does not know, typed and checked.

Everything else in the file is verl's own and documented there. Unknown keys are errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solar_eval import protocols
from solar_eval.asking import PromptPlan
from solar_eval.dialects import table as dialects
from solar_eval.errors import UsageError, unknown_name
from solar_eval.protocols import Protocol
from training.advantage import AdvantageRules, Grouping
from training.reconstruct import Suffix
from training.rules import RULES, CreditRules
from training.shaping import ShapingRules, Target
from training.splices import Splices
from training.validity import solar_protocol

LOCAL_RULES = frozenset({"solar", "sparse_grpo", "gigpo"})
"""Rules that train no step after a candidate's own failure point (at one splicing, suffix truncate)."""


class SolarSettings(BaseModel):
    """Settings of SOLAR-RL inside verl."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stage: Literal["atomic", "trajectory"] = Field(
        "trajectory", description="Stage 1 scores steps alone; 2 trajectories."
    )
    rule: str = Field("solar", description="Credit rule of training.rules; stage atomic always uses per_step.")
    dialect: str = Field("qwen2_5_vl", description="Prompt and reply format; see `solar-eval ls dialects`.")
    level: Literal["high", "low"] = Field("high", description="AndroidControl's level: low shows the step instruction.")
    protocol: str = Field("solar_rl", description="What makes a step valid: solar_rl or a protocol of solar_eval.")
    target: Target = Field("aligned", description="aligned: our repair of the target; literal: the published sum.")
    suffix: Suffix = Field("truncate", description="What becomes of the steps after the failure point.")
    splices: Splices = Field(1, description="Splicings that rewards are averaged over: 1, K, or closed.")
    penalty: float = Field(1.0, description="Weight of invalid steps, 0 to 1.")
    group: Grouping = Field("step", description="Rows that share a baseline: step, episode or mixed.")
    scale: Literal["std", "none"] = Field("std", description="Divide advantages by the group's std, or not.")
    std_floor: float = Field(1e-6, description="Groups with a std at or under this have advantage 0.")
    updates_per_batch: int = Field(1, ge=1, description="Optimizer steps a batch, whatever its number of rows.")
    export_on_save: bool = Field(True, description="Write a Hugging Face copy beside each checkpoint.")
    evaluate_command: str = Field(
        "", description="Started after each export with the folder as last word; '' : nothing."
    )

    @property
    def credit_rule(self) -> str:
        """The rule that applies in this stage."""
        return "per_step" if self.stage == "atomic" else self.rule

    @property
    def prefix_only(self) -> bool:
        """Whether the agent loop may leave out the steps after a failure point: no rule would train them."""
        return self.credit_rule in LOCAL_RULES and self.suffix == "truncate" and self.splices == 1

    def credit_rules(self, seed: int = 0) -> CreditRules:
        """The settings of `training.rules`. Raises BadRules."""
        shaping = ShapingRules(target=self.target, suffix=self.suffix, penalty=self.penalty)
        advantage = AdvantageRules(group=self.group, scale=self.scale, std_floor=self.std_floor, bad="skip")
        return CreditRules(shaping, advantage, self.splices, seed)

    def validity(self) -> Protocol:
        """The protocol that decides validity. Raises UsageError."""
        return solar_protocol() if self.protocol == "solar_rl" else protocols.get(self.protocol)

    def plan(self, benchmark: str) -> PromptPlan:
        """How a step is put to the model; pictures in the rows have the dialect's size already."""
        found = dialects.get(self.dialect)
        return PromptPlan(found, benchmark, self.level, resize=found.resize)


def read_settings(section: Mapping[str, Any] | None) -> SolarSettings:
    """The section as checked settings. Raises UsageError naming every key that does not fit."""
    try:
        settings = SolarSettings(**dict(section or {}))
    except ValidationError as error:
        said = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(said, "solar", f"known: {', '.join(SolarSettings.model_fields)}") from None
    if settings.rule not in RULES:
        raise unknown_name("credit rule", settings.rule, RULES)
    if settings.credit_rule == "bi_level_gae":
        raise UsageError("bi_level_gae needs a critic's values", "solar.rule", "it runs in the embedded trainer only")
    settings.plan("android_control")
    settings.validity()
    settings.credit_rules()
    return settings
