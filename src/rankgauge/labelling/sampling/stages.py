"""Stages of a plan: how queries are judged under the beliefs of the moment, and what they give.

Linear measures are sums over documents. So each document is judged or not on its own, and errors that a query's beliefs
have in common do not add up. If opening a query costs something, queries are first opened with a probability of their
own. Errors in common matter there: those of the beliefs about one query's documents are taken to correlate by `COMMON`.

In a cascade a grade decides what those below it are worth. So a query is judged document by document, and after each
one judging goes on with probability S_k / S_{k−1}.

Linear and cascade measures are multilinear in the worths ℓ of the documents, so that a grade moves the expected value
M by exactly (ℓ − E ℓ) · ∂M/∂ℓ. The document with the highest |∂M/∂ℓ| · sd(ℓ) / √cost comes next.

Where whole queries are judged, draws are those of the document level, so that a plan may turn to them after a pilot.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.labelling.moments import Moments, Worths, moments, slopes, worths
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.recalibration import Regression
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
        needed = self.target.needed_documents(self.pool)
        return needed if self.target.shape is Shape.CASCADE else needed & (self.weights.sum(axis=1) != 0)

    @cached_property
    def expected(self) -> FloatArray:
        """The expected value of each query."""
        return slopes(self.pool, self.target).value

    @cached_property
    def query_costs(self) -> FloatArray:
        """What judging all needed documents of each query costs."""
        costs = np.add.reduceat(np.where(self.needed, self.pool.costs, 0.0), self.pool.starts)
        return np.where(costs > 0, costs + self.pool.overhead, 0.0)

    def sample_walks(self, queries: IndexArray) -> tuple[WalkPath, IndexArray]:
        """Walk to the end through a sample of the queries, under grades drawn from the beliefs; and these queries."""
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
        self._lists: list[tuple[IndexArray, IndexArray, FloatArray, BoolArray]] = []
        for ranker in range(pool.rankers):
            ranks = np.where(self.there, pool.ranks[self.documents, ranker], np.nan)
            order = np.argsort(ranks, axis=-1, kind="stable")
            weights = np.where(np.isnan(ranks), 0.0, table.weights[self.documents, ranker])
            listed = np.take_along_axis(~np.isnan(ranks), order, axis=-1)
            ranked = np.take_along_axis(weights, order, axis=-1)
            self._lists.append((order, np.argsort(order, axis=-1), ranked, listed))

    def slopes(self, mean: FloatArray, rows: IndexArray) -> FloatArray:
        """∂M/∂ℓ of each document of the rows, at the expected worths, those of judged documents replaced."""
        if self.table.target.shape is Shape.LINEAR:
            return np.asarray(self.table.weights.sum(axis=1)[self.documents[rows]])
        total = np.zeros(mean.shape)
        for order, back, weights, listed in self._lists:
            stop = np.minimum(np.take_along_axis(mean, order[rows], axis=-1), CERTAIN) * listed[rows]
            reached = np.cumprod(1.0 - stop, axis=-1) / (1.0 - stop)
            added = weights[rows] * stop * reached
            after = np.zeros_like(added)  # summed from the end, since a difference of sums would be rounding alone
            after[:, :-1] = np.cumsum(added[:, :0:-1], axis=-1)[:, ::-1]
            slope = np.where(listed[rows], weights[rows] * reached - after / (1.0 - stop), 0.0)
            total += np.take_along_axis(slope, back[rows], axis=-1)
        return total

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
        path = WalkPath(
            scores=np.full(shape, np.nan),
            changes=np.zeros(shape),
            costs=np.zeros(shape),
            documents=np.full(shape, -1, dtype=np.int64),
            asks=np.full(shape[0], -1, dtype=np.int64),
        )
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

    def rows(self, queries: IndexArray) -> WalkPath:
        """Return the paths of some of the queries."""
        return WalkPath(**{field.name: getattr(self, field.name)[queries] for field in fields(self)})


HALVINGS = 40


@dataclass(frozen=True, kw_only=True)
class InclusionRule:
    """The probability of being judged, S = min(1, max(κ · score, floor))."""

    kappa: float
    floor: float

    @classmethod
    def meeting(
        cls, budget: float, cost: Callable[[InclusionRule], float], *, total: float, uniform: float
    ) -> InclusionRule:
        """Return the rule whose predicted cost is the budget.

        `uniform` is the share of the budget that is spread evenly; `total` is what judging everything costs.
        """
        if budget >= total:
            return cls(kappa=np.inf, floor=1.0)
        floor = uniform * budget / total
        low, high = 0.0, 1.0
        while cost(cls(kappa=high, floor=floor)) < budget and high < 1e200:
            high *= 4.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if cost(cls(kappa=middle, floor=floor)) < budget else (low, middle)
        return cls(kappa=low, floor=floor)

    @classmethod
    def spending(
        cls, budget: float, scores: FloatArray, costs: FloatArray, *, total: float, uniform: float
    ) -> InclusionRule:
        """Return the rule that spends the budget on average if each score has its own cost; NaN scores cost nothing."""
        flat, paid = scores.ravel(), costs.ravel()
        return cls.meeting(budget, lambda rule: float(rule.chances(flat) @ paid), total=total, uniform=uniform)

    def chances(self, scores: FloatArray) -> FloatArray:
        """Return the probability of each score; 0 for NaN, which means that there is no document."""
        if self.floor >= 1.0:
            return np.where(np.isnan(scores), 0.0, 1.0)
        return np.where(np.isnan(scores), 0.0, np.minimum(1.0, np.maximum(self.kappa * scores, self.floor)))

    def least(self, luck: FloatArray) -> FloatArray:
        """Return the lowest score that is still judged with that luck; 0 if the query is judged to the end."""
        if self.floor >= 1.0:
            return np.zeros(len(luck))
        # A hair below, since rounding must not end a walk that `chances` would go on with.
        return np.where(luck < self.floor, 0.0, luck / max(self.kappa, 1e-200) * (1 - 1e-9))


def query_scores(expected: Moments, costs: FloatArray, uniform: float) -> FloatArray:
    """Return how worthwhile each query is, with a share of uniform mixed in: √Var L / √cost.

    The variance around the query's own expected value counts, not that around the pool's mean, as the regression uses
    the expected values.
    """
    scores = np.sqrt(expected.variance / np.maximum(costs, np.finfo(float).tiny))
    total, m = scores.sum(), len(scores)
    return (1 - uniform) * (scores / total if total > 0 else np.full(m, 1 / m)) + uniform / m


@dataclass(frozen=True, kw_only=True, eq=False)
class Luck:
    """The random numbers of a plan: a uniform one for each query and each document of the pool."""

    query: FloatArray
    document: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class StageOutcome:
    """What the visited queries of a stage gave, an entry for each; `expected` has an entry for each of the pool's.

    `variance` is an unbiased estimate of the change's variance over the luck; `documents` are all that were judged.
    """

    expected: FloatArray
    change: FloatArray
    variance: FloatArray
    cost: FloatArray
    labels: FloatArray
    documents: IndexArray

    @property
    def queries(self) -> int:
        """How many queries have judged documents."""
        return int(np.sum(self.labels > 0))


class Stage(ABC):
    """How the queries of a stage are judged."""

    whole: bool = False
    """Whether queries are judged whole or not at all."""

    def __init__(self, pool: Pool, target: Target, rest: IndexArray) -> None:
        """`rest` are the queries that the stage begins with."""
        self.pool, self.target, self.rest = pool, target, rest

    def prepare(self, grades: FloatArray) -> None:  # noqa: B027 - a stage may have nothing to prepare
        """Compute under known grades, once, what many repetitions need."""

    @abstractmethod
    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        """Return the documents of the query whose grades are needed next."""

    @abstractmethod
    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        """Return what the queries give under the grades; those of documents that are not asked for may be NaN."""

    @abstractmethod
    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance of each query's change over the luck, and its mean cost, if all its grades are known."""

    @abstractmethod
    def predicted_variance(self) -> float:
        """Return the variance of the sum over the rest of the queries if the beliefs are right."""

    def doubt(self) -> float:
        """Return the mean variance of the value of a query of the rest, under the beliefs."""
        return float(moments(self.pool, self.target).variance[self.rest].mean())


