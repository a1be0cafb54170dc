"""`solar-train shape`: shaped rewards of single trajectories, to look at the shaping by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from solar_eval.commands.json_lines import transform
from training.errors import TrainingError
from training.groups import StepGroups, trajectory
from training.shaping import ShapingRules, shape

DIGITS = 12
"""Decimals printed: .0925 rather than .09250000000000003."""


def run(source: TextIO, sink: TextIO, rules: ShapingRules) -> int:
    """JSON lines {id, scores, valid, n_ref} to {id, t_star, r_traj, target, rewards}. Returns the exit code.

    scores: the trajectory's atomic scores in 0..1; valid: true or false a step; n_ref: steps of the reference.
    t_star: index of the first invalid step, the number of steps where there is none. rewards: one a trained step:
    up to and with the failure point under truncate, all under keep.
    """

    def each(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        try:
            shaped = shape(_trajectory(data), rules)
        except TrainingError as error:
            raise ValueError(error.what + (f" ({error.where})" if error.where else "")) from None
        kept = shaped.path.kept[:, 0]
        yield {
            "id": data.get("id"), "t_star": int(shaped.path.t_star[0, 0]), "r_traj": _number(shaped.r_traj[0, 0]),
            "target": _number(shaped.target[0, 0]), "rewards": [_number(r) for r in shaped.reward[kept, 0]],
        }  # fmt: skip

    return transform(source, sink, each)


def _trajectory(data: dict[str, Any]) -> StepGroups:
    unknown = sorted(set(data) - {"id", "scores", "valid", "n_ref"})
    if unknown:
        raise ValueError(f"{unknown[0]}: not a field; known are id, scores, valid, n_ref")
    scores, valid = _list(data, "scores"), _list(data, "valid")
    for index, score in enumerate(scores):
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise ValueError(f"scores[{index}]: {score!r} is not a number in 0..1")
    for index, flag in enumerate(valid):
        if not isinstance(flag, bool):
            raise ValueError(f"valid[{index}]: {flag!r} is neither true nor false")
    if len(scores) != len(valid):
        raise ValueError(f"valid: {len(valid)} values for {len(scores)} scores")
    n_ref = data.get("n_ref")
    if isinstance(n_ref, bool) or not isinstance(n_ref, int) or not 1 <= n_ref <= 2**31:
        raise ValueError(f"n_ref: {n_ref!r} is not a positive number of steps")
    return trajectory(scores, valid, n_ref)


def _list(data: dict[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name}: {value!r} is not a list with a value for each step")
    return value


def _number(value: float) -> float:
    return round(float(value), DIGITS) + 0.0
