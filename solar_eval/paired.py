"""Statistics of two runs over the same steps: clustered differences, McNemar over episodes, Holm over metrics.

The difference of two means over paired steps is the mean of the differences: an intercept-only least squares fit with a
covariance that is robust to clusters (statsmodels, clusters = episodes, small-sample correction, t quantiles with
clusters - 1 degrees of freedom). Where that covariance is 0 (no step differs, or every one does by the same) it says
nothing: then the Wilson interval of 0 in as many clusters stands in, and a sign test over clusters. Episode success is
tested with McNemar's exact test. All intervals are 95 %.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solar_eval.scoring.statistics import LEVEL

TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of n paired differences (B minus A) in -1..1. low, high, p are None with fewer than two clusters."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    clusters: int


def clustered_difference(differences: NDArray[np.generic], clusters: NDArray[np.generic]) -> Difference:
    """The mean of `differences` (length n), whose steps come in `clusters` (labels, length n)."""
    data, n = differences.astype(np.float64), len(differences)
    if n == 0:
        return Difference(None, None, None, None, 0, 0)
    groups = np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    count, mean = int(groups.max()) + 1, float(data.mean())
    if count < 2:
        return Difference(mean, None, None, None, n, count)
    residuals = np.bincount(groups, data - mean)
    if float(np.abs(residuals).max()) < TINY * n:
        return _without_spread(mean, n, count)
    low, high, p = _robust(data, groups)
    return Difference(mean, max(-1.0, low), min(1.0, high), p, n, count)


def _robust(data: NDArray[np.float64], groups: NDArray[np.int64]) -> tuple[float, float, float]:
    from statsmodels.regression.linear_model import OLS

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one regressor, and its HC covariance has rank 1: statsmodels warns of both
        fit = OLS(data, np.ones((len(data), 1))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
        low, high = fit.conf_int(alpha=1 - LEVEL)[0]
        return float(low), float(high), float(fit.pvalues[0])


def _without_spread(mean: float, n: int, clusters: int) -> Difference:
    from statsmodels.stats.proportion import proportion_confint

    room = float(proportion_confint(0, clusters, alpha=1 - LEVEL, method="wilson")[1])
    p = 1.0 if abs(mean) < TINY else min(1.0, 2.0 * 0.5**clusters)
    return Difference(mean, max(-1.0, mean - room), min(1.0, mean + room), p, n, clusters)


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided exact p for `only_a` units that A alone got right and `only_b` that B alone did."""
    from statsmodels.stats.contingency_tables import mcnemar

    return float(mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue) if only_a + only_b else 1.0


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values in the given order; None stays None and is not counted."""
    from statsmodels.stats.multitest import multipletests

    known = [p for p in p_values if p is not None]
    adjusted = iter(multipletests(known, method="holm")[1] if known else ())
    return [None if p is None else float(next(adjusted)) for p in p_values]