COMMON = 0.1


class LinearStage(Stage):
    """Documents are judged if their luck and that of their query are below their probabilities."""

    def __init__(self, table: WorthTable, rest: IndexArray, left: float, uniform: float) -> None:
        super().__init__(table.pool, table.target, rest)
        self.table, pool = table, table.pool
        self._weights = table.weights.sum(axis=1)
        stake = np.abs(self._weights) * table.spread
        self._scores = np.where(table.needed, stake / np.sqrt(pool.costs), np.nan)
        self._openings = self._opening_scores(stake)
        total = float(table.query_costs[rest].sum())
        self.rule = InclusionRule.meeting(left, lambda rule: self._cost(rule)[rest].sum(), total=total, uniform=uniform)
        self.opened, self.chance = self._chances(self.rule)

    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        documents = self.pool.rows_of(query)
        return np.asarray(documents[self._find_judged(luck, documents) & np.isnan(grades[documents])])

    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        pool = self.table.pool
        sizes = pool.sizes[queries]
        starts = np.cumsum(sizes) - sizes
        documents = np.arange(int(sizes.sum())) + np.repeat(pool.starts[queries] - starts, sizes)

        def sums(flat: FloatArray) -> FloatArray:
            return np.asarray(np.add.reduceat(flat, starts)) if len(starts) else np.zeros(0)

        judged = self._find_judged(luck, documents)
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
        alone = self._sums(change**2 * (1.0 / chance - 1.0 / self.opened[self.pool.query]))
        return (alone + self._sums(change) ** 2 * (1.0 / self.opened - 1.0))[queries], self._cost(self.rule)[queries]

    def predicted_variance(self) -> float:
        chance = np.where(self.chance > 0, self.chance, 1.0)
        variance = self._weights**2 * self.table.worths.variance * (1.0 / chance - 1.0)
        return float(self._sums(variance)[self.rest].sum())

    def _find_judged(self, luck: Luck, documents: IndexArray) -> BoolArray:
        queries = self.pool.query[documents]
        inside = luck.query[queries] < self.opened[queries]
        return np.asarray(inside & (luck.document[documents] * self.opened[queries] < self.chance[documents]))

    def _changes(self, grades: FloatArray, documents: IndexArray) -> FloatArray:
        worths = self.target.worths(grades[documents])
        return np.asarray(self._weights[documents] * (worths - self.table.worths.mean[documents]))

    def _chances(self, rule: InclusionRule) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of queries to be opened and of documents to be judged."""
        opened = rule.chances(self._openings)
        return opened, np.minimum(rule.chances(self._scores), opened[self.pool.query])

    def _cost(self, rule: InclusionRule) -> FloatArray:
        """Return the mean cost of each query; one that is opened without a document being judged costs nothing."""
        opened, chance = self._chances(rule)
        costs = self._sums(chance * self.pool.costs)
        if not self.pool.overhead.any():
            return costs
        passed = chance / np.where(opened > 0, opened, 1.0)[self.pool.query]
        nothing = np.multiply.reduceat(1.0 - passed, self.pool.starts)
        return np.asarray(costs + self.pool.overhead * opened * (1.0 - nothing))

    def _opening_scores(self, stake: FloatArray) -> FloatArray:
        """Return the score of opening each query; infinite if that costs nothing.

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
        return np.asarray(np.add.reduceat(flat, self.pool.starts))


