"""The command line of training: `solar-train`, one function a verb, the work imported when the verb runs.

Exit codes as in `solar_eval.cli`: 0 done; 2 usage or data; 130 Ctrl-C.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from solar_eval import entry

app = App(
    name="solar-train",
    help="SOLAR-RL: trajectory-aware rewards for phone-GUI agents from recorded episodes.",
    version_flags=["--version"],
    result_action="return_value",
)

CLUSTER = "training.commands.cluster"
app.command(f"{CLUSTER}:verl_data", name="verl-data", help="Write recorded episodes as rows for verl.")
app.command(f"{CLUSTER}:verl", name="verl", help="Train on verl 0.9.1 (Ray, FSDP2, vLLM), after the preflight.")
app.command(f"{CLUSTER}:check", name="preflight", help="Check a verl configuration before a GPU is taken.")
app.command(f"{CLUSTER}:plan", name="plan", help="Estimate tokens, memory, updates and hours of a verl configuration.")
app.command(f"{CLUSTER}:launch", name="launch", help="Print a launcher: slurm, ray or node.")


@app.command
def shape(
    *,
    target: Annotated[
        Literal["aligned", "literal"], Parameter(help="aligned: our repair; literal: the published sum.")
    ] = "aligned",
    suffix: Annotated[
        Literal["truncate", "keep"], Parameter(help="What becomes of the steps after the failure point.")
    ] = "truncate",
    parts: Annotated[
        Literal["reference", "counts"], Parameter(help="Parts are divided by n_ref, or by their own step counts.")
    ] = "reference",
    weights: Annotated[
        tuple[float, float, float],
        Parameter(help="Weights of score, progress and success in R_traj; sum 1.", negative=""),
    ] = (0.3, 0.2, 0.5),
    penalty: Annotated[float, Parameter(help="Weight of invalid steps, 0 to 1.")] = 1.0,
    penalty_length: Annotated[
        int, Parameter(help="Reference length at which the penalty is full; 0: at every length.")
    ] = 14,
) -> int:
    """Shape trajectories: JSON lines {id, scores, valid, n_ref} to {id, t_star, r_traj, target, rewards}."""
    from training.commands import shape as verb
    from training.shaping import ShapingRules

    quality, progress, success = weights
    rules = ShapingRules(quality, progress, success, target, suffix, parts, penalty=penalty,
                         penalty_length=penalty_length or None)  # fmt: skip
    return verb.run(sys.stdin, sys.stdout, rules)


@app.command
def run(
    config: Annotated[Path, Parameter(help="TOML or JSON file; see configs/ and --dry-run for the fields.")],
    /,
    *,
    out: Annotated[Path | None, Parameter(help="Run directory, in place of the file's.")] = None,
    model: Annotated[Path | None, Parameter(help="A Qwen2.5-VL checkpoint folder, in place of the file's.")] = None,
    seed: Annotated[int | None, Parameter(help="Seed, in place of the file's.")] = None,
    device: Annotated[str | None, Parameter(help="cpu, cuda or auto, in place of the file's.")] = None,
    set: Annotated[
        list[str] | None, Parameter(help="Any other field as NAME=VALUE, may be repeated.", negative="")
    ] = None,
    evaluate: Annotated[
        Path | None, Parameter(help="Evaluate at the end, or every k updates, as this file says (docs/loop.md).")
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Print the resolved configuration, train nothing.", negative="")] = False,
) -> int:
    """Train the embedded policy: warm-up, atomic stage, trajectory stage; a second run of the same resumes."""
    from training.commands import run as verb

    fields = dict(field.partition("=")[::2] for field in set or [])
    return verb.run(config, {**fields, "out": out, "model": model, "seed": seed, "device": device}, dry_run, evaluate)


@app.command(name="evaluate")
def evaluate_command(
    config: Annotated[Path, Parameter(help="TOML or JSON file of the loop; see configs/quick.toml, docs/loop.md.")],
    /,
    *,
    checkpoint: Annotated[Path | None, Parameter(help="Evaluate this export; nothing is trained.")] = None,
    name: Annotated[str, Parameter(help="The row's name, in place of the file's.")] = "",
    out: Annotated[Path | None, Parameter(help="Folder of the loop, in place of the file's.")] = None,
    dry_run: Annotated[bool, Parameter(help="Print the resolved configuration, do nothing.", negative="")] = False,
) -> int:
    """Train, evaluate offline and live, add a leaderboard row, compare with the parent; a second run goes on."""
    from training.commands import evaluate as verb

    return verb.run(config, {"out": out}, checkpoint, name, dry_run)


def main() -> None:
    """Entry point; exit codes as the module says."""
    entry.run(app, "interrupted")


if __name__ == "__main__":
    main()
