"""After each checkpoint: a copy in Hugging Face form, and a command that may evaluate it.

Named by `trainer.checkpoint_callback_class`. A failure here is logged and never stops the training: the checkpoint
itself is verl's and already whole. The evaluation runs beside the training, its output goes to a file.
"""

from __future__ import annotations

import logging
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from verl.trainer.ppo.checkpoint_callback import CheckpointCallback

from training.verl_plugin.settings import read_settings

log = logging.getLogger(__name__)


class ExportAndEvaluate(CheckpointCallback):
    """`solar.export_on_save` merges the shards; `solar.evaluate_command` gets the folder as its last word."""

    def on_save(self, trainer: Any, global_step: int, checkpoint_dir: str, async_save: bool = False,
                **context: Any) -> None:  # fmt: skip
        """Export beside the checkpoint (`<dir>/hf`), then start the command."""
        settings = read_settings(self.config.solar)
        folder = Path(checkpoint_dir)
        if async_save or not settings.export_on_save:
            return
        out = folder / "hf"
        if not merge(folder / "actor", out):
            return
        if settings.evaluate_command:
            start(settings.evaluate_command, out, folder / "evaluation.log")


def merge(shards: Path, out: Path) -> bool:
    """verl's own merger in a process of its own (it holds all weights); whether it succeeded."""
    command = [sys.executable, "-m", "verl.model_merger", "merge", "--backend", "fsdp",
               "--local_dir", str(shards), "--target_dir", str(out)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        log.error("export of %s failed (exit code %d): %s", shards, done.returncode, done.stderr[-2000:])
    return done.returncode == 0


def start(command: str, folder: Path, output: Path) -> subprocess.Popen[bytes]:
    """Starts `command folder` in the background; its output goes to `output`."""
    with output.open("wb") as file:
        return subprocess.Popen([*shlex.split(command), str(folder)], stdout=file, stderr=subprocess.STDOUT,
                                start_new_session=True)  # fmt: skip
