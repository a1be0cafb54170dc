"""The seams to verl without Ray: outputs, agent loop with a fake server, dataset, sizes, repairs."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="torch is not installed (extra train)")
pytest.importorskip("verl", reason="verl 0.9.1 is not installed (scripts/cluster-env builds an environment with it)")

import torch
from omegaconf import OmegaConf

from solar_eval.errors import DataError, UsageError
from training.verl_plugin import main, patches
from training.verl_plugin.agent_loop import SolarEpisodeAgentLoop
from training.verl_plugin.dataset import EpisodeDataset
from training.verl_plugin.outputs import StepOutput
from training.verl_plugin.rows import read_rows, write_rows
from training.verl_plugin.settings import read_settings
from training.verl_plugin.trainer import at_last_token, row_multiple, spread, update_info

sys.path.insert(0, str(Path(__file__).parent))
from made_up import episode

PLAN = read_settings({}).plan("android_control")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    write_rows([episode("1"), episode("2")], "android_control", PLAN, tmp_path / "train.jsonl")
    return tmp_path / "train.jsonl"


class Tokenizer:
    """One token a character."""

    eos_token_id = 0

    def decode(self, ids, skip_special_tokens: bool = True) -> str:
        return "".join(chr(i) for i in ids)


class Server:
    """Answers with the label of the step whose goal it sees, wrongly at `wrong`, or not at all."""

    def __init__(self, replies: list[str], lost: int | None = None) -> None:
        self.replies, self.lost, self.asked = replies, lost, 0

    async def generate(self, request_id, prompt_ids, sampling_params, image_data, **more):
        step = self.asked
        self.asked += 1
        assert len(image_data) == 1
        if step == self.lost:
            raise ConnectionError("gone")
        ids = [ord(c) for c in self.replies[step]]
        return SimpleNamespace(token_ids=ids, log_probs=[-0.5] * len(ids),
                               extra_fields={"min_global_steps": 3, "max_global_steps": 3})  # fmt: skip


def loop_with(server: Server) -> SolarEpisodeAgentLoop:
    made = SolarEpisodeAgentLoop.__new__(SolarEpisodeAgentLoop)
    made.settings, made.response_length, made.server_manager = read_settings({}), 512, server
    made.tokenizer, made.mm_processor_kwargs = Tokenizer(), {}

    async def build(messages, images, **more):
        assert any(part["type"] == "image" for m in messages for part in m["content"] if isinstance(part, dict))
        return [1, 2, 3]

    made.ct_build_initial_tokens = build
    return made


def outputs(rows: Path, wrong: int | None = None, lost: int | None = None) -> list[StepOutput]:
    one = next(read_rows(rows))
    replies = [PLAN.dialect.render(s.label, PLAN.frame(s.screen, size))
               for s, size in zip(one.episode.steps, one.sizes, strict=True)]  # fmt: skip
    if wrong is not None:
        replies[wrong] = "nothing"
    dataset = EpisodeDataset(str(rows), Tokenizer(), {}, processor=object())
    return asyncio.run(loop_with(Server(replies, lost)).run({"temperature": 1.0}, **dataset[0]))


def test_each_step_keeps_its_reward_where_verl_broadcasts_the_last(rows: Path) -> None:
    from verl.experimental.agent_loop.agent_loop import AgentLoopMetrics, AgentLoopOutput

    found = outputs(rows, wrong=2)
    assert len(found) == 3
    stock = [AgentLoopOutput(prompt_ids=o.prompt_ids, response_ids=o.response_ids, response_mask=o.response_mask,
                             reward_score=o.reward_score, metrics=AgentLoopMetrics(), extra_fields=dict(o.extra_fields))
             for o in found]  # fmt: skip
    for group in (found, stock):  # what AgentLoopWorkerTQ._agent_loop_postprocess does to every session
        for one in group[:-1]:
            one.reward_score = group[-1].reward_score
            one.extra_fields["reward_extra_info"] = group[-1].extra_fields["reward_extra_info"]
    ours, theirs = [o.as_dict()["rm_scores"] for o in found], [o.as_dict()["rm_scores"] for o in stock]
    assert [float(s[-1]) for s in ours] == pytest.approx([1, 1, 0], abs=1e-3)
    assert [float(s.sum()) for s in ours] == pytest.approx([1, 1, 0], abs=1e-3)
    assert [float(s[-1]) for s in theirs] == [0, 0, 0]


def test_a_session_tells_verl_what_it_needs(rows: Path) -> None:
    found = outputs(rows)
    assert len(found) == 4
    made = found[1].as_dict()
    assert made["extra_fields"]["solar"]["step"] == 1
    assert made["extra_fields"]["min_global_steps"] == 3
    assert made["extra_fields"]["reward_extra_info"]["acc"] == 1
    assert made["response_mask"].sum() == len(made["responses"]) == len(made["rollout_log_probs"])
    assert "step_reward" not in made and "own_info" not in made


def test_a_lost_reply_never_raises_and_is_never_trained(rows: Path) -> None:
    found = outputs(rows, lost=2)
    assert len(found) == 1
    assert found[0].extra_fields["solar"]["usable"] == [True, True, False, True]
    lost_first = outputs(rows, lost=0)
    assert sum(lost_first[0].response_mask) == 0 and len(lost_first[0].response_ids) == 1


def test_dataset_refuses_what_verl_would_swallow(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="text-only"):
        EpisodeDataset(str(rows), Tokenizer(), {}, processor=None)
    with pytest.raises(DataError, match="no such file"):
        EpisodeDataset(str(tmp_path / "none.jsonl"), Tokenizer(), {}, processor=object())
    assert len(EpisodeDataset([str(rows), str(rows)], Tokenizer(), {}, processor=object(), max_samples=3)) == 3


def test_numbers_stand_at_their_tokens() -> None:
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]])
    assert at_last_token([2.0, 3.0, 4.0], mask).tolist() == [[0, 0, 2, 0], [0, 0, 0, 3], [0, 0, 0, 0]]
    assert spread([2.0, -1.0, 5.0], mask).tolist() == [[2, 2, 2, 0], [-1, -1, -1, -1], [0, 0, 0, 0]]


def test_rows_divide_into_ranks_updates_and_micro_batches() -> None:
    config = OmegaConf.create({
        "actor": {"use_dynamic_bsz": False, "ppo_micro_batch_size_per_gpu": 2, "use_kl_loss": True},
        "rollout": {"log_prob_micro_batch_size_per_gpu": 3}, "ref": {"log_prob_micro_batch_size_per_gpu": 4},
    })  # fmt: skip
    assert row_multiple(config, 8, 1) == 8 * 12
    assert row_multiple(config, 1, 5) == 60
    config.actor.use_dynamic_bsz = True
    assert row_multiple(config, 8, 2) == 16


def test_update_info_counts_real_rows() -> None:
    actor = OmegaConf.create({"calculate_entropy": False, "entropy_coeff": 0.0, "ppo_epochs": 1, "data_loader_seed": 1,
                              "shuffle": False})  # fmt: skip
    assert update_info(actor, 37, 2, 1.0)["global_batch_size"] == 18
    assert update_info(actor, 0, 2, 1.0)["global_batch_size"] == 1


def test_rows_of_one_length_are_joined_along_the_length() -> None:
    from tensordict import TensorDict

    ids = [torch.arange(4 * 7).reshape(4, 7) + 100 * i for i in range(3)]
    for lengths in ((7, 7, 7), (7, 5, 6)):
        given = [one[:, :n].contiguous() for one, n in zip(ids, lengths, strict=True)]
        nested = torch.nested.as_nested_tensor(given, layout=torch.jagged)
        data = TensorDict({"position_ids": nested}, batch_size=[3])
        patches.along_the_length(data)
        back = data["position_ids"].unbind()
        assert all(torch.equal(a, b) for a, b in zip(back, given, strict=True))


def test_the_repair_of_pictureless_batches_removes_itself() -> None:
    class Fixed:
        @staticmethod
        def _get_input_embeds(model, input_ids):
            return unpack(model.visual(input_ids))  # noqa: F821

    assert not patches.needed(SimpleNamespace())
    assert not patches.needed(Fixed)
    import verl.models.transformers.qwen2_vl as module

    patches.apply()
    assert not patches.needed(module)


@pytest.mark.parametrize("name", main.named())
def test_every_configuration_composes_and_passes_verls_own_checks(name: str, tmp_path: Path) -> None:
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    config = main.compose(name, ["data.train_files=a", "data.val_files=b", "actor_rollout_ref.model.path=/m"]
                          if name == "cpu_test" else ["data.train_files=a", "data.val_files=b"])  # fmt: skip
    read_settings(config.solar)
    assert need_reference_policy(config) and not need_critic(config)
    if "lora" not in name:
        validate_config(config, use_reference_policy=True, use_critic=False)
    assert Path(config.actor_rollout_ref.rollout.agent.agent_loop_config_path).is_file()
