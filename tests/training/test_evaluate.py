"""The loop around training: its configuration, its stages, the commands it gives, what it publishes and compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from solar_eval.errors import DataError, InfrastructureError, UsageError
from training import evaluate
from training.evaluation import stages as staged
from training.evaluation.comparing import compared_live
from training.evaluation.config import LoopConfig, asked_as, read_loop
from training.evaluation.stages import Stages, content_key

BASE: dict[str, Any] = {
    "name": "mine",
    "out": "out",
    "checkpoint": "model",
    "dialect": "generic_json",
    "tasks": ["Clipper*"],
}


def written(folder: Path, **changes: Any) -> Path:
    file = folder / "loop.json"
    file.write_text(json.dumps({**BASE, **changes}))
    return file


def checkpoint(folder: Path, weights: str = "w") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_text(weights)
    return folder


def loop_of(folder: Path, **changes: Any) -> evaluate.Loop:
    config = read_loop(written(folder, **changes), {}).config
    return evaluate.Loop(config, Stages(config.out), [])


# ---- configuration
def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    config = read_loop(written(tmp_path, parent="../old", offline=[{"benchmark": "b", "data": "d"}]), {}).config
    assert (config.out, config.parent) == (tmp_path / "out", tmp_path.parent / "old")
    assert config.offline[0].data == tmp_path / "d"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"train": "t.toml"}, "give one of train and checkpoint"),
        ({"parent": "p", "parent_name": "mine"}, "two rows would have one name"),
        ({"tasks": []}, "needs tasks for the pocket set"),
        ({"train_sets": [29, 30]}, "would be evaluated in training"),
        ({"from_parent": True}, "from_parent needs parent"),
        ({"name": "../x"}, "name"),
        ({"tasks_": ["a"]}, "tasks_"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_loop(written(tmp_path, **changes), {})


def test_a_checkpoint_is_asked_as_it_was_trained(tmp_path: Path) -> None:
    from training.config import TrainConfig

    source: Any = [{"kind": "demo"}]
    trained = TrainConfig(out=tmp_path, sources=source, dialect="ui_tars", max_pixels=50_000, max_reply_tokens=33)
    config = asked_as(read_loop(written(tmp_path, dialect=None, max_tokens=9), {}).config, trained)
    assert (config.dialect, config.max_pixels, config.max_tokens) == ("ui_tars", 50_000, 9)
    with pytest.raises(UsageError, match="how the checkpoint is asked"):
        asked_as(read_loop(written(tmp_path, dialect=None), {}).config, None)


# ---- stages
def test_a_whole_stage_is_not_run_again(tmp_path: Path) -> None:
    made, done = tmp_path / "made", list[str]()

    def work() -> None:
        done.append("x")
        made.write_text("x")

    assert Stages(tmp_path).run("a", "1", made, work)
    assert not Stages(tmp_path).run("a", "1", made, work)
    assert Stages(tmp_path).run("a", "2", made, work), "what it depends on has changed"
    made.unlink()
    assert Stages(tmp_path).run("a", "2", made, work), "its result is gone"
    assert len(done) == 3


def test_a_stage_that_fails_is_run_again(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(DataError, match="without its result"):
        Stages(tmp_path).run("a", "1", made, lambda: None)
    assert Stages(tmp_path).run("a", "1", made, made.touch)


def test_a_stage_that_dies_is_an_error_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dies.py").write_text("def main():\n    import os\n    os.kill(os.getpid(), 9)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match="ended with -9"):
        Stages(tmp_path).call("live", ["dies"])


def test_a_stage_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hangs.py").write_text(
        "def main():\n    import subprocess, sys, pathlib\n"
        "    c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "    pathlib.Path('child').write_text(str(c.pid))\n    c.wait()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(staged, "GRACE_S", 2.0)
    with pytest.raises(InfrastructureError, match="ended with -9"):
        Stages(tmp_path, timeout_s=3.0).call("live", ["hangs"])
    child = Path(f"/proc/{(tmp_path / 'child').read_text()}/stat")
    if sys.platform == "linux":
        assert not child.exists() or child.read_text().split()[2] == "Z"


def test_the_key_of_a_checkpoint_is_its_content(tmp_path: Path) -> None:
    first = content_key(checkpoint(tmp_path / "a"))
    (tmp_path / "a" / "README.md").write_text("a card is no weight")
    assert content_key(tmp_path / "a") == first
    assert content_key(checkpoint(tmp_path / "a", "other")) != first
    with pytest.raises(DataError, match=r"config\.json is missing"):
        content_key(tmp_path)


# ---- commands and rows
def test_commands_name_no_path_of_the_machine(tmp_path: Path) -> None:
    data, prompt = tmp_path / "elsewhere", tmp_path / "p.jinja"
    data.mkdir()
    prompt.write_text("{% block user %}{{ goal }}{% endblock %}")
    loop = loop_of(tmp_path, offline=[{"benchmark": "android_control_low", "data": "elsewhere"}], prompt="p.jinja")
    row = evaluate.Row("mine", checkpoint(tmp_path / "model"), "k")
    loop.stand(row)
    runs = list(loop.runs(row))
    assert [run.benchmark for run in runs] == ["android_control_low", "pocket_world"]
    for run in runs:
        assert str(tmp_path) not in " ".join(run.command)
        assert (loop.config.out / run.command[run.command.index("--prompt") + 1]).is_file()
    told = runs[0].command
    assert (loop.config.out / told[told.index("--data") + 1]).resolve() == data
    assert "local:models/mine" in told
    assert "pocket:2?size=540x1200" in runs[1].command


def test_scripts_are_asked_as_scripts(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, baselines=["expert"], offline=[])
    (live,) = loop.runs(evaluate.Row("expert"))
    assert "scripted:expert" in live.command
    assert "--prompt" not in live.command


def test_a_failed_run_is_kept_in_words_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of three runs fails; the second start runs that one alone."""
    asked: list[str] = []
    broken = {"android_control_low"}

    def call(self: Stages, name: str, command: Any) -> None:
        asked.append(name)
        if command[2] in broken:
            raise InfrastructureError("ended with -9", name)
        folder = self.folder / command[command.index("--out") + 1]
        folder.mkdir(parents=True)
        for file in evaluate.KEPT:
            (folder / file).write_text("{}")

    monkeypatch.setattr(Stages, "call", call)
    monkeypatch.setattr(evaluate.Loop, "pocket_set", lambda self: Path("sets/x"))
    monkeypatch.setattr(evaluate.Loop, "table", lambda self: Path("table"))
    config = read_loop(written(tmp_path), {}).config
    first = evaluate.evaluate(config, checkpoint(tmp_path / "model"))
    assert len(asked) == 3
    assert len(first.failed) == 1
    assert "android_control_low mine pocket" in first.failed[0]
    broken.clear()
    asked.clear()
    assert evaluate.evaluate(config, tmp_path / "model").failed == []
    assert asked == ["android_control_low mine pocket"]
    asked.clear()
    evaluate.evaluate(config, checkpoint(tmp_path / "model", "new weights"))
    assert len(asked) == 3, "other weights are other runs"


