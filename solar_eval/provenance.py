"""What makes a run's numbers what they are, as plain data for the manifest.

Two runs with the same identity were asked the same questions of the same model. Labels go in by hash, prompts by the
hash of the wording and by a probe: the finished prompts of up to 40 steps, so that a dialect whose code changed is
noticed although its template did not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict

from solar_eval.asking import PromptPlan, is_asked, label_history
from solar_eval.benchmarks.counts import labels_sha256
from solar_eval.dialects.prompting import Image, Message
from solar_eval.images import RESAMPLE
from solar_eval.models.base import Model, prompt_json
from solar_eval.records import Benchmark, Episode, Step

PROBED_EPISODES = 20


def probed(benchmark: Benchmark) -> Iterator[tuple[Episode, Step]]:
    """First and last asked step of the first episodes that have one."""
    found = 0
    for episode in benchmark.episodes:
        asked = [step for step in episode.steps if is_asked(step)]
        if asked and found < PROBED_EPISODES:
            found += 1
            yield episode, asked[0]
            if len(asked) > 1:
                yield episode, asked[-1]


def probe_prompts(benchmark: Benchmark, plan: PromptPlan) -> str:
    """Hash of the prompts of the probed steps with the labels as history. Also finds a broken template early."""
    digest = hashlib.sha256()
    for episode, step in probed(benchmark):
        messages = plan.messages(step, plan.frame(step.screen), label_history(episode, step))
        digest.update(json.dumps(prompt_json(messages, {}), sort_keys=True).encode())
    return digest.hexdigest()


def identity(
    benchmark: Benchmark, model: Model, plan: PromptPlan, *, history: str, seed: int, judge: str
) -> dict[str, object]:
    """The part of the manifest that a resumed run has to share. `judge`: protocol that ends semi-online episodes."""
    template = plan.template or plan.dialect.template()
    out: dict[str, object] = {
        "benchmark": benchmark.name,
        "subset": benchmark.subset,
        "labels_sha256": labels_sha256(benchmark.scored_steps),
        "histories_sha256": labels_sha256(benchmark.steps),
        "level": plan.level,
        "history": history,
        "dialect": plan.dialect.name,
        "prompt_sha256": template.sha256,
        "prompt_probe_sha256": probe_prompts(benchmark, plan),
        "model": model.spec,
        "request": model.request_fields(plan.sampling),
        "seed": seed,
    }
    if model.needs_pictures:
        out["images"] = {"format": plan.image_format, "resample": RESAMPLE, **asdict(plan.resize)}
    return out | ({"stops_by": judge} if history == "own" else {})


def shown(messages: tuple[Message, ...], image: tuple[int, int]) -> str:
    """A prompt for reading: roles as headings, pictures as their place and size."""
    lines: list[str] = []
    for message in messages:
        lines.append(f"--- {message.role}")
        for part in message.parts:
            if isinstance(part, Image):
                lines.append(f"[screenshot of step {part.index}, {image[0]}x{image[1]}]")
            else:
                lines.append(part.text)
    return "\n".join(lines)
