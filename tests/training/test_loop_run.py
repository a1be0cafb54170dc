"""`solar-train run` as a user: learning from noisy demonstrations, exact resume, export, and what it refuses."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the embedded trainer needs torch: pip install 'solar-eval[train]'")
pytest.importorskip("transformers", reason="the embedded trainer needs transformers: pip install 'solar-eval[train]'")

from solar_eval.errors import DataError, UsageError  # noqa: E402
from training.commands import run as verb  # noqa: E402
from training.errors import CheckpointError, EmptyGroup  # noqa: E402
from training.metrics_log import read_metrics  # noqa: E402

SMALL = {
    "dialect": "generic_json", "max_reply_tokens": 20, "context": 128, "sft_updates": 3, "sft_batch": 4, "sft_lr": 1e-3,
    "atomic_updates": 2, "atomic_batch": 3, "trajectory_updates": 2, "trajectory_batch": 2, "candidates": 3, "lr": 1e-4,
    "tiny_hidden": 64, "tiny_layers": 1, "tiny_vocabulary": 320, "held_out": 0.2, "tell_every_s": 1000.0,
    "sources": [{"kind": "demo", "episodes": 12, "signs": 3}],
}  # fmt: skip


def written(folder: Path, name: str = "run.json", **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(json.dumps({**SMALL, "out": "out", **changes}))
    return file


def newest(out: Path) -> Path:
    return sorted((out / "checkpoints").glob("update-*"))[-1]


@pytest.mark.slow
def test_a_run_resumed_at_every_kind_of_place_has_the_same_bytes(tmp_path: Path) -> None:
    """3 + 2 + 2 updates; stopped within the warm-up, at its end, within and at the end of the atomic stage."""
    from training.setup import prepare

    verb.run(written(tmp_path / "whole"), {}, False)
    whole = newest(tmp_path / "whole" / "out")
    for stop in (2, 3, 4, 5):
        file = written(tmp_path / f"cut{stop}")
        trainer = prepare(verb.resolved_of(file, {}).config, lambda line: None)
        note = trainer._note

        def stopping(phase: Any, made: Any, clock: Any, note: Any = note, t: Any = trainer, stop: int = stop) -> None:
            note(phase, made, clock)
            t._stop = t.updates == stop

        trainer._note = stopping  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            trainer.run()
        trainer.log.close()
        verb.run(file, {}, False)
        again = newest(file.parent / "out")
        assert again.name == whole.name == "update-000007"
        assert (again / "state.pt").read_bytes() == (whole / "state.pt").read_bytes()
        assert [line["update"] for line in read_metrics(file.parent / "out")] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.slow
def test_a_value_head_is_trained_kept_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bi-Level GAE with the VLM: the head is fitted once a batch, and a resume within the stage has the same bytes.

    The policy never succeeds here, so the head starts at .5, which is wrong, instead of at 0.
    """
    from training import setup
    from training.setup import prepare

    made = setup.value_head

    def wrong(hidden: int, seed: int) -> Any:
        head: Any = made(hidden, seed)
        torch.nn.init.constant_(head[2].bias, 0.5)
        return head

    monkeypatch.setattr(setup, "value_head", wrong)
    changes: dict[str, Any] = {"rule": "bi_level_gae", "sft_updates": 1, "atomic_updates": 0, "trajectory_updates": 3}
    verb.run(written(tmp_path / "whole", **changes), {}, False)
    out = tmp_path / "whole" / "out"
    lines = read_metrics(out)[1:]
    assert all(line["critic_loss"] > 0 for line in lines)
    assert lines[0]["value"] == 0.5 > lines[-1]["value"]
    state = torch.load(newest(out) / "state.pt", weights_only=True)
    assert any(weight.abs().max() > 0 for name, weight in state["policy"]["critic"].items() if name.startswith("2."))
    file = written(tmp_path / "cut", **changes)
    trainer = prepare(verb.resolved_of(file, {}).config, lambda line: None)
    trainer.after_update = lambda update: setattr(trainer, "_stop", update == 2)
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    trainer.log.close()
    verb.run(file, {}, False)
    assert (newest(file.parent / "out") / "state.pt").read_bytes() == (newest(out) / "state.pt").read_bytes()


