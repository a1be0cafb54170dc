"""Any OpenAI-compatible chat server (vLLM, SGLang, llama.cpp, hosted): images as data URLs, retries, one
limit.

HTTP failures are retried by the openai client (connection errors, 408, 409, 429, 5xx; it honours
Retry-After); a 200 whose body can't be used (half a JSON, HTML of a proxy, no choice) is retried here, as
often. What vLLM needs beyond the OpenAI fields goes into the body: top_k, repetition_penalty,
skip_special_tokens, and for a prompt that ends in an assistant turn continue_final_message with
add_generation_prompt off (vllm docs, serving/openai_compatible_server). The API key is read from an
environment variable that the user names; neither it nor a password in the URL is stored.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from solar_eval.dialects.base import Sampling
from solar_eval.dialects.prompting import Image, Message
from solar_eval.errors import InfrastructureError, UsageError, unknown_name
from solar_eval.images import Picture
from solar_eval.models.base import ModelReply, ModelRequest, RequestRefused

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

TokenField = Literal["max_tokens", "max_completion_tokens"]
STANDARD = ("temperature", "top_p", "frequency_penalty", "presence_penalty")
EXTENDED = ("top_k", "repetition_penalty", "skip_special_tokens")
"""Fields of `Sampling` that are no OpenAI fields; vLLM and SGLang read them from the body."""
RETRIED = (408, 409, 429)
BAD_FINISH = ("abort", "error")
"""Finish reasons that mean the server gave up on the request: no answer."""


class UnusableAnswer(InfrastructureError):
    """A 200 whose body is not a chat completion with one choice."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to reach a server. None of it changes what a model is asked, so none of it is part of a run's
    identity.

    `base_url`: None is api.openai.com. `api_key_env`: NAME of the variable that holds the key; None sends no
    key to a `base_url` and OPENAI_API_KEY to api.openai.com. `timeout_s`: for each attempt.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    concurrency: int = 8
    timeout_s: float = 300.0
    max_retries: int = 5


@dataclass
class OpenAIServer:
    """The model `name` on a server. `extra_body` goes into every request as it is (chat_template_kwargs)."""

    name: str
    options: ServerOptions = field(default_factory=ServerOptions)
    seed: int | None = None
    extra_body: Mapping[str, object] = field(default_factory=dict)
    token_field: TokenField = "max_tokens"
    needs_pictures: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        import anyio
        from openai import AsyncOpenAI

        self._client: AsyncOpenAI = AsyncOpenAI(
            api_key=_api_key(self.options), base_url=self.options.base_url, timeout=self.options.timeout_s,
            max_retries=self.options.max_retries,
        )  # fmt: skip
        self._limiter = anyio.CapacityLimiter(self.options.concurrency)

    @property
    def spec(self) -> str:
        """openai:NAME."""
        return f"openai:{self.name}"

    @property
    def where(self) -> str:
        """The server's address without user name, password or query."""
        return public_url(str(self._client.base_url))

    def request_fields(self, sampling: Sampling) -> dict[str, object]:
        """Decoding settings as they are sent, OpenAI's and the server's own in one flat mapping."""
        fields: dict[str, object] = {self.token_field: sampling.max_tokens}
        for key in (*STANDARD, *EXTENDED):
            if (value := getattr(sampling, key)) is not None:
                fields[key] = value
        if sampling.stop:
            fields["stop"] = list(sampling.stop)
        if self.seed is not None and sampling.temperature != 0:
            fields["seed"] = self.seed
        return fields | dict(self.extra_body)

    async def ask(self, request: ModelRequest) -> ModelReply:
        """One completion. Raises InfrastructureError after the retries, RequestRefused at once."""
        from tenacity import (
            AsyncRetrying,
            retry_if_exception_type,
            stop_after_attempt,
            wait_random_exponential,
        )

        body = self.request_fields(request.sampling) | _prefill_fields(request)
        messages = wire_messages(request.messages, request.pictures)
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(UnusableAnswer),
            stop=stop_after_attempt(self.options.max_retries + 1),
            wait=wait_random_exponential(multiplier=0.25, max=8),
            reraise=True,
        )
        async with self._limiter:
            started = time.monotonic()
            reply: ModelReply = await retrying(self._attempt, messages, body, request.step.id)
            return replace(reply, latency_s=round(time.monotonic() - started, 4))

    async def _attempt(self, messages: list[dict[str, object]], body: dict[str, object], step: str) -> ModelReply:
        import openai

        where = f"{self.where} (step {step})"
        try:
            raw = await self._client.chat.completions.with_raw_response.create(
                model=self.name,
                messages=messages,  # type: ignore[arg-type]  # plain dictionaries of the documented form
                extra_body=body,
            )
        except openai.APIStatusError as error:
            raise await self._status_error(error, where) from error
        except openai.APITimeoutError as error:
            raise InfrastructureError(
                f"no answer within {self.options.timeout_s:g} s, {self.options.max_retries + 1} attempts",
                where,
                "raise --timeout-s or lower --concurrency",
            ) from error
        except openai.APIError as error:
            cause = error.__cause__ or error
            raise InfrastructureError(
                f"{error} ({type(cause).__name__}: {cause})",
                where,
                "is the server up, and is --base-url right?",
            ) from error
        return read_completion(raw.content, where)

    async def _status_error(self, error: APIStatusError, where: str) -> InfrastructureError | UsageError:
        said = " ".join(error.response.text.split())[:500] or error.message
        what = f"HTTP {error.status_code}: {said}"
        if error.status_code in RETRIED or error.status_code >= 500:
            return InfrastructureError(what, where, f"after {self.options.max_retries} retries; the step is still owed")
        return RequestRefused(what, where, await self._hint(error.status_code, said))

    async def _hint(self, status: int, said: str) -> str:
        if status in (401, 403):
            return "name the environment variable that holds the key with --api-key-env"
        if status == 404:
            served = (await self.facts()).get("served")
            if isinstance(served, list) and served and self.name not in served:
                return unknown_name("served model", self.name, served).fix
            return "check the model's name and that --base-url ends in /v1"
        if "context" in said or "max_model_len" in said:
            return "start the server with a longer context, or lower --max-pixels or --max-tokens"
        return "the server's own words are above"

    async def facts(self) -> dict[str, object]:
        """What GET /models says: ids, and for ours its root and context length; or why it says nothing."""
        import openai

        try:
            raw = await self._client.with_options(max_retries=0, timeout=10).models.with_raw_response.list()
            entries = [entry for entry in json.loads(raw.content)["data"] if isinstance(entry, dict)]
        except (openai.APIError, ValueError, LookupError, TypeError) as error:
            return {"base_url": self.where, "models_unavailable": f"{type(error).__name__}: {error}"[:200]}
        mine = next((entry for entry in entries if entry.get("id") == self.name), {})
        kept = {key: mine[key] for key in ("root", "max_model_len", "owned_by") if mine.get(key) is not None}
        return {"base_url": self.where, "served": [str(entry.get("id")) for entry in entries][:50], **kept}

    async def aclose(self) -> None:
        """Closes the connection pool."""
        await self._client.close()


