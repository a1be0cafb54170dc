"""Stage 1, its export, stage 2 from that export: the hand-over of SOLAR-RL's two stages in one command.

Each stage runs in a process of its own, so that Ray and the GPUs are free in between. The optimizer starts anew in
stage 2 (the paper does not say that it is carried over).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solar_eval.errors import InfrastructureError
from training.verl_plugin import main, preflight

LATEST = "latest_checkpointed_iteration.txt"


def cleared(config: Any, skip: bool, gpu_memory: float) -> bool:
    """Prints the preflight; whether the run may start."""
    findings = preflight.check(preflight.gather(config, gpu_memory))
    print(preflight.render(findings), flush=True)
    return skip or all(one.ok for one in findings)


def stage_overrides(overrides: Sequence[str], folder: str, stage: str, model: str = "") -> list[str]:
    """The overrides of one stage: its own folder and name, and for stage 2 the model that stage 1 left."""
    made = [*overrides, f"solar.stage={stage}", f"trainer.default_local_dir={folder}/{stage}",
            "solar.export_on_save=true"]  # fmt: skip
    return [*made, f"actor_rollout_ref.model.path={model}"] if model else made


def exported(folder: Path) -> Path | None:
    """The Hugging Face copy of the newest checkpoint in a stage's folder, None where there is none."""
    newest = folder / LATEST
    if not newest.is_file():
        return None
    found = folder / f"global_step_{newest.read_text().strip()}" / "hf"
    return found if (found / "config.json").is_file() else None


def run_both(config: str, overrides: Sequence[str], skip: bool, gpu_memory: float) -> int:
    """Both stages; the exit code of the first that fails. Raises InfrastructureError where stage 1 left no export."""
    composed = main.compose(config, overrides)
    if not cleared(composed, skip, gpu_memory):
        return 2
    folder = str(composed.trainer.default_local_dir)
    first = Path(folder) / "atomic"
    if exported(first) is None:
        code = _run(config, stage_overrides(overrides, folder, "atomic"))
        if code:
            return code
    model = exported(first)
    if model is None:
        fix = "set trainer.save_freq so that its last update is saved; see the log of the merge"
        raise InfrastructureError("stage 1 ended without an export", str(first), fix)
    print(f"stage 2 starts from {model}", flush=True)
    return _run(config, stage_overrides(overrides, folder, "trajectory", str(model)))


def _run(config: str, overrides: Sequence[str]) -> int:
    command = [sys.executable, "-m", "training.cli", "verl", config, *overrides, "--skip-preflight"]
    return subprocess.run(command, check=False).returncode
