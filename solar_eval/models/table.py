"""The visible table of models, and `from_spec`, which makes one from what the user wrote after --model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solar_eval.dialects.base import Dialect
from solar_eval.errors import UsageError, unknown_name
from solar_eval.models.base import Model
from solar_eval.models.openai_server import OpenAIServer, ServerOptions, TokenField
from solar_eval.models.recorded import RecordedModel
from solar_eval.models.scripted import SCRIPT_KINDS, ScriptedModel, ScriptKind

RESERVED_BODY = ("model", "messages", "stream", "n", "continue_final_message", "add_generation_prompt")
"""Request fields that extra_body may not replace."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a model may need beside its name. Scripted models need `dialect` and `seed`, servers the rest."""

    dialect: Dialect
    seed: int = 0
    server: ServerOptions = field(default_factory=ServerOptions)
    extra_body: Mapping[str, object] = field(default_factory=dict)
    token_field: TokenField = "max_tokens"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One row of the table. `make` gets what stands after the first colon."""

    usage: str
    about: str
    make: Callable[[str, ModelOptions], Model]


def _openai(name: str, options: ModelOptions) -> Model:
    if not name:
        raise UsageError(
            "openai: needs the served model's name",
            "--model",
            "for example openai:Qwen/Qwen2.5-VL-7B-Instruct",
        )
    if taken := sorted(set(options.extra_body) & set(RESERVED_BODY)):
        raise UsageError(f"extra_body may not set {', '.join(taken)}", "extra_body", "these belong to the harness")
    return OpenAIServer(name, options.server, options.seed, options.extra_body, options.token_field)


def _scripted(rest: str, options: ModelOptions) -> Model:
    kind, _, right = rest.partition(":")
    kinds: dict[str, ScriptKind] = {name: name for name in SCRIPT_KINDS}
    if kind not in kinds:
        raise unknown_name("scripted model", kind, SCRIPT_KINDS)
    if not right:
        return ScriptedModel(kinds[kind], options.dialect, options.seed)
    if kind != "noisy":
        raise UsageError(f"scripted:{kind} takes no {right!r}", "--model", "only noisy takes a probability")
    try:
        probability = float(right)
    except ValueError:
        probability = -1.0
    if not 0 <= probability <= 1:
        raise UsageError(f"{right!r} is no probability", "--model", "for example scripted:noisy:0.7")
    return ScriptedModel("noisy", options.dialect, options.seed, probability)


def _recorded(path: str, options: ModelOptions) -> Model:
    if not path:
        raise UsageError("recorded: needs a file", "--model", "for example recorded:runs/mine/samples.jsonl")
    return RecordedModel.from_file(Path(path))


def _local(path: str, options: ModelOptions) -> Model:
    if not path:
        raise UsageError("local: needs a checkpoint", "--model", "for example local:runs/mine/export")
    from solar_eval.models.local import LocalModel

    return LocalModel(path, options.seed)


MODELS: dict[str, ModelEntry] = {
    "openai": ModelEntry("openai:NAME", "any OpenAI-compatible server (vLLM, SGLang, hosted); see --base-url", _openai),
    "local": ModelEntry("local:PATH", "a checkpoint in this process through transformers (extra serve)", _local),
    "scripted": ModelEntry(
        "scripted:gold|noisy[:P]|broken|random",
        "no server: the label, errors of known kinds, or chance",
        _scripted,
    ),
    "recorded": ModelEntry("recorded:FILE", "replies from a JSON-lines file or a run directory", _recorded),
}


def from_spec(spec: str, options: ModelOptions) -> Model:
    """The model the user named, as KIND:REST. Raises UsageError with the nearest names."""
    kind, colon, rest = spec.partition(":")
    entry = MODELS.get(kind)
    if entry is not None and colon:
        return entry.make(rest, options)
    if entry is not None:
        raise UsageError(f"model {spec!r} is incomplete", "--model", f"write {entry.usage}")
    error = unknown_name("model", kind, MODELS)
    forms = ", ".join(entry.usage for entry in MODELS.values())
    raise UsageError(error.what, "--model", f"{error.fix}; forms: {forms}")
