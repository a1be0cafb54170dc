"""Group-relative advantages against plain loops, and the edge cases that broke public runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from training.advantage import AdvantageRules, advantages, normalise
from training.errors import BadRules, BadScore, BadShape

ROWS = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 4)), min_size=1, max_size=30)


def columns(rows: list[tuple[float, int]]) -> tuple[Any, Any]:
    return np.array([r for r, _ in rows]), np.array([g for _, g in rows])


@given(ROWS, st.sampled_from([0, 1]), st.sampled_from(["std", "none"]))
def test_against_a_loop(rows: list[tuple[float, int]], ddof: Any, scale: Any) -> None:
    reward, group = columns(rows)
    made, stats = normalise(reward, group, AdvantageRules(ddof=ddof, scale=scale))
    for key in np.unique(group):
        inside = reward[group == key]
        expected = np.zeros(len(inside))
        if len(inside) > 1 and inside.std(ddof=ddof) > 1e-6:
            expected = inside - inside.mean()
            if scale == "std":
                expected = expected / (inside.std(ddof=ddof) + 1e-6)
        assert made[group == key] == pytest.approx(expected, abs=1e-9)
    assert stats.groups == len(np.unique(group))
    assert stats.rows == len(rows)


@given(ROWS)
def test_leave_one_out_against_a_loop(rows: list[tuple[float, int]]) -> None:
    reward, group = columns(rows)
    made, _ = normalise(reward, group, AdvantageRules(baseline="leave_one_out"))
    for i, key in enumerate(group):
        others = np.delete(reward, i)[np.delete(group, i) == key]
        everyone = reward[group == key]
        if len(others) == 0 or everyone.std(ddof=1) <= 1e-6:
            assert made[i] == 0
            continue
        difference = reward[i] - others.mean()
        std = others.std(ddof=1) if len(others) > 1 else 0.0
        assume(std == 0 or std > 1e-5)
        assert made[i] == pytest.approx(difference / (std + 1e-6) if std else difference, abs=1e-7, rel=1e-5)


@given(ROWS, st.permutations(range(5)), st.floats(-1, 1), st.floats(0.1, 10))
def test_keys_shifts_and_scales_do_not_matter(
    rows: list[tuple[float, int]], keys: list[int], shift: float, scale: float
) -> None:
    reward, group = columns(rows)
    rules = AdvantageRules(eps=0.0, std_floor=1e-3)
    first, stats = normalise(reward, group, rules)
    spreads = [reward[group == g].std(ddof=1) for g in np.unique(group) if (group == g).sum() > 1]
    assume(all(s > 2e-2 or s == 0 for s in spreads))
    moved, _ = normalise(reward * scale + shift, np.array(keys)[group], rules)
    assert moved == pytest.approx(first, abs=1e-6)
    assert abs(first.sum()) < 1e-6
    assert stats.zero_variance == (stats.single + stats.flat) / stats.groups


@pytest.mark.parametrize("value", [0.1, 0.35, 1 / 3, 1e6])
@pytest.mark.parametrize("baseline", ["group", "leave_one_out"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_rewards_give_zero_whatever_their_rounding(value: float, baseline: Any, dtype: Any) -> None:
    made, stats = normalise(np.full(8, value, dtype=dtype), np.zeros(8, int), AdvantageRules(baseline=baseline))
    assert (made == 0).all()
    assert (stats.flat, stats.zero_variance) == (1, 1.0)


def test_one_row_alone_has_no_advantage() -> None:
    made, stats = normalise(np.array([1.0, 0.25]), np.array([4, 9]))
    assert (made == 0).all()
    assert (stats.single, stats.groups, stats.zero_variance) == (2, 2, 1.0)


def test_std_floor() -> None:
    reward, group = np.array([0.5, 0.5002]), np.zeros(2, int)
    assert np.abs(normalise(reward, group)[0]).max() > 0.7
    assert (normalise(reward, group, AdvantageRules(std_floor=1e-3))[0] == 0).all()


def test_groups_of_a_batch_are_the_alive_candidates_of_a_step() -> None:
    reward = np.array([[1.0, 0.0, 0.5], [2.0, 9.0, 0.0]])
    kept = np.array([[True, True, True], [True, False, True]])
    offsets = np.array([0, 2])
    made = advantages(reward, kept, offsets)
    assert made.advantage[0] == pytest.approx([1, -1, 0], abs=1e-5)
    assert made.advantage[1] == pytest.approx([np.sqrt(0.5), 0, -np.sqrt(0.5)], abs=1e-5)
    assert made.step is not None
    assert made.step.groups == 2
    assert made.episode is None
    episode = advantages(reward, kept, offsets, AdvantageRules(group="episode")).advantage
    values = reward[kept]
    assert episode[kept] == pytest.approx((values - values.mean()) / (values.std(ddof=1) + 1e-6))
    mixed = advantages(reward, kept, offsets, AdvantageRules(group="mixed", episode_weight=0.5, step_weight=2.0))
    assert mixed.advantage == pytest.approx(0.5 * episode + 2 * made.advantage)
    assert mixed.step is not None
    assert mixed.episode is not None


def test_nothing_kept_is_nothing_to_normalise() -> None:
    made = advantages(np.ones((2, 3)), np.zeros((2, 3), bool), np.array([0, 2]))
    assert (made.advantage == 0).all()
    assert made.step is not None
    assert (made.step.groups, made.step.zero_variance) == (0, 0.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_reward_that_is_not_finite(bad: float) -> None:
    reward, group = np.array([0.0, 1.0, bad, 0.5]), np.array([0, 0, 0, 1])
    with pytest.raises(BadScore, match="row 2: 1 rewards are not finite"):
        normalise(reward, group)
    made, stats = normalise(reward, group, AdvantageRules(bad="skip"))
    assert made[:2] == pytest.approx(normalise(np.array([0.0, 1.0]), np.array([0, 0]))[0])
    assert made[2] == made[3] == 0
    assert stats.bad == 1


def test_shapes_and_rules_that_do_not_fit() -> None:
    with pytest.raises(BadShape):
        normalise(np.zeros(3), np.zeros(2, int))
    with pytest.raises(BadRules):
        AdvantageRules(std_floor=-1)
    with pytest.raises(BadRules):
        AdvantageRules(group="trajectory")  # type: ignore[arg-type]


def test_verl_gives_the_same_advantages() -> None:
    algos = pytest.importorskip("verl.trainer.ppo.core_algos", exc_type=ImportError)
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    reward, group = rng.uniform(-0.2, 0.4, 64), np.repeat(np.arange(8), 8)
    tokens = torch.zeros(64, 3, dtype=torch.float64)
    tokens[:, -1] = torch.tensor(reward)
    for by_std, scale in ((True, "std"), (False, "none")):
        theirs, _ = algos.compute_grpo_outcome_advantage(
            tokens, torch.ones(64, 3), group.astype(str), norm_adv_by_std_in_grpo=by_std
        )
        ours, _ = normalise(reward, group, AdvantageRules(scale=scale))  # type: ignore[arg-type]
        assert ours == pytest.approx(theirs[:, 0].numpy(), abs=1e-6)
