"""The configuration of `solar-train run`: every field with a sentence, unknown keys are errors, one TOML or JSON file.

Precedence: default < file < flag. The resolved copy is kept in the run directory as config.toml and reads back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from solar_eval.config import Names
from training.data import SourceKind
from training.metrics_log import SINKS
from training.rules import RULES

RuleName = Literal["solar", "per_step", "sparse_grpo", "ui_s1", "gigpo", "bi_level_gae"]
assert set(RuleName.__args__) == set(RULES)  # type: ignore[attr-defined]
RECORDED = ("pocket_world", "errands")
"""Sources that are recorded on the pocket phone when a run starts; the pointer policy's only ones."""


def _table(value: object) -> object:
    """A source written as JSON text (as the resolved copy has it)."""
    return json.loads(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


class SourceConfig(BaseModel):
    """One [[sources]] table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: SourceKind | Literal["pocket_world", "errands"] = Field(
        description="android_control, gui_odyssey, pocket (an export) or demo (made up); for the pointer policy "
        "pocket_world or errands, recorded on the pocket phone when the run starts."
    )
    path: Path | None = Field(None, description="File or folder of its data, relative to the configuration file.")
    split: str = Field("train", description="A list of splits.json, GUI-Odyssey's train or test, or all.")
    finish: bool = Field(True, description="Append a finish step where the last screenshot is recorded.")
    share: float | None = Field(None, gt=0, description="Part of the draws; unset for all sources: by size.")
    limit: int | None = Field(None, ge=1, description="Only the first episodes.")
    episodes: int = Field(200, ge=1, description="Episodes of the demo world, or that are recorded.")
    signs: int = Field(8, ge=2, le=8, description="Signs, so actions, of the demo world.")
    seed: int = Field(0, ge=0, description="Seed of the demo world; recorded: numbers seed x episodes and up.")
    slips: float = Field(0.12, ge=0, le=1, description="How often the recorder errs before a step and takes it back.")


Source = Annotated[SourceConfig, BeforeValidator(_table)]


class TrainConfig(BaseModel):
    """One training run of the embedded trainer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    out: Path = Field(description="Run directory: metrics, checkpoints, screens, export; a second run resumes.")
    sources: tuple[Source, ...] = Field(min_length=1, description="What is trained on; see the [[sources]] tables.")
    held_out: float = Field(0.1, ge=0, lt=1, description="Share of whole episodes that is evaluated, never trained.")
    seed: int = Field(0, ge=0, description="Of everything random; the same seed gives the same bytes.")

    policy: Literal["vlm", "pointer"] = Field(
        "vlm", description="pointer: a small network that points at interface elements; docs/training.md."
    )
    pointer_embedding: int = Field(32, ge=4, le=1024, description="Width of the pointer policy's word bags.")
    pointer_hidden: int = Field(64, ge=4, le=4096, description="Width of its hidden layer.")
    live: int = Field(
        0, ge=0, description="Tasks of pocket_world that the pointer policy plays when the training ends."
    )
    model: Path | None = Field(None, description="A Qwen2.5-VL checkpoint folder; unset: a tiny random model.")
    tiny_vocabulary: int = Field(512, ge=300, le=32_000, description="Tokens of the tiny model's own tokenizer.")
    tiny_hidden: int = Field(128, ge=64, le=1024, multiple_of=64, description="Width of the tiny model.")
    tiny_layers: int = Field(2, ge=1, le=12, description="Layers of the tiny model.")
    device: str = Field("auto", description="cpu, cuda, cuda:1...; auto takes a GPU for --model where there is one.")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="What is computed in; weights and optimiser stay float32. auto: bfloat16 on a GPU."
    )
    threads: int | None = Field(None, ge=1, description="CPU threads; unset: 1 for the tiny model, else torch's own.")
    freeze: Names = Field((), description="Weights that stay as they are, by the beginnings of their names.")
    gradient_checkpointing: bool = Field(False, description="Less memory for about a third more time.")

    dialect: str = Field("solar", description="Prompt and reply format; see `solar-eval ls dialects`.")
    prompt: Path | None = Field(
        None, description="Jinja file with the wording; default: the dialect's (demo: its own)."
    )
    level: Literal["high", "low"] = Field("high", description="high shows the goal alone, low the step's instruction.")
    thoughts: bool = Field(True, description="Demonstrations begin with the step's instruction as their thought.")
    min_pixels: int = Field(3136, ge=784, description="Smallest area of a resized screenshot.")
    max_pixels: int = Field(1_003_520, ge=784, description="Largest area of a resized screenshot (1280 image tokens).")
    context: int = Field(6144, ge=64, description="Longest prompt and reply together, image tokens expanded.")
    max_reply_tokens: int = Field(256, ge=4, description="Longest reply.")

    protocol: str = Field(
        "solar_rl", description="Whose rules make a step valid: solar_rl or a protocol of solar_eval."
    )
    rule: RuleName = Field("solar", description="Credit rule of the trajectory stage.")
    atomic_rule: RuleName = Field("per_step", description="Credit rule of the atomic stage.")
    target: Literal["aligned", "literal"] = Field("aligned", description="See docs/training.md.")
    suffix: Literal["truncate", "keep"] = Field("truncate", description="What becomes of steps after the failure.")
    splices: int | Literal["closed"] = Field(1, description="Splicings a reward is averaged over; closed: all of them.")
    group: Literal["step", "episode", "mixed"] = Field("step", description="Who is compared in an advantage.")
    scale: Literal["std", "none"] = Field("std", description="Whether advantages are divided by the group's std.")
    std_floor: float = Field(1e-6, ge=0, description="Groups of at most this std have advantage 0.")
    format_reward: float = Field(
        0.1, ge=0, le=1, description="For a reply in the family's strict form, outside R_target."
    )

    sft_updates: int = Field(0, ge=0, description="Updates of the supervised warm-up.")
    sft_lr: float = Field(1e-5, gt=0, description="Its learning rate.")
    sft_batch: int = Field(32, ge=1, description="Its steps an update.")
    demonstration_noise: float = Field(0.0, ge=0, le=1, description="Share of demonstrations made wrong on purpose.")
    atomic_updates: int = Field(200, ge=0, description="Updates of the atomic stage.")
    atomic_batch: int = Field(128, ge=1, description="Steps an update of it.")
    atomic_flatten: float = Field(0.0, ge=0, le=1, description="1 draws all kinds of action alike, 0 as recorded.")
    trajectory_updates: int = Field(450, ge=0, description="Updates of the trajectory stage.")
    trajectory_batch: int = Field(20, ge=1, description="Episodes an update of it.")
    trajectory_flatten: float = Field(0.0, ge=0, le=1, description="1 draws all length buckets alike, 0 as recorded.")
    candidates: int = Field(8, ge=1, le=256, description="Replies sampled a step.")
    temperature: float = Field(1.0, gt=0, description="Of sampling, and of the log-probabilities trained on.")
    lr: float = Field(1e-6, gt=0, description="Learning rate of both stages.")
    critic_lr: float = Field(1e-3, gt=0, description="Of the value head, which only bi_level_gae has.")
    warmup: int = Field(10, ge=0, description="Updates of linear warm-up in every phase.")
    weight_decay: float = Field(0.0, ge=0, description="AdamW's.")
    max_grad_norm: float = Field(1.0, gt=0, description="Gradients are clipped to this norm.")
    passes: int = Field(1, ge=1, description="Times a batch is gone through.")
    minibatches: int = Field(1, ge=1, description="Optimiser steps in one pass; 1 with passes 1 is on policy.")
    clip_low: float = Field(0.2, ge=0, lt=1, description="Lower clipping bound of the ratio.")
    clip_high: float = Field(0.28, ge=0, description="Upper clipping bound of the ratio.")
    kl: float = Field(1e-3, ge=0, description="Weight of the KL term to the phase's start; 0 keeps no reference.")
    entropy: float = Field(0.0, ge=0, description="Weight of the entropy bonus.")
    dual_clip: float | None = Field(None, gt=1, description="Bound of ratio x |advantage| where that is negative.")
    aggregate: Literal["token_mean", "token_sum", "row_mean_token_mean", "row_mean_token_sum"] = Field(
        "token_mean", description="How tokens become one loss; see training/loss.py."
    )
    micro_steps: int = Field(8, ge=1, description="Steps whose candidates are computed at once: memory against speed.")
    sample_steps: int = Field(64, ge=1, description="Steps whose candidates are sampled at once.")

    evaluate_every: int = Field(0, ge=0, description="Updates between evaluations; 0: at phase ends only.")
    save_every: int = Field(50, ge=1, description="Updates between checkpoints.")
    keep: int = Field(2, ge=1, description="Checkpoints kept.")
    loggers: Names = Field((), description="Beside metrics.jsonl: tensorboard, wandb, trackio.")
    tell_every_s: float = Field(10.0, ge=0, description="Seconds between progress lines.")

    @field_validator("loggers")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in value if name not in SINKS]:
            raise ValueError(f"{unknown[0]!r} is none of {', '.join(SINKS)}")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> TrainConfig:
        if self.min_pixels > self.max_pixels:
            raise ValueError(f"min_pixels {self.min_pixels} is above max_pixels {self.max_pixels}")
        if self.max_reply_tokens >= self.context:
            raise ValueError(f"max_reply_tokens {self.max_reply_tokens} leave no room in a context of {self.context}")
        if isinstance(self.splices, int) and self.splices < 1:
            raise ValueError("splices is neither a positive number nor 'closed'")
        return self

    @model_validator(mode="after")
    def _of_its_policy(self) -> TrainConfig:
        """What only one policy has is refused with the other."""
        pointer = self.policy == "pointer"
        for source in self.sources:
            if pointer != (source.kind in RECORDED):
                takes = " or ".join(RECORDED) if pointer else "android_control, gui_odyssey, pocket or demo"
                raise ValueError(f"policy {self.policy!r} takes sources of kind {takes}, not {source.kind}")
        if not pointer and self.live:
            raise ValueError("live is for policy 'pointer'; other policies are evaluated by solar-train evaluate")
        given = [name for name in ("model", "prompt", "freeze", "gradient_checkpointing") if getattr(self, name)]
        if pointer and given:
            raise ValueError(f"{given[0]} is of no use to policy 'pointer': leave it out")
        return self

    @property
    def critic(self) -> bool:
        """Whether some phase needs a value head."""
        used = (self.rule if self.trajectory_updates else "", self.atomic_rule if self.atomic_updates else "")
        return "bi_level_gae" in used

    def identity(self) -> dict[str, Any]:
        """What has to be equal for a resume: everything but where files lie, where it runs and how it is shown."""
        made = self.model_dump(mode="json", exclude=FREE)
        made["model"] = None if self.model is None else self.model.name
        apart = {"path"} if self.policy == "pointer" else {"path", "slips"}
        made["sources"] = [source.model_dump(mode="json", exclude=apart) for source in self.sources]
        unused = () if self.policy == "pointer" else ("policy", "pointer_embedding", "pointer_hidden")
        for name in (*unused, *(() if self.critic else ("critic_lr",))):
            made.pop(name)
        return made


FREE = {"out", "device", "threads", "loggers", "tell_every_s", "save_every", "keep", "evaluate_every",
        "gradient_checkpointing", "live"}  # fmt: skip
"""Fields that may differ on a resume."""
