"""verl's files in the training view: its log as curves, its rollout dumps as text; hostile text stays text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solar_eval.commands import view
from solar_eval.errors import RunDirError
from solar_eval.view import rollouts
from solar_eval.view.training import TrainingPages, is_training, metric_files

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>\u202e"


def log_line(step: int, **data: Any) -> str:
    return json.dumps({"step": step, "data": data}) + "\n"


def rollout(number: int, **changes: Any) -> str:
    row = {"input": f"goal {number}", "output": f"click {number}", "gts": {"action": "click"}, "score": 0.5, "step": 1,
           "valid": True}  # fmt: skip
    return json.dumps(row | changes) + "\n"


def verl_run(folder: Path, log: str = "metrics.jsonl") -> Path:
    (folder / "rollouts").mkdir(parents=True)
    lines = [
        log_line(1, **{"critic/score/mean": 0.25, "note": "x"}),
        "{torn\n",
        log_line(2, **{"critic/score/mean": 0.5}),
    ]
    (folder / log).write_text("".join(lines), encoding="utf-8")
    for step in (2, 10):
        rows = [rollout(i) for i in range(20)]
        (folder / "rollouts" / f"{step}.jsonl").write_text("".join(rows), encoding="utf-8")
    return folder


@pytest.mark.parametrize(("log", "name"), [("metrics.jsonl", "run"), ("my_experiment.jsonl", "my_experiment")])
def test_lines_of_verls_logger_are_curves_and_its_dumps_a_table(log: str, name: str, tmp_path: Path) -> None:
    pages = TrainingPages(verl_run(tmp_path / "run", log))
    about = pages.about()
    assert about["training"]["metrics"] == {"critic/score/mean": [[[1.0, 0.25], [2.0, 0.5]]]}
    assert about["training"]["counter"] == "step" and about["training"]["runs"] == [name]
    assert any("line 2" in note or "torn" in note for note in about["notes"])
    assert [one["step"] for one in about["rollouts"]] == [2, 10]
    one = about["rollouts"][0]
    assert one["total"] == 20 and len(one["rows"]) == rollouts.ROWS
    assert one["rows"][3] == {"input": "goal 3", "output": "click 3", "gts": '{"action": "click"}', "score": "0.5",
                              "other": {"valid": "true"}, "cut": []}  # fmt: skip


def test_dumps_alone_are_a_run_and_other_files_are_none(tmp_path: Path) -> None:
    assert not is_training(tmp_path)
    (tmp_path / "rollouts").mkdir()
    (tmp_path / "rollouts" / "notes.jsonl").write_text("{}\n")
    (tmp_path / "samples.jsonl").write_text('{"step": "e/0", "text": "x"}\n')
    assert not is_training(tmp_path) and metric_files(tmp_path) == []
    with pytest.raises(RunDirError, match="no rollouts"):
        TrainingPages(tmp_path)
    (tmp_path / "rollouts" / "7.jsonl").write_text(rollout(0))
    assert is_training(tmp_path) and TrainingPages(tmp_path).about()["training"]["metrics"] == {}


def test_what_is_long_many_or_broken_is_cut_counted_and_noted(tmp_path: Path) -> None:
    (tmp_path / "rollouts").mkdir()
    for step in range(100):
        (tmp_path / "rollouts" / f"{step}.jsonl").write_text(rollout(step))
    bad = ["{broken\n", "[1]\n", "\n", rollout(0, output="x" * 9_000, score=float("nan"), input=None)]
    (tmp_path / "rollouts" / "99.jsonl").write_text("".join(bad))
    about = TrainingPages(tmp_path).about()
    steps = [one["step"] for one in about["rollouts"]]
    assert len(steps) == rollouts.STEPS and steps[0] == 0 and steps[-1] == 99 and steps == sorted(set(steps))
    last = about["rollouts"][-1]
    assert last["total"] == 3 and len(last["rows"]) == 1
    assert last["rows"][0]["cut"] == ["output"] and len(last["rows"][0]["output"]) == rollouts.OUTPUT
    assert last["rows"][0]["score"] == "NaN" and last["rows"][0]["input"] == ""
    told = " ".join(about["notes"])
    assert "line 1" in told and "no object" in told and "40 of 100 steps" in told


def hostile_view(folder: Path) -> Path:
    run = verl_run(folder / "run")
    rows = [rollout(0, input=HOSTILE, output=HOSTILE, gts=HOSTILE, score=HOSTILE, **{HOSTILE: HOSTILE})]
    (run / "rollouts" / "11.jsonl").write_text("".join(rows), encoding="utf-8")
    view.run(run, view.ViewOptions(folder / "site"))
    return folder / "site"


def test_hostile_text_is_no_markup_in_the_data(tmp_path: Path) -> None:
    text = (hostile_view(tmp_path) / "data" / "run.js").read_text(encoding="ascii")
    assert "window.hacked" in text and not set("<>&") & set(text)


def test_the_browser_shows_rollouts_as_text(tmp_path: Path, viewer_at: Callable[[str], Any]) -> None:
    viewer = viewer_at((hostile_view(tmp_path) / "index.html").as_uri())
    viewer.open()
    viewer.until(lambda: "1 of 1 rollouts of step 11" in viewer.text("#rollouts"))
    assert "<script>window.hacked=1</script>" in viewer.text("#rollouts") and "\\u{202e}" in viewer.text("#rollouts")
    assert viewer.js("return window.hacked === undefined && !document.querySelector('#rollouts img, #rollouts script')")
    viewer.js("const s = document.getElementById('rollout-step'); s.value = 0; s.dispatchEvent(new Event('change'))")
    viewer.until(lambda: "16 of 20 rollouts of step 2" in viewer.text("#rollouts"))
    assert "critic/score/mean" in viewer.text("main") and not viewer.troubles()
