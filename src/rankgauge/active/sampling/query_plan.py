"""The query level: a draw is a query, and asks for all of its documents at once."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from rankgauge.active.intervals import IntervalKind, bernstein, half_width
from rankgauge.active.method import Estimate, Plan
from rankgauge.active.pool import Pool
from rankgauge.active.target import Target
from rankgauge.errors import ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

__all__ = ["QueryPlan", "affordable", "new", "query_costs", "streams", "value_bounds"]


def query_costs(pool: Pool, target: Target) -> FloatArray:
    """What judging all documents of each query costs that the value depends on; opening it costs at any rate."""
    needed = np.where(target.needed(pool), pool.costs, 0.0)
    return np.asarray(pool.overhead + np.add.reduceat(needed, pool.starts))


def value_bounds(pool: Pool, target: Target) -> tuple[float, float]:
    """The least and the largest value that a query can have."""
    low, high = target.measure.facts.bounds
    return (low, high) if pool.rankers == 1 else (low - high, high - low)


def new(draws: IndexArray) -> BoolArray:
    """Whether each draw's query is drawn for the first time (draws on the last axis)."""
    order = np.argsort(draws, axis=-1, kind="stable")
    sorted_ = np.take_along_axis(draws, order, axis=-1)
    first = np.ones(draws.shape, dtype=bool)
    first[..., 1:] = sorted_[..., 1:] != sorted_[..., :-1]
    found = np.empty_like(first)
    np.put_along_axis(found, order, first, axis=-1)
    return found


def affordable(costs: FloatArray, budget: float) -> BoolArray:
    """The draws before the first one that would exceed the budget.

    The draw that exceeds it is not counted: costly queries would be, and that biases (Sawade et al. stop there too).
    """
    # Costs that are fractions of each other add up to the budget only nearly.
    return np.asarray(np.cumsum(costs, axis=-1) <= budget * (1 + 1e-12))


def streams(seeds: IndexArray, count: int) -> FloatArray:
    """The first uniform numbers of each seed's own stream (seeds × count)."""
    return np.stack([np.random.default_rng(int(seed)).random(count) for seed in seeds])


class QueryPlan(Plan):
    """A plan whose draws are whole queries."""

    @abstractmethod
    def _draws(self, n: int) -> IndexArray:
        """The queries of the first n draws."""

    @abstractmethod
    def _found(self, queries: IndexArray, values: FloatArray) -> tuple[float, float, float]:
        """The estimate from the values of the drawn queries, its standard error and that one's degrees of freedom."""

    def _bounded(self, queries: IndexArray, values: FloatArray) -> tuple[FloatArray, tuple[float, float], float]:
        """Bounded draws whose mean is the pool's, their bounds, and how many there are to draw from."""
        raise ParameterError(f"method {self.method}", "interval", "t or sequence", str(IntervalKind.BERNSTEIN))

    def query(self, j: int) -> int:
        return int(self._draws(j + 1)[j])

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        documents = self._documents(self.query(j))
        return documents[np.isnan(grades[documents])]

    def price(self, j: int, grades: FloatArray) -> float:
        drawn = self._draws(j + 1)
        return 0.0 if drawn[j] in drawn[:j] else float(self._costs[drawn[j]])

    def estimate(self, n: int, grades: FloatArray, *, level: float = 0.95, interval: str = IntervalKind.T) -> Estimate:
        drawn = self._draws(n)
        values = self.target.values(self.pool, grades)[drawn]
        assert not np.isnan(values).any(), "an estimate takes complete draws"
        value, error, freedom = self._found(drawn, values) if n else (np.nan, np.nan, 0.0)
        low, high = self._interval(drawn, values, (value, error, freedom), level, interval)
        distinct = np.unique(drawn)
        return Estimate(
            value=value,
            error=error,
            low=low,
            high=high,
            level=level,
            draws=n,
            labels=int(sum(len(self._documents(int(query))) for query in distinct)),
            cost=float(self._costs[distinct].sum()),
            method=self.method,
            interval=interval,
            freedom=freedom,
        )

    def _interval(
        self,
        drawn: IndexArray,
        values: FloatArray,
        found: tuple[float, float, float],
        level: float,
        interval: str,
    ) -> tuple[float, float]:
        if IntervalKind.parse(interval) is IntervalKind.BERNSTEIN:
            draws, bounds, population = self._bounded(drawn, values)
            return bernstein(draws, bounds=bounds, level=level, population=population)
        value, error, freedom = found
        half = float(half_width(error, draws=len(drawn), freedom=freedom, level=level, kind=interval))
        return value - half, value + half

    @property
    def _costs(self) -> FloatArray:
        if not hasattr(self, "_known_costs"):
            self._known_costs = query_costs(self.pool, self.target)
        return self._known_costs

    def _documents(self, query: int) -> IndexArray:
        """The documents of the query that the value depends on."""
        if not hasattr(self, "_needed"):
            self._needed = self.target.needed(self.pool)
        first = int(self.pool.starts[query])
        documents = np.arange(first, first + int(self.pool.sizes[query]))
        return documents[self._needed[documents]]
