"""The regression estimator: the mean of the judged queries, corrected by what the beliefs expect of the whole pool.

    R̂ = ȳ + b (x̄_pool − x̄)        x = L_θ, means weighted by 1/π

The slope b is a ridge regression's. The "optimal" one of survey theory is too noisy for the samples of an evaluation,
and b = 1 trusts the beliefs blindly. Särndal, Swensson & Wretman, Model assisted survey sampling, 1992, chapter 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray

RIDGE = 3.0
"""How many queries the prior counts for, which says that the beliefs tell nothing (b = 0)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Regression:
    """The fitted line, the residuals of the judged queries, and the sum of their weights (draws on the last axis)."""

    mean: FloatArray
    centre: FloatArray
    slope: FloatArray
    residuals: FloatArray
    total: FloatArray
    n: FloatArray

    @classmethod
    def of(
        cls, values: FloatArray, expected: FloatArray, weights: FloatArray, taken: BoolArray, spread: float
    ) -> Regression:
        """The regression of values on what was expected; `spread` is the variance of the latter over the pool."""
        kept, n = np.where(taken, weights, 0.0), taken.sum(axis=-1).astype(float)
        y, x = np.where(taken, values, 0.0), np.where(taken, expected, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):  # no query at all gives NaN
            total = kept.sum(axis=-1)
            mean, centre = (kept * y).sum(axis=-1) / total, (kept * x).sum(axis=-1) / total
            left, away = y - mean[..., np.newaxis], x - centre[..., np.newaxis]
            ridge = RIDGE / n * spread
            along = (kept * away**2).sum(axis=-1) / total + ridge
            slope = np.where(
                along > 0, (kept * away * left).sum(axis=-1) / total / np.where(along > 0, along, 1.0), 0.0
            )
        residuals = np.where(taken, left - slope[..., np.newaxis] * away, 0.0)
        return cls(mean=mean, centre=centre, slope=slope, residuals=residuals, total=total, n=n)

    def at(self, expected: FloatArray | float) -> FloatArray:
        """The value on the line at this expected value."""
        return np.asarray(self.mean + self.slope * (expected - self.centre))

    def error(self, weights: FloatArray, chances: FloatArray) -> FloatArray:
        """The standard error of the line at the pool's mean, for Poisson sampling with these chances."""
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = ((1 - chances) * (weights * self.residuals) ** 2).sum(axis=-1)
            return np.where(self.n > 2, np.sqrt(spread * self.n / (self.n - 2)) / self.total, np.nan)
