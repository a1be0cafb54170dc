"""Checks before a GPU is taken: each is a function that gives a finding or nothing, all are run, all are printed.

What they look for is what stopped or silently spoilt runs of others (facts: training_stack.md section 5): versions,
divisibility, memory, lengths of prompts with expanded pictures, a processor that did not load, a plugin that is not
registered in the workers, data that a node can't read.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solar_eval.errors import SolarEvalError
from training.verl_plugin import plan as planning
from training.verl_plugin.rows import EpisodeRow, read_rows
from training.verl_plugin.settings import read_settings

VERL = "0.9.1"
"""The version the plugin was written and run against."""
EXTERNAL = "training.verl_plugin.external"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome. ok: nothing to do; else `fix` says what to do."""

    name: str
    ok: bool
    said: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the checks look at. rows: of the training file, read already. tokens: of a prompt, expanded, by row."""

    config: Any
    rows: tuple[EpisodeRow, ...]
    versions: dict[str, str]
    processor: bool
    environment: dict[str, str]
    gpu_memory: float = 48.0


Check = Callable[[Facts], Finding]


def versions(facts: Facts) -> Finding:
    """verl is the tested version, transformers within its range."""
    found = facts.versions.get("verl", "not installed")
    fix = f"pip install verl=={VERL} (extra cluster)"
    return Finding("versions", found == VERL, f"verl {found}, tested {VERL}", fix)


def settings(facts: Facts) -> Finding:
    """The `solar:` section reads."""
    try:
        read_settings(facts.config["solar"])
    except (SolarEvalError, ValueError) as error:
        return Finding("solar settings", False, str(error).replace("\n", " "), "see docs/cluster.md for the keys")
    return Finding("solar settings", True, "read")


def processor(facts: Facts) -> Finding:
    """The model's processor loads; verl swallows the error and trains on text alone."""
    fix = "install torchvision for your torch; AutoProcessor.from_pretrained(model) must work on every node"
    return Finding("processor", facts.processor, "loads" if facts.processor else "did not load", fix)


def divisibility(facts: Facts) -> Finding:
    """Sessions of a batch divide into GPUs (verl's own check), tensor parallel size divides the GPUs."""
    config = facts.config
    gpus = int(config["trainer"]["nnodes"]) * int(config["trainer"]["n_gpus_per_node"])
    rollout = config["actor_rollout_ref"]["rollout"]
    sessions, parallel = (
        int(config["data"]["train_batch_size"]) * int(rollout["n"]),
        rollout["tensor_model_parallel_size"],
    )
    ok = sessions % gpus == 0 and gpus % int(parallel) == 0
    said = f"{sessions} sessions a batch, {gpus} GPUs, tensor parallel {parallel}"
    return Finding(
        "divisibility", ok, said, "train_batch_size x n must be a multiple of the GPUs, GPUs of the parallel size"
    )


def micro_batches(facts: Facts) -> Finding:
    """Log-probability passes use the update's micro-batch size, or the ratio is not 1 on fresh data (verl#6280)."""
    actor, rollout = facts.config["actor_rollout_ref"]["actor"], facts.config["actor_rollout_ref"]["rollout"]
    a, b = actor["ppo_micro_batch_size_per_gpu"], rollout["log_prob_micro_batch_size_per_gpu"]
    ok = bool(actor.get("use_dynamic_bsz")) or a == b
    return Finding("micro-batches", ok, f"update {a}, log-probabilities {b}", "set both to the same number")


def memory(facts: Facts) -> Finding:
    """The estimate of `plan` fits."""
    try:
        shape = planning.shape_of(str(facts.config["actor_rollout_ref"]["model"]["path"]))
    except SolarEvalError:
        return Finding("memory", True, "not estimated: the model's size is not in its name")
    made = planning.estimate(facts.config, shape, planning.Assumptions(gpu_memory=facts.gpu_memory))
    said = ", ".join(f"{k} {v:.1f}" for k, v in made.memory.items()) + " GiB a GPU"
    return Finding("memory", made.fits, said, "offload, lower gpu_memory_utilization, or more GPUs")


