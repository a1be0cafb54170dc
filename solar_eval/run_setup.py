"""From a resolved configuration to everything an offline run needs: plan, model, selection, identity, place."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from solar_eval.ask_all import OfflineOptions
from solar_eval.asking import Asker, Pictures, PromptPlan
from solar_eval.benchmarks import table as benchmarks
from solar_eval.benchmarks.counts import counts
from solar_eval.config import AskConfig, RunConfig
from solar_eval.dialects.base import Dialect, Sampling
from solar_eval.dialects.frames import ResizeRule
from solar_eval.dialects.prompting import Level, PromptTemplate
from solar_eval.errors import UsageError
from solar_eval.models.openai_server import ServerOptions
from solar_eval.models.table import ModelOptions, from_spec
from solar_eval.protocols import Protocol
from solar_eval.provenance import identity
from solar_eval.records import Benchmark
from solar_eval.selection import History, narrowed

SETTINGS = ("temperature", "top_p", "top_k", "repetition_penalty", "frequency_penalty", "presence_penalty")


@dataclass(frozen=True)
class Prepared:
    """Everything a run needs, made from its configuration."""

    benchmark: Benchmark
    selected: Benchmark
    asker: Asker
    options: OfflineOptions
    identity: Mapping[str, object]


def prepare(config: RunConfig, benchmark: Benchmark, dialect: Dialect, history: History, family: str) -> Prepared:
    """Builds plan, model and selection. Raises UsageError or DataError before anything is asked."""
    plan = PromptPlan(
        dialect,
        family,
        level_of(config, benchmark.name),
        None if config.prompt is None else PromptTemplate.from_file(config.prompt),
        sampling_for(config, dialect),
        resize_for(config, dialect),
        config.image_format,
    )
    model = from_spec(config.model, model_options(config, dialect))
    shown_at_once = 1 + dialect.history_images
    pictures = Pictures(plan.resize, plan.image_format, capacity=config.concurrency * shown_at_once)
    selected = narrowed(benchmark, config.sample, config.limit, history)
    options = OfflineOptions(history, config.concurrency, config.max_faults)
    who = identity(benchmark, model, plan, history=history, seed=config.seed, judge=config.protocol[0])
    return Prepared(benchmark, selected, Asker(model, plan, pictures), options, who)


def load_benchmark(config: RunConfig, protocol: Protocol) -> Benchmark:
    """The benchmark of a configuration, in its subset or else the protocol's where the loader has that one."""
    spec = benchmarks.spec_of(config.benchmark)
    wanted = config.subset or protocol.subset.get(spec.family, "")
    if config.subset is None and wanted not in spec.subsets:
        wanted = ""
    return benchmarks.load(config.benchmark, config.data or benchmarks.default_data(config.benchmark), wanted)


def level_of(config: RunConfig, benchmark: str) -> Level:
    """What the prompt shows: as configured, as the benchmark's name says, or else the goal alone."""
    named = benchmarks.BENCHMARKS[benchmark].level if benchmark in benchmarks.BENCHMARKS else None
    if config.level is not None and named is not None and config.level != named:
        raise UsageError(f"{benchmark} is the {named} level, not {config.level}", "level", "give one of the two")
    return config.level or named or "high"


def sampling_for(config: AskConfig, dialect: Dialect) -> Sampling:
    """The dialect's decoding settings (or none of them) with those of the configuration on top."""
    base = dialect.sampling
    if config.decoding == "server":
        base = Sampling(temperature=None, max_tokens=base.max_tokens, source="the server's defaults")
    for name in SETTINGS:
        if (value := getattr(config, name)) is not None:
            base = replace(base, **{name: value})
    return base if config.max_tokens is None else replace(base, max_tokens=config.max_tokens)


def resize_for(config: AskConfig, dialect: Dialect) -> ResizeRule:
    """The dialect's resizing with the configuration's pixel limits. Raises UsageError where it resizes otherwise.

    A dialect that leaves pictures as they are is resized by area, to blocks of 28 pixels, where limits are given.
    """
    rule = dialect.resize
    if config.min_pixels is None and config.max_pixels is None:
        return rule
    rule = ResizeRule("smart") if rule.kind == "none" else rule
    if rule.kind != "smart":
        raise UsageError(f"{dialect.name} does not resize by area ({rule.kind})", "min_pixels, max_pixels")
    least, most = config.min_pixels or rule.min_pixels, config.max_pixels or rule.max_pixels
    if least > most:
        raise UsageError(f"min_pixels {least} is above max_pixels {most}", "min_pixels, max_pixels")
    return replace(rule, min_pixels=least, max_pixels=most)


def model_options(config: AskConfig, dialect: Dialect) -> ModelOptions:
    """What the model's maker needs from the configuration."""
    server = ServerOptions(
        config.base_url, config.api_key_env, config.concurrency, config.timeout_s, config.max_retries
    )
    return ModelOptions(dialect, config.seed, server, config.extra_body, config.max_tokens_field)


def default_out(who: Mapping[str, object]) -> Path:
    """runs/<benchmark>-<level>-<dialect>-<model>-<hash>: the same configuration always finds its own directory."""
    digest = hashlib.sha256(json.dumps(who, sort_keys=True).encode()).hexdigest()[:8]
    words = (str(who[key]) for key in ("benchmark", "subset", "level", "dialect", "model"))
    slug = "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", word).strip("_.")[:48] for word in words if word)
    return Path("runs") / f"{slug}-{digest}"


def about(config: RunConfig, prepared: Prepared) -> dict[str, object]:
    """What a reader of the numbers must know and a resumed run may extend: counts, selection, notes, protocols."""
    benchmark, plan = prepared.benchmark, prepared.asker.plan
    return {
        "benchmark": counts(benchmark),
        "selected": counts(prepared.selected) if prepared.selected is not benchmark else "all",
        "sample": list(config.sample),
        "limit": config.limit,
        "prompt_origin": (plan.template or plan.dialect.template()).origin,
        "decoding_source": plan.sampling.source,
        "protocols": list(config.protocol),
    }


def session(config: RunConfig, command: Sequence[str]) -> dict[str, object]:
    """What may differ between the starts of one run."""
    return {
        "command": list(command), "concurrency": config.concurrency, "base_url": config.base_url,
        "timeout_s": config.timeout_s, "max_retries": config.max_retries,
    }  # fmt: skip
