"""The one interface every model stands behind, offline and live, and the content key of a question.

A model is asked with a whole prompt and answers with raw text. What goes wrong outside the model (server
down, broken answer, overload) is an `InfrastructureError`: no score, still owed. A server that refuses the
request itself (unknown model, picture not accepted, context too long) raises `RequestRefused`: asking again
can't help, the user must change something; it is owed too and never a 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from solar_eval.dialects.base import Sampling
from solar_eval.dialects.frames import Frame, Size
from solar_eval.dialects.prompting import Image, Message
from solar_eval.errors import UsageError
from solar_eval.images import Picture
from solar_eval.records import Reply, Step


class RequestRefused(UsageError):
    """The server says the request can't be served as it is (HTTP 4xx other than 408, 409, 429)."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question. `pictures`: the encoded picture of every `Image.index` in `messages` ({} for scripted
    models).

    `step` carries the label that scripted models answer from; nothing of it is sent to a server. A live
    runner passes a step with `label=None`.
    """

    step: Step
    messages: tuple[Message, ...]
    frame: Frame
    sampling: Sampling = field(default_factory=Sampling)
    pictures: Mapping[int, Picture] = field(default_factory=dict)
    benchmark: str = ""

    @property
    def prefill(self) -> str:
        """The beginning of the reply that the prompt already holds ('' where it holds none)."""
        return prefill_of(self.messages)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back, raw. `text` is never None: a model that said nothing said ''.

    `reasoning`: what a server cut off as a reasoning channel; kept beside the text, not put into it.
    `image`, `prefill`: what a recorded reply was given to, where that is not this request's.
    `latency_s`: seconds from sending to the whole answer, retries included; None for models without a server.
    """

    text: str
    finish_reason: str = ""
    latency_s: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning: str = ""
    image: Size | None = None
    prefill: str | None = None


class Model(Protocol):
    """Anything that answers. Implementations must allow several `ask` at once in one event loop."""

    @property
    def spec(self) -> str:
        """How the user named it ("openai:NAME", "scripted:gold"); stands in the manifest and in every key."""

    @property
    def needs_pictures(self) -> bool:
        """Whether screenshots have to be loaded and encoded for it."""

    def request_fields(self, sampling: Sampling) -> dict[str, object]:
        """The decoding settings that are really sent, for the manifest; {} where there is nothing to set."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """One raw answer. Raises InfrastructureError or RequestRefused; a failed call is never text."""

    async def facts(self) -> dict[str, object]:
        """What the other end says about itself, for the manifest's environment section."""

    async def aclose(self) -> None:
        """Releases connections."""


def prefill_of(messages: Sequence[Message]) -> str:
    """Text of a last assistant message, which the server is asked to continue; '' if there is none."""
    if not messages or messages[-1].role != "assistant":
        return ""
    return "".join(part.text for part in messages[-1].parts if not isinstance(part, Image))


def image_indices(messages: Sequence[Message]) -> list[int]:
    """Index of every picture in the prompt, in the order in which they stand there, each once."""
    parts = (part for message in messages for part in message.parts)
    return list(dict.fromkeys(part.index for part in parts if isinstance(part, Image)))


def prompt_json(messages: Sequence[Message], pictures: Mapping[int, Picture]) -> list[dict[str, object]]:
    """The messages as plain data: pictures by their hash where they are loaded, else by their index."""

    def part_json(part: object) -> dict[str, object]:
        if isinstance(part, Image):
            picture = pictures.get(part.index)
            return {"image": part.index} if picture is None else {"image": part.index, "sha256": picture.sha256}
        return {"text": getattr(part, "text", "")}

    return [{"role": m.role, "parts": [part_json(part) for part in m.parts]} for m in messages]


def content_key(request: ModelRequest, spec: str, fields: Mapping[str, object]) -> str:
    """sha256 over the step id, the messages with their pictures' hashes, the model and the decoding."""
    content = {
        "step": request.step.id,
        "messages": prompt_json(request.messages, request.pictures),
        "model": spec,
        "request": dict(fields),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def to_reply(request: ModelRequest, answer: ModelReply) -> Reply:
    """The record of one answer. `image` is the size of the picture the answer's coordinates refer to."""
    return Reply(
        request.step.id, answer.text, answer.image or request.frame.image,
        request.prefill if answer.prefill is None else answer.prefill, "", answer.finish_reason,
        answer.latency_s, answer.prompt_tokens, answer.completion_tokens,
    )  # fmt: skip