def test_only_two_files_are_published_and_none_that_names_the_machine(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, publish="board")
    run = evaluate.Run("b", evaluate.Row("mine"), Path("results/b/mine/r"), [])
    folder = loop.config.out / run.path
    folder.mkdir(parents=True)
    for name in (*evaluate.KEPT, "samples.jsonl"):
        (folder / name).write_text('{"a": "models/mine"}')
    loop.publish([run])
    assert sorted(path.name for path in (tmp_path / "board/b/mine/r").iterdir()) == ["manifest.json", "summary.json"]
    (folder / "manifest.json").write_text(json.dumps({"command": f"{loop.config.out.resolve()}/x"}))
    with pytest.raises(DataError, match="names a path of this machine"):
        loop.publish([run])


def test_the_pocket_set_is_never_published_under_the_name_of_the_data_set(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, publish="board")
    loop.publish(
        [evaluate.Run("android_control_low", evaluate.Row("m"), Path("results/android_control_low/m/pocket"), [])]
    )
    assert not (tmp_path / "board").exists()


# ---- comparison of live runs
def live(folder: Path, scores: dict[str, float | None]) -> Path:
    import pandas as pd

    folder.mkdir()
    rows = [{"template": t, "seed": 30, "repeat": 0, "score": s} for t, s in scores.items()]
    pd.DataFrame(rows).to_parquet(folder / "episodes.parquet")
    return folder


def test_live_runs_are_compared_by_task(tmp_path: Path) -> None:
    a = live(tmp_path / "a", {"A": 0.0, "B": 1.0, "C": 0.5, "D": 1.0, "E": None})
    b = live(tmp_path / "b", {"A": 1.0, "B": 1.0, "C": 1.0, "D": 0.0, "E": 1.0})
    text = compared_live(a, b)
    assert "4 episodes of 4 templates; episode SR 0.500 -> 0.750" in text
    assert "fixed 2, broken 1, McNemar exact p = 1.000" in text
    assert "fixed: A seed 30" in text
    assert "broken: D seed 30" in text
    with pytest.raises(DataError, match="no scored episode in common"):
        compared_live(a, live(tmp_path / "c", {"Z": 1.0}))


def test_the_committed_loops_load(tmp_path: Path) -> None:
    for name in ("quick", "tiny_pocket_loop"):
        config = read_loop(Path(__file__).parents[2] / "configs" / f"{name}.toml", {}).config
        trained = evaluate.training_of(config)
        assert isinstance(config, LoopConfig)
        assert trained is not None
        assert trained.config.prompt is not None
        assert trained.config.prompt.is_file()
