"""The hand-over from stage 1 to stage 2; a function that leaves what verl leaves stands in for the training."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from solar_eval.errors import InfrastructureError
from training.verl_plugin import stages


def leave(folder: Path, step: int, export: bool = True) -> None:
    out = folder / f"global_step_{step}" / "hf"
    out.mkdir(parents=True, exist_ok=True)
    (folder / stages.LATEST).write_text(f"{step}\n")
    if export:
        (out / "config.json").write_text("{}")


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    calls: list[list[str]] = []
    monkeypatch.setattr(stages.main, "compose", lambda config, overrides: SimpleNamespace(
        trainer=SimpleNamespace(default_local_dir=str(tmp_path))))  # fmt: skip
    monkeypatch.setattr(stages, "cleared", lambda *args: True)

    def run(config: str, overrides: list[str]) -> int:
        calls.append(list(overrides))
        stage = next(o.partition("=")[2] for o in overrides if o.startswith("solar.stage"))
        leave(tmp_path / stage, 7)
        return 0

    monkeypatch.setattr(stages, "_run", run)
    return calls


def test_stage_two_starts_from_what_stage_one_left(tmp_path: Path, started: list[list[str]]) -> None:
    assert stages.run_both("paper_4x8_l40s", ["a=1"], False, 48.0) == 0
    assert [c[1] for c in started] == ["solar.stage=atomic", "solar.stage=trajectory"]
    assert f"actor_rollout_ref.model.path={tmp_path}/atomic/global_step_7/hf" in started[1]
    assert not any("model.path" in o for o in started[0])
    stages.run_both("paper_4x8_l40s", ["a=1"], False, 48.0)
    assert len(started) == 3  # stage 1 is there already


def test_a_missing_export_is_said(tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    def run(config: str, overrides: list[str]) -> int:
        leave(tmp_path / "atomic", 3, export=False)
        return 0

    monkeypatch.setattr(stages, "_run", run)
    with pytest.raises(InfrastructureError, match="without an export"):
        stages.run_both("paper_4x8_l40s", [], False, 48.0)


def test_a_failed_stage_stops_there(tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_run", lambda config, overrides: 9)
    assert stages.run_both("paper_4x8_l40s", [], False, 48.0) == 9
