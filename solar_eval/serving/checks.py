"""What is checked of a model before any number: does it see the picture the dialect means, does it answer at all.

Each check asks a few small questions and gives a finding. Numbers of tokens come from the server's own counts: two
pictures whose sizes differ by a known number of merged patches must differ by that many prompt tokens, else the server
resized them and every coordinate would be off (facts: dialects.md; Qwen3-VL#1178, UI-TARS#83).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from solar_eval.dialects.base import Dialect, Sampling
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import Image, Message, PromptRequest, Text
from solar_eval.errors import InfrastructureError, UsageError
from solar_eval.images import Picture, prepare_picture
from solar_eval.models.base import Model, ModelReply, ModelRequest
from solar_eval.records import Step

State = Literal["ok", "failed", "not checked"]
SPECIAL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|vision_start|>", "<|image_pad|>")
SIZES = ((560, 1120), (1120, 1120))
"""Pixels of the two pictures; both are multiples of 28 and within every family's limits."""
SCREEN = (1080, 2400)


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. `fix` says what to do where it failed."""

    name: str
    state: State
    said: str
    fix: str = ""


def _picture(size: tuple[int, int], dialect: Dialect | None = None) -> Picture:
    from PIL import Image as Pillow

    out = io.BytesIO()
    Pillow.new("RGB", size, (70, 110, 160)).save(out, "PNG")
    from solar_eval.dialects.frames import ResizeRule

    return prepare_picture(out.getvalue(), dialect.resize if dialect else ResizeRule())


def _question(picture: Picture, text: str, tokens: int = 8) -> ModelRequest:
    step = Step("check/0", "check", 0, text, "", None, picture.original)
    messages = (Message("user", (Image(0), Text(text))),)
    return ModelRequest(
        step, messages, Frame(picture.original, picture.size), Sampling(max_tokens=tokens), {0: picture}
    )


async def check_model(model: Model, dialect: Dialect, reference: Model | None = None) -> list[Finding]:
    """All checks in order; those after a model that does not answer are "not checked".

    reference: another engine of the same checkpoint (transformers in process); its greedy answer to the dialect's own
    prompt is compared with the model's.
    """
    try:
        first = await model.ask(_question(_picture(SIZES[0]), "What colour is it?"))
    except (InfrastructureError, UsageError) as error:
        failed = Finding("answers a picture", "failed", str(error).replace("\n", " "), "see `solar-eval serve --help`")
        names = ("picture size", "special tokens", "context", "canary")
        return [failed, *(Finding(name, "not checked", "it does not answer") for name in names)]
    found = [Finding("answers a picture", "ok", f"{first.completion_tokens or 0} tokens")]
    second = await model.ask(_question(_picture(SIZES[1]), "What colour is it?"))
    found.append(_size(first, second, dialect))
    found.append(_special(first.text + second.text))
    found.append(await _context(model, dialect))
    found.append(await _canary(model, dialect, reference))
    return found


def _size(first: ModelReply, second: ModelReply, dialect: Dialect) -> Finding:
    """The difference in prompt tokens is that of the pictures' merged patches."""
    if dialect.resize.kind != "smart":
        return Finding("picture size", "not checked", f"{dialect.name} does not resize by patches")
    if first.prompt_tokens is None or second.prompt_tokens is None:
        return Finding("picture size", "not checked", "the server counts no prompt tokens")
    factor = dialect.resize.factor
    counts = [w // factor * (h // factor) for w, h in SIZES]
    expected, seen = counts[1] - counts[0], second.prompt_tokens - first.prompt_tokens
    said = f"a picture {expected} patches larger took {seen} more tokens"
    fix = "start the server with the dialect's min_pixels and max_pixels: `solar-eval serve` does"
    return Finding("picture size", "ok" if seen == expected else "failed", said, fix)


def _special(text: str) -> Finding:
    leaked = [token for token in SPECIAL if token in text]
    said = f"answers hold {', '.join(leaked)}" if leaked else "none in the answers"
    fix = "the chat template or the end token is not the checkpoint's: check tokenizer_config.json, generation_config"
    return Finding("special tokens", "failed" if leaked else "ok", said, fix)


async def _context(model: Model, dialect: Dialect) -> Finding:
    """The dialect's own prompt on a full screen with a full history fits."""
    from solar_eval.serving.vllm_flags import context_for

    facts = await model.facts()
    limit = facts.get("max_model_len")
    need = context_for(dialect)
    if not isinstance(limit, int):
        return Finding("context", "not checked", "the server does not say its context length")
    return Finding("context", "ok" if limit >= need else "failed", f"{limit} tokens, {dialect.name} may need {need}",
                   f"start the server with a context of {need}")  # fmt: skip


def canary(dialect: Dialect) -> ModelRequest:
    """The dialect's own prompt for a small invented step, answered greedily."""
    picture = _picture(SCREEN, dialect)
    frame = Frame(SCREEN, picture.size)
    messages = dialect.messages(PromptRequest("Open the settings and turn on airplane mode.", frame), None)
    step = Step("check/0", "check", 0, "", "", None, SCREEN)
    return ModelRequest(step, tuple(messages), frame, Sampling(max_tokens=64), {0: picture})


async def _canary(model: Model, dialect: Dialect, reference: Model | None) -> Finding:
    question = canary(dialect)
    try:
        answers = [(await model.ask(question)).text for _ in range(2)]
        expected = None if reference is None else (await reference.ask(question)).text
    except (InfrastructureError, UsageError) as error:
        return Finding("canary", "failed", str(error).replace("\n", " "), "the dialect's own prompt is not served")
    if answers[0] != answers[1]:
        said = f"two greedy answers differ: {answers[0][:60]!r}, {answers[1][:60]!r}"
        return Finding("canary", "failed", said, "the server samples, or batches change its answers: note it")
    if expected is None:
        return Finding("canary", "ok", f"greedy and repeatable: {answers[0][:60]!r}")
    same = answers[0] == expected
    said = "equal to transformers'" if same else f"{answers[0][:60]!r}, transformers: {expected[:60]!r}"
    return Finding(
        "canary", "ok" if same else "failed", said, "another template, dtype or picture size than transformers'"
    )


def render(findings: Sequence[Finding]) -> str:
    """One line a finding, the fix under what failed."""
    lines = []
    for one in findings:
        lines.append(f"{one.state:12} {one.name}: {one.said}")
        if one.state == "failed" and one.fix:
            lines.append(f"{'':12} {one.fix}")
    return "\n".join(lines)
