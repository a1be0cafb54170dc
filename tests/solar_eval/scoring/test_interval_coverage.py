"""The intervals of every table do what 95 % says: 1,000 draws of clustered steps, the truth known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from solar_eval.scoring.statistics import clustered_mean, proportion

DRAWS = 1000


def draw(rng: np.random.Generator, episodes: int, spread: float) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Steps of `episodes` episodes of 1 to 14 steps, whose own success rates lie around 0.6 (beta, sd by `spread`)."""
    lengths = rng.integers(1, 15, episodes)
    rates = rng.beta(0.6 / spread, 0.4 / spread, episodes)
    cluster = np.repeat(np.arange(episodes), lengths)
    return rng.random(len(cluster)) < rates[cluster], cluster


@pytest.mark.slow
@pytest.mark.parametrize(("episodes", "spread"), [(100, 0.3), (400, 0.3), (200, 1.0)])
def test_clustered_intervals_cover_the_truth(episodes: int, spread: float) -> None:
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(DRAWS):
        estimate = clustered_mean(*draw(rng, episodes, spread))
        assert estimate.low is not None and estimate.high is not None
        covered += estimate.low <= 0.6 <= estimate.high
    assert 0.93 <= covered / DRAWS <= 0.97


@pytest.mark.slow
def test_ignoring_the_episodes_would_cover_too_little() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(DRAWS):
        hits, _ = draw(rng, 100, 1.0)
        naive = proportion(float(hits.sum()), len(hits))
        assert naive.low is not None and naive.high is not None
        covered += naive.low <= 0.6 <= naive.high
    assert covered / DRAWS < 0.85


def test_rates_over_episodes_cover_the_truth() -> None:
    rng = np.random.default_rng(8)
    estimates = [proportion(float(hits), 150) for hits in rng.binomial(150, 0.3, DRAWS)]
    covered = np.mean([(e.low or 0) <= 0.3 <= (e.high or 1) for e in estimates])
    assert 0.93 <= covered <= 0.97
