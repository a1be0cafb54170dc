"""How fast the embedded trainer samples and updates, with and without sharing a step's prompt among its candidates.

The tiny model with a screenshot of 420 x 840 pixels (450 image tokens; the paper's context allows 1280), replies of at
most 32 tokens, 8 candidates a step. Without sharing every row reads its own prompt and encodes its own picture, as a
trainer does that takes rows as they come. Times are CPU seconds of this process, so that other work on the machine
counts little.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from solar_eval.actions import Click, Point
from solar_eval.asking import PromptPlan
from solar_eval.dialects import table as dialects
from solar_eval.dialects.frames import ResizeRule
from solar_eval.dialects.prompting import Image, PromptTemplate
from solar_eval.records import Step
from training.loss import GrpoLoss, LossInputs
from training.policy import Sampled, TrainStep
from training.screens import ScreenStore
from training.vlm.network import Network
from training.vlm.policy import VlmPolicy
from training.vlm.prompts import ChatTokens
from training.vlm.tiny import tiny_model, tiny_tokenizer

SIZE = (420, 840)
PROMPT = PromptTemplate("""{% block user %}
You see a phone and say in one JSON object what to do next. The goal of the person is: {{ goal }}
{% endblock %}""")


def bench_policy(steps: int = 8, most: int = 32) -> tuple[VlmPolicy, list[TrainStep]]:
    """A tiny policy and steps with different random screenshots."""
    rng = np.random.default_rng(0)
    store = ScreenStore(ResizeRule("smart", 28, 3136, 400_000))
    plan = PromptPlan(dialects.get("generic_json"), "android_control", template=PROMPT)
    made = [_step(i, store, rng) for i in range(steps)]
    texts = ["user\n", "assistant\n"]
    for one in made:
        for message in plan.messages(one.step, plan.frame(SIZE), ()):
            texts += [part.text for part in message.parts if not isinstance(part, Image)]
    tokenizer = tiny_tokenizer(texts)
    chat = ChatTokens(tokenizer)
    banned = torch.zeros(len(tokenizer), dtype=torch.bool)
    banned[chat.banned()] = True
    return VlmPolicy(Network(tiny_model(tokenizer, 0), banned), chat, plan, store, most), made


def _step(number: int, store: ScreenStore, rng: np.random.Generator) -> TrainStep:
    from PIL import Image as Pictures

    out = io.BytesIO()
    Pictures.fromarray(rng.integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8)).save(out, "PNG")
    screen = store.add(out.getvalue, "made up")
    step = Step(f"e/{number}", "e", number, f"find message {number}", "", Click(Point(0.5, 0.5)), SIZE)
    return TrainStep(step, None, (), screen.size, {number: screen.key})


def update(policy: VlmPolicy, sampled: Sampled, micro_steps: int = 4) -> None:
    """Log-probabilities, loss and gradients of all rows, as the loop does it; no optimiser step."""
    count = len(sampled.logp) // len(sampled.predictions)
    tokens = float(sampled.mask.sum())
    for first in range(0, len(sampled.logp), micro_steps * count):
        rows = np.arange(first, min(first + micro_steps * count, len(sampled.logp)))
        scored = policy.log_probs(sampled, rows)
        advantage = torch.linspace(-1, 1, len(rows))
        inputs = LossInputs(scored.logp, scored.logp.detach(), advantage, scored.mask, total_tokens=tokens)
        GrpoLoss()(inputs).loss.backward()
    policy.network.model.zero_grad(set_to_none=True)


def sharing(candidates: int = 8, steps: int = 4, repeats: int = 2) -> dict[str, float]:
    """Sampled and trained tokens a CPU second, shared and not, and the ratios."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        policy, made = bench_policy(steps)
        alone = replace(policy, share=False)
        sampled = policy.sample(made, candidates, 1.0, 0)
        tokens = float(sampled.mask.sum())
        found = {
            "sample": tokens / _seconds(lambda: policy.sample(made, candidates, 1.0, 0), repeats),
            "sample_alone": tokens / _seconds(lambda: alone.sample(made, candidates, 1.0, 0), repeats),
            "update": tokens / _seconds(lambda: update(policy, sampled), repeats),
            "update_alone": tokens / _seconds(lambda: update(alone, sampled), repeats),
        }
    finally:
        torch.set_num_threads(threads)
    out = {f"{name}_tokens_per_s": round(value, 1) for name, value in found.items()}
    out["sample_speedup"] = found["sample"] / found["sample_alone"]
    out["update_speedup"] = found["update"] / found["update_alone"]
    both = [1 / found["sample" + kind] + 1 / found["update" + kind] for kind in ("_alone", "")]
    out["speedup"] = both[0] / both[1]
    return out


def _seconds(work: Callable[[], object], repeats: int) -> float:
    """CPU seconds, best of `repeats`."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Prints the table that scripts/benchmark shows."""
    for name, value in sharing().items():
        print(f"{name:28} {value:10.2f}")


if __name__ == "__main__":
    main()
