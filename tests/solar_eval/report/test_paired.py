"""Paired statistics against formulas and tables, and the intervals' coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from solar_eval.paired import clustered_difference, holm, mcnemar_exact


def test_one_step_an_episode_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    got = clustered_difference(b - a, np.arange(80))
    reference = stats.ttest_rel(b, a)
    interval = reference.confidence_interval(0.95)
    assert got.value == pytest.approx((b - a).mean())
    assert got.p == pytest.approx(reference.pvalue)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high))


def test_clusters_by_the_sandwich_formula() -> None:
    data, clusters = np.array([1, 1, 0, -1, 0, 1, 0]), np.array(["x", "x", "x", "y", "y", "z", "z"])
    mean, n, g = data.mean(), 7, 3
    sums = [(data[clusters == name] - mean).sum() for name in "xyz"]
    error = np.sqrt(sum(s**2 for s in sums)) / n * np.sqrt(g / (g - 1) * (n - 1) / (n - 1))
    got = clustered_difference(data, clusters)
    half = stats.t.ppf(0.975, g - 1) * error
    assert (got.low, got.high) == pytest.approx((max(-1, mean - half), min(1, mean + half)))
    assert got.p == pytest.approx(2 * stats.t.sf(mean / error, g - 1))
    assert (got.n, got.clusters) == (7, 3)


def test_repeating_every_step_does_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(5)
    data, clusters = rng.integers(-1, 2, 60), np.arange(60)
    once, often = clustered_difference(data, clusters), clustered_difference(np.repeat(data, 9), np.repeat(clusters, 9))
    assert often.low == pytest.approx(once.low, abs=2e-3)
    assert often.p == pytest.approx(once.p, abs=2e-3)


def test_runs_that_agree_everywhere_have_no_effect_and_room_for_doubt() -> None:
    got = clustered_difference(np.zeros(100), np.arange(100) // 5)
    assert (got.value, got.p) == (0.0, 1.0)
    assert got.low == -got.high and 0.1 < got.high < 0.2  # Wilson: 0 of 20


def test_every_step_fixed_is_significant_without_a_spread() -> None:
    got = clustered_difference(np.ones(30), np.arange(30) // 3)
    assert got.value == 1.0 and got.high == 1.0 and got.low < 1.0
    assert got.p == pytest.approx(2 * 0.5**10)


def test_too_little_for_an_interval() -> None:
    assert clustered_difference(np.array([]), np.array([])).value is None
    one = clustered_difference(np.array([1, 0]), np.array(["e", "e"]))
    assert (one.value, one.low, one.p) == (0.5, None, None)


@pytest.mark.parametrize(("a", "b"), [(48, 190), (0, 5), (1, 0), (10, 10)])
def test_mcnemar_is_the_binomial_test_of_the_discordant(a: int, b: int) -> None:
    assert mcnemar_exact(a, b) == pytest.approx(min(1.0, stats.binomtest(a, a + b, 0.5).pvalue))


def test_mcnemar_without_discordant_episodes() -> None:
    assert mcnemar_exact(0, 0) == 1.0


def test_holm_by_hand_and_none_is_not_counted() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]
    assert holm([]) == [] and holm([None]) == [None]


def draw(rng: np.random.Generator, episodes: int, gain: float) -> tuple[np.ndarray, np.ndarray, float]:
    """One draw of two runs: episodes of 1 to 13 steps whose difficulty both runs share, and its own gain each."""
    sizes = rng.integers(1, 14, episodes)
    clusters = np.repeat(np.arange(episodes), sizes)
    base = rng.beta(2, 1.5, episodes)
    better = np.clip(base + rng.normal(gain, 0.2, episodes), 0, 1)
    a = rng.random(len(clusters)) < base[clusters]
    b = rng.random(len(clusters)) < better[clusters]
    return b.astype(int) - a.astype(int), clusters, 0.0


def true_difference(gain: float) -> float:
    """Expected step difference of `draw` (sizes are independent of the gain): mean of the clipped shift."""
    rng = np.random.default_rng(99)
    base = rng.beta(2, 1.5, 4_000_000)
    return float((np.clip(base + rng.normal(gain, 0.2, len(base)), 0, 1) - base).mean())


@pytest.mark.slow
@pytest.mark.parametrize(("episodes", "gain"), [(40, 0.0), (150, 0.05)])
def test_coverage_is_95_per_cent_over_1000_clustered_draws(episodes: int, gain: float) -> None:
    rng, truth = np.random.default_rng(2026), true_difference(gain)
    covered = 0
    for _ in range(1000):
        data, clusters, _ = draw(rng, episodes, gain)
        got = clustered_difference(data, clusters)
        assert got.low is not None and got.high is not None
        covered += got.low <= truth <= got.high
    assert 930 <= covered <= 970


@pytest.mark.slow
def test_ignoring_the_clusters_would_cover_too_little() -> None:
    """The simulation can tell: the same draws with every step as a cluster of its own miss the 95 %."""
    rng, truth = np.random.default_rng(2026), true_difference(0.05)
    covered = 0
    for _ in range(1000):
        data, clusters, _ = draw(rng, 40, 0.05)
        got = clustered_difference(data, np.arange(len(clusters)))
        assert got.low is not None and got.high is not None
        covered += got.low <= truth <= got.high
    assert covered < 930


@pytest.mark.slow
def test_p_values_under_no_difference_are_uniform_enough() -> None:
    rng = np.random.default_rng(7)
    p_values = []
    for _ in range(1000):
        sizes = rng.integers(1, 14, 60)
        clusters = np.repeat(np.arange(60), sizes)
        right = rng.random((2, len(clusters))) < rng.beta(2, 1.5, 60)[clusters]
        p_values.append(clustered_difference(right[1].astype(int) - right[0], clusters).p or 0.0)
    assert 0.03 <= np.mean(np.array(p_values) < 0.05) <= 0.07
