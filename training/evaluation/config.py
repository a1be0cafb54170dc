"""The configuration of the loop: what is trained, how the result is evaluated, whom it is compared with.

One TOML or JSON file, unknown keys are errors; paths are relative to the file. How the model is asked (dialect, prompt,
picture sizes, longest reply) has to be what it was trained with: what is not said here is taken from the training
configuration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from solar_eval.config import Names, Resolved, Seeds, read_config_file, resolve
from solar_eval.errors import UsageError
from training.config import TrainConfig

Baseline = Literal["random", "expert"]
PATHS = ("out", "train", "checkpoint", "parent", "prompt", "publish")


def _table(value: object) -> object:
    return json.loads(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


class OfflineConfig(BaseModel):
    """One [[offline]] table: a recorded benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str = Field(description="Benchmark by name; see `solar-eval ls benchmarks`.")
    data: Path | None = Field(
        None, description="Its data; unset: the pocket set made from `tasks`, AndroidControl's form."
    )
    subset: str = Field("all", description="Named subset.")
    protocol: Names = Field(
        ("guievalkit_2025_09",), description="Scoring protocols; the first one's numbers are compared."
    )
    limit: int | None = Field(None, ge=1, description="Only the first steps.")


class LoopConfig(BaseModel):
    """Training, evaluation, ranking and comparison in one file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="The checkpoint's name on the leaderboard.")
    out: Path = Field(description="Folder of everything that is made here; the same command again goes on there.")
    train: Path | None = Field(None, description="Training configuration, as of `solar-train run`.")
    set: Names = Field((), description="Fields of it in other values, as NAME=VALUE.")
    train_sets: Seeds = Field((), description="Seeds of expert episodes of `tasks` to train on; see docs/loop.md.")
    checkpoint: Path | None = Field(None, description="A finished checkpoint, in place of training.")
    every: int = Field(0, ge=0, description="Evaluate after so many updates as well; 0: at the end only.")
    parent: Path | None = Field(None, description="Checkpoint folder to compare with.")
    from_parent: bool = Field(
        False, description="Training starts from the parent's weights, not from the file's model."
    )
    parent_name: str = Field("parent", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Its name in the table.")
    baselines: tuple[Baseline, ...] = Field((), description="Scripted rows beside it: random, expert.")

    dialect: str | None = Field(None, description="Prompt and reply format; unset: the training configuration's.")
    prompt: Path | None = Field(None, description="Jinja file with the wording; unset: the training configuration's.")
    min_pixels: int | None = Field(None, ge=784, description="Smallest picture; unset: the training configuration's.")
    max_pixels: int | None = Field(None, ge=784, description="Largest picture; unset: the training configuration's.")
    max_tokens: int | None = Field(None, ge=1, description="Longest reply; unset: the training configuration's.")

    tasks: Names = Field(
        (), description="Templates of pocket_world for the pocket set and the live run; none: neither."
    )
    size: str = Field("540x1200", pattern=r"^[1-9]\d*x[1-9]\d*$", description="Pixels of the pocket phones.")
    offline_seeds: Seeds = Field((30, 31, 32), description="Seeds of the pocket set's episodes.")
    live_seeds: Seeds = Field((30,), description="Seeds of the live tasks.")
    phones: int = Field(2, ge=0, le=64, description="Pocket phones of the live run, over adb; 0: no live run.")
    budget: int | None = Field(None, ge=1, description="Steps of a live episode; unset: the task's own.")
    offline: tuple[Annotated[OfflineConfig, BeforeValidator(_table)], ...] = Field(
        (OfflineConfig(benchmark="android_control_low"), OfflineConfig(benchmark="android_control_high")),
        description="Recorded benchmarks; default: the pocket set, Low and High.",
    )
    publish: Path | None = Field(
        None, description="A results folder that gets manifest.json and summary.json of the row."
    )
    timeout_s: float = Field(86_400.0, gt=0, description="Longest time of one stage.")

    @field_validator("baselines", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return value.split(",") if isinstance(value, str) else value

    @model_validator(mode="after")
    def _consistent(self) -> LoopConfig:
        if self.train is not None and self.checkpoint is not None:
            raise ValueError("give one of train and checkpoint")
        if self.from_parent and self.parent is None:
            raise ValueError("from_parent needs parent")
        names = [self.name, *([self.parent_name] if self.parent else []), *self.baselines]
        if len(set(names)) < len(names):
            raise ValueError(f"two rows would have one name: {', '.join(names)}")
        if not self.tasks and any(one.data is None for one in self.offline):
            raise ValueError("an [[offline]] benchmark without data needs tasks for the pocket set")
        if self.train_sets and overlap(self.train_sets, (*self.offline_seeds, *self.live_seeds)):
            raise ValueError(
                "train_sets, offline_seeds and live_seeds share a seed: that would be evaluated in training"
            )
        return self


def overlap(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two lists of seeds share one."""
    return bool(frozenset(one) & frozenset(other))


def read_loop(file: Path, flags: Mapping[str, object]) -> Resolved[LoopConfig]:
    """The configuration of a file; its paths are relative to it. Raises UsageError."""
    data = {key.replace("-", "_"): value for key, value in read_config_file(file).items()}
    placed: dict[str, object] = {
        key: str((file.parent / str(data[key])).resolve()) for key in PATHS if isinstance(data.get(key), str)
    }
    if isinstance(data.get("offline"), list):
        placed["offline"] = [_placed(file, one) for one in data["offline"]]
    given = {key: value for key, value in flags.items() if value is not None}
    return resolve(LoopConfig, {**placed, **given}, file, environ={})


def _placed(file: Path, table: object) -> object:
    if isinstance(table, dict) and isinstance(table.get("data"), str):
        return {**table, "data": str((file.parent / table["data"]).resolve())}
    return table


def asked_as(config: LoopConfig, train: TrainConfig | None) -> LoopConfig:
    """The same with how the model is asked filled in from the training configuration. UsageError where nothing says."""
    if train is None:
        if config.dialect is None:
            raise UsageError("nothing says how the checkpoint is asked", "dialect", "give dialect, prompt, max_pixels")
        return config
    taken = {
        "dialect": train.dialect, "prompt": train.prompt, "min_pixels": train.min_pixels,
        "max_pixels": train.max_pixels, "max_tokens": train.max_reply_tokens,
    }  # fmt: skip
    return config.model_copy(update={key: value for key, value in taken.items() if getattr(config, key) is None})
