"""Walks: documents are judged one after another down a list, each with a probability by what its label is worth.

Linear and cascade measures are multilinear in the worths ℓ of the documents, so that a grade moves the expected value
M by exactly (ℓ − E ℓ) · ∂M/∂ℓ. The document with the highest |∂M/∂ℓ| · sd(ℓ) / √cost comes next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.moments import Worths, slopes, worths
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

WALKS = 256
"""The most walks that a predicted cost is based on."""

REPEATED = 2
"""The most walks of one query, if there are few queries."""

CERTAIN = 1.0 - 1e-12
"""The largest chance to stop at a document: the slopes divide by the chance to go on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class WorthTable:
    """What the documents of a pool are expected to be worth, and how sure that is.

    `floor` is the share of the variance that treats all grades as equally likely. So even a document whose grade the
    beliefs are sure of may be judged.
    """

    pool: Pool
    target: Target
    floor: float = 0.1

    def __post_init__(self) -> None:
        if self.target.shape is Shape.OTHER:
            wanted = "a linear or cascade measure (DCG, P, RBP, ERR, PFound, RR, …)"
            raise ParameterError("the document level", "measure", wanted, str(self.target.measure))

    @cached_property
    def worths(self) -> Worths:
        """What each document is expected to be worth."""
        return worths(self.pool, self.target)

    @cached_property
    def spread(self) -> FloatArray:
        """The standard deviation of each document's worth, with the floor."""
        return np.asarray(np.sqrt((1 - self.floor) * self.worths.variance + self.floor * np.var(self.target.worth)))

    @cached_property
    def weights(self) -> FloatArray:
        """The weights of each document's ranks; those in the second list are negative."""
        return np.asarray(self.target.weights(self.pool) * np.array([1.0, -1.0])[: self.pool.rankers])

    @cached_property
    def needed(self) -> BoolArray:
        """The documents that the value depends on; for a linear measure, not those with equal weights in both lists."""
        needed = self.target.needed(self.pool)
        return needed if self.target.shape is Shape.CASCADE else needed & (self.weights.sum(axis=1) != 0)

    @cached_property
    def expected(self) -> FloatArray:
        """The expected value of each query."""
        return slopes(self.pool, self.target).value

    @cached_property
    def query_costs(self) -> FloatArray:
        """What judging all needed documents of each query costs."""
        found = np.add.reduceat(np.where(self.needed, self.pool.costs, 0.0), self.pool.starts)
        return np.where(found > 0, found + self.pool.overhead, 0.0)

    def sample_walks(self, queries: IndexArray) -> tuple[WalkPath, IndexArray]:
        """Walks to the end through a sample of the queries, under grades drawn from the beliefs; and these queries."""
        known: dict[bytes, tuple[WalkPath, IndexArray]] = self.__dict__.setdefault("_walks", {})
        key = queries.tobytes()
        if key not in known:
            rng = np.random.default_rng(0)  # of the prediction alone: it is the same for all seeds
            block = QueryBlock(self, np.resize(rng.permutation(queries), min(WALKS, REPEATED * len(queries))))
            limits = np.cumsum(self.pool.beliefs[:, :-1], axis=1)[block.documents]
            drawn = (rng.random(block.documents.shape)[..., np.newaxis] > limits).sum(axis=-1)
            known[key] = block.walk(self.target.worth[drawn], np.zeros(len(block.queries))), block.queries
        return known[key]


