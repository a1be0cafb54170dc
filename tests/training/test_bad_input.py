"""Bad input to the batch: a named error or a named, counted skip, and never a NaN behind it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from training.advantage import advantages
from training.errors import BadRules, BadScore, BadShape, EmptyGroup, TrainingError
from training.groups import StepGroups, from_tasks, trajectory
from training.reconstruct import reconstruct
from training.rules import RULES, CreditRules, credit
from training.shaping import ShapingRules, shape

GOOD = (np.array([[1.0, 0.6], [0.2, 0.9]]), np.array([[True, True], [False, True]]))


def changed(value: float) -> Any:
    scores = GOOD[0].copy()
    scores[1, 0] = value
    return scores, GOOD[1]


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (changed(np.nan), "score is not finite"),
        (changed(np.inf), "score is not finite"),
        (changed(1.5), "score outside 0..1"),
        (changed(-0.1), "score outside 0..1"),
        ((np.zeros((0, 2)), np.zeros((0, 2), bool)), "no steps"),
        (([], []), "no steps"),
        ((np.zeros((2, 0)), np.zeros((2, 0), bool)), "no candidates"),
        ((GOOD[0], GOOD[1][:1]), "shapes differ"),
        ((GOOD[0][:, :1], GOOD[1][:, :1]), "shapes differ"),
        ((GOOD[0].ravel(), GOOD[1].ravel()), "shapes differ"),
    ],
)
def test_a_bad_task_is_skipped_by_name_and_the_rest_is_untouched(task: Any, reason: str) -> None:
    groups, positions, skipped = from_tasks([GOOD, task, GOOD])
    assert [(s.task, s.reason) for s in skipped] == [(1, reason)]
    assert list(positions) == [0, 2]
    alone = shape(from_tasks([GOOD, GOOD])[0])
    assert (shape(groups).reward == alone.reward).all()


def test_skips_are_counted() -> None:
    _, _, skipped = from_tasks([changed(np.nan), GOOD, changed(np.nan), changed(2.0)])
    assert Counter(s.reason for s in skipped) == {"score is not finite": 2, "score outside 0..1": 1}


def test_nothing_left_is_an_error_that_says_why() -> None:
    with pytest.raises(EmptyGroup, match=r"no task of 1 can be trained on \(score is not finite\)"):
        from_tasks([changed(np.nan)])
    with pytest.raises(EmptyGroup, match="no tasks given"):
        from_tasks([])


def test_errors_say_where() -> None:
    scores = np.ones((5, 2))
    scores[4, 1] = np.nan
    rows = np.array([0, 2, 5])
    with pytest.raises(BadScore, match="task 1, step 2, candidate 1: score nan"):
        StepGroups(scores, np.ones((5, 2), bool), rows, np.array([2, 3])).checked()
    with pytest.raises(EmptyGroup, match="task 1: a task without steps"):
        StepGroups(np.ones((2, 1)), np.ones((2, 1), bool), np.array([0, 2, 2]), np.array([2, 1])).checked()
    with pytest.raises(EmptyGroup, match="without candidates"):
        StepGroups(np.ones((2, 0)), np.ones((2, 0), bool), np.array([0, 2]), np.array([2])).checked()
    with pytest.raises(BadShape, match="reference length"):
        StepGroups(np.ones((2, 1)), np.ones((2, 1), bool), np.array([0, 2]), np.array([0])).checked()
    with pytest.raises(BadShape, match="2 reference lengths for 1 tasks"):
        StepGroups(np.ones((2, 1)), np.ones((2, 1), bool), np.array([0, 2]), np.array([1, 1])).checked()
    with pytest.raises(BadShape, match="rows announced"):
        StepGroups(np.ones((2, 1)), np.ones((2, 1), bool), np.array([0, 3]), np.array([3])).checked()
    with pytest.raises(TrainingError):
        trajectory([], [], 1)


@pytest.mark.parametrize("suffix", ["truncate", "keep"])
def test_an_episode_of_one_step(suffix: Any) -> None:
    rules = ShapingRules(suffix=suffix)
    assert shape(trajectory([1.0], [True], 1), rules).reward[0, 0] == 1.0
    assert shape(trajectory([0.6], [True], 1), rules).reward[0, 0] == pytest.approx(0.3 * 0.6 + 0.7)
    failed = shape(trajectory([0.25], [False], 1), rules)
    assert failed.reward[0, 0] == failed.target[0, 0] == pytest.approx(-0.75 / 14)
    assert failed.r_traj[0, 0] == 0


@pytest.mark.parametrize("target", ["aligned", "literal"])
def test_all_candidates_invalid_at_step_0(target: Any) -> None:
    """Nothing to share over: each failing step keeps its base, later steps train nothing, and the task is counted."""
    scores = np.array([[0.1, 0.4], [1.0, 1.0], [1.0, 1.0]])
    groups, _, _ = from_tasks([(scores, scores >= 0.5), GOOD])
    shaped = shape(groups, ShapingRules(target=target))
    assert list(groups.dead_at_start) == [True, False]
    assert shaped.reward[0] == pytest.approx(-(3 / 14) * np.array([0.9, 0.6]) / 3)
    assert shaped.target[0] == pytest.approx(shaped.reward[0])
    assert not shaped.path.kept[1:3].any()
    made = advantages(shaped.reward, shaped.path.kept, groups.offsets)
    assert (made.advantage[1:3] == 0).all()
    assert np.sign(made.advantage[0]) == pytest.approx([-1, 1])


@pytest.mark.parametrize("name", [name for name in RULES if name not in {"ui_s1", "bi_level_gae"}])
def test_hopeless_and_perfect_batches_teach_nothing_or_little_but_never_nan(name: str) -> None:
    for scores in (np.zeros((4, 3)), np.ones((4, 3))):
        groups, _, _ = from_tasks([(scores, scores > 0.5)])
        made = credit(name, groups, CreditRules())
        assert (made.advantage == 0).all()
        assert all(stats.zero_variance == 1 for stats in made.groups.values())


@pytest.mark.parametrize(
    "fields",
    [
        {"quality": 0.5},
        {"quality": -0.1, "progress": 0.6},
        {"quality": float("nan")},
        {"penalty": 1.5},
        {"penalty": -1.0},
        {"penalty_length": 0},
        {"target": "sum"},
        {"suffix": "drop"},
        {"parts": "steps"},
        {"mean": "all"},
    ],
)
def test_rules_that_contradict_the_method(fields: Any) -> None:
    with pytest.raises(BadRules):
        ShapingRules(**fields)


def test_steps_beyond_the_reference_are_extra() -> None:
    groups = trajectory([1, 1, 1, 0.2], [True, True, True, False], 2)
    path = reconstruct(groups)
    assert (int(path.t_star[0, 0]), bool(path.success[0, 0])) == (3, False)
    assert list(path.prefix[:, 0]) == [True, True, False, False]
    shaped = shape(groups)
    assert shaped.r_traj[0, 0] == pytest.approx(0.5)
    assert shaped.reward[2, 0] == 0
    assert shaped.reward[3, 0] < 0
