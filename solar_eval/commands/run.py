"""`solar-eval run`: every field of `config.RunConfig` is a flag, under the same sentence that explains it in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, TypedDict

from cyclopts import Parameter

from solar_eval import offline, protocols
from solar_eval.config import RunConfig, resolve
from solar_eval.run_setup import load_benchmark


def _flag(name: str) -> Any:
    """A flag's type: texts, converted and checked by the configuration itself; switches stay switches."""
    info = RunConfig.model_fields[name]
    shown = "" if info.is_required() or info.default in (None, (), ()) else f" [default: {info.get_default()}]"
    kind = bool if info.annotation is bool else str
    return Annotated[kind, Parameter(help=f"{info.description}{shown}", negative="", show_default=False)]


Flags = TypedDict("Flags", {name: _flag(name) for name in RunConfig.model_fields if name != "benchmark"}, total=False)  # type: ignore[misc]  # the fields are the configuration's


def run(
    benchmark: Annotated[str | None, Parameter(help="Benchmark by name; see `solar-eval ls benchmarks`.")] = None,
    /,
    *,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
    config: Annotated[Path | None, Parameter(help="TOML or JSON file; flags and SOLAR_EVAL_* variables win.")] = None,
) -> int:
    """Ask a model on recorded steps, keep every raw reply, score; resumes where it stopped."""
    given: dict[str, object] = {"benchmark": benchmark, **(flags or {})}
    resolved = resolve(RunConfig, given, config)
    chosen = protocols.select(",".join(resolved.config.protocol))
    loaded = load_benchmark(resolved.config, chosen[0])
    return offline.run(resolved, loaded, command=sys.argv, show=show)


def show(summary: dict[str, Any]) -> None:
    """Prints the score table of a finished or partial run."""
    from solar_eval.commands.score import console
    from solar_eval.report.tables import score_table

    asked = summary.get("run", {})
    prompt = f"prompt {asked.get('prompt_origin', '')} ({str(asked.get('prompt_sha256', ''))[:12]})"
    title = f"{summary['benchmark']}, {asked.get('model', '')} in {asked.get('dialect', '')}, {prompt}"
    console().print(score_table(summary, "subset", title))
