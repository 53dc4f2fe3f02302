"""The stream: in which order documents are handed out, so that every prefix is a sample whose chances are known.

Every document has one random number U_z, drawn once. At a budget of n labels it is in the sample if U_z < p_z(n),

    p_z(n) = min(1, max(κ · score_z, n / 10Z)),   Σ p_z(n) = n

and since p_z grows with n, samples are nested: documents are handed out in the order of the n at which they enter.
Their number at n is random; where exactly n labels are wanted, the first n are taken: sequential Poisson sampling
(Ohlsson, J. Official Statistics 1998), with nearly the same chances. On TREC DL19 the shares drawn were within a
hundredth of the chances, and errors and coverage those of Pareto sampling, whose prefixes are no samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

UNIFORM = 0.1
"""The share of the budget that is spread evenly: no document is without a chance, whatever the scores say."""

FOLDS = 5
"""Into how many folds labels are dealt, so that no belief knows the label that it is corrected by."""

ROUNDS, CLOSE = 20, 1e-14
"""The rounds in which the budget of each factor is found; they end when it moves no further."""

HALVINGS = 60
"""Halvings of an interval of logarithms until it is as narrow as rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Stream:
    """The scores of the documents that are not yet judged, and the random numbers of all.

    `known` are documents that were judged before the stream began: they are in every sample, with a chance of 1.
    `fold` deals the documents into folds, as they will be dealt once they are labelled.
    """

    score: FloatArray
    known: BoolArray
    uniform: FloatArray
    fold: IndexArray

    @classmethod
    def of(cls, score: FloatArray, *, seed: int, known: BoolArray | None = None) -> Stream:
        """The stream of a seed; it differs with the number of known labels.

        The same numbers in a later stage would be those that were not drawn before: large ones.
        """
        judged = np.zeros(len(score), dtype=bool) if known is None else known
        before = int(np.count_nonzero(judged))
        rng = np.random.default_rng([seed, before] if before else seed)
        # Scores that underflow would never enter: a millionth of the highest is as good as nothing.
        least = 1e-6 * float(np.max(score, initial=0.0)) or 1.0
        return cls(
            score=np.maximum(score, least),
            known=judged,
            uniform=rng.random(len(score)),
            fold=rng.integers(FOLDS, size=len(score)),
        )

    @property
    def size(self) -> int:
        """How many documents can be drawn."""
        return int(np.count_nonzero(~self.known))

    @cached_property
    def _sorted(self) -> tuple[FloatArray, FloatArray]:
        scores = np.sort(self.score[~self.known])
        return scores, np.append(0.0, np.cumsum(scores))

    def _mass(self, factor: FloatArray, budget: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Σ p for scores times a factor, with the even share of a budget, and its slope in the budget."""
        scores, sums = self._sorted
        even = np.minimum(UNIFORM * budget / self.size, 1.0)
        low = np.searchsorted(scores, even / factor)
        high = np.maximum(np.searchsorted(scores, 1.0 / factor), low)
        mass = low * even + factor * (sums[high] - sums[low]) + (self.size - high)
        return np.asarray(mass), np.asarray(low * UNIFORM / self.size)

    @cached_property
    def entry(self) -> FloatArray:
        """The budget from which on each document is in the sample; 0 for those that were judged before."""
        open_ = np.flatnonzero(~self.known)
        found = np.zeros(len(self.score))
        if len(open_):
            factor = np.maximum(self.uniform[open_] / self.score[open_], 1e-300)
            rising = np.argsort(factor)  # looked up in order, a table of scores stays in the cache
            factor, budget = factor[rising], np.zeros(len(open_))
            for _ in range(ROUNDS):
                # Newton's step: the mass is linear in the budget as long as the same documents have the even share.
                before, (mass, slope) = budget, self._mass(factor, budget)
                budget = (mass - slope * before) / (1.0 - slope)
                if np.abs(budget - before).max() <= CLOSE * self.size:
                    break
            found[open_[rising]] = budget
            found[open_] = np.minimum(found[open_], self.uniform[open_] * self.size / UNIFORM)
        return found

    @cached_property
    def order(self) -> IndexArray:
        """The documents that can be drawn, in the order in which they are handed out."""
        open_ = np.flatnonzero(~self.known)
        return np.asarray(open_[np.argsort(self.entry[open_], kind="stable")])

    def chances(self, budget: float) -> FloatArray:
        """p_z(n) of every document; 1 for those that were judged before."""
        if budget >= self.size:
            return np.ones(len(self.score))
        if not budget > 0:
            raise ParameterError("a stream", "budget", "a number of labels above 0", budget)
        factor = self._factor(budget)
        drawn = np.minimum(1.0, np.maximum(factor * self.score, UNIFORM * budget / self.size))
        return np.where(self.known, 1.0, drawn)

    def _factor(self, budget: float) -> float:
        """κ: the factor at which the chances add up to the budget, by bisection of its logarithm."""
        scores, _ = self._sorted
        low, high = np.log(1e-12 / scores[-1]), np.log(2.0 / scores[0])
        whole = np.asarray(float(budget))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._mass(np.exp(middle), whole)[0] < budget else (low, middle)
        return float(np.exp((low + high) / 2))

    def sample(self, budget: float) -> IndexArray:
        """The documents that are in the sample at a budget, in ascending order; their number is random."""
        return np.flatnonzero(self.known | (self.entry < budget))

    def exactly(self, labels: int) -> IndexArray:
        """The documents judged before and the first of the order, as many as there are labels; in ascending order."""
        if labels < 0:
            raise ParameterError("a stream", "labels", "a number of labels, 0 or more", labels)
        return np.sort(np.concatenate([np.flatnonzero(self.known), self.order[:labels]]))
