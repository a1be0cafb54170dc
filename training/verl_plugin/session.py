"""One candidate trajectory of one episode: ask every step once, read, score, find the failure point. No verl here.

Steps of a static episode don't depend on each other's replies, so all are asked at once; candidate i of all steps, read
in order, is trajectory i (facts: solar_rl.md section 1). A reply that fails to come is an infrastructure fault: the
session says so and is never scored as wrong. Scores and validity are `training.validity`'s, so that verl, the embedded
trainer and the evaluation share one matcher.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from solar_eval.actions import Action
from solar_eval.asking import PromptPlan, label_history
from solar_eval.dialects.base import Parsed
from solar_eval.dialects.prompting import Message
from solar_eval.protocols import Protocol
from solar_eval.scoring.columns import INFRASTRUCTURE, Prediction
from training.groups import trajectory
from training.reconstruct import Suffix, reconstruct
from training.validity import score_candidates
from training.verl_plugin.rows import EpisodeRow

Stage = Literal["atomic", "trajectory"]


@dataclass(frozen=True, slots=True)
class Sampled:
    """One reply as tokens. logprobs: one a token, None where the engine gave none. extra: the engine's own fields."""

    prompt_ids: list[int]
    token_ids: list[int]
    text: str
    logprobs: list[float] | None
    extra: dict[str, object]


Ask = Callable[[Sequence[Message], int], Awaitable[Sampled]]
"""Asks the rollout engine: messages and the index of the step whose picture they show -> the reply."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One step of the session that is trained on (`step` counts from 0), with the reply that was sampled there."""

    step: int
    sampled: Sampled
    parsed: Parsed


@dataclass(frozen=True, slots=True)
class Session:
    """What one candidate did on the whole episode.

    score, valid, type_ok, format_ok, usable: one entry a step (N of each). rows: the steps to train on, at least one.
    faults: why a reply never came, by step.
    """

    score: tuple[float, ...]
    valid: tuple[bool, ...]
    type_ok: tuple[bool, ...]
    format_ok: tuple[bool, ...]
    usable: tuple[bool, ...]
    rows: tuple[SessionRow, ...]
    actions: tuple[Action | None, ...]
    faults: tuple[tuple[int, str], ...] = ()

    @property
    def failure(self) -> int:
        """t*: index of the first invalid step, the number of steps where there is none."""
        return next((t for t, ok in enumerate(self.valid) if not ok), len(self.valid))

    @property
    def success(self) -> bool:
        """Every step is valid."""
        return all(self.valid)


async def run_session(row: EpisodeRow, plan: PromptPlan, protocol: Protocol | None, ask: Ask, empty: Sampled,
                      stage: Stage = "trajectory", suffix: Suffix = "truncate") -> Session:  # fmt: skip
    """Asks all steps of an episode once.

    empty: stands in for a reply that never came; the session is then not usable and its rows must not be trained on.
    Under stage "atomic" and suffix "keep" all steps are kept, else those up to the failure point inclusive.
    """
    steps = row.episode.steps
    frames = [plan.frame(step.screen, size) for step, size in zip(steps, row.sizes, strict=True)]
    asked = [ask(plan.messages(step, frame, label_history(row.episode, step)), t)
             for t, (step, frame) in enumerate(zip(steps, frames, strict=True))]  # fmt: skip
    replies = await asyncio.gather(*asked, return_exceptions=True)
    faults: list[tuple[int, str]] = []
    sampled: list[Sampled] = []
    predictions: list[Prediction] = []
    for t, reply in enumerate(replies):
        if isinstance(reply, Sampled):
            sampled.append(reply)
            predictions.append(plan.dialect.parse(reply.text, frames[t]))
        elif isinstance(reply, Exception):
            faults.append((t, f"{type(reply).__name__}: {reply}"))
            sampled.append(empty)
            predictions.append(INFRASTRUCTURE)
        else:
            raise reply  # a cancellation is not a fault of the engine
    return _session(row, sampled, predictions, protocol, faults, stage, suffix)


def _session(row: EpisodeRow, sampled: Sequence[Sampled], predictions: Sequence[Prediction],
             protocol: Protocol | None, faults: Sequence[tuple[int, str]], stage: Stage,
             suffix: Suffix) -> Session:  # fmt: skip
    found = score_candidates(row.episode.steps, predictions, protocol, row.family)
    valid = found.valid & found.usable
    score = np.where(found.usable, found.score, 0.0)
    kept = np.ones(len(score), dtype=bool)
    if stage == "trajectory":
        kept = reconstruct(trajectory(score, valid, len(score)), suffix).kept[:, 0]
    if not found.usable.all():
        kept = np.arange(len(score)) == 0
    read = [p if isinstance(p, Parsed) else Parsed(None) for p in predictions]
    rows = tuple(SessionRow(t, sampled[t], read[t]) for t in np.flatnonzero(kept).tolist())
    return Session(
        tuple(score.tolist()), tuple(valid.tolist()), tuple(found.type_ok.tolist()), tuple(found.format_ok.tolist()),
        tuple(found.usable.tolist()), rows, tuple(p.action for p in read), tuple(faults),
    )  # fmt: skip
