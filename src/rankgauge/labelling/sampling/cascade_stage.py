"""The document level for cascades (a nested design): what a grade changes depends on those before it.

So a query is judged document by document, and after each one judging goes on with probability S_k / S_{k−1}.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.labelling.moments import moments
from rankgauge.labelling.sampling.document_walk import QueryBlock, WalkPath, WorthTable
from rankgauge.labelling.sampling.inclusion import InclusionRule
from rankgauge.labelling.sampling.stage import Luck, Stage, StageOutcome
from rankgauge.numeric import FloatArray, IndexArray


class CascadeStage(Stage):
    """Queries are judged as far as their luck is below S_k."""

    name = "document"

    def __init__(self, table: WorthTable, rest: IndexArray, left: float, uniform: float) -> None:
        self.table, self.rest = table, rest
        self._walked, queries = table.sample_walks(rest)
        self._scale = len(rest) / max(len(queries), 1)
        costs = self._walked.costs.copy()
        costs[:, :1] += table.pool.overhead[queries, np.newaxis]  # the first step opens the query
        total = float(table.query_costs[rest].sum())
        self.rule = InclusionRule.spending(left, self._walked.scores, self._scale * costs, total=total, uniform=uniform)
        self._known: WalkPath | None = None

    def prepare(self, grades: FloatArray) -> None:
        """Walks all queries to their ends under known grades, so that repetitions only need to look where they stop."""
        block = QueryBlock(self.table, np.arange(len(self.table.pool.sizes)))
        self._known = block.walk(self._worths(block, grades), np.zeros(len(block.queries)))

    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        asked = self._walk(np.array([query]), luck, grades).asks
        return asked[asked >= 0]

    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        path = self._walk(queries, luck, grades) if self._known is None else self._known.rows(queries)
        chance = self.rule.chances(path.scores)
        judged = luck.query[queries, np.newaxis] < chance
        inverse = np.where(judged, 1.0 / np.where(judged, chance, 1.0), 0.0)
        weighed, excess = path.changes * inverse, path.changes * np.where(judged, inverse - 1.0, 0.0)
        before = np.cumsum(excess, axis=-1) - excess
        return StageOutcome(
            expected=self.table.expected,
            change=weighed.sum(axis=-1),
            # Horvitz and Thompson's: Σ_kl ΔM_k ΔM_l (1/S_min − 1), of which a pair is seen with probability S_max.
            variance=(weighed * (2 * before + excess)).sum(axis=-1),
            cost=_cost(judged, path, self.table.pool.overhead[queries]),
            labels=judged.sum(axis=-1).astype(float),
            documents=path.documents[judged],
        )

    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        block = QueryBlock(self.table, queries)
        path = block.walk(self._worths(block, grades), np.zeros(len(queries)))
        chance = self.rule.chances(path.scores)
        excess = path.changes * (1.0 / np.where(chance > 0, chance, 1.0) - 1.0)
        later = np.cumsum(path.changes[:, ::-1], axis=-1)[:, ::-1] - path.changes
        cost = _cost(chance, path, self.table.pool.overhead[queries])
        return (excess * (path.changes + 2 * later)).sum(axis=-1), cost

    def predicted_variance(self) -> float:
        chance = self.rule.chances(self._walked.scores)
        excess = 1.0 / np.where(chance > 0, chance, 1.0) - 1.0
        return self._scale * float((self._walked.changes**2 * excess).sum())

    def doubt(self) -> float:
        return float(moments(self.table.pool, self.table.target).variance[self.rest].mean())

    def _walk(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> WalkPath:
        block = QueryBlock(self.table, queries)
        return block.walk(self._worths(block, grades), self.rule.least(luck.query[queries]))

    def _worths(self, block: QueryBlock, grades: FloatArray) -> FloatArray:
        return self.table.target.worths(grades[block.documents])


def _cost(chance: npt.NDArray[Any], path: WalkPath, overhead: FloatArray) -> FloatArray:
    """What each query costs if each step is made with that chance; the first one opens the query."""
    return np.asarray((chance * path.costs).sum(axis=-1) + overhead * chance[:, :1].sum(axis=-1))
