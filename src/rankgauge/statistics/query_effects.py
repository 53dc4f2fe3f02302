"""Logistic regression with an effect for each query: how likely documents are relevant, from those that were judged.

Coefficients have a wide normal prior, so that no sample is too small for them. The effects of queries are normal with
a variance that is found by expectation and maximisation; the curvature at the maximum (Laplace) says how far all of
them are known, and `drawn` gives others that the sample would allow as well.
"""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.records import entity

PRIOR = 9.0
"""The prior variance of a coefficient: three units of log odds."""

SPREADS = (0.05, 9.0)
"""Between these lies the variance of the effects."""

ROUNDS, STEPS, LEAP, CLOSE = 8, 25, 4.0, 1e-6
"""Rounds of expectation and maximisation, steps of Newton in each, how far a step may go, and when they end."""


@entity
class QueryEffects:
    """The fitted log odds: `coefficients` of the columns, an effect for each query, and how far they are known.

    `fixed` (columns × columns) is the precision of the coefficients once the effects are averaged over; `shared`
    (columns × queries) and `own` (queries) are what the effects' precision has in common with theirs, and their own.
    """

    coefficients: FloatArray
    effects: FloatArray
    fixed: FloatArray
    shared: FloatArray
    own: FloatArray

    @classmethod
    def fitted(cls, columns: FloatArray, is_relevant: FloatArray, query: IndexArray, queries: int) -> QueryEffects:
        """Return the fit to documents (rows), each of which is relevant or not and belongs to one of the queries.

        The first column is 1 throughout.
        """
        variance, found = 1.0, cls._start(columns, is_relevant, queries)
        for _ in range(ROUNDS):
            found = found._improve(columns, is_relevant, query, variance)
            each = 1.0 / found.own + np.einsum("jq,jk,kq->q", found._slope, np.linalg.inv(found.fixed), found._slope)
            variance = float(np.clip((found.effects**2 + each).mean(), *SPREADS))
        return found._improve(columns, is_relevant, query, variance)

    def drawn(self, rng: np.random.Generator, count: int) -> tuple[FloatArray, FloatArray]:
        """Coefficients (count × columns) and effects (count × queries) that the sample allows."""
        root = np.linalg.cholesky(np.linalg.inv(self.fixed))
        moved = rng.standard_normal((count, len(self.coefficients))) @ root.T
        own = rng.standard_normal((count, len(self.effects))) / np.sqrt(self.own)
        return self.coefficients + moved, self.effects + own - moved @ self._slope

    @property
    def _slope(self) -> FloatArray:
        return self.shared / self.own

    @classmethod
    def _start(cls, columns: FloatArray, is_relevant: FloatArray, queries: int) -> QueryEffects:
        width, share = columns.shape[1], (is_relevant.sum() + 0.5) / (len(is_relevant) + 1.0)
        coefficients = np.zeros(width)
        coefficients[0] = np.log(share / (1.0 - share))
        shared = np.zeros((width, queries))
        return cls(
            coefficients=coefficients, effects=shared[0], fixed=np.eye(width), shared=shared, own=np.ones(queries)
        )

    def _improve(
        self, columns: FloatArray, is_relevant: FloatArray, query: IndexArray, variance: float
    ) -> QueryEffects:
        """Return the maximum for that variance of the effects, by Newton's method from here."""
        now, queries = self, len(self.effects)
        for _ in range(STEPS):
            chance = odds_to_chance(columns @ now.coefficients + now.effects[query])
            weight, miss = chance * (1.0 - chance) + 1e-9, is_relevant - chance
            own = np.asarray(np.bincount(query, weight, queries) + 1.0 / variance, dtype=np.float64)
            shared = np.array([np.bincount(query, weight * column, queries) for column in columns.T])
            fixed = (columns.T * weight) @ columns + np.eye(len(shared)) / PRIOR - (shared / own) @ shared.T
            pull = np.bincount(query, miss, queries) - now.effects / variance
            push = columns.T @ miss - now.coefficients / PRIOR
            step = np.linalg.solve(fixed, push - (shared / own) @ pull)
            other = (pull - step @ shared) / own
            far = max(float(np.abs(step).max()), float(np.abs(other).max()))
            share = min(1.0, LEAP / max(far, 1e-12))
            now = QueryEffects(
                coefficients=now.coefficients + share * step,
                effects=now.effects + share * other,
                fixed=fixed,
                shared=shared,
                own=own,
            )
            if far < CLOSE:
                break
        return now


def odds_to_chance(log_odds: FloatArray) -> FloatArray:
    """Return the chance that has these log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0))))
