"""Stages at the query level: a census, which judges everything, and Poisson sampling of whole queries with regression.

Their draws are those of the document level, so that a plan may turn to them after a pilot.
"""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.methods.greg import query_scores
from rankgauge.labelling.moments import moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.inclusion import InclusionRule
from rankgauge.labelling.sampling.regression import Regression
from rankgauge.labelling.sampling.stage import Luck, Stage, StageOutcome
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

LEAST = 1e-9
"""The least chance that a variance is computed for: with nothing left to spend there is none."""


class QueryStage(Stage):
    """Whole queries are judged if their luck is below their probability."""

    name = "greg"
    whole = True

    def __init__(self, pool: Pool, target: Target, rest: IndexArray, left: float, uniform: float) -> None:
        self.pool, self.target, self.rest = pool, target, rest
        self.needed, self.costs = target.needed(pool), target.query_costs(pool)
        self.moments = moments(pool, target)
        self.chance = self._chances(left, uniform)
        self._known: FloatArray | None = None

    def prepare(self, grades: FloatArray) -> None:
        self._known = self.target.values(self.pool, grades)

    def _chances(self, left: float, uniform: float) -> FloatArray:
        scores, rest = query_scores(self.moments, self.costs, uniform), self.rest
        total = float(self.costs[rest].sum())
        rule = InclusionRule.spending(left, scores[rest], self.costs[rest], total=total, uniform=0.0)
        return rule.chances(scores)

    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        first = int(self.pool.starts[query])
        documents = np.arange(first, first + int(self.pool.sizes[query]))
        wanted = self.needed[documents] & np.isnan(grades[documents])
        return np.asarray(documents[wanted & (luck.query[query] < self.chance[query])])

    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        judged = luck.query[queries] < self.chance[queries]
        weights = 1 / np.where(judged, self.chance[queries], 1.0)  # with nothing left to spend chances are 0
        known = self.target.values(self.pool, grades) if self._known is None else self._known
        values = np.where(judged, np.nan_to_num(known[queries]), 0.0)
        expected, change, variance = self._line(queries, values, weights, judged)
        labels = np.add.reduceat(self.needed.astype(float), self.pool.starts)[queries]
        return StageOutcome(
            expected=expected,
            change=change,
            variance=variance,
            cost=np.where(judged, self.costs[queries], 0.0),
            labels=np.where(judged, labels, 0.0),
            documents=np.flatnonzero(self.needed & np.isin(self.pool.query, queries[judged])),
        )

    def _line(
        self, queries: IndexArray, values: FloatArray, weights: FloatArray, judged: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What is expected of every query, each visited one's change, and the variance of that."""
        if judged.sum() < 3:  # a regression needs more queries; until then the beliefs are used
            change = np.where(judged, (values - self.moments.mean[queries]) * weights, 0.0)
            return self.moments.mean, change, change**2 * (1 - 1 / weights)
        spread = float(np.var(self.moments.mean[self.rest]))
        line = Regression.of(values, self.moments.mean[queries], weights, judged, spread)
        change = line.residuals * weights
        wide = len(queries) / line.total * np.sqrt(line.n / (line.n - 2))
        return line.at(self.moments.mean), change, (change * wide) ** 2 * (1 - 1 / weights)

    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        values, n = self.target.values(self.pool, grades)[queries], len(queries)
        spread, taken = float(np.var(self.moments.mean[self.rest])), np.ones(n, dtype=bool)
        line = Regression.of(values, self.moments.mean[queries], np.ones(n), taken, spread)
        chance = np.maximum(self.chance[queries], LEAST)
        return line.residuals**2 * n / max(n - 2, 1) * (1 / chance - 1), chance * self.costs[queries]

    def predicted_variance(self) -> float:
        return float((self.moments.variance * (1 / np.maximum(self.chance, LEAST) - 1))[self.rest].sum())

    def doubt(self) -> float:
        return float(self.moments.variance[self.rest].mean())


class CensusStage(QueryStage):
    """Every query is judged whole."""

    name = "pilot"

    def _chances(self, left: float, uniform: float) -> FloatArray:
        return np.ones(len(self.costs))

    def _line(
        self, queries: IndexArray, values: FloatArray, weights: FloatArray, judged: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.moments.mean, values - self.moments.mean[queries], np.zeros(len(queries))
