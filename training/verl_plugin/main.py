"""`solar-train verl CONFIG [overrides]`: compose verl's configuration with ours, check it, run it.

A configuration is a YAML file with hydra's defaults list: `solar_verl` (our base) and then what differs. Overrides are
hydra's (`data.train_batch_size=20`). Nothing here needs a GPU until `run`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solar_eval.errors import UsageError, boundary, unknown_name

CONFIGS = Path(__file__).parent / "configs"
EXTERNAL = "training.verl_plugin.external"


def named() -> list[str]:
    """The configurations that come with the project."""
    return sorted(path.stem for path in CONFIGS.glob("*.yaml") if path.stem != "solar_verl")


def config_path(config: str) -> Path:
    """The file of a configuration: a path, or the name of one of ours. Raises UsageError."""
    path = Path(config)
    if path.suffix in {".yaml", ".yml"}:
        if not path.is_file():
            raise UsageError("there is no such file", config, f"ours: {', '.join(named())}")
        return path.resolve()
    if config not in named():
        raise unknown_name("configuration", config, named())
    return CONFIGS / f"{config}.yaml"


def compose(config: str, overrides: Sequence[str] = ()) -> Any:
    """The whole configuration (OmegaConf). Raises UsageError for what hydra refuses, and where verl is missing."""
    path = config_path(config)
    with boundary(UsageError, "verl", "install the extra: pip install 'solar-eval[cluster]' (see docs/cluster.md)"):
        import hydra
        import verl.trainer.main_ppo  # noqa: F401  (its config package is searched below)
    searched = f"hydra.searchpath=[pkg://verl.trainer.config,file://{CONFIGS}]"
    with boundary(UsageError, str(path), "overrides are KEY=VALUE; a new key needs a + before it"):
        with hydra.initialize_config_dir(str(path.parent), version_base=None):
            made = hydra.compose(path.stem, [searched, *overrides])
        from omegaconf import open_dict

        with open_dict(made):
            rollout = made.actor_rollout_ref.rollout
            rollout.agent.agent_loop_config_path = str(Path(__file__).parent / "agent_loop.yaml")
            made.data.custom_cls = {"path": str(Path(__file__).parent / "dataset.py"), "name": "EpisodeDataset"}
            made.pop("hydra", None)
    return made


def run(config: Any) -> None:
    """Validate with verl's own checks and train. Returns when the training is over; raises what Ray brings back."""
    os.environ["VERL_USE_EXTERNAL_MODULES"] = _with_ours(os.environ.get("VERL_USE_EXTERNAL_MODULES", ""))
    from verl.trainer.main_ppo import run_ppo
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    from training.verl_plugin.runner import SolarTaskRunner

    validate_config(config=config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config))
    run_ppo(config, task_runner_class=SolarTaskRunner)


def _with_ours(modules: str) -> str:
    names = [name for name in modules.split(",") if name]
    return ",".join(names if EXTERNAL in names else [*names, EXTERNAL])