def test_a_screenshot_that_disappears_is_skipped_by_name_and_counted(tmp_path: Path) -> None:
    """The picture that the fewest tasks show is deleted after the start: the others are trained and evaluated."""
    from training.setup import prepare

    told: list[str] = []
    changes: dict[str, Any] = {"sft_updates": 2, "atomic_updates": 2, "trajectory_updates": 2, "trajectory_batch": 8}
    trainer = prepare(verb.resolved_of(written(tmp_path, **changes), {}).config, told.append)
    assert trainer.screens is not None and trainer.evaluation is not None
    trainer.screens._patches.clear()
    tasks = trainer.phases[-1].order.batch(1, 8)  # those of the last update
    shown = Counter(key for task in tasks for key in {k for one in task.steps for k in one.screens.values()})
    rare = min(shown, key=lambda key: shown[key])
    assert shown[rare] < len(tasks)
    (tmp_path / "out" / "screens" / f"{rare}.png").unlink()
    trainer.run()
    trainer.log.close()
    lines = read_metrics(tmp_path / "out")
    assert len(lines) == 6 and sum(line.get("screens_gone", 0) for line in lines) > 0
    assert lines[-1]["screens_gone"] == shown[rare] and "skipped_update" not in lines[-1]
    assert len([line for line in told if "warning" in line and "are skipped" in line]) == 1
    assert all(torch.isfinite(weight).all() for weight in trainer.policy.parameters())


def test_a_run_all_of_whose_screenshots_are_gone_ends_with_the_reason(tmp_path: Path) -> None:
    from training.errors import Diverged
    from training.setup import prepare

    trainer = prepare(verb.resolved_of(written(tmp_path, sft_updates=30), {}).config, lambda line: None)
    assert trainer.screens is not None
    trainer.screens._patches.clear()
    for picture in (tmp_path / "out" / "screens").iterdir():
        picture.unlink()
    with pytest.raises(Diverged, match="20 updates in a row changed nothing; the last: EmptyGroup the screenshots of"):
        trainer.run()


def test_what_a_run_leaves_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from transformers import AutoTokenizer, Qwen2_5_VLForConditionalGeneration

    file = written(tmp_path)
    assert verb.run(file, {"seed": "3"}, False) == 0
    shown = capsys.readouterr()
    assert "loads with transformers" in shown.out
    assert "phase trajectory: 2 updates of 2 tasks" in shown.err
    out = tmp_path / "out"
    assert {"checkpoints", "config.toml", "curation.json", "metrics.jsonl", "model", "screens"} <= {
        path.name for path in out.iterdir()
    }
    lines = read_metrics(out)
    assert [line["phase"] for line in lines] == ["sft"] * 3 + ["atomic"] * 2 + ["trajectory"] * 2
    wanted = {"score", "valid", "success", "format_error", "share/click", "share/finish", "entropy", "clip_rate",
              "zero_variance", "alive", "grad_norm", "kl", "sampling_gap", "reward", "seconds"}  # fmt: skip
    assert all(wanted <= set(line) for line in lines[3:])
    assert lines[-1]["sampling_gap"] < 1e-4
    assert [("eval/success" in line) for line in lines] == [False, False, True, False, True, False, True]
    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(out / "model")
    state = torch.load(newest(out) / "state.pt", weights_only=True)["policy"]["model"]
    assert all(torch.equal(weight, state[name]) for name, weight in model.state_dict().items())
    assert len(AutoTokenizer.from_pretrained(out / "model")) == model.config.text_config.vocab_size
    again = verb.resolved_of(out / "config.toml", {}).config
    assert again == verb.resolved_of(file, {"seed": "3"}).config
    # the exported model is a checkpoint to start from
    more = written(tmp_path, "more.json", out="more", model="out/model", sft_updates=0, atomic_updates=1, threads=1)
    assert verb.run(more, {}, False) == 0
    assert read_metrics(tmp_path / "more")[0]["phase"] == "atomic"