def lengths(facts: Facts) -> Finding:
    """Pictures, (W/28) (H/28) tokens each, leave room in the prompt; prompt and reply fit the engine's context."""
    data, rollout = facts.config["data"], facts.config["actor_rollout_ref"]["rollout"]
    worst = max((w * h // 784 for row in facts.rows for w, h in row.sizes), default=0)
    prompt, reply = int(data["max_prompt_length"]), int(data["max_response_length"])
    context = int(rollout["max_model_len"] or prompt + reply)
    ok = worst + 512 <= prompt and prompt + reply <= context
    said = f"largest picture {worst} tokens, prompt {prompt}, reply {reply}, context {context}"
    return Finding("lengths", ok, said, "lower max_pixels, or raise max_prompt_length and max_model_len")


def plugin(facts: Facts) -> Finding:
    """The agent loop's file exists, the default loop is ours, and workers will import the repairs."""
    agent = facts.config["actor_rollout_ref"]["rollout"]["agent"]
    path = Path(str(agent.get("agent_loop_config_path") or ""))
    ok = path.is_file() and agent["default_agent_loop"] == "solar_episode"
    ok = ok and EXTERNAL in facts.environment.get("VERL_USE_EXTERNAL_MODULES", EXTERNAL).split(",")
    said = f"agent loop {agent['default_agent_loop']}, {path or 'no file'}"
    return Finding("plugin", ok, said, f"keep agent_loop_config_path; VERL_USE_EXTERNAL_MODULES must name {EXTERNAL}")


def data(facts: Facts) -> Finding:
    """Rows can be read and every picture is there, on this machine (each node needs the same path)."""
    lost = [str(path) for row in facts.rows for path in row.images if not path.is_file()]
    ok = bool(facts.rows) and not lost
    said = f"{len(facts.rows)} episodes, {len(lost)} pictures missing" + (f", first {lost[0]}" if lost else "")
    return Finding(
        "data", ok, said, "write it on storage that every node mounts at the same path: solar-train verl-data"
    )


def trainer(facts: Facts) -> Finding:
    """Trainer V1 in mode sync, a number of updates, no reward KL: what the plugin was run with."""
    section, algorithm = facts.config["trainer"], facts.config["algorithm"]
    wrong = [
        what
        for what, bad in (
            ("use_v1 is off", not section["use_v1"]),
            ("trainer_mode is not sync", section["v1"]["trainer_mode"] != "sync"),
            ("total_training_steps is not set", not section["total_training_steps"]),
            ("use_kl_in_reward changes the shaped reward", bool(algorithm["use_kl_in_reward"])),
            ("sync_refill_failed_groups needs single prompts",
             bool(section["v1"].get("sampler", {}).get("sync_refill_failed_groups"))),
        )
        if bad
    ]  # fmt: skip
    return Finding("trainer", not wrong, "; ".join(wrong) or "V1, sync", "see configs/solar_verl.yaml")


CHECKS: tuple[Check, ...] = (
    versions, settings, processor, divisibility, micro_batches, memory, lengths, plugin, data, trainer,
)  # fmt: skip


def check(facts: Facts) -> list[Finding]:
    """All findings, in the table's order."""
    return [one(facts) for one in CHECKS]


def gather(config: Any, gpu_memory: float = 48.0) -> Facts:
    """What there is on this machine for a composed configuration. Raises DataError for rows that can't be read."""
    files = config["data"]["train_files"]
    names = [files] if isinstance(files, str) else list(files)
    rows = tuple(row for name in names if Path(name).is_file() for row in read_rows(Path(name)))
    found = {name: _version(name) for name in ("verl", "transformers", "torch", "vllm", "ray")}
    return Facts(config, rows, found, _processor(str(config["actor_rollout_ref"]["model"]["path"])),
                 dict(os.environ), gpu_memory)  # fmt: skip


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _processor(path: str) -> bool:
    try:
        from transformers import AutoProcessor

        load: Any = AutoProcessor.from_pretrained
        return load(path) is not None
    except (ImportError, OSError, ValueError, RuntimeError, AttributeError, TypeError):
        return False


def render(findings: Iterable[Finding]) -> str:
    """One line a finding, with the fix under those that are not ok."""
    out = []
    for one in findings:
        out.append(f"{'ok  ' if one.ok else 'FAIL'}  {one.name}: {one.said}")
        if not one.ok:
            out.append(f"      {one.fix}")
    return "\n".join(out)
