"""verl's synchronous V1 trainer with SOLAR-RL's credit: overrides of four documented steps, nothing vendored.

    _balance_batch                 credit of the whole batch first; rows that the rule does not train leave the batch
    _get_required_batch_multiple   rows are padded to what ranks and micro-batches need, not to mini-batches
    _compute_advantage             writes the rule's rewards and advantages; verl's estimators are not asked
    _update_actor                  a fixed number of optimizer steps a batch, whatever its number of rows

Written against verl 0.9.1 (facts: training_stack.md section 1). KL as a reward is refused: it would change the shaped
reward behind the credit rule; KL as a loss term is verl's own (`actor.use_kl_loss`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import transfer_queue as tq
from tensordict import TensorDict
from transfer_queue import KVBatchMeta
from verl.protocol import DataProto
from verl.trainer.ppo.rollout_corr_helper import compute_rollout_correction_and_add_to_batch
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync
from verl.utils.metric import reduce_metrics
from verl.utils.py_functional import rename_dict
from verl.workers.utils.padding import response_to_nested

from training.verl_plugin.credit import credit_rows, row_info
from training.verl_plugin.settings import read_settings


class SolarTrainer(PPOTrainerSync):
    """PPOTrainerSync whose rewards and advantages come from `training.rules`."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.settings = read_settings(config.solar)
        self.reward_of: dict[str, float] = {}
        self.advantage_of: dict[str, float] = {}
        self.nothing_to_learn = False

    # ---- credit, then only the rows that are trained
    def _balance_batch(self, batch: KVBatchMeta, metrics: dict[str, Any], logging_prefix: str = "global_seqlen",
                       keep_minibatch: bool = False) -> KVBatchMeta:  # fmt: skip
        batch = self._credited(batch, metrics)
        return super()._balance_batch(batch, metrics, logging_prefix, keep_minibatch)

    def _credited(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """The batch without the rows that the rule leaves out; their rewards and advantages are kept by key."""
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=["extra_fields"])
        found = [one.get("solar", {}) for one in data.pop("extra_fields").tolist()]
        rows = [row_info(key, one) for key, one in zip(batch.keys, found, strict=True)]
        credit = credit_rows(rows, self.settings.credit_rule, self.settings.credit_rules(self.global_steps),
                             int(self.config.actor_rollout_ref.rollout.n))  # fmt: skip
        self.reward_of = dict(zip(batch.keys, credit.reward.tolist(), strict=True))
        self.advantage_of = dict(zip(batch.keys, credit.advantage.tolist(), strict=True))
        self.nothing_to_learn = not credit.kept.any()
        metrics.update(credit.metrics)
        metrics["solar/skipped_update"] = float(self.nothing_to_learn)
        if self.nothing_to_learn or credit.kept.all():
            return batch
        dropped = [key for key, kept in zip(batch.keys, credit.kept, strict=True) if not kept]
        tq.kv_clear(keys=dropped, partition_id=batch.partition_id)
        return batch.select_keys([key for key, kept in zip(batch.keys, credit.kept, strict=True) if kept])

    # ---- sizes
    def _get_required_batch_multiple(self, dp_size: int) -> int:
        return row_multiple(self.config.actor_rollout_ref, dp_size, self.settings.updates_per_batch)

    # ---- rewards and advantages at their own tokens
    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        fields = ["response_mask", "rollout_log_probs", "old_log_probs"]
        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=fields)
        nested = data["response_mask"]
        padded = DataProto(batch=data.to_padded_tensor())
        correction = self.config.algorithm.get("rollout_correction", None)
        corrected = bool(correction) and not correction.get("bypass_mode", False)
        corrected = corrected and "rollout_log_probs" in padded.batch
        if corrected:
            padded, found = compute_rollout_correction_and_add_to_batch(padded, correction)
            metrics.update(found)
        mask = padded.batch["response_mask"]
        advantage = spread([self.advantage_of.get(key, 0.0) for key in batch.keys], mask)
        reward = at_last_token([self.reward_of.get(key, 0.0) for key in batch.keys], mask)
        made = {"advantages": advantage, "returns": advantage, "rm_scores": reward, "token_level_rewards": reward}
        if corrected:
            made["response_mask"] = mask
            if "rollout_is_weights" in padded.batch:
                made["rollout_is_weights"] = padded.batch["rollout_is_weights"]
        output = TensorDict({k: response_to_nested(v, nested) for k, v in made.items()}, batch_size=len(batch))
        return tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=output)

    # ---- a fixed number of optimizer steps
    def _update_actor(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        if self.nothing_to_learn:
            return batch
        actor = self.config.actor_rollout_ref.actor
        real = sum(not tag.get("is_padding", False) for tag in batch.tags)
        batch.extra_info.update(update_info(actor, real, self.settings.updates_per_batch,
                                            self.config.actor_rollout_ref.rollout.temperature))  # fmt: skip
        batch.extra_info.pop("mini_batch_size", None)
        output = rename_dict(self.actor_rollout_wg.update_actor(batch)["metrics"], "actor/")
        output["perf/mfu/actor"] = output.pop("actor/mfu")
        metrics.update(reduce_metrics(output))
        return batch


def row_multiple(config: Any, dp_size: int, updates: int) -> int:
    """What the number of rows must be a multiple of. config: `actor_rollout_ref`.

    Rows a rank must split into `updates` mini-batches of whole micro-batches, and into whole micro-batches of the
    log-probability passes (facts: training_stack.md section 5, B3). Dynamic batching only needs the ranks.
    """
    actor, rollout, ref = config.actor, config.rollout, config.get("ref", {})
    a_rank = updates
    if not actor.use_dynamic_bsz:
        a_rank = updates * int(actor.ppo_micro_batch_size_per_gpu or 1)
    if not rollout.get("log_prob_use_dynamic_bsz", actor.use_dynamic_bsz):
        a_rank = math.lcm(a_rank, int(rollout.log_prob_micro_batch_size_per_gpu or 1))
    if actor.get("use_kl_loss", False) and not ref.get("log_prob_use_dynamic_bsz", actor.use_dynamic_bsz):
        a_rank = math.lcm(a_rank, int(ref.get("log_prob_micro_batch_size_per_gpu", None) or 1))
    return dp_size * a_rank


def update_info(actor: Any, real_rows: int, updates: int, temperature: float) -> dict[str, Any]:
    """What verl's workers read of a batch. global_batch_size counts real rows, padding has no weight."""
    return {
        "calculate_entropy": bool(actor.calculate_entropy) or actor.entropy_coeff != 0.0,
        "distillation_use_topk": False, "distillation_only": False,
        "global_batch_size": max(1, round(real_rows / updates)), "num_mini_batch": updates,
        "epochs": actor.ppo_epochs, "seed": actor.data_loader_seed, "dataloader_kwargs": {"shuffle": actor.shuffle},
        "temperature": temperature,
    }  # fmt: skip


def spread(values: list[float], mask: torch.Tensor) -> torch.Tensor:
    """One number a row at every token of its reply: (rows, tokens) float32, 0 where the mask is 0."""
    return torch.tensor(values, dtype=torch.float32)[:, None] * mask


def at_last_token(values: list[float], mask: torch.Tensor) -> torch.Tensor:
    """One number a row at the last token of its reply: (rows, tokens) float32; rows without a token get nothing."""
    rows = np.arange(len(values))
    out = torch.zeros(mask.shape, dtype=torch.float32)
    last = mask.shape[1] - 1 - mask.flip(1).argmax(dim=1)
    out[rows, last] = torch.tensor(values, dtype=torch.float32)
    return out * mask
