"""Writes a folder that transformers and verl load as a Qwen2.5-VL checkpoint: random weights, own tokenizer, processor."""

from __future__ import annotations

from pathlib import Path

from training.vlm.tiny import TinySizes, tiny_model, tiny_tokenizer

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for p in m['content'] %}{% if p['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ p['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(folder: Path, texts: list[str], seed: int = 0, sizes: TinySizes | None = None) -> None:
    """The checkpoint in `folder`."""
    from transformers import Qwen2_5_VLProcessor, Qwen2VLImageProcessor, Qwen2VLVideoProcessor

    tokenizer = tiny_tokenizer(texts)
    tokenizer.chat_template = TEMPLATE
    model = tiny_model(tokenizer, seed, sizes)
    model.save_pretrained(folder)
    size = {"shortest_edge": 28 * 28 * 4, "longest_edge": 28 * 28 * 256}
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=size), tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(), chat_template=TEMPLATE,
    )  # fmt: skip
    processor.save_pretrained(folder)
