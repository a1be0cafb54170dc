"""`solar-train run`: a configuration becomes a trained policy; a second start goes on where the first stopped."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solar_eval.config import Resolved, read_config_file, resolve
from solar_eval.errors import UsageError
from solar_eval.result_files import write_atomically
from training.config import TrainConfig
from training.errors import CheckpointError

if TYPE_CHECKING:
    from training.commands.evaluate import Beside

EXPORT = "model"


def resolved_of(file: Path, flags: Mapping[str, object]) -> Resolved[TrainConfig]:
    """The configuration; paths in the file are relative to the file."""
    given = {key: value for key, value in flags.items() if value is not None}
    placed = _placed_paths(file)
    made = resolve(TrainConfig, {**placed, **given}, file, environ={})
    told = {key: f"file {file}" for key in placed if key not in given}
    return Resolved(made.config, {**made.origins, **told})


def _placed_paths(file: Path) -> dict[str, object]:
    """The file's paths, made absolute from its folder: the kept copy of the configuration reads back anywhere."""
    data = {key.replace("-", "_"): value for key, value in read_config_file(file).items()}
    placed: dict[str, object] = {}
    for key in ("out", "model", "prompt"):
        if isinstance(data.get(key), str):
            placed[key] = str((file.parent / str(data[key])).resolve())
    sources = data.get("sources")
    if isinstance(sources, list):
        placed["sources"] = [_placed(file, one) for one in sources]
    return placed


def _placed(file: Path, source: object) -> object:
    if isinstance(source, dict) and isinstance(source.get("path"), str):
        return {**source, "path": str((file.parent / source["path"]).resolve())}
    return source


def run(file: Path, flags: Mapping[str, object], dry_run: bool, evaluate: Path | None = None) -> int:
    """Trains, exports to OUT/model, prints how it ended. Exit code 0.

    evaluate: the configuration of evaluations beside the training; where one of them fails, the training ends as
    without it, and the exit code is 3.
    """
    resolved = resolved_of(file, flags)
    if dry_run:
        print(resolved.to_toml(), end="")
        return 0
    try:
        import transformers

        from training.setup import facts, prepare
    except ImportError as error:
        raise UsageError(f"the embedded trainer can't be imported ({error})", "solar-train run",
                         "pip install 'solar-eval[train]'") from None  # fmt: skip
    quiet: Any = transformers.utils.logging
    quiet.disable_progress_bar()
    config = resolved.config
    if evaluate is not None and config.policy == "pointer":
        raise UsageError("evaluations beside the training ask a checkpoint of a VLM", "policy = 'pointer'",
                         "the pointer policy plays with live = N in the configuration")  # fmt: skip
    beside = None if evaluate is None else _beside(evaluate)
    trainer = prepare(config, tell)
    write_atomically(config.out / "config.toml", resolved.to_toml().encode())
    tell(facts(trainer))
    if beside is not None:
        trainer.after_update = lambda update: _between(beside, trainer.policy, config.out, update, trainer.total)
    try:
        last = trainer.run()
    finally:
        trainer.log.close()
    for name in ("eval/success", "eval/valid", "eval/score", "eval/live_success"):
        if name in last:
            print(f"{name} {last[name]:.3f}")
    made = export(trainer.policy, config.out)
    print(f"{made} loads with {'PointerPolicy.load' if config.policy == 'pointer' else 'transformers'}", flush=True)
    if beside is not None:
        beside.ask(made)
    return 3 if beside is not None and beside.failed else 0


def _beside(file: Path) -> Beside:
    from training.commands.evaluate import Beside

    return Beside.of(file)


def _between(beside: Beside, policy: object, out: Path, update: int, total: int) -> None:
    """Exports and evaluates the weights of an update; what fails is told and costs the evaluation alone."""
    if not beside.due(update, total):
        return
    name = f"update-{update:06d}"
    try:
        made = export(policy, out, f"exports/{name}")
    except CheckpointError as error:
        beside.failed.append(name)
        tell(f"not evaluated: {error}")
        return
    beside.ask(made, f"{beside.name}-{name}")


def export(policy: object, out: Path, name: str = EXPORT) -> Path:
    """Writes OUT/NAME whole or not at all; an earlier one is replaced. Raises CheckpointError."""
    target = out / name
    beside, old = target.with_name(f".{target.name}-new"), target.with_name(f".{target.name}-old")
    for left in (beside, old):
        shutil.rmtree(left, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        policy.export(beside)  # type: ignore[attr-defined]
        if target.exists():
            target.rename(old)
        beside.rename(target)
    except (OSError, RuntimeError) as error:
        shutil.rmtree(beside, ignore_errors=True)
        fix = "the checkpoints are kept; make room, then run the same command again"
        raise CheckpointError(f"the model can't be written: {error}", str(target), fix) from error
    shutil.rmtree(old, ignore_errors=True)
    return target


def tell(line: str) -> None:
    """A line for people, on standard error."""
    print(line, file=sys.stderr, flush=True)
