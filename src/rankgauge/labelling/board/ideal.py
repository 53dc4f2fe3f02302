"""The ideal sum: what a ratio such as nDCG or AP divides by, as a function of how many documents reach each grade.

    I_q = Σ_t step_t · D(N_qt),   D(n) = weight(1) + … + weight(n)

It is exact for whole counts, and concave in each of them if weights fall. A count that is only estimated is taken as
log-normal, and D as its expectation: D of the mean would be too large. In a cascade the document at rank r of the ideal
order stops a user with the chance Σ_t step_t · P(N_qt ≥ r).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.labelling.moments.forms.cascade import stakes
from rankgauge.numeric import BoolArray, FloatArray

LEAST = 1e-9
"""Stands for a count or a spread of 0 where a logarithm or a quotient is taken."""


@dataclass(frozen=True, kw_only=True, eq=False)
class IdealSum:
    """The steps of worth from grade to grade (thresholds), and the weights of the ranks 1, 2, … that count."""

    steps: FloatArray
    weights: FloatArray
    cut: bool
    """Whether counts beyond the last weight add nothing; else they go on with the last weight."""

    @property
    def plain(self) -> bool:
        """Whether every document counts alike, so that D(n) is a multiple of n."""
        return not self.cut and bool(np.all(self.weights == self.weights[0]))

    @property
    def used(self) -> BoolArray:
        """The thresholds that matter."""
        return np.asarray(self.steps != 0)

    @property
    def least(self) -> float:
        """The least ideal sum that is divided by: that of one document of the lowest worth, or half of it where a count
        below 1 may stand for one."""
        step = float(np.min(self.steps[self.used]))
        return step * float(self.weights[0]) * (1.0 if self.plain else 0.5)

    @cached_property
    def _sums(self) -> FloatArray:
        return np.append(0.0, np.cumsum(self.weights))

    def at(self, counts: FloatArray) -> FloatArray:
        """The ideal sum of each query at its counts (queries × thresholds), linear between whole ones."""
        if self.plain:
            return np.asarray(counts @ self.steps * self.weights[0])
        return np.asarray(np.interp(counts, np.arange(len(self._sums)), self._sums) @ self.steps)

    def expected(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The expected ideal sum (queries) for log-normal counts, and its slope in each count's mean, steps included
        (queries × thresholds)."""
        if self.plain:
            return self.at(counts), np.broadcast_to(self.steps * self.weights[0], counts.shape)
        present, slopes = self._presence(counts, variance)
        return np.asarray(present @ self.weights @ self.steps), slopes @ self.weights * self.steps

    def smooth_slopes(self, counts: FloatArray, deviation: FloatArray) -> FloatArray:
        """The slope in each count, steps included, where D is smoothed by a normal kernel of that deviation."""
        if self.plain:
            return np.broadcast_to(self.steps * self.weights[0], counts.shape)
        places = np.arange(len(self.weights)) + 0.5
        x = (counts[..., np.newaxis] - places) / deviation[..., np.newaxis]
        return np.asarray(np.exp(-(x**2) / 2) @ self.weights / np.sqrt(2 * np.pi) / deviation * self.steps)

    def _presence(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The chance that each count reaches each rank (queries × thresholds × ranks), and its slope in the count."""
        from scipy.special import ndtr

        mean = np.maximum(counts, LEAST)
        spread = np.maximum(np.sqrt(np.log1p(variance / mean**2)), 1e-6)[..., np.newaxis]
        x = (np.log(mean)[..., np.newaxis] - self._logs - spread**2 / 2) / spread
        density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
        return ndtr(x), density / (spread * mean[..., np.newaxis])

    @cached_property
    def _logs(self) -> FloatArray:
        return np.asarray(np.log(np.arange(len(self.weights)) + 0.5))


class IdealCascade(IdealSum):
    """The value of the ideal order where a user reads it until a document stops them."""

    @property
    def plain(self) -> bool:
        return False

    def at(self, counts: FloatArray) -> FloatArray:
        places = np.arange(len(self.weights))
        return self._read(np.clip(counts[..., np.newaxis] - places, 0.0, 1.0))[0]

    def expected(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        present, slopes = self._presence(counts, variance)
        value, stake = self._read(present)
        return value, np.einsum("qtr,qr->qt", slopes, stake) * self.steps

    def smooth_slopes(self, counts: FloatArray, deviation: FloatArray) -> FloatArray:
        from scipy.special import ndtr

        x = (counts[..., np.newaxis] - np.arange(len(self.weights)) - 0.5) / deviation[..., np.newaxis]
        density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) / deviation[..., np.newaxis]
        return np.asarray(np.einsum("qtr,qr->qt", density, self._read(ndtr(x))[1]) * self.steps)

    def _read(self, present: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The value of the ideal order (queries), and its slope in the chance of a stop at each rank (queries ×
        ranks)."""
        stops = np.einsum("qtr,t->rq", present, self.steps)
        stake, value = stakes(np.broadcast_to(self.weights[:, np.newaxis], stops.shape), stops)
        reached = np.ones_like(stops)
        np.cumprod(1.0 - stops[:-1], axis=0, out=reached[1:])
        return value, (reached * stake).T
