"""verl's task runner with our trainer: the public hook `run_ppo(config, task_runner_class=...)`.

`trainer.v1.trainer_mode` stays "sync": any other name makes verl switch to its asynchronous replay buffer and single
prompts a fetch (facts: training_stack.md section 1.2). So the trainer class is swapped here and not registered.
"""

from __future__ import annotations

from pprint import pprint
from typing import Any

import ray
import transfer_queue as tq
from omegaconf import OmegaConf
from verl.trainer.main_ppo import TaskRunnerV1
from verl.utils.logging_utils import configure_verl_logging

from training.verl_plugin.trainer import SolarTrainer

_Base: Any = TaskRunnerV1.__ray_metadata__.modified_class


class _SolarTaskRunner(_Base):
    """Runs `SolarTrainer`; what happens before and after is verl's."""

    def run(self, config: Any) -> None:
        """Train until the configured number of updates."""
        configure_verl_logging()
        config.transfer_queue.enable = True
        pprint(OmegaConf.to_container(config, resolve=True))
        OmegaConf.resolve(config)
        self.config = config
        tq.init(config.transfer_queue)
        code = 1
        try:
            self.trainer = SolarTrainer(config=config)
            self.trainer.init()
            self.init_agent_loop_manager()
            self.trainer.fit(self.agent_loop_manager)
            code = 0
        finally:
            tracking = getattr(self.trainer, "logger", None)
            if tracking is not None:
                tracking.finish(exit_code=code)
            tq.close()


SolarTaskRunner = ray.remote(_SolarTaskRunner)
