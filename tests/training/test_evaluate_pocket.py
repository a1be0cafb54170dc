"""The offline pocket set, and training beside evaluations that fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from emulator.pocket.export import ExportError
from solar_eval.actions import Click, Finish, OpenApp, Swipe
from solar_eval.benchmarks.pocket_world.trajectories import expert_trajectories
from solar_eval.errors import UsageError
from training.evaluation.pocket_set import write_pocket_set, write_training_sets

pytest.importorskip("android_env", reason="accessibility forests need android_env: pip install 'solar-eval[android]'")

TASKS = ("ClipperStopService", "LauncherOpenApp")


def loaded(folder: Path) -> Any:
    from training.data import SourceSpec, load_source

    return load_source(SourceSpec("pocket", folder))


def test_the_set_says_what_the_experts_did(tmp_path: Path) -> None:
    """Labels, goals and instructions equal the trajectories', the end is a finish step with a picture."""
    assert write_pocket_set(tmp_path / "set", TASKS, (30, 31)) == 4
    found = loaded(tmp_path / "set").episodes
    told = list(expert_trajectories(TASKS, (30, 31)))
    assert [episode.goal for episode in found] == [trajectory.goal for trajectory in told]
    for episode, trajectory in zip(found, told, strict=True):
        assert len(episode.steps) == len(trajectory.steps)
        for step, expert in zip(episode.steps, trajectory.steps, strict=True):
            assert step.screenshot is not None
            assert step.label is not None
            match expert.action:
                case Click(point):
                    assert isinstance(step.label, Click)
                    assert step.label.point.x == pytest.approx(point.x, abs=1 / 540)
                    assert step.label.point.y == pytest.approx(point.y, abs=1 / 1200)
                case OpenApp(name):
                    assert step.label == OpenApp(name)
                case Swipe() as swipe:
                    assert isinstance(step.label, Swipe)
                    assert step.label.finger == swipe.finger
                case Finish(status):
                    assert isinstance(step.label, Finish)
                    assert step.label.status == status
                case other:
                    pytest.fail(f"an action that the set was not made for: {other}")
            if not isinstance(expert.action, Finish):
                assert step.low == expert.instruction


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_pocket_set(tmp_path / name, TASKS[:1], (30,))
    files = [sorted((tmp_path / name).iterdir()) for name in ("a", "b")]
    assert [f.read_bytes() for f in files[0]] == [f.read_bytes() for f in files[1]]


def test_without_instructions(tmp_path: Path) -> None:
    write_pocket_set(tmp_path / "set", TASKS[:1], (30,), instructions=False)
    (episode,) = loaded(tmp_path / "set").episodes
    assert [step.low for step in episode.steps if not step.appended] == [""] * (len(episode.steps) - 1)


def test_training_sets_have_no_episode_twice_and_no_number_twice(tmp_path: Path) -> None:
    """The clipper's task is the same for every seed; the launcher's is not."""
    assert write_training_sets(tmp_path / "set", TASKS, (30, 31), first=7000) == 3
    ids = [episode.id for name in TASKS for episode in loaded(tmp_path / "set" / name).episodes]
    assert len(set(ids)) == len(ids) == 3
    assert min(map(int, ids)) == 7000


def test_what_the_schema_cannot_say_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="AndroidControl"):
        write_pocket_set(tmp_path / "set", ("PhoneMissedQuestion",), (30,))
    with pytest.raises(ExportError, match="AndroidControl"):
        write_pocket_set(tmp_path / "set", ("InfeasibleVpn",), (30,))
    with pytest.raises(UsageError, match="Nonsense"):
        write_pocket_set(tmp_path / "set", (*TASKS, "Nonsense"), (30,))
    assert not (tmp_path / "set").exists()