class CascadeStage(Stage):
    """Queries are judged as far as their luck is below S_k."""

    def __init__(self, table: WorthTable, rest: IndexArray, left: float, uniform: float) -> None:
        super().__init__(table.pool, table.target, rest)
        self.table = table
        self._walked, queries = table.sample_walks(rest)
        self._scale = len(rest) / max(len(queries), 1)
        costs = self._walked.costs.copy()
        costs[:, :1] += table.pool.overhead[queries, np.newaxis]  # the first step opens the query
        total = float(table.query_costs[rest].sum())
        self.rule = InclusionRule.spending(left, self._walked.scores, self._scale * costs, total=total, uniform=uniform)
        self._known: WalkPath | None = None

    def prepare(self, grades: FloatArray) -> None:
        """Walk all queries to their ends under known grades, so that repetitions only need to look where they stop."""
        block = QueryBlock(self.table, np.arange(len(self.pool.sizes)))
        self._known = block.walk(self.target.worths(grades[block.documents]), np.zeros(len(block.queries)))

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
            cost=_cost(judged, path, self.pool.overhead[queries]),
            labels=judged.sum(axis=-1).astype(float),
            documents=path.documents[judged],
        )

    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        block = QueryBlock(self.table, queries)
        path = block.walk(self.target.worths(grades[block.documents]), np.zeros(len(queries)))
        chance = self.rule.chances(path.scores)
        excess = path.changes * (1.0 / np.where(chance > 0, chance, 1.0) - 1.0)
        later = np.cumsum(path.changes[:, ::-1], axis=-1)[:, ::-1] - path.changes
        cost = _cost(chance, path, self.pool.overhead[queries])
        return (excess * (path.changes + 2 * later)).sum(axis=-1), cost

    def predicted_variance(self) -> float:
        chance = self.rule.chances(self._walked.scores)
        excess = 1.0 / np.where(chance > 0, chance, 1.0) - 1.0
        return self._scale * float((self._walked.changes**2 * excess).sum())

    def _walk(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> WalkPath:
        block = QueryBlock(self.table, queries)
        return block.walk(self.target.worths(grades[block.documents]), self.rule.least(luck.query[queries]))


def _cost(chance: npt.NDArray[Any], path: WalkPath, overhead: FloatArray) -> FloatArray:
    """Return what each query costs if each step is made with that chance; the first one opens the query."""
    return np.asarray((chance * path.costs).sum(axis=-1) + overhead * chance[:, :1].sum(axis=-1))


def document_stage(table: WorthTable, rest: IndexArray, left: float, uniform: float) -> Stage:
    """Return the stage that judges documents of the rest of the queries at the predicted cost `left`."""
    kind = CascadeStage if table.target.shape is Shape.CASCADE else LinearStage
    return kind(table, rest, left, uniform)


LEAST = 1e-9
"""The least chance that a variance is computed for: with nothing left to spend there is none."""


class QueryStage(Stage):
    """Whole queries are judged if their luck is below their probability."""

    whole = True

    def __init__(self, pool: Pool, target: Target, rest: IndexArray, left: float | None, uniform: float) -> None:
        """With nothing said of what is `left` to spend, every query is judged."""
        super().__init__(pool, target, rest)
        self.needed, self.costs = target.needed_documents(pool), target.query_costs(pool)
        self.moments, self.is_census = moments(pool, target), left is None
        scores, total = query_scores(self.moments, self.costs, uniform), float(self.costs[rest].sum())
        spent = total if left is None else left
        rule = InclusionRule.spending(spent, scores[rest], self.costs[rest], total=total, uniform=0.0)
        self.chance = rule.chances(scores)
        self._known: FloatArray | None = None

    def prepare(self, grades: FloatArray) -> None:
        self._known = self.target.values(self.pool, grades)

    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        documents = self.pool.rows_of(query)
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
        """Return what is expected of every query, each visited one's change, and the variance of that."""
        if self.is_census or judged.sum() < 3:  # a regression needs more queries; until then the beliefs are used
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
