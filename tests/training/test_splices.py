"""Averages over re-splicings against the enumeration of all of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from training.errors import BadRules, NoClosedForm
from training.groups import StepGroups, trajectory
from training.shaping import ShapingRules, shape
from training.splices import expected, shape_spliced

COMBINATIONS = list(itertools.product(["aligned", "literal"], ["truncate", "keep"]))


def task(scores: Any, valid: Any) -> StepGroups:
    scores, valid = np.asarray(scores, dtype=float), np.asarray(valid, dtype=bool)
    return StepGroups(scores, valid, np.array([0, len(scores)]), np.array([len(scores)])).checked()


def enumerated(groups: StepGroups, rules: ShapingRules) -> tuple[Any, Any, bool]:
    """Mean reward and share kept of each candidate over all C^T splicings, and whether any clipped."""
    length, width = groups.score.shape
    total, count, clipped = np.zeros((length, width)), np.zeros((length, width)), False
    for picked in itertools.product(range(width), repeat=length):
        rows = np.arange(length)
        shaped = shape(trajectory(groups.score[rows, picked], groups.valid[rows, picked], length), rules)
        kept = shaped.path.kept[:, 0]
        total[rows[kept], np.array(picked)[kept]] += shaped.reward[kept, 0]
        count[rows[kept], np.array(picked)[kept]] += 1
        clipped |= bool(shaped.clipped.any())
    return total / np.maximum(count, 1), count / width ** (length - 1), clipped


@pytest.mark.parametrize(("target", "suffix"), COMBINATIONS)
@given(length=st.integers(1, 4), width=st.integers(1, 3), data=st.data())
@settings(max_examples=40, deadline=None)
def test_closed_form_is_the_mean_over_all_splicings(
    target: Any, suffix: Any, length: int, width: int, data: st.DataObject
) -> None:
    cells = st.lists(st.floats(0, 1), min_size=length * width, max_size=length * width)
    scores = np.array(data.draw(cells)).reshape(length, width)
    groups = task(scores, scores >= 0.5)
    rules = ShapingRules(target=target, suffix=suffix)
    mean, share, clipped = enumerated(groups, rules)
    made = expected(groups, rules)
    assert not clipped
    assert not made.inexact.any()
    assert made.reward == pytest.approx(mean, abs=1e-12)
    assert made.weight == pytest.approx(share, abs=1e-12)
    assert (made.kept == (share > 0)).all()


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=6, max_size=6), st.sampled_from(COMBINATIONS))
@settings(max_examples=100, deadline=None)
def test_inexact_flags_every_task_in_which_a_splicing_clips(
    cells: list[tuple[float, bool]], combination: tuple[Any, Any]
) -> None:
    groups = task(np.array([s for s, _ in cells]).reshape(3, 2), np.array([v for _, v in cells]).reshape(3, 2))
    rules = ShapingRules(target=combination[0], suffix=combination[1])
    mean, _, clipped = enumerated(groups, rules)
    made = expected(groups, rules)
    assert bool(made.inexact[0]) or not clipped
    assume(not clipped)
    assert made.reward == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize(("target", "suffix"), COMBINATIONS)
def test_random_splicings_converge_to_the_closed_form(target: Any, suffix: Any) -> None:
    rng = np.random.default_rng(3)
    lengths = np.array([4, 1, 6])
    valid = rng.random((11, 4)) < 0.7
    scores = np.where(valid, rng.uniform(0.5, 1, valid.shape), rng.uniform(0, 0.5, valid.shape))
    groups = StepGroups(scores, valid, np.array([0, 4, 5, 11]), lengths)
    rules = ShapingRules(target=target, suffix=suffix)
    closed = expected(groups, rules)
    many = shape_spliced(groups, rules, 6000, seed=1)
    assert many.weight == pytest.approx(closed.weight, abs=0.03)
    assert many.reward[many.kept] == pytest.approx(closed.reward[many.kept], abs=0.03)


def test_one_splicing_is_the_papers() -> None:
    scores = np.array([[1, 0.6], [0.2, 0.9], [0.8, 0.1]])
    groups = task(scores, scores >= 0.5)
    made, plain = shape_spliced(groups, ShapingRules(), 1), shape(groups)
    assert (made.reward == plain.reward).all()
    assert (made.kept == plain.path.kept).all()
    assert (made.weight == plain.path.kept).all()


def test_same_seed_same_rewards() -> None:
    scores = np.random.default_rng(0).random((5, 4))
    groups = task(scores, scores >= 0.5)
    first, again, other = (shape_spliced(groups, ShapingRules(), 8, seed).reward for seed in (7, 7, 8))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("rules", [ShapingRules(parts="counts"), ShapingRules(mean="kept")])
def test_no_closed_form_is_a_named_error(rules: ShapingRules) -> None:
    with pytest.raises(NoClosedForm, match="parts='reference'"):
        shape_spliced(task([[1.0]], [[True]]), rules, "closed")
    with pytest.raises(NoClosedForm):
        expected(trajectory([1.0], [True], 3), ShapingRules())


@pytest.mark.parametrize("splices", [0, -1, 1.5, "all"])
def test_a_number_of_splicings_that_is_none(splices: Any) -> None:
    with pytest.raises(BadRules, match="splices"):
        shape_spliced(task([[1.0]], [[True]]), ShapingRules(), splices)
