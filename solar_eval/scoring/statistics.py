"""Estimates with intervals that respect that the steps of one episode are not independent.

A mean over steps is an intercept-only least squares fit with a cluster-robust covariance (statsmodels, clusters =
episodes, small-sample correction, t quantiles with clusters - 1 degrees of freedom). Where every value is the same,
that covariance is 0 and says nothing: then the Wilson interval at n = clusters stands in. Rates over episodes are
proportions with Wilson intervals. All intervals are 95 %.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A fraction with its 95 % interval. value, low, high are None where n is 0; low, high also with one cluster."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int

    def to_json(self) -> dict[str, float | int | None]:
        """A plain dictionary for summary.json."""
        return asdict(self)


def clustered_mean(values: NDArray[np.generic], clusters: NDArray[np.int64]) -> Estimate:
    """Mean of n values in 0..1 that come in clusters (integer labels, length n)."""
    n = len(values)
    if n == 0:
        return Estimate(None, None, None, 0, 0)
    groups = np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    count = int(groups.max()) + 1
    data = values.astype(np.float64)
    mean = float(data.mean())
    if count < 2:
        return Estimate(mean, None, None, n, count)
    if data.min() == data.max():
        return _with_wilson(mean, mean * count, count, n)
    low, high = _cluster_interval(data, groups)
    return Estimate(mean, max(0.0, low), min(1.0, high), n, count)


def _cluster_interval(data: NDArray[np.float64], groups: NDArray[np.int64]) -> tuple[float, float]:
    """The cluster-robust interval, from the G cluster means weighted by their sizes: for an intercept alone, HC1 on
    these is the cluster-robust covariance on all n values, at a tenth of the time.
    """
    from statsmodels.regression.linear_model import WLS

    sizes = np.bincount(groups)
    means = np.bincount(groups, data) / sizes
    fit = WLS(means, np.ones((len(means), 1)), weights=sizes).fit(cov_type="HC1", use_t=True)
    low, high = fit.conf_int(alpha=1 - LEVEL)[0]
    return float(low), float(high)


def proportion(hits: float, n: int) -> Estimate:
    """A rate over n independent units (episodes), with its Wilson interval."""
    if n == 0:
        return Estimate(None, None, None, 0, 0)
    return _with_wilson(hits / n, hits, n, n)


def _with_wilson(value: float, hits: float, clusters: int, n: int) -> Estimate:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, clusters, alpha=1 - LEVEL, method="wilson")
    return Estimate(value, float(low), float(high), n, clusters)