class QueryBlock:
    """The documents of some queries as a table (queries × documents), padded; a query may be there more than once."""

    def __init__(self, table: WorthTable, queries: IndexArray) -> None:
        pool = table.pool
        self.table, self.queries = table, queries
        place = np.arange(int(pool.sizes[queries].max(initial=0)))
        self.there: BoolArray = place < pool.sizes[queries, np.newaxis]
        self.documents: IndexArray = np.where(self.there, pool.starts[queries, np.newaxis] + place, 0)
        self.needed = self.there & table.needed[self.documents]
        self.mean = np.where(self.there, table.worths.mean[self.documents], 0.0)
        self.costs = np.where(self.there, pool.costs[self.documents], 1.0)
        self.worthwhile = table.spread[self.documents] / np.sqrt(self.costs)
        self._lists = [self._list(ranker) for ranker in range(pool.rankers)]

    def _list(self, ranker: int) -> tuple[IndexArray, IndexArray, FloatArray, BoolArray]:
        ranks = np.where(self.there, self.table.pool.ranks[self.documents, ranker], np.nan)
        order = np.argsort(ranks, axis=-1, kind="stable")
        weights = np.where(np.isnan(ranks), 0.0, self.table.weights[self.documents, ranker])
        listed = np.take_along_axis(~np.isnan(ranks), order, axis=-1)
        return order, np.argsort(order, axis=-1), np.take_along_axis(weights, order, axis=-1), listed

    def slopes(self, mean: FloatArray, rows: IndexArray) -> FloatArray:
        """∂M/∂ℓ of each document of the rows, at the expected worths, those of judged documents replaced."""
        if self.table.target.shape is Shape.LINEAR:
            return np.asarray(self.table.weights.sum(axis=1)[self.documents[rows]])
        found = np.zeros(mean.shape)
        for order, back, weights, listed in self._lists:
            stop = np.minimum(np.take_along_axis(mean, order[rows], axis=-1), CERTAIN) * listed[rows]
            reached = np.cumprod(1.0 - stop, axis=-1) / (1.0 - stop)
            added = weights[rows] * stop * reached
            after = np.zeros_like(added)  # summed from the end, since a difference of sums would be rounding alone
            after[:, :-1] = np.cumsum(added[:, :0:-1], axis=-1)[:, ::-1]
            slope = np.where(listed[rows], weights[rows] * reached - after / (1.0 - stop), 0.0)
            found += np.take_along_axis(slope, back[rows], axis=-1)
        return found

    def opening(self, slopes: FloatArray) -> FloatArray:
        """The score of opening a query: the best that its documents give together for their costs and the overhead.

        Σ v / S is least for given Σ c · S if documents that go together have S² ∝ Σ v / Σ c.
        """
        gain = np.where(self.needed, (slopes * self.worthwhile) ** 2, 0.0)
        order = np.argsort(-gain, axis=-1)
        costs = np.take_along_axis(self.costs, order, axis=-1)
        together = np.cumsum(np.take_along_axis(gain, order, axis=-1) * costs, axis=-1)
        overhead = self.table.pool.overhead[self.queries, np.newaxis]
        return np.asarray(np.sqrt(np.max(together / (np.cumsum(costs, axis=-1) + overhead), axis=-1, initial=0.0)))

    def walk(self, worths: FloatArray, until: FloatArray) -> WalkPath:
        """The path through each query's documents, as far as worths are known and scores are at least `until`."""
        shape, mean, unseen = self.mean.shape, self.mean.copy(), self.needed.copy()
        path = WalkPath.empty(shape)
        score, rows = np.full(shape[0], np.inf), np.arange(shape[0])
        for k in range(shape[1]):
            slopes = self.slopes(mean[rows], rows)
            if k == 0:
                score = self.opening(slopes)
            promise = np.where(unseen[rows], np.abs(slopes) * self.worthwhile[rows], -1.0)
            chosen = np.argmax(promise, axis=-1)
            best = promise[np.arange(len(rows)), chosen]
            going = (best >= 0) & (np.minimum(score[rows], best) >= until[rows])
            rows, chosen, slope = rows[going], chosen[going], slopes[np.flatnonzero(going), chosen[going]]
            score[rows] = np.minimum(score[rows], best[going])
            lacking = np.isnan(worths[rows, chosen])
            path.asks[rows[lacking]] = self.documents[rows[lacking], chosen[lacking]]
            rows, chosen, slope = rows[~lacking], chosen[~lacking], slope[~lacking]
            if not len(rows):
                break
            path.scores[rows, k], path.costs[rows, k] = score[rows], self.costs[rows, chosen]
            path.documents[rows, k] = self.documents[rows, chosen]
            path.changes[rows, k] = (worths[rows, chosen] - mean[rows, chosen]) * slope
            mean[rows, chosen], unseen[rows, chosen] = worths[rows, chosen], False
        return path


@dataclass(frozen=True, kw_only=True, eq=False)
class WalkPath:
    """The documents of each query in the order in which they are judged (queries × steps).

    `scores` never rise along a path and are NaN after its end; `changes` is by how much each grade moved the expected
    value; `documents` are the judged ones; `asks` is the document whose grade is needed to go on, −1 if there is none.
    """

    scores: FloatArray
    changes: FloatArray
    costs: FloatArray
    documents: IndexArray
    asks: IndexArray

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> WalkPath:
        """No step for any query."""
        scores, nothing = np.full(shape, np.nan), np.full(shape, -1, dtype=np.int64)
        asks = np.full(shape[0], -1, dtype=np.int64)
        return cls(scores=scores, changes=np.zeros(shape), costs=np.zeros(shape), documents=nothing, asks=asks)

    def rows(self, queries: IndexArray) -> WalkPath:
        """The paths of some of the queries."""
        return WalkPath(
            **{name: getattr(self, name)[queries] for name in ("scores", "changes", "costs", "documents", "asks")}
        )
