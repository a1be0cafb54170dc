"""`solar-train shape` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

WORKED = {"id": "a", "scores": [1, 0.8, 0.2], "valid": [True, True, False], "n_ref": 4}


def run(lines: list[Any], *flags: str) -> tuple[int, list[dict[str, Any]], str]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    done = subprocess.run([sys.executable, "-m", "training.cli", "shape", *flags], input=text, capture_output=True,
                          text=True, check=False, timeout=60)  # fmt: skip
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_worked_example() -> None:
    code, (out,), _ = run([WORKED])
    assert code == 0
    assert list(out) == ["id", "t_star", "r_traj", "target", "rewards"]
    assert (out["id"], out["t_star"], out["r_traj"]) == ("a", 2, 0.235)
    assert out["target"] == pytest.approx(0.177857142857)
    assert out["rewards"] == pytest.approx([0.1425, 0.0925, -0.057142857143])


def test_flags_reach_the_rules() -> None:
    line = {"id": 1, "scores": [1, 0.1, 1], "valid": [True, False, True], "n_ref": 6}
    inverted = run([line], "--target", "literal", "--penalty-length", "0")[1][0]["rewards"]
    assert inverted == pytest.approx([0.233333333333, -0.15])
    assert run([line], "--target", "literal", "--parts", "counts", "--penalty-length", "0")[1][0]["rewards"][0] == (
        pytest.approx(0.983333333333)
    )
    assert len(run([line], "--suffix", "keep")[1][0]["rewards"]) == 3
    assert run([line], "--weights", "0", "1", "0", "--penalty", "0")[1][0]["rewards"] == [pytest.approx(1 / 6), 0]


def test_bad_lines_are_named_and_the_rest_goes_on() -> None:
    bad: list[tuple[Any, str]] = [
        ("not json", "Expecting value"),
        ("[1]", "not a JSON object"),
        ('{"id": 1, "scores": [NaN], "valid": [true], "n_ref": 1}', "scores[0]: nan"),
        (WORKED | {"scores": [1, 2, 0]}, "scores[1]: 2 is not a number in 0..1"),
        (WORKED | {"scores": [1, "x", 0]}, "scores[1]"),
        (WORKED | {"scores": [True, True, True]}, "scores[0]"),
        (WORKED | {"scores": []}, "scores: []"),
        (WORKED | {"scores": None}, "scores: None"),
        (WORKED | {"valid": [True]}, "1 values for 3 scores"),
        (WORKED | {"valid": [1, 1, 0]}, "valid[0]: 1 is neither true nor false"),
        (WORKED | {"n_ref": 0}, "n_ref: 0"),
        (WORKED | {"n_ref": 2.5}, "n_ref: 2.5"),
        (WORKED | {"n_ref": True}, "n_ref: True"),
        (WORKED | {"n_steps": 4}, "n_steps: not a field"),
        ({"id": 9}, "scores: None"),
    ]
    code, out, _ = run([WORKED, *(line for line, _ in bad), "", WORKED])
    assert code == 2
    assert len(out) == len(bad) + 2
    assert out[0] == out[-1]
    for number, (result, (_, message)) in enumerate(zip(out[1:-1], bad, strict=True), 2):
        assert result["line"] == number
        assert message in result["error"]


def test_rules_that_contradict_each_other_are_one_message() -> None:
    code, out, err = run([WORKED], "--weights", "0.5", "0.5", "0.5")
    assert (code, out) == (2, [])
    assert "the weights (0.5, 0.5, 0.5)" in err
    assert "Traceback" not in err
