"""`solar-eval run`, offline and live: every field of a configuration is a flag, under the sentence that explains it.

Which configuration it is (`config.RunConfig` or `config.LiveConfig`) is the benchmark's to say; a flag of the other one
is an error that names it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any, TypedDict

from cyclopts import Parameter

from solar_eval import offline, protocols
from solar_eval.benchmarks.table import BENCHMARKS
from solar_eval.config import ENV_PREFIX, LiveConfig, RunConfig, read_config_file, resolve
from solar_eval.errors import unknown_name
from solar_eval.live.benchmarks import LIVE
from solar_eval.run_setup import load_benchmark

BOTH_GROUP = "Every run"
OFFLINE_GROUP = "Recorded steps"
LIVE_GROUP = "Live runs (pocket_world, android_world)"
FIELDS = {**LiveConfig.model_fields, **RunConfig.model_fields}


def _flag(name: str) -> Any:
    """A flag's type: texts, converted and checked by the configuration itself; switches stay switches."""
    info = FIELDS[name]
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    said = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
    shown = f" [default: {said}]" if default not in (None, (), {}, False) else ""
    kind = bool if info.annotation is bool else str
    off = f"--no-{name.replace('_', '-')}" if info.annotation is bool and info.default is True else ""
    group = LIVE_GROUP if name not in RunConfig.model_fields else OFFLINE_GROUP
    group = BOTH_GROUP if name in RunConfig.model_fields and name in LiveConfig.model_fields else group
    return Annotated[kind, Parameter(help=f"{info.description}{shown}", negative=off, show_default=False, group=group)]


Flags = TypedDict("Flags", {name: _flag(name) for name in FIELDS if name != "benchmark"}, total=False)  # type: ignore[misc]  # the fields are the configurations'


def run(
    benchmark: Annotated[str | None, Parameter(help="Benchmark by name; see `solar-eval ls benchmarks`.")] = None,
    /,
    *,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
    config: Annotated[Path | None, Parameter(help="TOML or JSON file; flags and SOLAR_EVAL_* variables win.")] = None,
) -> int:
    """Ask a model, on recorded steps or on phones, keep everything, score; resumes where it stopped."""
    given: dict[str, object] = {"benchmark": benchmark, **(flags or {})}
    name = benchmark or os.environ.get(f"{ENV_PREFIX}BENCHMARK") or _in_file(config)
    if isinstance(name, str) and name in LIVE:
        return run_live(given, config)
    if isinstance(name, str) and name not in BENCHMARKS:
        raise unknown_name("benchmark", name, [*BENCHMARKS, *LIVE])
    resolved = resolve(RunConfig, given, config)
    chosen = protocols.select(",".join(resolved.config.protocol))
    loaded = load_benchmark(resolved.config, chosen[0])
    return offline.run(resolved, loaded, command=sys.argv, show=show)


def _in_file(config: Path | None) -> object:
    return None if config is None else read_config_file(config).get("benchmark")


def run_live(given: dict[str, object], config: Path | None) -> int:
    """The same on phones."""
    from solar_eval.live import run as live
    from solar_eval.live.tables import show as show_live

    return live.run(resolve(LiveConfig, given, config), command=sys.argv, show=show_live)


def show(summary: dict[str, Any]) -> None:
    """Prints the score table of a finished or partial run."""
    from solar_eval.commands.score import console
    from solar_eval.report.tables import score_table

    asked = summary.get("run", {})
    prompt = f"prompt {asked.get('prompt_origin', '')} ({str(asked.get('prompt_sha256', ''))[:12]})"
    title = f"{summary['benchmark']}, {asked.get('model', '')} in {asked.get('dialect', '')}, {prompt}"
    console().print(score_table(summary, "subset", title))
