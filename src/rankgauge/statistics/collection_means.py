"""Means over collections, and how far they may be off: for queries alone, and for the choice of collections too.

A collection's value is the mean over its queries; a run's mean is the weighted mean over collections. Two questions
have two errors:

- *on these collections* only queries are drawn anew: Σ w² s²/n, with the degrees of freedom of Welch and Satterthwaite;
- *on a collection like these* the collections are drawn too, which holds both levels at once: Σ w² r²/(1 − w) of the
  residuals r, with the degrees of freedom of Bell and McCaffrey (Survey Methodology 2002). With equal weights that is
  s²/C with C − 1 degrees of freedom, which is also what a balanced mixed model gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.student import student_quantile, student_tail

STEPS = 60
"""Halvings in the search for a variance."""


class MeanErrors(NamedTuple):
    """The covariance of the runs' means (runs × runs), and the degrees of freedom of each difference of two runs.

    On the diagonal of `freedom` are those of the means themselves.
    """

    covariance: FloatArray
    freedom: FloatArray

    @property
    def alone(self) -> FloatArray:
        """The standard error of each run's mean."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def paired(self) -> FloatArray:
        """The standard error of each difference of two runs' means; 0 where two runs never differ."""
        own = np.diagonal(self.covariance)
        squared = own[:, np.newaxis] + own - 2 * self.covariance
        tiny = 1e-13 * (own[:, np.newaxis] + own)
        return np.sqrt(np.where(squared > tiny, squared, 0.0))

    def half_widths(self, level: float) -> FloatArray:
        """Return half the width of the interval of each run's mean."""
        return np.asarray(student_quantile(np.diagonal(self.freedom), (1 + level) / 2) * self.alone)


def query_errors(values: Sequence[FloatArray], weights: FloatArray) -> MeanErrors:
    """Return the errors of queries alone, of values (queries × runs) by collection; NaN if one has a single query."""
    runs = values[0].shape[1]
    total, slack = np.zeros((runs, runs)), np.zeros((runs, runs))
    for found, weight in zip(values, weights, strict=True):
        n = len(found)
        if n < 2:
            return MeanErrors(total * np.nan, total * np.nan)
        centred = found - found.mean(axis=0)
        part = weight**2 * (centred.T @ centred) / (n * (n - 1))
        total += part
        slack += _differences(part) ** 2 / (n - 1)
    freedom = _differences(total) ** 2 / np.where(slack > 0, slack, np.nan)
    return MeanErrors(total, np.nan_to_num(freedom, nan=1.0))


def _differences(covariance: FloatArray) -> FloatArray:
    """Return the variance of each difference, and on the diagonal that of each mean."""
    own = np.diagonal(covariance)
    found = own[:, np.newaxis] + own - 2 * covariance
    np.fill_diagonal(found, own)
    return np.maximum(found, 0.0)


def leverage(weights: FloatArray) -> tuple[FloatArray, float]:
    """Return the factors of squared residuals, and the degrees of freedom of their sum; weights add up to 1."""
    factors = weights**2 / np.maximum(1 - weights, 1e-12)
    maker = np.eye(len(weights)) - weights  # residuals are values minus their weighted mean
    form = maker.T @ (factors[:, np.newaxis] * maker)
    return factors, float(np.trace(form) ** 2 / max(float((form**2).sum()), 1e-300))


def collection_errors(means: FloatArray, weights: FloatArray) -> MeanErrors:
    """Return the errors where collections are drawn too, of means (collections × runs)."""
    factors, freedom = leverage(weights)
    residuals = means - weights @ means
    covariance = residuals.T @ (factors[:, np.newaxis] * residuals)
    return MeanErrors(covariance, np.full(covariance.shape, freedom if len(weights) > 1 else np.nan))


def p_values(difference: FloatArray, error: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return the chance of a difference so far from 0, by Student's t; 1 where two runs never differ."""
    known = error > 0
    t = np.abs(difference) / np.where(known, error, 1.0)
    certain = np.where(difference == 0, 1.0, 0.0)
    return np.where(np.isnan(error), np.nan, np.where(known, np.minimum(2 * student_tail(freedom, t), 1.0), certain))


class Heterogeneity(NamedTuple):
    """How much a difference changes from collection to collection, beyond what queries explain."""

    variance: FloatArray
    """τ², the variance between collections."""
    share: FloatArray
    """I², the part of the spread that queries do not explain."""
    p: FloatArray
    """The chance of such a spread if the difference were the same everywhere (Cochran's Q)."""


def heterogeneity(differences: FloatArray, variances: FloatArray) -> Heterogeneity:
    """Return the spread of differences (collections × pairs) whose variances over queries are known.

    τ² is Paule and Mandel's (J. Res. NBS 1982): the one for which the weighted sum of squares is what it should be.
    """
    from scipy.special import gammaincc

    count = len(differences)
    least = np.max(variances, axis=0, initial=0.0) * 1e-9 + 1e-30
    known = np.maximum(variances, least)

    def squares(between: FloatArray) -> FloatArray:
        weight = 1 / (known + between)
        mean = (weight * differences).sum(axis=0) / weight.sum(axis=0)
        return np.asarray((weight * (differences - mean) ** 2).sum(axis=0))

    low = np.zeros(differences.shape[1])
    cochran, high = squares(low), np.ptp(differences, axis=0) ** 2 * count + least
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = squares(middle) > count - 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    variance = np.where(cochran > count - 1, (low + high) / 2, 0.0)
    share = np.maximum(0.0, 1 - (count - 1) / np.maximum(cochran, 1e-300))
    return Heterogeneity(variance, share, np.asarray(gammaincc((count - 1) / 2, cochran / 2)))


def prediction_reach(between: FloatArray, error: FloatArray, count: int, level: float = 0.95) -> FloatArray:
    """Return half the width of the interval for the difference on one more collection (Higgins et al., JRSS A 2009)."""
    return np.asarray(student_quantile(max(count - 2, 1), (1 + level) / 2) * np.sqrt(between + error**2))
