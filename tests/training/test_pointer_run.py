"""`solar-train run` with policy = "pointer": what a run leaves, exact resume, live tasks, a critic, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the embedded trainer needs torch: pip install 'solar-eval[train]'")
pytest.importorskip("transformers", reason="the embedded trainer needs transformers: pip install 'solar-eval[train]'")

from solar_eval.errors import UsageError  # noqa: E402
from training.commands import run as verb  # noqa: E402
from training.errors import CheckpointError  # noqa: E402
from training.metrics_log import read_metrics  # noqa: E402
from training.pointer.policy import PointerPolicy  # noqa: E402
from training.pointer.recorded import recorded  # noqa: E402
from training.setup import prepare  # noqa: E402
from training.validity import solar_protocol  # noqa: E402

SMALL = {
    "policy": "pointer", "sft_updates": 3, "sft_batch": 8, "sft_lr": 1e-2, "atomic_updates": 1, "atomic_batch": 6,
    "trajectory_updates": 2, "trajectory_batch": 2, "candidates": 4, "lr": 1e-3, "held_out": 0.3, "tell_every_s": 1e3,
    "micro_steps": 64, "sources": [{"kind": "errands", "episodes": 6}],
}  # fmt: skip


def written(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps({**SMALL, "out": "out", **changes}))
    return folder / "run.json"


def newest(out: Path) -> bytes:
    return (sorted((out / "checkpoints").glob("update-*"))[-1] / "state.pt").read_bytes()


def stopped(file: Path, stop: int) -> None:
    """Runs until an update is over, as after a signal."""
    trainer = prepare(verb.resolved_of(file, {}).config, lambda line: None)

    def ask(update: int) -> None:
        trainer._stop = update == stop

    trainer.after_update = ask
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    trainer.log.close()


def test_a_run_with_a_critic_resumes_exactly_and_plays_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Stopped within the warm-up and within the trajectory stage, whose critic has an optimiser of its own."""
    assert verb.run(written(tmp_path / "whole", rule="bi_level_gae", live=2), {}, False) == 0
    shown = capsys.readouterr()
    assert "eval/live_success" in shown.out and "loads with PointerPolicy.load" in shown.out
    out = tmp_path / "whole" / "out"
    lines = read_metrics(out)
    assert [line["phase"] for line in lines] == ["sft"] * 3 + ["atomic"] + ["trajectory"] * 2
    assert [("eval/live_success" in line) for line in lines] == [False] * 5 + [True]
    assert lines[-1]["eval/live_tasks"] == 2 and 0 <= lines[-1]["eval/success"] <= 1
    assert all(line["critic_loss"] >= 0 for line in lines[-2:]) and "critic_loss" not in lines[3]
    assert json.loads((out / "curation.json").read_text())["errands"]["episodes"] == 6
    state = torch.load(sorted((out / "checkpoints").glob("update-*"))[-1] / "state.pt", weights_only=True)
    kept = PointerPolicy.load(out / "model").net.state_dict()
    assert all(torch.equal(weight, state["policy"]["net"][name]) for name, weight in kept.items())
    for stop in (2, 5):
        file = written(tmp_path / f"cut{stop}", rule="bi_level_gae", live=0)
        stopped(file, stop)
        verb.run(file, {}, False)
        assert newest(file.parent / "out") == newest(out)
    with pytest.raises(CheckpointError, match=r"pointer_hidden: 64 there, 32 now"):
        verb.run(file, {"pointer_hidden": "32"}, False)


def test_recorded_data_are_the_same_again_and_noisy_only_in_demonstrations() -> None:
    plain, again, noisy = (recorded("errands", 4, 0, 0.3, solar_protocol(), noise) for noise in (0.0, 0.0, 1.0))
    assert plain.steps == again.steps and plain.report.kept_steps == len(plain.steps) > 0
    assert [one.step.label for one in noisy.steps] == [one.step.label for one in plain.steps]
    wrong = [one for one in noisy.steps if one.target != one.step.label]
    assert len(wrong) > 0.9 * len(noisy.steps)
    PointerPolicy().demonstrate(noisy.steps)


def test_what_belongs_to_the_other_policy_is_refused(tmp_path: Path) -> None:
    for changes, told in (
        ({"sources": [{"kind": "demo"}]}, "takes sources of kind pocket_world or errands, not demo"),
        ({"policy": "vlm"}, "not errands"), ({"model": "somewhere"}, "model is of no use"),
        ({"policy": "vlm", "sources": [{"kind": "demo"}], "live": 3}, "live is for policy"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=told):
            verb.resolved_of(written(tmp_path, **changes), {})
    with pytest.raises(UsageError, match="evaluations beside the training"):
        verb.run(written(tmp_path), {}, False, evaluate=tmp_path / "loop.toml")


def test_the_configuration_that_ships_reads() -> None:
    config = verb.resolved_of(Path(__file__).parents[2] / "configs" / "pointer.toml", {}).config
    assert config.policy == "pointer" and config.live and not config.critic
    assert verb.resolved_of(Path(__file__).parents[2] / "configs" / "demo.toml", {}).config.policy == "vlm"
