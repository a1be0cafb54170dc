"""What every reply goes through before a family's grammar sees it: size, degeneration, tokens, thought.

Nothing here interprets an action. The thought is cut away first because models mention calls, tags and numbers
in it that they do not mean (Open-AutoGLM client.py @6b18d7b, UI-S1 x/data/text.py @be799e0).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

MAX_CHARS = 1_000_000
"""A longer reply is a fault of the model: no checkpoint writes this much for one step."""

SPECIAL_TOKENS = (
    "<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|box_start|>", "<|box_end|>", "<|diff_marker|>",
    "<|begin_of_box|>", "<|end_of_box|>", "<|eot_id|>", "[EOS]", "</s>", "\x00",
)  # fmt: skip
_TOKENS = re.compile("|".join(re.escape(token) for token in SPECIAL_TOKENS))
_THINK_TAG = re.compile(r"<(/?)(think[\w-]*)>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"</(?:think|thinking)>", re.IGNORECASE)
_THINK_OPEN = re.compile(r"<(think[\w-]*)>", re.IGNORECASE)
_DEGENERATE = re.compile(r"(.{1,8}?)\1{19,}", re.DOTALL)

PrepareFault = Literal["empty", "degenerate_output", "too_long", "no_action"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A reply without its thought and special tokens.

    `body`: what is left to read. `raw`: the reply as it came. `thought`: the text of all think blocks.
    `open_thought`: a think block was opened and never closed (the reply was cut by the length limit).
    `tokens`: special tokens were removed.
    """

    raw: str
    body: str
    thought: str = ""
    open_thought: bool = False
    tokens: bool = False
    fault: PrepareFault | None = None


def prepare(text: str) -> Prepared:
    """Splits a raw reply into thought and body. Linear in its length, never raises."""
    if len(text) > MAX_CHARS:
        return Prepared(text, text[:200], fault="too_long")
    body, tokens = text, False
    if "<|" in text or "[EOS]" in text or "</s>" in text or "\x00" in text:
        body = _TOKENS.sub("", text)
        tokens = len(body) != len(text)
    stripped = body.strip()
    if not stripped:
        return Prepared(text, "", tokens=tokens, fault="empty")
    if is_degenerate(stripped):
        return Prepared(text, stripped[:40], tokens=tokens, fault="degenerate_output")
    thought, body, unclosed = split_thought(body)
    return Prepared(text, body, thought, unclosed, tokens)


def is_degenerate(text: str) -> bool:
    """One short token repeated at least 20 times and nothing else (local fp16 serving: UI-TARS-desktop#378)."""
    if len(text) < 20 or (text[0] != text[8] and text[:2] not in text[2:12]):
        return False
    match = _DEGENERATE.match(text)
    return match is not None and len(text) - match.end() < len(match.group(1))


def split_thought(text: str) -> tuple[str, str, bool]:
    """thought, rest, unclosed. Tags match by prefix and close by the same name; a lone closing tag ends a prefill."""
    if "think" not in text and "THINK" not in text and "Think" not in text:
        return "", text, False
    thoughts, rest = _cut_blocks(text)
    if "think" not in rest.lower():
        return "\n".join(thoughts), rest, False
    closes = list(_THINK_CLOSE.finditer(rest))
    close = closes[-1] if closes else None
    if close is not None:
        thoughts.append(_THINK_OPEN.sub("", rest[: close.start()]).strip())
        rest = rest[close.end() :]
    opened = _THINK_OPEN.search(rest)
    return "\n".join(thoughts), rest, opened is not None


def _cut_blocks(text: str) -> tuple[list[str], str]:
    """The insides of all blocks `<think..>..</think..>` of one name, and the text without them.

    Does what `re.sub(r"<(think[\\w-]*)>(.*?)</\\1>", ...)` does, in one pass: that pattern takes hours on a megabyte of
    opening tags.
    """
    tags = list(_THINK_TAG.finditer(text))
    if len(tags) == 2 and not tags[0].group(1) and tags[1].group(1) and tags[0].group(2) == tags[1].group(2):
        first, last = tags
        return [text[first.end() : last.start()].strip()], text[: first.start()] + text[last.end() :]
    closing: dict[str, list[int]] = {}
    for index in range(len(tags) - 1, -1, -1):
        if tags[index].group(1):
            closing.setdefault(tags[index].group(2).lower(), []).append(index)
    thoughts: list[str] = []
    kept: list[str] = []
    done, index = 0, 0
    while index < len(tags):
        ends = closing.get(tags[index].group(2).lower(), [])
        while ends and ends[-1] <= index:
            ends.pop()
        if not tags[index].group(1) and ends:
            kept.append(text[done : tags[index].start()])
            thoughts.append(text[tags[index].end() : tags[ends[-1]].start()].strip())
            done, index = tags[ends[-1]].end(), ends[-1]
        index += 1
    return thoughts, "".join([*kept, text[done:]])
