"""Typed run configuration, and how it comes together: default < file < environment < flag.

Every field has a sentence; an unknown key is an error with the nearest name; `--dry-run` prints the resolved
whole as TOML with where each value came from, and that print is a valid configuration file. `resolve` works
for any pydantic model, so other verbs bring their own class and add it to CONFIGS.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from solar_eval.errors import DataError, UsageError

ENV_PREFIX = "SOLAR_EVAL_"


def _split(value: object) -> object:
    """A text from a flag or the environment is a comma-separated list."""
    return _parts(value) if isinstance(value, str) else value


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _from_json(value: object) -> object:
    """A text from a flag or the environment is a JSON object; what isn't stays and fails validation."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _seeds(value: object) -> object:
    """A text is a list of numbers and of ranges: "30,31", "30-34"."""
    if not isinstance(value, str):
        return value
    out: list[object] = []
    for part in _parts(value):
        first, dash, last = part.partition("-")
        whole = dash and first.isdigit() and last.isdigit() and 0 <= int(last) - int(first) < MOST_SEEDS
        out += range(int(first), int(last) + 1) if whole else [part]
    return out


MOST_SEEDS = 10_000
Seeds = Annotated[tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(_seeds)]
Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(_from_json)]


class AskConfig(BaseModel):
    """How a model is asked, offline and live."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: Path | None = Field(None, description="Jinja file with the family's wording; default: ours.")
    out: Path | None = Field(None, description="Run directory; default: runs/NAME, made from the configuration.")
    seed: int = Field(0, ge=0, description="Seed of scripted models, and of the server where it samples.")
    base_url: str | None = Field(None, description="Address of the server up to /v1; default: api.openai.com.")
    api_key_env: str | None = Field(
        None,
        description="NAME of the environment variable with the key; default: none with base_url, else OPENAI_API_KEY.",
    )
    concurrency: int = Field(8, ge=1, le=4096, description="Most requests in flight at once.")
    timeout_s: float = Field(300.0, gt=0, description="Seconds until one attempt counts as failed.")
    max_retries: int = Field(5, ge=0, le=100, description="Further attempts after a failed request.")

    decoding: Literal["dialect", "server"] = Field(
        "dialect",
        description="Where decoding settings that are not given here come from: the family's recommended ones, or "
        "none are sent but max_tokens.",
    )
    temperature: float | None = Field(None, ge=0, description="Sampling temperature; 0 is greedy.")
    top_p: float | None = Field(None, ge=0, le=1, description="Nucleus sampling.")
    top_k: int | None = Field(None, ge=-1, description="Top-k sampling (vLLM, SGLang).")
    repetition_penalty: float | None = Field(None, gt=0, description="Repetition penalty (vLLM, SGLang).")
    frequency_penalty: float | None = Field(None, description="OpenAI's frequency penalty.")
    presence_penalty: float | None = Field(None, description="OpenAI's presence penalty.")
    max_tokens: int | None = Field(None, ge=1, description="Longest reply in tokens.")
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="Name under which the server takes the longest reply."
    )
    extra_body: JsonObject = Field(
        default_factory=dict, description='Further request fields, for example {"chat_template_kwargs": {...}}.'
    )

    image_format: Literal["png", "jpeg"] = Field("png", description="Encoding of screenshots; png changes no pixel.")
    min_pixels: int | None = Field(None, ge=1, description="Replaces the dialect's smallest picture area.")
    max_pixels: int | None = Field(None, ge=1, description="Replaces the dialect's largest picture area.")

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("not an http(s) address such as http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError("no keys in the address: put the key into a variable and name it with api_key_env")
        return value


class RunConfig(AskConfig):
    """One offline run: what is asked, whom, how, and where the replies go."""

    benchmark: str = Field(description="Benchmark by name; see `solar-eval ls benchmarks`.")
    model: str = Field(
        description="Whom to ask: openai:NAME, local:PATH, scripted:gold|noisy[:P]|broken|random, recorded:FILE."
    )
    dialect: str = Field(description="Prompt and reply format of the model's family; see `solar-eval ls dialects`.")
    protocol: Names = Field(("guievalkit_2025_09",), description="Scoring protocols, the first sets the defaults.")
    data: Path | None = Field(None, description="File or folder of the benchmark's data; default: where it is known.")
    subset: str | None = Field(None, description="Named subset of the benchmark; default: the protocol's.")
    level: Literal["high", "low"] | None = Field(
        None, description="high shows the goal alone, low the step's instruction; default: the benchmark's, else high."
    )
    history: Literal["labels", "own"] | None = Field(
        None,
        description="Earlier steps in the prompt: the labels' (offline) or the model's own (semi-online: an episode "
        "stops at its first error); default: the protocol's.",
    )
    limit: int | None = Field(None, ge=1, description="Only the first N steps (of own history: episodes).")
    sample: Names = Field((), description="Only these steps or episodes, by id.")
    dry_run: bool = Field(False, description="Print configuration and first prompt, ask nothing, write nothing.")
    max_faults: int = Field(20, ge=1, description="Stop after this many failed steps in a row; all stay owed.")


class LiveConfig(AskConfig):
    """One live run: which tasks, on which phones, whom, under which rules."""

    benchmark: str = Field(description="Live benchmark: pocket_world or android_world.")
    model: str = Field(description="Whom to ask: openai:NAME, scripted:expert|noisy[:P]|random|noop.")
    dialect: str | None = Field(
        None, description="Prompt and reply format: a model family's, or elements / marks for general models."
    )
    seeing: Literal["screenshot", "marks", "elements"] | None = Field(
        None, description="What the model is shown; default: the dialect's way."
    )
    devices: str | None = Field(
        None,
        description="Phones: pocket:N, pocket-in-process:N, serials with commas, avd:NAME:N, docker:IMAGE:N, "
        "ray://ADDRESS/SPEC; pocket_world's default: pocket-in-process:2.",
    )
    tasks: Names = Field((), description="Only these task templates, by name or pattern (Markor*).")
    seeds: Seeds = Field((30,), description="Seeds of the tasks' parameters: 30,31 or 30-34.")
    repeats: int = Field(1, ge=1, le=100, description="Attempts at every task, for pass@k.")
    budget: int | None = Field(None, ge=1, description="Steps of an episode; default: the task's 10 x complexity.")
    require_done: bool = Field(True, description="A task that the agent solved without saying so counts as failed.")
    answer_ends: bool = Field(True, description="An answer ends the episode.")
    settle_s: float | None = Field(
        None, ge=0, description="Longest wait for a still screen before a look; default: 0 on pocket phones, else 6."
    )
    tries: int = Field(3, ge=1, description="How often an episode is tried when phone or server fail.")
    episode_timeout_s: float = Field(3600.0, gt=0, description="Longest episode; after that the phone is taken away.")
    spares: int = Field(0, ge=0, description="Phones more than are used at once, standing ready.")
    pictures: bool = Field(True, description="Keep the screenshot of every step.")
    resume: bool = Field(False, description="Go on with a run that is there; an error if it is not.")
    watch: bool = Field(False, description="Serve a page on this computer that shows every device now.")
    watch_port: int = Field(0, ge=0, le=65535, description="Its port; 0: any free one.")
    android_world: Path | None = Field(
        None, description="android_world: a checkout of google-research/android_world; default: as importable."
    )
    max_faults: int = Field(20, ge=1, description="Stop after this many failed attempts in a row; all stay owed.")
    dry_run: bool = Field(False, description="Print configuration and tasks, lease nothing, write nothing.")


NOT_FIELDS = ("SOLAR_EVAL_DATA",)
"""Variables of the same prefix that are read elsewhere (SOLAR_EVAL_DATA: the folder above all benchmarks' data)."""
CONFIGS: tuple[type[BaseModel], ...] = (RunConfig, LiveConfig)
"""Every configuration class; a SOLAR_EVAL_ variable has to name a field of one of them."""

C = TypeVar("C", bound=BaseModel)


@dataclass(frozen=True)
class Resolved(Generic[C]):
    """A configuration and where each of its values came from ("default", "file run.toml", "flag --seed"...)."""

    config: C
    origins: Mapping[str, str]

    def to_json(self) -> dict[str, object]:
        """The copy that is kept in a run directory."""
        return {"config": self.config.model_dump(mode="json"), "origins": dict(self.origins)}

    def to_toml(self) -> str:
        """The whole configuration as a TOML file, every field under its sentence."""
        values, lines = self.config.model_dump(mode="json"), []
        kind = type(self.config)
        own = [name for name in kind.__annotations__ if name in kind.model_fields]
        for name in [*own, *(name for name in kind.model_fields if name not in own)]:
            info = kind.model_fields[name]
            lines.append(f"# {info.description}")
            value = values[name]
            text = f"# {name} is not set" if value is None else f"{name} = {_toml(value)}"
            lines.append(f"{text}  # {self.origins[name]}")
        return "\n".join(lines) + "\n"


def resolve(
    kind: type[C],
    flags: Mapping[str, object],
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Resolved[C]:
    """Puts the four layers together. A flag of value None was not given. Raises UsageError naming each bad value."""
    values: dict[str, object] = {}
    origins = dict.fromkeys(kind.model_fields, "default")
    layers = [
        *_file_layer(kind, file),
        *_env_layer(kind, os.environ if environ is None else environ),
        *((key, value, f"flag --{key.replace('_', '-')}") for key, value in flags.items() if value is not None),
    ]
    for key, value, origin in layers:
        if key not in kind.model_fields:
            raise _unknown_key(key, kind.model_fields, origin)
        values[key], origins[key] = value, origin
    try:
        return Resolved(kind.model_validate(values), origins)
    except ValidationError as error:
        raise UsageError(_told(error, origins), "configuration") from None


def _file_layer(kind: type[BaseModel], file: Path | None) -> list[tuple[str, object, str]]:
    if file is None:
        return []
    data = read_config_file(file)
    plain = {key.replace("-", "_"): value for key, value in data.items()}
    for key in plain:
        if key not in kind.model_fields:
            raise _unknown_key(key, kind.model_fields, f"file {file}")
    return [(key, value, f"file {file}") for key, value in plain.items()]


def read_config_file(file: Path) -> dict[str, Any]:
    """A TOML or JSON file as a dictionary. Raises DataError naming the file and the line."""
    readers = {".toml": tomllib.loads, ".json": json.loads}
    if file.suffix not in readers:
        raise DataError(f"{file.suffix or 'no suffix'} is no known form", str(file), "use a .toml or .json file")
    try:
        data = readers[file.suffix](file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(str(error), str(file), "mend the configuration file") from None
    if not isinstance(data, dict):
        raise DataError(f"holds a {type(data).__name__}, not keys and values", str(file))
    return data


def _env_layer(kind: type[BaseModel], environ: Mapping[str, str]) -> list[tuple[str, object, str]]:
    known = {field for config in (*CONFIGS, kind) for field in config.model_fields}
    found: list[tuple[str, object, str]] = []
    for variable in sorted(environ):
        if not variable.startswith(ENV_PREFIX) or variable in NOT_FIELDS:
            continue
        key = variable.removeprefix(ENV_PREFIX).lower()
        if key not in known:
            raise _unknown_key(key, known, f"environment variable {variable}")
        if key in kind.model_fields:
            found.append((key, environ[variable], f"environment {variable}"))
    return found


def _unknown_key(key: str, known: Mapping[str, object] | set[str], where: str) -> UsageError:
    close = difflib.get_close_matches(key, list(known), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(sorted(known))}"
    return UsageError(f"unknown key {key!r}", where, hint)


def _told(error: ValidationError, origins: Mapping[str, str]) -> str:
    lines = []
    for item in error.errors(include_url=False):
        name = ".".join(str(part) for part in item["loc"]) or "configuration"
        origin = origins.get(str(item["loc"][0]) if item["loc"] else "", "default")
        if item["type"] == "missing":
            lines.append(f"{name} is not given: --{name.replace('_', '-')}, {ENV_PREFIX}{name.upper()} or the file")
        else:
            lines.append(f"{name} = {item['input']!r} ({origin}): {item['msg'].removeprefix('Value error, ')}")
    return "\n  ".join(lines)


def _toml(value: object) -> str:
    """A TOML value: JSON's escapes are TOML's but for DEL; an object is written as JSON text, which reads back."""
    if isinstance(value, dict):
        return _toml(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
