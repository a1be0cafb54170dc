"""Comparison rules against plain loops over trajectories."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solar_eval.errors import UsageError
from training.advantage import AdvantageRules
from training.errors import BadScore, BadShape
from training.groups import StepGroups
from training.ragged import offsets_of
from training.returns import token_advantage, turn_advantage
from training.rules import RULES, CreditRules, UiS1Rules, credit, prefix_share, success_rate
from training.shaping import ShapingRules


@st.composite
def batches(draw: st.DrawFn) -> StepGroups:
    """One to three tasks of one to five steps with two to four candidates and everything the rules ask for."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    lengths = np.array(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    shape = (int(lengths.sum()), draw(st.integers(2, 4)))
    valid = rng.random(shape) < draw(st.sampled_from([0.3, 0.7, 0.95]))
    score = np.where(valid, rng.uniform(0.5, 1, shape), rng.uniform(0, 0.5, shape))
    offsets, type_ok, format_ok = offsets_of(lengths), valid | (rng.random(shape) < 0.5), rng.random(shape) < 0.9
    return StepGroups(score, valid, offsets, lengths, type_ok, format_ok, rng.normal(size=shape)).checked()


def spread(values: list[float]) -> tuple[float, float]:
    """Mean and what to divide by; a group of one or without spread divides by infinity."""
    std = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), std + 1e-6 if std > 1e-6 else np.inf


def cells(groups: StepGroups) -> Any:
    """(task, candidate, rows) of all trajectories."""
    for task in range(len(groups.n_ref)):
        rows = np.arange(groups.offsets[task], groups.offsets[task + 1])
        for column in range(groups.score.shape[1]):
            yield task, column, rows


def first_invalid(groups: StepGroups, rows: Any, column: int) -> int:
    flags = groups.valid[rows, column]
    return len(rows) if flags.all() else int(np.argmin(flags))


@given(batches())
@settings(deadline=None)
def test_sparse_grpo(groups: StepGroups) -> None:
    made = credit("sparse_grpo", groups)
    won = np.zeros((len(groups.n_ref), groups.score.shape[1]))
    for task, column, rows in cells(groups):
        won[task, column] = groups.valid[rows, column].all()
    for task, column, rows in cells(groups):
        mean, scale = spread(list(won[task]))
        for row in rows:
            alive = row - rows[0] <= first_invalid(groups, rows, column)
            assert made.kept[row, column] == alive
            assert made.reward[row, column] == (won[task, column] if alive else 0)
            expected = (won[task, column] - mean) / scale if alive else 0
            assert made.advantage[row, column] == pytest.approx(expected, abs=1e-9)
    assert success_rate(groups) == pytest.approx(won.mean())


@given(batches())
@settings(deadline=None)
def test_per_step_is_the_atomic_score_within_a_step(groups: StepGroups) -> None:
    made = credit("per_step", groups, CreditRules(advantage=AdvantageRules(group="episode")))
    assert made.kept.all()
    assert (made.reward == groups.score).all()
    for row, scores in enumerate(groups.score):
        mean, scale = spread(list(scores))
        assert made.advantage[row] == pytest.approx((scores - mean) / scale, abs=1e-9)


@given(batches(), st.sampled_from([0, 1, 2, None]), st.sampled_from([None, 0.3]))
@settings(deadline=None)
def test_ui_s1(groups: StepGroups, patches: int | None, threshold: float | None) -> None:
    own = UiS1Rules(patches=patches, filter_std=threshold)
    made = credit("ui_s1", groups, CreditRules(ui_s1=own))
    assert groups.type_ok is not None
    assert groups.format_ok is not None
    reward = 0.1 * groups.format_ok + 0.4 * groups.type_ok + 0.5 * groups.valid
    returns, kept = np.zeros(reward.shape), np.zeros(reward.shape, dtype=bool)
    for _, column, rows in cells(groups):
        misses = 0
        for row in rows:
            kept[row, column] = patches is None or misses <= patches
            misses += not groups.valid[row, column]
        running = 0.0
        for row in [r for r in rows if kept[r, column]][::-1]:
            match = groups.valid[row, column]
            running = reward[row, column] + 0.5 * running if match else 0.0
            returns[row, column] = running if match else reward[row, column]
    for task in range(len(groups.n_ref)):
        rows = np.arange(groups.offsets[task], groups.offsets[task + 1])
        if threshold is not None and returns[rows[0]].std() <= threshold:
            kept[rows] = False
    for task, column, rows in cells(groups):
        inside = kept[rows]
        episode = spread(list(reward[rows][inside])) if inside.any() else (0.0, np.inf)
        for row in rows:
            step = spread(list(returns[row][kept[row]])) if kept[row].any() else (0.0, np.inf)
            expected = (reward[row, column] - episode[0]) / episode[1] + (returns[row, column] - step[0]) / step[1]
            assert made.kept[row, column] == kept[row, column]
            assert made.advantage[row, column] == pytest.approx(expected if kept[row, column] else 0, abs=1e-9), task
    assert made.dropped == sum(not kept[groups.offsets[task]].any() for task in range(len(groups.n_ref)))


def test_ui_s1_return_runs_to_the_first_mismatch_and_starts_anew_after_it() -> None:
    """Format and type always right, exact where valid: rewards 1, 1, .5, 1; gamma .5."""
    valid = np.array([[True, True], [True, True], [False, True], [True, True]])
    everything = np.ones((4, 2), dtype=bool)
    groups = StepGroups(valid * 1.0, valid, np.array([0, 4]), np.array([4]), everything, everything)
    made = credit("ui_s1", groups, CreditRules(ui_s1=UiS1Rules(filter_std=None)))
    assert made.reward[:, 0] == pytest.approx([1.5, 1.0, 0.5, 1.0])
    assert made.reward[:, 1] == pytest.approx([1.875, 1.75, 1.5, 1.0])


