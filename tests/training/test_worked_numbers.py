"""The numbers that the facts work out (solar_rl.md, sections 2 to 5), recomputed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from solar_eval.scoring.similarity import app_similarity
from training.advantage import AdvantageRules, advantages
from training.groups import StepGroups, alive_by_step, from_tasks, trajectory
from training.reconstruct import reconstruct
from training.shaping import Shaped, ShapingRules, shape
from training.splices import shape_spliced
from training.validity import START_SIGMA, kernel, sigma_of_radius

INVERTED = {
    "literal, counts": [0.983, 0.533, 0.383, 0.308, 0.263, 0.167],
    "literal, reference": [0.233, 0.158, 0.133, 0.121, 0.113, 0.167],
    "aligned": [0.083, 0.083, 0.083, 0.083, 0.083, 0.167],
}
"""Section 2: reward of a perfect step 0, N = 6, first failure at t* = 1..5, last = success. The failing step has
s = .1 and there is no length-aware penalty; the facts leave both unsaid, the numbers need them."""
TABLE = {
    "literal, counts": ShapingRules(target="literal", parts="counts", penalty_length=None),
    "literal, reference": ShapingRules(target="literal", penalty_length=None),
    "aligned": ShapingRules(penalty_length=None),
}


def one(scores: list[float], valid: list[bool], n_ref: int, **rules: Any) -> Shaped:
    return shape(trajectory(scores, valid, n_ref), ShapingRules(**rules))


def first_step(t_star: int, rules: ShapingRules) -> float:
    failure = t_star < 6
    scores, valid = [1.0] * t_star + [0.1] * failure, [True] * t_star + [False] * failure
    return float(shape(trajectory(scores, valid, 6), rules).reward[0, 0])


def test_failure_after_two_steps_of_four() -> None:
    shaped = one([1, 0.8, 0.2], [True, True, False], 4)
    assert shaped.r_traj[0, 0] == pytest.approx(0.235)
    assert shaped.base[:, 0] == pytest.approx([0.25, 0.2, -(4 / 14) * 0.8 / 4])
    assert shaped.target[0, 0] == pytest.approx(0.1779, abs=5e-5)
    assert shaped.reward[:, 0] == pytest.approx([0.1425, 0.0925, -0.0571], abs=5e-5)


def test_perfect_success_of_four() -> None:
    shaped = one([1] * 4, [True] * 4, 4)
    assert shaped.reward[:, 0] == pytest.approx([0.25] * 4)
    assert shaped.target[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("name", INVERTED)
def test_table_of_inverted_credit(name: str) -> None:
    paid = [first_step(t, TABLE[name]) for t in range(1, 7)]
    assert paid == pytest.approx(INVERTED[name], abs=5e-4)


def test_literal_inverts_credit_and_aligned_does_not() -> None:
    """Sooner failures pay a perfect step 0 more under `literal`, in parts of counts even more than a success does."""
    for name in ("literal, counts", "literal, reference"):
        paid = [first_step(t, TABLE[name]) for t in range(1, 7)]
        assert paid[:5] == sorted(paid[:5], reverse=True)
        assert paid[0] > paid[5]
    aligned = [first_step(t, TABLE["aligned"]) for t in range(1, 7)]
    assert aligned == sorted(aligned) or np.ptp(aligned[:5]) < 1e-12
    assert max(aligned[:5]) < aligned[5]


def test_inverted_credit_punishes_step_0_of_the_successful_candidate() -> None:
    """Section 2: in the step group of a task with one early failure and one success the success has A < 0."""
    scores = np.ones((6, 2))
    scores[1:, 0] = 0.1
    groups, _, _ = from_tasks([(scores, scores > 0.5)])
    for name, sign in (("literal, reference", -1), ("aligned", 1)):
        shaped = shape(groups, TABLE[name])
        gained = advantages(shaped.reward, shaped.path.kept, groups.offsets).advantage
        assert np.sign(gained[0, 1]) == sign
        assert np.sign(gained[0, 0]) == -sign


def test_kernel_values() -> None:
    distances = np.array([0.01, 0.02, 0.04, 0.06, 0.08])
    sigma = sigma_of_radius(0.04)
    assert kernel(distances, sigma) == pytest.approx([0.958, 0.841, 0.5, 0.210, 0.063], abs=1e-3)
    assert sigma == pytest.approx(0.03397, abs=5e-6)
    assert sigma_of_radius(0.14) == pytest.approx(0.1189, abs=5e-5)
    assert pytest.approx(0.1189, abs=5e-5) == START_SIGMA


def test_mean_over_kept_steps_is_not_monotone() -> None:
    """Section 3: .255 then .250 over kept steps, .0750 then .0925 over N_ref; the failing step has s = 0."""
    three, four = ([1, 1, 1, 0], [True] * 3 + [False]), ([1, 1, 1, 0.5, 0], [True] * 4 + [False])
    kept = [one(*case, 20, mean="kept").r_traj[0, 0] for case in (three, four)]
    reference = [one(*case, 20).r_traj[0, 0] for case in (three, four)]
    assert kept == pytest.approx([0.255, 0.250])
    assert reference == pytest.approx([0.0750, 0.0925])


@pytest.mark.parametrize(("weights", "at", "first"), [((0.5, 0.3, 0.2), 30, 16), ((0.6, 0.3, 0.1), 14, 5)])
def test_weights_under_which_a_failure_outranks_a_success(
    weights: tuple[float, float, float], at: int, first: int
) -> None:
    """Section 3 names N = 30 and N = 14; the order breaks (or ties) from N = 16 and N = 5 on already."""
    rules = ShapingRules(*weights)
    assert not rules.success_outranks_failure(at)
    assert [n for n in range(1, 40) if not rules.success_outranks_failure(n)] == list(range(first, 40))
    best_failure = one([1.0] * (at - 1) + [0.0], [True] * (at - 1) + [False], at,
                       quality=weights[0], progress=weights[1], success=weights[2])  # fmt: skip
    worst_success = one([0.5] * at, [True] * at, at, quality=weights[0], progress=weights[1], success=weights[2])
    assert best_failure.r_traj[0, 0] > worst_success.r_traj[0, 0]
    assert all(ShapingRules().success_outranks_failure(n) for n in range(1, 1000))


def test_google_maps_against_google_mail() -> None:
    """Section 3's trap: ratio .818 is above .8. Both names are known, so they are told apart; unknown ones are not."""
    assert app_similarity("google maps", "google mail") == 0.0
    assert app_similarity("goggle maps", "google maps") > 0.8


