"""Counting: intervals against their textbook formulas, prefixes, buckets, denominators."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t

from solar_eval.scoring.metrics import prefixes
from solar_eval.scoring.statistics import clustered_mean, proportion


def test_clustered_interval_is_the_sandwich_formula() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(40), 7)
    values = (rng.random(280) < np.repeat(rng.random(40), 7)).astype(float)
    got = clustered_mean(values, clusters)
    residual = values - values.mean()
    sums = np.bincount(clusters, residual)
    n, g = 280, 40
    variance = (sums**2).sum() / n**2 * g / (g - 1)
    half = t.ppf(0.975, g - 1) * math.sqrt(variance)
    assert got.value == pytest.approx(values.mean())
    assert (got.low, got.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=1e-9)
    assert (got.n, got.clusters) == (280, 40)


def test_clusters_widen_the_interval() -> None:
    values = np.repeat([0.0, 1.0] * 10, 10)
    together = clustered_mean(values, np.repeat(np.arange(20), 10))
    apart = clustered_mean(values, np.arange(200))
    assert together.high - together.low > 2 * (apart.high - apart.low)  # type: ignore[operator]


def test_no_variance_does_not_mean_certainty() -> None:
    got = clustered_mean(np.ones(30), np.repeat(np.arange(10), 3))
    assert got.value == 1.0 and got.low is not None and got.low < 0.75


def test_empty_and_single_clusters_have_no_interval() -> None:
    assert clustered_mean(np.array([]), np.array([], dtype=np.int64)).value is None
    assert clustered_mean(np.array([1.0, 0.0]), np.array([3, 3])).low is None


def test_wilson_of_a_known_value() -> None:
    got = proportion(8, 10)
    assert (got.low, got.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_prefix_counts_to_the_first_error() -> None:
    right = np.array([True, True, False, True, True, False, False])
    episode = np.array([0, 0, 0, 0, 1, 2, 2])
    assert prefixes(right, episode, 3).tolist() == [2, 1, 0]