def test_a_resume_with_another_configuration_or_other_data_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, sft_updates=1, atomic_updates=0, trajectory_updates=0)
    verb.run(file, {}, False)
    with pytest.raises(CheckpointError, match=r"sft_lr: 0.001 there, 0.5 now"):
        verb.run(file, {"sft_lr": "0.5"}, False)
    other = written(tmp_path, sft_updates=1, atomic_updates=0, trajectory_updates=0,
                    sources=[{"kind": "demo", "episodes": 12, "signs": 3, "seed": 9}])  # fmt: skip
    with pytest.raises(CheckpointError, match="data_sha256"):
        verb.run(other, {}, False)


def test_errors_name_the_field_and_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown key 'atomic_update'"):
        verb.resolved_of(written(tmp_path, atomic_update=3), {})
    for changes, told in (
        ({"loggers": ["tensorbord"]}, "'tensorbord' is none of tensorboard, wandb, trackio"),
        ({"min_pixels": 9000, "max_pixels": 8000}, "min_pixels 9000 is above max_pixels 8000"),
        ({"rule": "bi_level_gea"}, "rule = 'bi_level_gea'"), ({"splices": 0}, "splices"),
        ({"max_reply_tokens": 128}, "leave no room"), ({"sources": []}, "sources"), ({"lr": "nan"}, "lr"),
        ({"sources": [{"kind": "demo", "speed": 3}]}, "sources.0.speed"), ({"held_out": 1.0}, "held_out"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=told.replace("'", ".")):
            verb.resolved_of(written(tmp_path, **changes), {})
    with pytest.raises(EmptyGroup, match="nothing fits into a context of 64 tokens"):
        verb.run(written(tmp_path, context=64, max_reply_tokens=50, out="long"), {}, False)
    with pytest.raises(UsageError, match="all phases have 0 updates"):
        verb.run(written(tmp_path, sft_updates=0, atomic_updates=0, trajectory_updates=0, out="none"), {}, False)
    with pytest.raises(DataError, match=r"there is no config\.json"):
        verb.run(written(tmp_path, model="nowhere", out="m"), {}, False)
    with pytest.raises(UsageError, match="device"):
        verb.run(written(tmp_path, device="cuda:77", out="d"), {}, False)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_grpo_with_a_tiny_qwen_learns_from_noisy_demonstrations(tmp_path: Path) -> None:
    """Sampled success of held-out episodes (all steps right) rises by at least .3 after the warm-up, in minutes."""
    start = time.process_time()
    file = written(
        tmp_path, sft_updates=100, sft_batch=32, sft_lr=1e-3, demonstration_noise=0.4, atomic_updates=20,
        atomic_batch=16, trajectory_updates=10, trajectory_batch=6, candidates=8, lr=5e-4, tiny_hidden=128,
        tiny_layers=2, tiny_vocabulary=512, held_out=0.2, micro_steps=64, warmup=5, kl=0.0, format_reward=0.1,
        sources=[{"kind": "demo", "episodes": 150, "signs": 6}],
    )  # fmt: skip
    assert verb.run(file, {}, False) == 0
    found = [line for line in read_metrics(tmp_path / "out") if "eval/success" in line]
    told = {line["phase"]: (round(line["eval/success"], 3), round(line["eval/score"], 3)) for line in found}
    print(told, f"{time.process_time() - start:.0f} s of CPU")
    assert found[-1]["eval/success"] - found[0]["eval/success"] >= 0.3
    assert found[1]["eval/score"] > found[0]["eval/score"]
    assert time.process_time() - start < 240
    state = torch.load(newest(tmp_path / "out") / "state.pt", weights_only=True)["policy"]["model"]
    assert all(torch.isfinite(weight).all() for weight in state.values())
