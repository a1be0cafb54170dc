"""Ten planted mistakes are found, each by its check; the plan's numbers follow from what is stated."""

from __future__ import annotations

import copy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from solar_eval.errors import UsageError
from training.verl_plugin import launch, plan, preflight
from training.verl_plugin.rows import read_rows, write_rows
from training.verl_plugin.settings import read_settings

sys.path.insert(0, str(Path(__file__).parent))
from made_up import episode

LOOP = Path(preflight.__file__).parent / "agent_loop.yaml"
CONFIG = {
    "solar": {"rule": "solar"},
    "data": {"train_batch_size": 20, "max_prompt_length": 5120, "max_response_length": 1024},
    "algorithm": {"use_kl_in_reward": False},
    "trainer": {"nnodes": 4, "n_gpus_per_node": 8, "use_v1": True, "v1": {"trainer_mode": "sync", "sampler": {}},
                "total_training_steps": 650},
    "actor_rollout_ref": {
        "model": {"path": "Qwen/Qwen2.5-VL-7B-Instruct", "enable_gradient_checkpointing": True},
        "actor": {"ppo_micro_batch_size_per_gpu": 1, "use_kl_loss": True, "use_dynamic_bsz": False,
                  "fsdp_config": {"param_offload": True, "optimizer_offload": True}},
        "rollout": {"n": 8, "tensor_model_parallel_size": 1, "gpu_memory_utilization": 0.55, "max_model_len": 6144,
                    "log_prob_micro_batch_size_per_gpu": 1,
                    "agent": {"agent_loop_config_path": str(LOOP), "default_agent_loop": "solar_episode"}},
    },
}  # fmt: skip


@pytest.fixture
def facts(tmp_path: Path) -> preflight.Facts:
    write_rows([episode("1")], "android_control", read_settings({}).plan("android_control"), tmp_path / "t.jsonl")
    rows = tuple(read_rows(tmp_path / "t.jsonl"))
    return preflight.Facts(copy.deepcopy(CONFIG), rows, {"verl": preflight.VERL}, True, {})


def failed(facts: preflight.Facts) -> list[str]:
    return [one.name for one in preflight.check(facts) if not one.ok]


def test_a_sound_configuration_passes(facts: preflight.Facts) -> None:
    assert failed(facts) == [], preflight.render(preflight.check(facts))


def put(facts: preflight.Facts, path: str, value: object) -> preflight.Facts:
    at = facts.config
    *parents, last = path.split(".")
    for name in parents:
        at = at[name]
    at[last] = value
    return facts


@pytest.mark.parametrize(
    ("path", "value", "check"),
    [
        ("solar.rule", "solr", "solar settings"),
        ("data.train_batch_size", 19, "divisibility"),
        ("actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu", 4, "micro-batches"),
        ("actor_rollout_ref.actor.fsdp_config", {}, "memory"),
        ("data.max_prompt_length", 600, "lengths"),
        ("actor_rollout_ref.rollout.agent.default_agent_loop", "single_turn_agent", "plugin"),
        ("trainer.v1.trainer_mode", "colocate_async", "trainer"),
    ],
)
def test_planted_mistakes_of_the_configuration(facts: preflight.Facts, path: str, value: object, check: str) -> None:
    if check == "memory":
        put(facts, "trainer.nnodes", 1)
        put(facts, "trainer.n_gpus_per_node", 1)
    assert failed(put(facts, path, value)) == [check]


def test_planted_mistakes_of_the_machine(facts: preflight.Facts) -> None:
    assert failed(replace(facts, versions={"verl": "0.4.0"})) == ["versions"]
    assert failed(replace(facts, processor=False)) == ["processor"]
    assert failed(replace(facts, environment={"VERL_USE_EXTERNAL_MODULES": "other"})) == ["plugin"]
    facts.rows[0].images[2].unlink()
    assert failed(facts) == ["data"]
    assert failed(replace(facts, rows=())) == ["data"]
    assert all(one.fix for one in preflight.check(facts) if not one.ok)


def test_plan_scales_as_it_says() -> None:
    small = plan.estimate(CONFIG, plan.SHAPES["7B"])
    given = plan.Assumptions()
    assert small.rollouts == pytest.approx(20 * 8 * given.steps_per_episode)
    assert small.generated_tokens == pytest.approx(small.rollouts * given.reply_tokens)
    slow = plan.estimate(CONFIG, plan.SHAPES["7B"], replace(given, train_flops=given.train_flops / 2))
    assert slow.seconds["training"] == pytest.approx(2 * small.seconds["training"])
    assert small.hours == pytest.approx(650 * sum(small.seconds.values()) / 3600)
    assert "assumed:" in plan.render(small, given)
    with pytest.raises(UsageError, match="no size known"):
        plan.shape_of("my/model")


@pytest.mark.parametrize("kind", launch.KINDS)
def test_launchers_are_valid_shell_and_quote_what_they_are_given(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text(launch.render(kind, "paper_4x8_l40s", ["data.train_files=/a b$(rm)/t.jsonl"]))
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert "'data.train_files=/a b$(rm)/t.jsonl'" in script.read_text()
