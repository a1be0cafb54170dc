"""Writes a folder that loads as a Qwen2.5-VL checkpoint: tiny, own tokenizer, a little trained on the labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

from training.verl_plugin.agent_loop import _picture, _wire
from training.verl_plugin.rows import EpisodeRow, read_rows
from training.verl_plugin.settings import read_settings
from training.vlm.tiny import tiny_model, tiny_tokenizer

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for p in m['content'] %}{% if p['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ p['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def examples(row: EpisodeRow) -> list[tuple[list[dict[str, Any]], str, Path]]:
    """(messages, the label as a reply, picture) of each step."""
    from solar_eval.asking import label_history

    plan = read_settings({}).plan(row.family)
    found = []
    for step, size, image in zip(row.episode.steps, row.sizes, row.images, strict=True):
        frame = plan.frame(step.screen, size)
        messages = [_wire(m) for m in plan.messages(step, frame, label_history(row.episode, step))]
        found.append((messages, plan.dialect.render(step.label, frame), image))
    return found


def _texts(messages: list[dict[str, Any]]) -> list[str]:
    parts = [m["content"] if isinstance(m["content"], list) else [{"text": m["content"]}] for m in messages]
    return [p["text"] for content in parts for p in content if "text" in p]


def write(folder: Path, rows: Path, sft_steps: int = 0, seed: int = 0) -> None:
    """The checkpoint in `folder`, after `sft_steps` steps on the labels of the first row."""
    from transformers import Qwen2_5_VLProcessor, Qwen2VLImageProcessor, Qwen2VLVideoProcessor

    data = examples(next(read_rows(rows)))
    tokenizer = tiny_tokenizer([t for m, reply, _ in data for t in (*_texts(m), *[reply] * 20)], 1024)
    tokenizer.chat_template = TEMPLATE
    model = tiny_model(tokenizer, seed)
    size = {"shortest_edge": 28 * 28 * 4, "longest_edge": 28 * 28 * 256}
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=size), tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(), chat_template=TEMPLATE,
    )  # fmt: skip
    _train(model, processor, data, sft_steps)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def _train(model: Any, processor: Any, data: list[tuple[list[dict[str, Any]], str, Path]], steps: int) -> None:
    torch.manual_seed(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    batches = []
    for messages, reply, image in data:
        prompt = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        made = processor(text=[prompt + reply + "<|im_end|>"], images=[_picture(image)], return_tensors="pt")
        tail = len(processor.tokenizer(reply + "<|im_end|>")["input_ids"])
        labels = made["input_ids"].clone()
        labels[:, :-tail] = -100
        batches.append({**made, "labels": labels})
    loss = None
    for step in range(steps):
        model.model.rope_deltas = None
        loss = model(**batches[step % len(batches)]).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    if loss is not None:
        print(f"sft loss {loss.item():.3f}")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