@pytest.mark.parametrize(("p", "step", "expected"), [(0.7, 9, 0.04), (0.8, 9, 0.29), (0.9, 13, 0.64)])
def test_truncation_starves_late_steps(p: float, step: int, expected: float) -> None:
    """Section 5, by the binomial formula and by our own reconstruction of 4,000 tasks of 8 candidates."""
    assert 1 - binom.cdf(1, 8, p**step) == pytest.approx(expected, abs=5e-3)
    groups = simulated(np.random.default_rng(0), 4000, step + 1, p)
    alive = reconstruct(groups).kept.reshape(4000, step + 1, 8)[:, step].sum(axis=1)
    assert (alive >= 2).mean() == pytest.approx(expected, abs=0.025)
    assert alive_by_step(reconstruct(groups).kept, groups.offsets)[step] == pytest.approx(8 * p**step, abs=0.1)


def simulated(rng: np.random.Generator, tasks: int, length: int, p: float, perfect_start: bool = False) -> StepGroups:
    """Tasks whose candidates are valid with probability p and score 1 or .1."""
    valid = rng.random((tasks * length, 8)) < p
    if perfect_start:
        valid[::length] = True
    offsets = np.arange(tasks + 1) * length
    return StepGroups(np.where(valid, 1.0, 0.1), valid, offsets, np.full(tasks, length))


def test_identical_first_steps_differ_by_luck_alone() -> None:
    """Section 5: eight identical perfect step-0 candidates, p = .7, T = 6: mean largest |A| 1.53.

    Exactly, under `aligned` with std over n - 1: sum over k of P(k of 8 succeed) x largest |A| = 1.502. Averaging
    over splicings shrinks the rewards' spread, which std normalisation undoes; the closed form makes it 0.
    """
    chance, expected = 0.7**5, 0.0
    for k in range(1, 8):
        flags = np.array([1.0] * k + [0.0] * (8 - k))
        expected += binom.pmf(k, 8, chance) * np.abs((flags - flags.mean()) / flags.std(ddof=1)).max()
    assert expected == pytest.approx(1.502, abs=5e-4)
    groups = simulated(np.random.default_rng(1), 4000, 6, 0.7, perfect_start=True)
    assert largest(groups, 1) == pytest.approx(expected, abs=0.03)
    assert largest(groups, "closed") == 0.0
    spread = [shape_spliced(groups, ShapingRules(), k).reward[::6].std(axis=1).mean() for k in (1, 8, 64)]
    assert spread[0] > 2 * spread[1] > 4 * spread[2]
    assert largest(groups, 8) > largest(groups, 1)


def largest(groups: StepGroups, splices: Any) -> float:
    """Mean over tasks of the largest |advantage| at step 0."""
    spliced = shape_spliced(groups, ShapingRules(), splices)
    gained = advantages(spliced.reward, spliced.kept, groups.offsets, AdvantageRules()).advantage
    return float(np.abs(gained[groups.offsets[:-1]]).max(axis=1).mean())