def _api_key(options: ServerOptions) -> str:
    name = options.api_key_env or ("OPENAI_API_KEY" if options.base_url is None else None)
    if name is None:
        return "none"
    key = os.environ.get(name, "")
    if not key:
        fix = "set it, or give --base-url for a server without keys" if options.base_url is None else "set it"
        raise UsageError("no API key", f"environment variable {name}", fix)
    return key


def public_url(url: str) -> str:
    """A URL without user, password, query and fragment."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, host + (f":{parts.port}" if parts.port else ""), parts.path, "", ""))


def _prefill_fields(request: ModelRequest) -> dict[str, object]:
    return {"continue_final_message": True, "add_generation_prompt": False} if request.prefill else {}


def wire_messages(messages: tuple[Message, ...], pictures: Mapping[int, Picture]) -> list[dict[str, object]]:
    """Messages in OpenAI's form: one text alone as a string, else a list of parts in the dialect's order."""
    out: list[dict[str, object]] = []
    for message in messages:
        parts: list[dict[str, object]] = [
            {"type": "image_url", "image_url": {"url": pictures[part.index].data_url()}}
            if isinstance(part, Image)
            else {"type": "text", "text": part.text}
            for part in message.parts
        ]
        alone = len(parts) == 1 and parts[0]["type"] == "text"
        out.append({"role": message.role, "content": parts[0]["text"] if alone else parts})
    return out


def read_completion(content: bytes, where: str) -> ModelReply:
    """The reply in a response body. Raises UnusableAnswer for anything but a chat completion."""
    try:
        data: Any = json.loads(content)
        choice = data["choices"][0]
        message, finish = choice["message"], str(choice.get("finish_reason") or "")
        text, reasoning = (
            message.get("content"),
            message.get("reasoning_content") or message.get("reasoning") or "",
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        start = content[:120].decode("utf-8", "replace")
        raise UnusableAnswer(f"not a chat completion ({type(error).__name__}): {start!r}", where) from None
    if finish in BAD_FINISH:
        raise UnusableAnswer(f"the server ended the request with finish_reason {finish!r}", where)
    if text is None and message.get("tool_calls"):
        fix = "start the server without its tool-call parser: the raw text is what gets scored"
        raise RequestRefused("the server took the reply apart into tool_calls", where, fix)
    if not (text is None or isinstance(text, str)):
        raise UnusableAnswer(f"content is {type(text).__name__}, not text", where)
    usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    return ModelReply(
        text or "", finish, None, _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")),
        reasoning if isinstance(reasoning, str) else "",
    )  # fmt: skip


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
