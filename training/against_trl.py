"""The embedded trainer beside TRL's GRPOTrainer: the same tiny model, prompts, screenshots, candidates and lengths.

Needs trl (1.16 was measured) and what its VLM path needs (accelerate, datasets, a torchvision that fits torch); none of
these is a dependency of this project. One thread, CPU seconds, the best of three steps. TRL's sampling time is that of
its `_generate_and_score_completions`, which also prepares the pictures; ours are kept prepared. Rewards are random.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import time
from typing import Any

import torch

from solar_eval.dialects.prompting import Image
from training.policy import TrainStep
from training.speed import bench_policy, update
from training.vlm.policy import VlmPolicy

STEPS, CANDIDATES, REPEATS, MOST = 4, 8, 3, 32


def ours(policy: VlmPolicy, made: list[TrainStep]) -> dict[str, float]:
    """Tokens a CPU second: sampling, update with an optimiser step, both."""
    optimiser = torch.optim.AdamW(policy.parameters(), lr=1e-6)
    found: list[tuple[float, float, float]] = []
    for seed in range(REPEATS):
        start = time.process_time()
        sampled = policy.sample(made, CANDIDATES, 1.0, seed)
        drawn = time.process_time()
        update(policy, sampled)
        optimiser.step()
        tokens = float(sampled.mask.sum())
        found.append((tokens, drawn - start, time.process_time() - drawn))
    return _rates(found)


def trl(policy: VlmPolicy, made: list[TrainStep]) -> dict[str, float]:
    """The same of TRL. Raises ImportError where something that it needs is missing."""
    from datasets import Dataset  # type: ignore[import-not-found,unused-ignore]
    from transformers import Qwen2_5_VLProcessor, Qwen2VLImageProcessor, Qwen2VLVideoProcessor
    from trl import GRPOConfig, GRPOTrainer  # type: ignore[import-not-found,unused-ignore]

    sampling: list[tuple[float, float]] = []
    whole: list[float] = []

    class Timed(GRPOTrainer):  # type: ignore[misc,unused-ignore]
        """Notes CPU seconds and tokens of every step."""

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            start = time.process_time()
            out = super()._generate_and_score_completions(inputs)
            sampling.append((float(out["completion_mask"].sum()), time.process_time() - start))
            return out

        def training_step(self, *args: Any, **named: Any) -> Any:
            start = time.process_time()
            out = super().training_step(*args, **named)
            whole.append(time.process_time() - start)
            return out

    tokenizer, rule = policy.chat.tokenizer, policy.store.rule
    make: Any = Qwen2_5_VLProcessor
    processor = make(
        image_processor=Qwen2VLImageProcessor(min_pixels=rule.min_pixels, max_pixels=rule.max_pixels),
        tokenizer=tokenizer, video_processor=Qwen2VLVideoProcessor(), chat_template=tokenizer.chat_template,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        settings = GRPOConfig(
            output_dir=folder, num_generations=CANDIDATES, per_device_train_batch_size=STEPS * CANDIDATES,
            max_completion_length=MOST, beta=0.0, use_cpu=True, bf16=False, gradient_checkpointing=False,
            max_steps=REPEATS, save_strategy="no", report_to=[], learning_rate=1e-6, disable_tqdm=True,
            generation_kwargs={"suppress_tokens": policy.chat.banned()},
        )  # fmt: skip
        Timed(
            model=policy.network.model, args=settings, processing_class=processor,
            reward_funcs=lambda completions, **rest: [random.random() for _ in completions],
            train_dataset=Dataset.from_list([_row(policy, one) for one in made * REPEATS]),
        ).train()  # fmt: skip
    policy.network.model.model.rope_deltas = None
    return _rates([(n, s, all_of_it - s) for (n, s), all_of_it in zip(sampling, whole, strict=True)])


def _row(policy: VlmPolicy, one: TrainStep) -> dict[str, Any]:
    from PIL import Image as Pictures

    parts = [part for message in policy.plan.messages(one.step, policy.frame(one), ()) for part in message.parts]
    text = "".join(part.text for part in parts if not isinstance(part, Image))
    content = [{"type": "text", "text": text}, {"type": "image"}]
    picture = Pictures.open(io.BytesIO(policy.store.data(one.screens[one.step.index])))
    return {"prompt": [{"role": "user", "content": content}], "image": picture}


def _rates(found: list[tuple[float, float, float]]) -> dict[str, float]:
    """From (tokens, sampling seconds, update seconds) of each step: the best of each."""
    return {
        "sample": max(n / s for n, s, _ in found), "update": max(n / u for n, _, u in found),
        "both": max(n / (s + u) for n, s, u in found),
    }  # fmt: skip


def compare() -> dict[str, dict[str, float]]:
    """Both, in tokens a CPU second."""
    torch.set_num_threads(1)
    policy, made = bench_policy(STEPS, MOST)
    return {"ours": ours(policy, made), "trl": trl(policy, made)}


def main() -> None:
    """Prints the table that scripts/benchmark shows, or why there is none."""
    try:
        found = compare()
    except ImportError as error:
        print(f"no comparison with TRL's GRPOTrainer: {error}")
        return
    for part in ("sample", "update", "both"):
        mine, theirs = found["ours"][part], found["trl"][part]
        print(
            f"{part:8} {mine:8.0f} tokens a CPU second, TRL {theirs:8.0f}: {mine / theirs:.1f} times", file=sys.stdout
        )


if __name__ == "__main__":
    main()
