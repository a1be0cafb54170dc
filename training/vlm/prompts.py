"""Messages as token ids: Qwen2.5-VL's chat form with expanded image tokens, and their multimodal rope positions.

The form is that of the checkpoints' chat template (QwenLM/Qwen2.5-VL): <|im_start|>role, line feed, content,
<|im_end|>, line feed; a picture is <|vision_start|>, one <|image_pad|> for each merged patch, <|vision_end|>. Texts are
encoded with special tokens taken as plain text: a goal that spells <|image_pad|> must not become a placeholder. Nothing
is ever truncated: what is too long is filtered by curation (case T07).

Positions (mrope): a text token has one number three times; a picture's tokens share the time and count rows and
columns from there; the text goes on behind the larger side. They are computed here rather than by the model, whose own
computation keeps state between calls and falls silently back to one dimension without `mm_token_type_ids`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solar_eval.dialects.prompting import Image, Message
from training.errors import BadShape
from training.ragged import Ints

SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
"""Special tokens of Qwen2.5-VL that prompts use or that must never be sampled."""


@dataclass(frozen=True)
class Prompt:
    """One encoded prompt of P tokens. ids: (P,). positions: (3, P). next: the first reply token's position.

    images: keys of its pictures, in order. prefill: what the reply has begun with.
    """

    ids: Ints
    positions: Ints
    next: int
    images: tuple[str, ...]
    prefill: str = ""


@dataclass(frozen=True)
class ChatTokens:
    """A tokenizer and its special ids. Raises BadShape where the tokenizer lacks one of SPECIAL's."""

    tokenizer: Any
    merge: int = 2

    def __post_init__(self) -> None:
        missing = [name for name in SPECIAL if self._id(name) is None]
        if missing:
            raise BadShape(f"the tokenizer has no {', '.join(missing)}", fix="give a Qwen2.5-VL checkpoint")

    def _id(self, name: str) -> int | None:
        found = self.tokenizer.convert_tokens_to_ids(name)
        known = found is not None and found != self.tokenizer.unk_token_id
        return int(found) if known else None

    def id(self, name: str) -> int:
        """The id of a special token."""
        found = self._id(name)
        assert found is not None
        return found

    @property
    def end(self) -> int:
        """Ends a reply."""
        return self.id("<|im_end|>")

    def banned(self) -> list[int]:
        """Ids that are never sampled and have no probability: every special token but the end of a reply (T08)."""
        added = {i for i, token in self.tokenizer.added_tokens_decoder.items() if token.special}
        return sorted((added | {self.id(name) for name in SPECIAL}) - {self.end})

    def text(self, text: str) -> list[int]:
        """A text's ids; special tokens inside it are plain text."""
        return list(self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])

    def reply(self, text: str) -> list[int]:
        """A reply's ids with its end."""
        return [*self.text(text), self.end]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of sampled ids up to the end of the reply."""
        kept = list(ids)
        if self.end in kept:
            kept = kept[: kept.index(self.end)]
        return str(self.tokenizer.decode(kept, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def prompt(
        self, messages: Sequence[Message], screens: Mapping[int, str], grid: Callable[[str], tuple[int, int]]
    ) -> Prompt:
        """Encodes messages. screens: picture keys by step index; grid: patches (h, w) of a key."""
        ids: list[int] = []
        images: list[str] = []
        prefill = ""
        for place, message in enumerate(messages):
            ids += [self.id("<|im_start|>"), *self.text(f"{message.role}\n")]
            for part in message.parts:
                if isinstance(part, Image):
                    images.append(screens[part.index])
                    ids += self._picture(grid(images[-1]))
                else:
                    ids += self.text(part.text)
            if message.role == "assistant" and place == len(messages) - 1:
                prefill = "".join(part.text for part in message.parts if not isinstance(part, Image))
            else:
                ids += [self.end, *self.text("\n")]
        if not messages or messages[-1].role != "assistant":
            ids += [self.id("<|im_start|>"), *self.text("assistant\n")]
        whole = np.array(ids, dtype=np.int64)
        positions, after = rope_positions(whole, self.id("<|image_pad|>"), [grid(key) for key in images], self.merge)
        return Prompt(whole, positions, after, tuple(images), prefill)

    def _picture(self, grid: tuple[int, int]) -> list[int]:
        count = grid[0] * grid[1] // self.merge**2
        return [self.id("<|vision_start|>"), *[self.id("<|image_pad|>")] * count, self.id("<|vision_end|>")]


def rope_positions(ids: Ints, image_token: int, grids: Sequence[tuple[int, int]], merge: int = 2) -> tuple[Ints, int]:
    """Positions (3, P) of time, row and column for a prompt with these pictures, and the next free position."""
    positions = np.zeros((3, len(ids)), dtype=np.int64)
    place, number = 0, 0
    for h, w in grids:
        found = np.flatnonzero(ids[place:] == image_token)
        rows, columns = h // merge, w // merge
        if not len(found):
            raise BadShape(f"{len(grids)} pictures but fewer runs of image tokens")
        start, count = place + int(found[0]), rows * columns
        if (ids[start : start + count] != image_token).any() or start + count > len(ids):
            raise BadShape(f"image tokens do not match the picture's {rows}x{columns} features")
        positions[:, place:start] = number + np.arange(start - place)
        number += start - place
        positions[0, start : start + count] = number
        positions[1, start : start + count] = number + np.repeat(np.arange(rows), columns)
        positions[2, start : start + count] = number + np.tile(np.arange(columns), rows)
        number, place = number + max(rows, columns), start + count
    if (ids[place:] == image_token).any():
        raise BadShape("image tokens without a picture")
    positions[:, place:] = number + np.arange(len(ids) - place)
    return positions, number + len(ids) - place
