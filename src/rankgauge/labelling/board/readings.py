"""Readings: what a sample of labels says of every document of the pool, and the stream that it is drawn by.

Every document has one random number U_z, drawn once. At a budget of n labels it is in the sample if U_z < p_z(n),

    p_z(n) = min(1, max(κ · score_z, n / 10Z)),   Σ p_z(n) = n

and since p_z grows with n, samples are nested: documents are handed out in the order of the n at which they enter.
Their number at n is random; where exactly n labels are wanted, the first n are taken: sequential Poisson sampling
(Ohlsson, J. Official Statistics 1998), with nearly the same chances. On TREC DL19 the shares drawn were within a
hundredth of the chances, and errors and coverage those of Pareto sampling, whose prefixes are no samples.

For each of K folds of the labelled documents the beliefs m are fitted without it, and a document's pseudo-label is

    Ŷ = Y                          if it was labelled in another fold,
    Ŷ = m + [in the fold] (Y − m)/π  else,   π = (p/K) / (1 − p(K − 1)/K)

π is the chance to be in the fold, given that the document is in no other. So E Ŷ = Y and E Ŷ_iŶ_j = Y_iY_j for i ≠ j,
whatever the beliefs are: sums of labels and of products of labels are estimated without bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.board.beliefs import Beliefs, Effects, learn_effects
from rankgauge.labelling.board.features import Features
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
        """Return the stream of a seed; it differs with the number of known labels.

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
        """Return Σ p for scores times a factor, with the even share of a budget, and its slope in the budget."""
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
        values = np.zeros(len(self.score))
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
            values[open_[rising]] = budget
            values[open_] = np.minimum(values[open_], self.uniform[open_] * self.size / UNIFORM)
        return values

    @cached_property
    def order(self) -> IndexArray:
        """The documents that can be drawn, in the order in which they are handed out."""
        open_ = np.flatnonzero(~self.known)
        return np.asarray(open_[np.argsort(self.entry[open_], kind="stable")])

    def chances(self, budget: float) -> FloatArray:
        """Return p_z(n) of every document; 1 for those that were judged before."""
        if budget >= self.size:
            return np.ones(len(self.score))
        if not budget > 0:
            raise ParameterError("a stream", "budget", "a number of labels above 0", budget)
        scores, _ = self._sorted
        # Bisection of the logarithm of κ, the factor at which the chances add up to the budget.
        low, high = np.log(1e-12 / scores[-1]), np.log(2.0 / scores[0])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            mass = self._mass(np.exp(middle), np.asarray(float(budget)))[0]
            low, high = (middle, high) if mass < budget else (low, middle)
        factor = float(np.exp((low + high) / 2))
        drawn = np.minimum(1.0, np.maximum(factor * self.score, UNIFORM * budget / self.size))
        return np.where(self.known, 1.0, drawn)

    def sample(self, budget: float) -> IndexArray:
        """Return the documents that are in the sample at a budget, in ascending order; their number is random."""
        return np.flatnonzero(self.known | (self.entry < budget))

    def exactly(self, labels: int) -> IndexArray:
        """Return the documents judged before and the first of the order, as many as there are labels, ascending."""
        if labels < 0:
            raise ParameterError("a stream", "labels", "a number of labels, 0 or more", labels)
        return np.sort(np.concatenate([np.flatnonzero(self.known), self.order[:labels]]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Readings:
    """The sample and what it says.

    `best` (documents × thresholds) is the label where there is one, else the belief from all labels. `folds` (folds ×
    documents × thresholds) are the pseudo-labels, `error` (labelled × thresholds) is (Y − m)·√(1 − p)/p. `left_out` are
    the effects of the beliefs without each fold.
    """

    labelled: IndexArray
    judged: BoolArray
    chance: FloatArray
    beliefs: Beliefs
    best: FloatArray
    folds: FloatArray
    error: FloatArray
    left_out: tuple[Effects, ...]

    @classmethod
    def learn(
        cls,
        features: Features,
        labelled: IndexArray,
        reached: FloatArray,
        *,
        chance: FloatArray,
        fold: IndexArray,
        start: Readings | None = None,
    ) -> Readings:
        """Return what the labels say by the beliefs of a board.

        `start` are readings near those that will be found, such as those of one label less: they save time.
        """
        first = learn_effects(features, labelled, reached, None if start is None else start.beliefs.effects)
        effects = [first]
        for k in range(FOLDS):
            kept = fold[labelled] != k
            near = first if start is None else start.left_out[k]
            effects.append(learn_effects(features, labelled[kept], reached[kept], near))
        return cls.of(labelled, reached, chance=chance, fold=fold, believed=Beliefs.each(features, effects))

    @classmethod
    def of(
        cls,
        labelled: IndexArray,
        reached: FloatArray,
        *,
        chance: FloatArray,
        fold: IndexArray,
        believed: Iterator[Beliefs],
    ) -> Readings:
        """Return what the labels say: `reached` (labelled × thresholds) is 1 or 0, `chance` and `fold` (documents) are
        the stream's, and `believed` are the beliefs from all labelled documents, then those without each fold."""
        beliefs = next(believed)
        best = beliefs.chance.copy()
        best[labelled] = reached
        folds = np.empty((FOLDS, *best.shape))
        misses, left_out = np.empty_like(reached), []
        pick = (chance / FOLDS) / (1.0 - chance * (FOLDS - 1) / FOLDS)
        for k, without in enumerate(believed):
            left, m = fold[labelled] == k, without.chance
            left_out.append(without.effects)
            out = labelled[left]
            misses[left] = reached[left] - m[out]
            folds[k] = m
            folds[k][labelled[~left]] = reached[~left]
            folds[k][out] = m[out] + misses[left] / pick[out, np.newaxis]
        p = chance[labelled, np.newaxis]
        judged = np.zeros(len(chance), dtype=bool)
        judged[labelled] = True
        return cls(
            labelled=labelled,
            judged=judged,
            chance=chance,
            beliefs=beliefs,
            best=best,
            folds=folds,
            error=misses * np.sqrt(1.0 - p) / p,
            left_out=tuple(left_out),
        )

    def certain(self) -> Readings:
        """Return the readings where all that counts is judged: nothing has to stand for what was not drawn."""
        sure, folds = np.ones_like(self.chance), np.broadcast_to(self.best, self.folds.shape)
        return replace(self, chance=sure, folds=folds, error=np.zeros_like(self.error))

    @property
    def mean(self) -> FloatArray:
        """The mean pseudo-label over the folds (documents × thresholds)."""
        return np.asarray(self.folds.mean(axis=0))

    @property
    def doubt(self) -> FloatArray:
        """The variance of each label under the beliefs, 0 for those that are known (documents × thresholds)."""
        spread = self.beliefs.chance * (1.0 - self.beliefs.chance)
        return np.where(self.judged[:, np.newaxis], 0.0, spread)

    @property
    def inflation(self) -> FloatArray:
        """(1 − p) / p: by how much sampling multiplies a document's variance."""
        return np.asarray((1.0 - self.chance) / self.chance)