@given(batches(), st.sampled_from([0.5, 0.95, 1.0]))
@settings(deadline=None)
def test_gigpo(groups: StepGroups, gamma: float) -> None:
    rules = CreditRules(discount=gamma, advantage=AdvantageRules(step_weight=0.7))
    made = credit("gigpo", groups, rules)
    returns, kept = np.zeros(groups.score.shape), np.zeros(groups.score.shape, dtype=bool)
    won = np.zeros((len(groups.n_ref), groups.score.shape[1]))
    for task, column, rows in cells(groups):
        failure = first_invalid(groups, rows, column)
        kept[rows[: failure + 1], column] = True
        won[task, column] = failure == len(rows)
        if won[task, column]:
            returns[rows, column] = gamma ** np.arange(len(rows))[::-1]
    for task, column, rows in cells(groups):
        mean, scale = spread(list(won[task]))
        for row in rows[kept[rows, column]]:
            step = spread(list(returns[row][kept[row]]))
            expected = (won[task, column] - mean) / scale + 0.7 * (returns[row, column] - step[0]) / step[1]
            assert made.advantage[row, column] == pytest.approx(expected, abs=1e-9)
    assert (made.kept == kept).all()


@given(batches(), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_bi_level_gae_at_turn_level(groups: StepGroups, gamma: float, lam: float) -> None:
    made = credit("bi_level_gae", groups, CreditRules(discount=gamma, lam=lam))
    assert groups.value is not None
    for _, column, rows in cells(groups):
        kept = list(rows[: first_invalid(groups, rows, column) + 1])
        ahead = next_value = 0.0
        for row in kept[::-1]:
            reward = float(row == rows[-1] and groups.valid[rows, column].all())
            delta = reward + gamma * next_value - groups.value[row, column]
            ahead = delta + gamma * lam * ahead
            assert made.advantage[row, column] == pytest.approx(ahead)
            next_value = groups.value[row, column]


def test_gae_with_lambda_one_is_the_return_less_the_value() -> None:
    reward, value = np.array([[0.0], [0.0], [1.0]]), np.array([[0.3], [-0.2], [0.9]])
    kept = np.ones((3, 1), dtype=bool)
    made = turn_advantage(reward, value, kept, np.array([0, 3]), gamma=0.9, lam=1.0)
    assert made == pytest.approx(np.array([[0.81], [0.9], [1.0]]) - value)


def test_token_level_gae_is_the_plain_recursion_inside_a_turn() -> None:
    value, gain = np.array([[0.5, 0.1, -0.4, 7.0]]), np.array([1.2])
    mask = np.array([[True, True, True, False]])
    made = token_advantage(gain, value, mask, gamma=0.9, lam=0.8, whiten=False)
    third = 1.2 + 0.4
    second = 0.9 * -0.4 - 0.1 + 0.72 * third
    first = 0.9 * 0.1 - 0.5 + 0.72 * second
    assert made.advantage == pytest.approx(np.array([[first, second, third, 0.0]]))
    assert made.returns == pytest.approx(np.array([[first + 0.5, second + 0.1, 1.2, 0.0]]))
    white = token_advantage(gain, value, mask, gamma=0.9, lam=0.8).advantage[mask]
    assert white.mean() == pytest.approx(0, abs=1e-12)
    assert white.std(ddof=1) == pytest.approx(1)


@given(batches())
@settings(deadline=None)
def test_solar_is_shaping_and_step_groups(groups: StepGroups) -> None:
    from training.shaping import shape

    for suffix in ("truncate", "keep"):
        rules = CreditRules(shaping=ShapingRules(suffix=suffix))  # type: ignore[arg-type]
        made, shaped = credit("solar", groups, rules), shape(groups, rules.shaping)
        assert (made.reward == shaped.reward).all()
        assert (made.kept == shaped.path.kept).all()
        for row in range(len(groups.score)):
            mean, scale = (
                spread(list(shaped.reward[row][shaped.path.kept[row]])) if made.kept[row].any() else (0, np.inf)
            )
            expected = np.where(made.kept[row], (shaped.reward[row] - mean) / scale, 0)
            assert made.advantage[row] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", RULES)
@given(groups=batches())
@settings(deadline=None, max_examples=30)
def test_every_rule_trains_finite_numbers_on_kept_rows_only(name: str, groups: StepGroups) -> None:
    for suffix in ("truncate", "keep"):
        for splices in (1, 3, "closed"):
            rules = CreditRules(shaping=ShapingRules(suffix=suffix), splices=splices)  # type: ignore[arg-type]
            made = credit(name, groups, rules)
            assert np.isfinite(made.advantage).all()
            assert np.isfinite(made.reward).all()
            assert (made.advantage[~made.kept] == 0).all()
            assert ((made.weight > 0) == made.kept).all()
    assert 0 <= prefix_share(groups) <= 1


def test_what_a_rule_needs_and_does_not_get() -> None:
    plain = StepGroups(np.ones((2, 2)), np.ones((2, 2), bool), np.array([0, 2]), np.array([2]))
    with pytest.raises(BadShape, match="type_ok"):
        credit("ui_s1", plain)
    with pytest.raises(BadShape, match="critic"):
        credit("bi_level_gae", plain)
    with pytest.raises(BadScore, match="not finite"):
        credit("bi_level_gae", replace(plain, value=np.full((2, 2), np.nan)))
    with pytest.raises(UsageError, match="solar"):
        credit("solr", plain)
