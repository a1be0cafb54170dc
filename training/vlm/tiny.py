"""The built-in model: Qwen2.5-VL's architecture with random weights, and a small tokenizer made from the data.

Sizes after facts/training_stack.md section 3 (m128: 0.7 million parameters, learns in minutes on one core). It is the
real architecture through transformers, so everything that holds for a checkpoint (rope, windows, cache, export) is
exercised; it knows no language. Weights start with a spread of hidden ** -0.5; .02, as checkpoints have it, makes
attention so even at this width that the first hundreds of updates teach nothing. From random weights it learns words of
the goal and coarse marks of the screen, not where a button is: visual grounding takes far longer than minutes (facts).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from training.vlm.prompts import SPECIAL

CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'text' %}{{ part['text'] }}"
    "{% else %}<|vision_start|><|image_pad|><|vision_end|>{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The chat form of `prompts.ChatTokens` for servers; they repeat <|image_pad|> as often as the picture needs."""


@dataclass(frozen=True)
class TinySizes:
    """Sizes of the built-in model; heads have hidden / heads dimensions, which has to be a multiple of 8."""

    vocabulary: int = 512
    hidden: int = 128
    layers: int = 2
    heads: int = 4
    key_heads: int = 2
    feed_forward: int = 384
    vision_hidden: int = 64
    vision_layers: int = 2
    context: int = 2048


def tiny_tokenizer(texts: Iterable[str], vocabulary: int = 512) -> Any:
    """A byte-level BPE tokenizer trained on these texts, with Qwen2.5-VL's special tokens. Same texts, same result."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )  # fmt: skip
    made.train_from_iterator(sorted(set(texts)), trainer)
    wrap: Any = PreTrainedTokenizerFast
    return wrap(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>",
        clean_up_tokenization_spaces=False, chat_template=CHAT,
    )  # fmt: skip


def tiny_model(tokenizer: Any, seed: int, sizes: TinySizes | None = None) -> Any:
    """A Qwen2_5_VLForConditionalGeneration with random weights of this seed."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    sizes = sizes or TinySizes()
    name = tokenizer.convert_tokens_to_ids
    half = sizes.hidden // sizes.heads // 2
    spread = sizes.hidden**-0.5
    side = half * 3 // 8
    text = {
        "vocab_size": len(tokenizer), "hidden_size": sizes.hidden, "intermediate_size": sizes.feed_forward,
        "num_hidden_layers": sizes.layers, "num_attention_heads": sizes.heads,
        "num_key_value_heads": sizes.key_heads, "max_position_embeddings": sizes.context,
        "rope_scaling": {"type": "mrope", "mrope_section": [half - 2 * side, side, side]}, "rope_theta": 10_000.0,
        "bos_token_id": name("<|endoftext|>"), "eos_token_id": name("<|im_end|>"),
        "pad_token_id": name("<|endoftext|>"), "max_window_layers": sizes.layers,
        "initializer_range": spread,
    }  # fmt: skip
    vision = {
        "depth": sizes.vision_layers, "hidden_size": sizes.vision_hidden, "num_heads": 4,
        "intermediate_size": 2 * sizes.vision_hidden, "out_hidden_size": sizes.hidden, "window_size": 112,
        "fullatt_block_indexes": [sizes.vision_layers - 1], "initializer_range": spread,
    }  # fmt: skip
    configuration: Any = Qwen2_5_VLConfig
    config = configuration(
        text_config=text, vision_config=vision, image_token_id=name("<|image_pad|>"),
        video_token_id=name("<|video_pad|>"), vision_start_token_id=name("<|vision_start|>"),
        vision_end_token_id=name("<|vision_end|>"), initializer_range=spread,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = Qwen2_5_VLForConditionalGeneration(config)
    made.generation_config.eos_token_id = name("<|im_end|>")
    made.generation_config.pad_token_id = name("<|endoftext|>")
    return made
