"""Recalibration: beliefs and predictions fitted to the labels so far.

A regression estimator corrects what the beliefs predict of the pool:

    R̂ = ȳ + b (x̄_pool − x̄)        x = L_θ, means weighted by 1/π

The slope b is a ridge regression's. The "optimal" one of survey theory is too noisy for the samples of an evaluation,
and b = 1 trusts the beliefs blindly. Särndal, Swensson & Wretman, Model assisted survey sampling, 1992, chapter 6.

Beliefs that are recalibrated are

    p'(y | z) ∝ p(y | z)^a · exp(b_y + c · y · log rank(z))

with the power a, an offset b for each grade, and a tilt c along the list (y as the grade's place in the scale, from 0
to 1). It is a logistic regression on the old beliefs, so it finds how far to trust them: useless beliefs get a = 0,
reversed ones a < 0. Documents were chosen by beliefs and earlier grades alone, which a likelihood may ignore
(Rubin, Inference and missing data, Biometrika 1976).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.pool import Pool
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
        """Return the value on the line at this expected value."""
        return np.asarray(self.mean + self.slope * (expected - self.centre))

    def error(self, weights: FloatArray, chances: FloatArray) -> FloatArray:
        """Return the standard error of the line at the pool's mean, for Poisson sampling with these chances."""
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = ((1 - chances) * (weights * self.residuals) ** 2).sum(axis=-1)
            return np.where(self.n > 2, np.sqrt(spread * self.n / (self.n - 2)) / self.total, np.nan)


PRECISION = 0.5
"""The precision of each parameter's normal prior around "the beliefs are right": a handful of labels outweighs it."""

SMOOTHING = 0.02
"""The share of uniform beliefs mixed in before logarithms are taken: no grade is impossible."""

STEPS = 25


def recalibrate(pool: Pool, grades: FloatArray) -> Pool:
    """Return the pool with its beliefs corrected by the known grades (NaN: not judged); the same pool if none is known.

    Grades between two of the scale count as the nearest.
    """
    judged = np.flatnonzero(~np.isnan(grades))
    if not len(judged):
        return pool
    features = _features(pool)
    nearest = np.abs(grades[judged, np.newaxis] - pool.grades).argmin(axis=1)
    fitted = _fit(features[judged], nearest)
    return pool.with_beliefs(_chances(features @ fitted))


def _features(pool: Pool) -> FloatArray:
    """Return the features of the logit of each grade (documents × grades × parameters)."""
    n, size = pool.beliefs.shape
    level = np.linspace(0.0, 1.0, size)
    logs = np.log((1 - SMOOTHING) * pool.beliefs + SMOOTHING / size)
    depth = np.log(np.nanmin(pool.ranks, axis=1))
    depth = depth - depth.mean()
    offsets = np.broadcast_to(np.eye(size)[:, 1:], (n, size, size - 1))
    return np.concatenate([logs[..., np.newaxis], (depth[:, np.newaxis] * level)[..., np.newaxis], offsets], axis=-1)


def _chances(logits: FloatArray) -> FloatArray:
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _fit(features: FloatArray, grades: FloatArray) -> FloatArray:
    """Return the most likely parameters under a normal prior around "the beliefs are right", by Newton's method.

    The likelihood is log-concave, so it is enough to halve a step that does not climb.
    """
    prior = np.zeros(features.shape[-1])
    prior[0] = 1.0
    seen = features[np.arange(len(grades)), grades]
    fit, best = prior, _posterior(features, seen, prior, prior)
    for _ in range(STEPS):
        chances = _chances(features @ fit)
        mean = np.einsum("ny,nyf->nf", chances, features)
        slope = (seen - mean).sum(axis=0) - PRECISION * (fit - prior)
        curve = (
            np.einsum("ny,nyf,nyg->fg", chances, features, features) - mean.T @ mean + PRECISION * np.eye(len(prior))
        )
        step = np.linalg.solve(curve, slope)
        while (value := _posterior(features, seen, fit + step, prior)) < best and np.abs(step).max() > 1e-9:
            step = step / 2
        if value <= best:
            break
        fit, gained, best = fit + step, value - best, value
        if gained < 1e-6:
            break
    return fit


def _posterior(features: FloatArray, seen: FloatArray, parameters: FloatArray, prior: FloatArray) -> float:
    logits = features @ parameters
    top = logits.max(axis=-1)
    normal = top + np.log(np.exp(logits - top[:, np.newaxis]).sum(axis=-1))
    return float((seen @ parameters - normal).sum() - (PRECISION * (parameters - prior) ** 2).sum() / 2)
