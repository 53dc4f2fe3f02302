"""The document level for linear measures: what a grade changes does not depend on the others.

So each document is judged or not on its own, and errors that a query's beliefs have in common do not add up. If opening
a query costs something, queries are first opened with a probability of their own. Errors in common matter there: those
of the beliefs about one query's documents are taken to correlate by `COMMON`.
"""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.moments import moments, net_weights
from rankgauge.labelling.sampling.document_walk import WorthTable
from rankgauge.labelling.sampling.inclusion import InclusionRule
from rankgauge.labelling.sampling.stage import Luck, Stage, StageOutcome
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

COMMON = 0.1


class LinearStage(Stage):
    """Documents are judged if their luck and that of their query are below their probabilities."""

    name = "document"

    def __init__(self, table: WorthTable, rest: IndexArray, left: float, uniform: float) -> None:
        self.table, pool = table, table.pool
        self.rest = rest
        self._weights = net_weights(table.target.weights(pool))
        stake = np.abs(self._weights) * table.spread
        self._scores = np.where(table.needed, stake / np.sqrt(pool.costs), np.nan)
        self._openings = self._opening_scores(stake)
        total = float(table.query_costs[rest].sum())
        self.rule = InclusionRule.meeting(left, lambda rule: self._cost(rule)[rest].sum(), total=total, uniform=uniform)
        self.opened, self.chance = self._chances(self.rule)

    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        first = int(self.table.pool.starts[query])
        documents = np.arange(first, first + int(self.table.pool.sizes[query]))
        return np.asarray(documents[self._judged(luck, documents) & np.isnan(grades[documents])])

    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        pool = self.table.pool
        sizes = pool.sizes[queries]
        starts = np.cumsum(sizes) - sizes
        documents = np.arange(int(sizes.sum())) + np.repeat(pool.starts[queries] - starts, sizes)

        def sums(flat: FloatArray) -> FloatArray:
            return np.asarray(np.add.reduceat(flat, starts)) if len(starts) else np.zeros(0)

        judged = self._judged(luck, documents)
        chance, opened = np.where(judged, self.chance[documents], 1.0), self.opened[queries]
        change = np.where(judged, self._changes(grades, documents), 0.0) / chance
        labels, together = sums(judged.astype(float)), sums(change)
        return StageOutcome(
            expected=self.table.expected,
            change=together,
            # Two documents of an open query are judged together with probability π π' / S₀.
            variance=sums(change**2 * (np.repeat(opened, sizes) - chance)) + (1.0 - opened) * together**2,
            cost=sums(np.where(judged, pool.costs[documents], 0.0)) + pool.overhead[queries] * (labels > 0),
            labels=labels,
            documents=documents[judged],
        )

    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        every = np.arange(len(grades))
        change, chance = np.nan_to_num(self._changes(grades, every)), np.where(self.chance > 0, self.chance, 1.0)
        alone = self._sums(change**2 * (1.0 / chance - 1.0 / self.opened[self.table.pool.query]))
        return (alone + self._sums(change) ** 2 * (1.0 / self.opened - 1.0))[queries], self._cost(self.rule)[queries]

    def predicted_variance(self) -> float:
        chance = np.where(self.chance > 0, self.chance, 1.0)
        variance = self._weights**2 * self.table.worths.variance * (1.0 / chance - 1.0)
        return float(self._sums(variance)[self.rest].sum())

    def doubt(self) -> float:
        return float(moments(self.table.pool, self.table.target).variance[self.rest].mean())

    def _judged(self, luck: Luck, documents: IndexArray) -> BoolArray:
        queries = self.table.pool.query[documents]
        inside = luck.query[queries] < self.opened[queries]
        return np.asarray(inside & (luck.document[documents] * self.opened[queries] < self.chance[documents]))

    def _changes(self, grades: FloatArray, documents: IndexArray) -> FloatArray:
        worths = self.table.target.worths(grades[documents])
        return np.asarray(self._weights[documents] * (worths - self.table.worths.mean[documents]))

    def _chances(self, rule: InclusionRule) -> tuple[FloatArray, FloatArray]:
        """The probabilities of queries to be opened and of documents to be judged."""
        opened = rule.chances(self._openings)
        return opened, np.minimum(rule.chances(self._scores), opened[self.table.pool.query])

    def _cost(self, rule: InclusionRule) -> FloatArray:
        """The mean cost of each query; one that is opened without a document being judged costs nothing."""
        opened, chance = self._chances(rule)
        costs = self._sums(chance * self.table.pool.costs)
        if not self.table.pool.overhead.any():
            return costs
        passed = chance / np.where(opened > 0, opened, 1.0)[self.table.pool.query]
        nothing = np.multiply.reduceat(1.0 - passed, self.table.pool.starts)
        return np.asarray(costs + self.table.pool.overhead * opened * (1.0 - nothing))

    def _opening_scores(self, stake: FloatArray) -> FloatArray:
        """The score of opening each query; infinite if that costs nothing.

        The best that its documents give together, as for cascades, and what their grades have in common.
        """
        pool = self.table.pool
        order = np.lexsort((-np.nan_to_num(self._scores), pool.query))
        gain, costs = stake[order] ** 2, pool.costs[order]
        common = COMMON * self._sums(stake) ** 2
        together = np.cumsum(gain) - np.repeat((np.cumsum(gain) - gain)[pool.starts], pool.sizes)
        spent = np.cumsum(costs) - np.repeat((np.cumsum(costs) - costs)[pool.starts], pool.sizes)
        rates = common[pool.query] + together
        best = np.maximum.reduceat(rates / (spent + pool.overhead[pool.query]), pool.starts)
        free = pool.overhead <= 0
        alone = np.where(free, np.inf, common / np.where(free, 1.0, pool.overhead))
        return np.sqrt(np.maximum(best, alone))

    def _sums(self, flat: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(flat, self.table.pool.starts))
