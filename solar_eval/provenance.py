"""What makes a run's numbers what they are, as plain data for the manifest.

Two runs with the same identity were asked the same questions of the same model. Labels go in by hash, prompts by the
hash of the wording and by a probe: the finished prompts of up to 40 steps, so that a dialect whose code changed is
noticed although its template did not.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from solar_eval.actions import to_json
from solar_eval.asking import PromptPlan, is_asked, label_history
from solar_eval.dialects.prompting import Image, Message
from solar_eval.images import RESAMPLE
from solar_eval.models.base import Model, prompt_json
from solar_eval.records import Benchmark, Episode, Step

PROBED_EPISODES = 20


def labels_sha256(benchmark: Benchmark) -> str:
    """Hash over everything in the steps but their screenshots, in order."""
    digest = hashlib.sha256()
    for step in benchmark.steps:
        digest.update(json.dumps(_step_json(step), sort_keys=True, default=str).encode())
    return digest.hexdigest()


def _step_json(step: Step) -> list[object]:
    label = None if step.label is None else to_json(step.label)
    return [
        step.id, step.episode, step.index, step.goal, step.low, label, step.label_fault, step.screen, step.boxes,
        step.box_source, step.app, step.appended, step.extra,
    ]  # fmt: skip


def benchmark_counts(benchmark: Benchmark) -> dict[str, object]:
    """Episodes, steps, steps that are asked, by kind of label; items that can't be read; where boxes come from."""
    steps = benchmark.steps
    asked = [step for step in steps if is_asked(step)]
    return {
        "episodes": len(benchmark.episodes),
        "steps": len(steps),
        "asked": len(asked),
        "history_only": sum(("history_only", True) in step.extra for step in steps),
        "label_unreadable": sum(step.label is None for step in steps),
        "appended": sum(step.appended for step in asked),
        "without_low": sum(not step.low for step in asked),
        "unreadable_items": len(benchmark.unreadable),
        "by_kind": dict(sorted(Counter(step.label.kind for step in asked if step.label).items())),
        "box_sources": dict(sorted(Counter(step.box_source for step in asked).items())),
    }


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
        "labels_sha256": labels_sha256(benchmark),
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
