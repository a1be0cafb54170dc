"""The verbs for clusters: verl-data, verl, preflight, plan, launch. What needs verl is imported when it is needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from solar_eval.errors import UsageError
from training.verl_plugin import launch as launching
from training.verl_plugin import plan as planning

Config = Annotated[str, Parameter(help="Name of one of our configurations, or a YAML file.")]
Overrides = Annotated[tuple[str, ...], Parameter(help="Hydra overrides, KEY=VALUE.", allow_leading_hyphen=True)]


def verl_data(
    benchmark: Annotated[str, Parameter(help="android_control_high, android_control_low or gui_odyssey_...")],
    out: Annotated[Path, Parameter(help="JSON lines to write; the pictures go into a folder beside it.")],
    *,
    data: Annotated[Path, Parameter(help="The benchmark's files, as for `solar-eval run --data`.")],
    subset: Annotated[str, Parameter(help="Subset; see `solar-eval ls subsets`.")] = "",
    dialect: Annotated[str, Parameter(help="Whose picture size to store.")] = "qwen2_5_vl",
    validation: Annotated[float, Parameter(help="Share of episodes that goes to OUT.val.jsonl.")] = 0.0,
    seed: int = 0,
) -> int:
    """Write recorded episodes as verl rows: one episode a line, pictures resized once, paths instead of bytes."""
    from solar_eval.benchmarks import table
    from training.verl_plugin.rows import split_file, write_rows
    from training.verl_plugin.settings import read_settings

    if not 0 <= validation < 1:
        raise UsageError(f"{validation} is no share", "--validation", "0 up to, but not including, 1")
    spec = table.spec_of(benchmark)
    plan = read_settings({"dialect": dialect, "level": spec.level or "high"}).plan(spec.family)
    out.parent.mkdir(parents=True, exist_ok=True)
    loaded = table.load(benchmark, data, subset or spec.default)
    written, left_out = write_rows(loaded.episodes, spec.family, plan, out)
    print(f"{written} episodes written to {out}, {len(left_out)} left out")
    for reason in left_out[:20]:
        print(f"  left out: {reason}", file=sys.stderr)
    if validation:
        kept, held = split_file(out, validation, seed)
        print(f"{kept} to train, {held} to validate ({out.with_suffix('.val.jsonl')})")
    return 0 if written else 2


def verl(config: Config, *overrides: str, skip_preflight: bool = False, gpu_memory: float = 48.0,
         two_stages: bool = False) -> int:  # fmt: skip
    """Train on verl with a configuration of ours or a file, after the preflight.

    Parameters
    ----------
    overrides: Hydra overrides, KEY=VALUE.
    skip_preflight: Start although a check fails.
    gpu_memory: GiB a GPU, for the memory check.
    two_stages: Stage 1 (atomic) first; its export is the model that stage 2 (trajectory) starts from. A stage whose
        export is there already is not run again.
    """
    from training.verl_plugin import main, stages

    if two_stages:
        return stages.run_both(config, overrides, skip_preflight, gpu_memory)
    composed = main.compose(config, overrides)
    if not stages.cleared(composed, skip_preflight, gpu_memory):
        return 2
    main.run(composed)
    return 0


def check(config: Config, *overrides: str, gpu_memory: float = 48.0) -> int:
    """Check a configuration before a GPU is taken: versions, sizes, memory, lengths, processor, plugin, data.

    Parameters
    ----------
    overrides: Hydra overrides, KEY=VALUE.
    gpu_memory: GiB a GPU, for the memory check.
    """
    from training.verl_plugin import main, preflight

    findings = preflight.check(preflight.gather(main.compose(config, overrides), gpu_memory))
    print(preflight.render(findings))
    return 0 if all(one.ok for one in findings) else 2


def plan(
    config: Config,
    *overrides: str,
    size: Annotated[Literal["3B", "7B", "32B", "72B"] | None, Parameter(help="Default: from the model's name.")] = None,
    gpu_memory: Annotated[float, Parameter(help="GiB a GPU.")] = 48.0,
    prompt_tokens: float = 3000.0,
    reply_tokens: float = 120.0,
    train_flops: Annotated[float, Parameter(help="Sustained FLOP/s a GPU.")] = 60e12,
    decode_tokens: Annotated[float, Parameter(help="Tokens/s a GPU generates with many requests.")] = 1500.0,
) -> int:
    """Estimate tokens, memory by part, updates and hours of a configuration; every assumption is printed."""
    from training.verl_plugin import main

    composed = main.compose(config, overrides)
    shape = planning.SHAPES[size] if size else planning.shape_of(str(composed.actor_rollout_ref.model.path))
    given = planning.Assumptions(
        prompt_tokens=prompt_tokens, reply_tokens=reply_tokens, gpu_memory=gpu_memory, train_flops=train_flops,
        decode_tokens=decode_tokens,
    )  # fmt: skip
    print(planning.render(planning.estimate(composed, shape, given), given))
    return 0


def launch(kind: Literal["slurm", "ray", "node"], config: str, *overrides: str) -> int:
    """Print a launcher script to adapt: a SLURM job, a job on a running Ray cluster, or one node."""
    print(launching.render(kind, config, overrides))
    return 0
