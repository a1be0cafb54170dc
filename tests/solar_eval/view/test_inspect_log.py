"""A run as an inspect_ai log, read back by inspect_ai itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solar_eval.commands import export
from solar_eval.errors import UsageError

Made = Any


def test_without_inspect_ai_or_with_another_suffix_it_says_so(made: Made, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"neither \.eval nor \.json"):
        export.run(made.run, tmp_path / "log.txt", made.data)
    try:
        import inspect_ai  # noqa: F401
    except ImportError:
        with pytest.raises(UsageError, match=r"solar-eval\[inspect\]"):
            export.run(made.run, tmp_path / "log.eval", made.data)
        assert not (tmp_path / "log.eval").exists()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_reads_what_was_written(made: Made, tmp_path: Path, suffix: str) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed (extra inspect)")
    file = tmp_path / f"log.{suffix}"
    assert export.run(made.run, file, made.data, images=suffix == "eval") == 0
    log = log_module.read_eval_log(str(file))
    summary = json.loads((made.run / "summary.json").read_text(encoding="utf-8"))
    assert log.status == "success" and log.eval.model == "replies" and log.eval.task == "android_control_high"
    assert len(log.samples) == 240 and {score.name for score in log.results.scores} == set(summary["protocols"])
    for score in log.results.scores:
        view = summary["protocols"][score.name]["views"]["subset"]
        assert score.metrics["step_sr"].value == view["step_sr"]["value"]
        assert score.metrics["step_sr"].metadata["low"] == view["step_sr"]["low"]
        values = [sample.scores[score.name].value for sample in log.samples]
        assert values.count("C") / (values.count("C") + values.count("I")) == pytest.approx(view["step_sr"]["value"])
    hostile = next(sample for sample in log.samples if sample.id == "9001/0")
    assert hostile.output.completion == made.hostile and made.hostile in hostile.input[0].content[0].text
    kinds = [part.type for part in hostile.input[0].content]
    assert kinds == (["text", "image"] if suffix == "eval" else ["text"])
