"""Loads a merged checkpoint and prints its greedy answer to the first step of a row file: `answer.py FOLDER ROWS`."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from tiny_checkpoint import examples
from transformers import AutoModelForImageTextToText, AutoProcessor

from training.verl_plugin.agent_loop import _picture
from training.verl_plugin.rows import read_rows


def main(folder: Path, rows: Path) -> None:
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    processor = AutoProcessor.from_pretrained(folder)
    messages, _, image = examples(next(read_rows(rows)))[0]
    prompt = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    inputs = processor(text=[prompt], images=[_picture(image)], return_tensors="pt")
    made = model.generate(**inputs, do_sample=False, max_new_tokens=48)
    print(processor.tokenizer.decode(made[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
