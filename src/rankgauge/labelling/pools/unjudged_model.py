"""A model of unjudged documents: how likely one that only a new run brings is to be relevant.

Runs that contributed show it: what a team alone brought to the pool would be unjudged, had the team stayed away, and
its grades are known. The chance is a logistic regression on three numbers:

- the document's rank in the run;
- how many runs of other teams retrieve it at all, though too far down to be pooled;
- the share of relevant ones among the run's other judged documents for the query, drawn towards that of the whole run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

RIDGE = 1.0
"""What keeps coefficients from running away; the intercept is free."""

DRAWN = 5.0
"""For how many documents of the query the share of the whole run counts."""

ROUNDS = 25


@dataclass(frozen=True, kw_only=True, eq=False)
class UnjudgedHits:
    """Hits without a grade, or as if without one: the run, the document, and what tells whether it is relevant."""

    run: IndexArray
    document: IndexArray
    features: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, hits: BoolArray, *, known: FloatArray, holders: FloatArray) -> UnjudgedHits:
        """The hits of a mask; `known` (hits) is 1 or 0 for those whose document is relevant or not, NaN where a grade
        is not known, and `holders` (hits) is how many runs of other teams retrieve the document."""
        share = _shares(pool, known)[pool.run, pool.query[pool.document]]
        columns = (np.ones(len(pool.rank)), np.log(pool.rank), np.log1p(holders), np.log(share / (1.0 - share)))
        return cls(run=pool.run[hits], document=pool.document[hits], features=np.column_stack(columns)[hits])


def _shares(pool: BoardPool, known: FloatArray) -> FloatArray:
    """The share of relevant ones among the judged documents of each list (runs × queries), drawn towards the run's."""
    judged, lists = ~np.isnan(known), pool.lengths.size
    relevant = np.bincount(pool.cell[judged], known[judged], minlength=lists).reshape(pool.lengths.shape)
    counts = np.bincount(pool.cell[judged], minlength=lists).reshape(pool.lengths.shape)
    whole = (relevant.sum(axis=1, keepdims=True) + 0.5) / (counts.sum(axis=1, keepdims=True) + 1.0)
    return np.asarray((relevant + DRAWN * whole) / (counts + DRAWN))


@dataclass(frozen=True, kw_only=True, eq=False)
class UnjudgedModel:
    """The coefficients for each threshold of the scale (thresholds × features)."""

    coefficients: FloatArray

    @classmethod
    def fit(cls, features: FloatArray, reached: FloatArray) -> UnjudgedModel:
        """The model of hits whose grades are known after all (hits × thresholds)."""
        return cls(coefficients=np.array([_logistic(features, column) for column in reached.T]))

    def chances(self, features: FloatArray) -> FloatArray:
        """The chance that each hit reaches each threshold (hits × thresholds); a higher one is never more likely."""
        chance = 1.0 / (1.0 + np.exp(-(features @ self.coefficients.T)))
        return np.asarray(np.minimum.accumulate(chance, axis=1))


def _logistic(features: FloatArray, labels: FloatArray) -> FloatArray:
    """The coefficients of a logistic regression with a ridge, by Newton's method."""
    ridge = np.diag([1e-6, *[RIDGE] * (features.shape[1] - 1)])
    found = np.zeros(features.shape[1])
    found[0] = np.log((labels.sum() + 0.5) / (len(labels) - labels.sum() + 0.5))
    for _ in range(ROUNDS):
        chance = 1.0 / (1.0 + np.exp(-(features @ found)))
        slope = features.T @ (labels - chance) - ridge @ found
        step = np.linalg.solve(features.T * (chance * (1.0 - chance)) @ features + ridge, slope)
        found = found + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-8:
            break
    return found
