"""Runs verl's real trainer on the CPU: `train.py FOLDER DP UPDATES [overrides]`; metrics to FOLDER/metrics.jsonl."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(folder: Path, dp: int, updates: int, overrides: list[str]) -> None:
    os.environ.update(
        VERL_PLATFORM="cpu", VERL_USE_EXTERNAL_MODULES="cpu_platform", VERL_ENGINE_DEVICE="cuda", OMP_NUM_THREADS="1",
        HF_HUB_OFFLINE="1", RAY_USAGE_STATS_ENABLED="0", VERL_FILE_LOGGER_PATH=str(folder / "metrics.jsonl"),
    )  # fmt: skip
    from training.verl_plugin import main as plugin

    config = plugin.compose("cpu_test", [
        f"data.train_files={folder}/train.jsonl", f"data.val_files={folder}/train.jsonl",
        f"actor_rollout_ref.model.path={folder}/model", f"trainer.default_local_dir={folder}/checkpoints",
        f"trainer.n_gpus_per_node={dp}", f"+ray_kwargs.ray_init.num_gpus={dp}",
        f"trainer.total_training_steps={updates}", f"ray_kwargs.ray_init.num_cpus={10 + 2 * dp}",
        "trainer.logger=[console,file]", *overrides,
    ])  # fmt: skip
    plugin.run(config)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