# ---- the committed checkpoint
@pytest.mark.slow
def test_the_tiny_checkpoint_knows_its_tasks_and_a_second_start_asks_nothing(tmp_path: Path) -> None:
    """Offline, level High, a seed that it was not trained on; the parent is the same checkpoint, so nothing differs."""
    pytest.importorskip("transformers", reason="pip install 'solar-eval[train,serve]'")
    from training.evaluate import evaluate
    from training.evaluation.config import read_loop

    root = Path(__file__).parents[2]
    tiny = str(root / "checkpoints" / "tiny_pocket")
    loop = {
        "name": "tiny", "parent": tiny, "out": "loop", "dialect": "generic_json", "prompt": f"{tiny}/prompt.jinja",
        "max_pixels": 43120, "max_tokens": 48, "tasks": ["SettingsDarkTheme"], "offline_seeds": [77], "phones": 0,
        "offline": [{"benchmark": "android_control_high"}],
    }  # fmt: skip
    (tmp_path / "loop.json").write_text(json.dumps(loop))
    config = read_loop(tmp_path / "loop.json", {}).config
    first = evaluate(config, Path(tiny))
    assert first.failed == []
    results = tmp_path / "loop" / "results"
    summary = json.loads((results / "android_control_high" / "tiny" / "pocket" / "summary.json").read_text())
    view = summary["protocols"]["guievalkit_2025_09"]["views"]["subset"]
    assert view["step_sr"]["value"] == 1.0
    assert view["counts"]["owed"] == 0
    assert "tiny" in (results / "LEADERBOARD.md").read_text()
    assert (tmp_path / "loop" / "compare" / "android_control_high-pocket.txt").read_text()
    for file in results.glob("*/*/*/*.json"):
        assert str(tmp_path) not in file.read_text(), "no path of the machine"
    assert evaluate(config, Path(tiny)).stages.ran == []


# ---- beside a training run
SMALL = {
    "dialect": "generic_json", "max_reply_tokens": 20, "context": 128, "sft_updates": 3, "sft_batch": 4, "sft_lr": 1e-3,
    "atomic_updates": 0, "trajectory_updates": 0, "tiny_hidden": 64, "tiny_layers": 1, "tiny_vocabulary": 320,
    "held_out": 0, "tell_every_s": 1000.0, "sources": [{"kind": "demo", "episodes": 12, "signs": 3}], "out": "run",
}  # fmt: skip


@pytest.mark.slow
def test_a_failed_evaluation_never_kills_the_training(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evaluation's data is no data set. Both evaluations fail, all updates are done, the export loads."""
    transformers: Any = pytest.importorskip("transformers", reason="pip install 'solar-eval[train]'")
    from training.commands import run as verb
    from training.metrics_log import read_metrics

    (tmp_path / "train.json").write_text(json.dumps(SMALL))
    (tmp_path / "nodata").mkdir()
    table = [{"benchmark": "android_control_low", "data": "nodata"}]
    loop = {"name": "x", "out": "loop", "train": "train.json", "offline": table, "every": 2}
    (tmp_path / "loop.json").write_text(json.dumps(loop))
    monkeypatch.chdir(Path(__file__).parents[2])
    assert verb.run(tmp_path / "train.json", {}, False, tmp_path / "loop.json") == 3
    said = capfd.readouterr().err
    assert "the evaluation of x-update-000002 ended with 3; training is not touched" in said
    assert "the evaluation of x ended with 3; training is not touched" in said
    assert "not evaluated: android_control_low x" in said
    assert [line["update"] for line in read_metrics(tmp_path / "run")] == [1, 2, 3]
    for made in ("model", "exports/update-000002"):
        transformers.Qwen2_5_VLForConditionalGeneration.from_pretrained(tmp_path / "run" / made)


def test_a_loop_that_does_not_read_is_said_before_training(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="pip install 'solar-eval[train]'")
    from training.commands import run as verb

    (tmp_path / "train.json").write_text(json.dumps(SMALL))
    (tmp_path / "loop.json").write_text("{}")
    with pytest.raises(UsageError):
        verb.run(tmp_path / "train.json", {}, False, tmp_path / "loop.json")
    assert not (tmp_path / "run").exists()
