"""Values of many gradings of one pool at once, by the kernels that every evaluation uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.evaluation.scoring import ValueRule
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import IdealPool, Unjudged
from rankgauge.ranking import RankedLists
from rankgauge.ranking.rules import graded

CELLS = 1 << 18
"""How many hits are scored at a time: what a core's own cache holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GradingScorer:
    """The lists of all runs as places among the documents: `hit` and `rank` (runs × queries × hits), `pooled`
    (queries × documents), padded with the place after the last document; `retrieved` (runs × queries)."""

    measure: Measure
    dialect: Dialect
    hit: IndexArray
    rank: FloatArray
    pooled: IndexArray
    retrieved: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, measure: Measure, dialect: Dialect) -> GradingScorer:
        """The lists of a pool as a dialect cuts and condenses them; the measure is one that the dialect has read."""
        kept = slice(None) if dialect.depth is None else pool.rank <= dialect.depth
        document, cell, lists = pool.document[kept], pool.cell[kept], (len(pool.runs), len(pool.queries))
        counts = np.bincount(cell, minlength=lists[0] * lists[1])
        place = np.arange(len(cell)) - (np.cumsum(counts) - counts)[cell]
        rank, retrieved = pool.rank[kept].astype(np.float64), pool.lengths.astype(np.float64)
        if dialect.depth is not None:
            retrieved = np.minimum(retrieved, dialect.depth)
        if dialect.unjudged is Unjudged.SKIP:
            rank, retrieved = place + 1.0, counts.reshape(lists).astype(np.float64)
        dialect.check_lists(pool.queries.to_list() * lists[0], retrieved.ravel(), retrieved.ravel() > 0)
        shape = (lists[0] * lists[1], int(counts.max(initial=0)))
        hit, ranks = np.full(shape, len(pool.documents)), np.full(shape, np.nan)
        hit[cell, place], ranks[cell, place] = document, rank
        pooled = np.full((len(pool.queries), int(pool.sizes.max())), len(pool.documents))
        pooled[pool.query, np.arange(len(pool.documents)) - pool.starts[pool.query]] = np.arange(len(pool.documents))
        return cls(
            measure=measure,
            dialect=dialect,
            hit=hit.reshape(*lists, -1),
            rank=ranks.reshape(*lists, -1),
            pooled=pooled,
            retrieved=retrieved,
        )

    def values(self, grades: FloatArray) -> FloatArray:
        """The value of each list under each grading (gradings × runs × queries); `grades` is gradings × documents."""
        scaled = self.dialect.rescaled(grades) if self.dialect.rescales else grades
        known = np.full((len(grades), grades.shape[1] + 1), np.nan)
        known[:, :-1] = graded(scaled, self.dialect.negative)
        return np.concatenate(list(self._blocks(known)))

    def _blocks(self, known: FloatArray) -> Iterator[FloatArray]:
        rule, size = ValueRule.of(self.measure, self.dialect), max(1, CELLS // max(self.hit.size, 1))
        for start in range(0, len(known), size):
            block = known[start : start + size]
            grades, pool = block[:, self.hit], -np.sort(-block[:, np.newaxis, self.pooled], axis=-1)
            lists = self._lists(grades, np.broadcast_to(pool, (*grades.shape[:-1], pool.shape[-1])))
            values = self.measure.estimate(lists)[0].reshape(grades.shape[:-1])
            yield rule(values, np.nan_to_num(pool[..., 0], nan=-np.inf), self.retrieved)

    def _lists(self, grades: FloatArray, pool: FloatArray) -> RankedLists:
        """Lists one below the other, as every kernel takes them."""
        own = self.dialect.choice("ideal", self.measure) is IdealPool.RETRIEVED
        ideal = -np.sort(-grades, axis=-1) if own else pool
        return RankedLists(
            ranks=np.broadcast_to(self.rank, grades.shape).reshape(-1, grades.shape[-1]),
            grades=grades.reshape(-1, grades.shape[-1]),
            ideal=ideal.reshape(-1, ideal.shape[-1]),
            retrieved=np.broadcast_to(self.retrieved, grades.shape[:-1]).ravel(),
            single=self.dialect.single_arithmetic,
        )
