"""`solar-train evaluate`, and what `solar-train run --evaluate` does between and after updates.

Exit codes: 0 all evaluated; 3 an evaluation failed (what is whole is kept, the same command goes on); 2 usage or data.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from solar_eval.config import resolve
from solar_eval.errors import UsageError
from training.commands.run import tell
from training.config import TrainConfig
from training.evaluate import Loop, evaluate, train, training_of
from training.evaluation.config import LoopConfig, asked_as, read_loop

FAILED = 3
KEPT = "config.toml"
"""The resolved configuration in a training run's folder."""


def run(file: Path, flags: Mapping[str, object], checkpoint: Path | None, name: str, dry_run: bool) -> int:
    """The loop of a file. checkpoint: evaluate this one, train nothing; name: its row."""
    resolved = read_loop(file, flags)
    config = resolved.config.model_copy(update={"out": resolved.config.out.resolve()})
    found = checkpoint or config.checkpoint
    if found is None and config.train is None:
        raise UsageError("neither train nor checkpoint", str(file), "say what to train, or give --checkpoint")
    if found is not None:
        config = asked_as(config, kept_beside(found))
        return 0 if dry_run and _show(config) else ended(evaluate(config, found.resolve(), name))
    trained = training_of(config)
    assert trained is not None
    config = asked_as(config, trained.config)
    return 0 if dry_run and _show(config) else ended(evaluate(config, train(config, trained), name))


def _show(config: LoopConfig) -> bool:
    for key, value in config.model_dump(mode="json").items():
        print(f"{key} = {value!r}")
    return True


def kept_beside(checkpoint: Path) -> TrainConfig | None:
    """The configuration of the training run that a checkpoint lies in (RUN/model, RUN/exports/NAME), or None."""
    for folder in list(checkpoint.resolve().parents)[:2]:
        if (folder / KEPT).is_file():
            return resolve(TrainConfig, {}, folder / KEPT, environ={}).config
    return None


def ended(loop: Loop) -> int:
    """Says what was not evaluated; the exit code."""
    for sentence in loop.failed:
        tell(f"not evaluated: {sentence}")
    return FAILED if loop.failed else 0


@dataclass
class Beside:
    """Evaluations of a training run, each in a process of its own: however one ends, training goes on.

    file: the loop's configuration. every: updates between evaluations, 0: only at the end. failed: rows that failed.
    """

    file: Path
    every: int
    name: str
    failed: list[str]

    @classmethod
    def of(cls, file: Path) -> Beside:
        """Reads the file before anything is trained. UsageError."""
        config = read_loop(file, {}).config
        return cls(file, config.every, config.name, [])

    def due(self, update: int, total: int) -> bool:
        """Whether this update's weights are evaluated, the last one's aside."""
        return bool(self.every) and update % self.every == 0 and update < total

    def ask(self, folder: Path, name: str = "") -> bool:
        """Evaluates an exported checkpoint. Never raises for what goes wrong in there; says how to run it again."""
        row = name or self.name
        command = ["evaluate", str(self.file), "--checkpoint", str(folder), "--name", row]
        try:
            code = subprocess.run([sys.executable, "-m", "training.cli", *command], check=False).returncode
            why = f"ended with {code}" if code else ""
        except OSError as error:
            why = f"could not be started ({error})"
        if why:
            self.failed.append(row)
            tell(f"the evaluation of {row} {why}; training is not touched. Again: solar-train {' '.join(command)}")
        return not why
