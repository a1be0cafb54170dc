"""`solar-train plan CONFIG`: what a run will take, from stated assumptions: tokens, memory by part, updates, hours.

An estimate to find what can't fit before a GPU is taken; every assumption is printed and can be overridden. Parameters
and shapes are those of the public checkpoints' config.json (Qwen/Qwen2.5-VL-3B, 7B, 32B, 72B-Instruct).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from solar_eval.errors import UsageError

GIB = 1024**3


@dataclass(frozen=True, slots=True)
class ModelShape:
    """parameters in all, of which vision; layers, hidden size, key-value heads and head size of the language model."""

    parameters: float
    vision: float
    layers: int
    hidden: int
    kv_heads: int
    head: int
    vocabulary: int


SHAPES: dict[str, ModelShape] = {
    "3B": ModelShape(3.75e9, 0.67e9, 36, 2048, 2, 128, 151_936),
    "7B": ModelShape(8.29e9, 0.68e9, 28, 3584, 4, 128, 152_064),
    "32B": ModelShape(33.5e9, 0.69e9, 64, 5120, 8, 128, 152_064),
    "72B": ModelShape(73.4e9, 0.70e9, 80, 8192, 8, 128, 152_064),
}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What the estimate takes for granted.

    steps_per_episode: mean, 94k steps in 15k trajectories (paper). prompt_tokens, reply_tokens: means of a step.
    kept_share: share of steps before the failure point. gpu_memory: GiB a GPU. train_flops: sustained FLOP/s a GPU in
    forward and backward passes; decode_tokens: tokens/s a GPU with many requests; sync_s: weight sync and waiting.
    """

    steps_per_episode: float = 6.27
    prompt_tokens: float = 3000.0
    reply_tokens: float = 120.0
    kept_share: float = 0.6
    gpu_memory: float = 48.0
    train_flops: float = 60e12
    decode_tokens: float = 1500.0
    sync_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Estimates: tokens an update, seconds an update by part, GiB a GPU by part, totals."""

    gpus: int
    updates: int
    rollouts: float
    rows: float
    generated_tokens: float
    trained_tokens: float
    seconds: dict[str, float]
    memory: dict[str, float]
    hours: float
    fits: bool


def shape_of(path: str) -> ModelShape:
    """The shape by the size in a checkpoint's name ("...-7B-..."). Raises UsageError."""
    found = [shape for name, shape in SHAPES.items() if name.lower() in path.lower()]
    if not found:
        raise UsageError(f"no size known for {path!r}", "actor_rollout_ref.model.path",
                         f"the name has to hold one of {', '.join(SHAPES)}, or give --size")  # fmt: skip
    return found[0]


def estimate(config: Mapping[str, Any], shape: ModelShape, given: Assumptions | None = None) -> Plan:
    """The plan of a composed configuration (OmegaConf or nested dictionaries)."""
    given = given or Assumptions()
    model, actor = config["actor_rollout_ref"]["model"], config["actor_rollout_ref"]["actor"]
    rollout, trainer = config["actor_rollout_ref"]["rollout"], config["trainer"]
    gpus = int(trainer["nnodes"]) * int(trainer["n_gpus_per_node"])
    rollouts = int(config["data"]["train_batch_size"]) * given.steps_per_episode * int(rollout["n"])
    rows = rollouts * given.kept_share
    length = given.prompt_tokens + given.reply_tokens
    passes = 3.0 + 1.0 + (1.0 if actor["use_kl_loss"] else 0.0)
    if model.get("enable_gradient_checkpointing", True):
        passes += 1.0
    lora = int(model.get("lora_rank", 0)) > 0
    seconds = {
        "generation": rollouts * given.reply_tokens / (given.decode_tokens * gpus)
        + rollouts / int(rollout["n"]) * 2 * shape.parameters * given.prompt_tokens / (given.train_flops * gpus),
        "training": rows * length * 2 * shape.parameters * passes / (given.train_flops * gpus),
        "sync": given.sync_s,
    }
    memory = _memory(shape, gpus, actor, rollout, lora, length, given)
    updates = int(trainer["total_training_steps"])
    peak = max(memory["rollout engine"], sum(v for k, v in memory.items() if k != "rollout engine"))
    return Plan(gpus, updates, rollouts, rows, rollouts * given.reply_tokens, rows * length, seconds, memory,
                updates * sum(seconds.values()) / 3600, peak <= given.gpu_memory * 0.95)  # fmt: skip


def _memory(shape: ModelShape, gpus: int, actor: Mapping[str, Any], rollout: Mapping[str, Any], lora: bool,
            length: float, given: Assumptions) -> dict[str, float]:  # fmt: skip
    """GiB a GPU. Sharded: 4 bytes weights, 4 gradient, 8 Adam a parameter (fp32 masters, as verl's FSDP2)."""
    offload = actor.get("fsdp_config", {})
    trained = shape.parameters * (0.01 if lora else 1.0)
    micro = int(actor["ppo_micro_batch_size_per_gpu"] or 1)
    logits = micro * given.reply_tokens * shape.vocabulary * 4 * 3
    layers = micro * length * shape.hidden * 2 * (shape.layers + 30)
    return {
        "weights": 0.0 if offload.get("param_offload") else shape.parameters * 4 / gpus / GIB,
        "gradients": trained * 4 / gpus / GIB,
        "optimizer": 0.0 if offload.get("optimizer_offload") else trained * 8 / gpus / GIB,
        "activations": (logits + layers) / GIB,
        "gathered layer": 2 * shape.parameters / shape.layers * 2 / GIB,
        "rollout engine": float(rollout["gpu_memory_utilization"]) * given.gpu_memory,
    }


def render(plan: Plan, given: Assumptions) -> str:
    """The plan in words and numbers, assumptions last."""
    lines = [
        f"{plan.gpus} GPUs, {plan.updates} updates",
        f"an update: {plan.rollouts:,.0f} replies, {plan.generated_tokens:,.0f} tokens generated, "
        f"{plan.rows:,.0f} rows and {plan.trained_tokens:,.0f} tokens trained",
        "seconds an update: " + ", ".join(f"{k} {v:,.0f}" for k, v in plan.seconds.items()),
        f"hours: {plan.hours:,.1f}",
        "GiB a GPU: " + ", ".join(f"{k} {v:.1f}" for k, v in plan.memory.items()),
        "fits"
        if plan.fits
        else "DOES NOT FIT: lower gpu_memory_utilization or micro-batch, offload, or take more GPUs",
        "assumed: " + ", ".join(f"{k} {v:g}" for k, v in asdict(given).items()),
        "sources: shapes from the checkpoints' config.json; speeds are assumptions, not measurements",
    ]
    return "\n".join(lines)
