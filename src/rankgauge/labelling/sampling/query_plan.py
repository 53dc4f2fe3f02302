"""Plans that judge whole queries: drawn one after another, with replacement or without.

A method gives the draws and an estimator. The estimator works on many repetitions at once (repetitions × draws), of
which a campaign is one.

Labels are looked up if a query is drawn again, so it costs nothing then. Draws go on until one would exceed the budget;
that one is not counted (line 4 of the algorithm).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.intervals import Basis, IntervalKind, bernstein
from rankgauge.labelling.method import Estimate, Plan, Repetitions
from rankgauge.labelling.moments import moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

QueryEstimator: TypeAlias = Callable[[FloatArray, IndexArray, BoolArray], tuple[FloatArray, FloatArray, FloatArray]]
"""From the values of the drawn queries, the queries, and which draws count (each repetitions × draws): the estimates,
their standard errors, and the degrees of freedom of these."""


def is_new(draws: IndexArray) -> BoolArray:
    """Say whether each draw's query is drawn for the first time (draws on the last axis)."""
    order = np.argsort(draws, axis=-1, kind="stable")
    sorted_ = np.take_along_axis(draws, order, axis=-1)
    first = np.ones(draws.shape, dtype=bool)
    first[..., 1:] = sorted_[..., 1:] != sorted_[..., :-1]
    found = np.empty_like(first)
    np.put_along_axis(found, order, first, axis=-1)
    return found


def affordable(costs: FloatArray, budget: float) -> BoolArray:
    """Return the draws before the first one that would exceed the budget.

    The draw that exceeds it does not count: it is more often a costly query, which would bias the estimate. Sawade et
    al. stop there too (Algorithm 1, line 4).
    """
    # Costs that are fractions of each other add up to the budget only nearly.
    return np.asarray(np.cumsum(costs, axis=-1) <= budget * (1 + 1e-12))


def streams(seeds: IndexArray, count: int) -> FloatArray:
    """Return the first uniform numbers of each seed's own stream (seeds × count)."""
    return np.stack([np.random.default_rng(int(seed)).random(count) for seed in seeds])


def repeat_draws(
    pool: Pool,
    target: Target,
    grades: FloatArray,
    *,
    budget: float,
    draws: IndexArray,
    costs: FloatArray,
    estimator: QueryEstimator,
) -> Repetitions:
    """What many repetitions give that each spend the budget on their draws (repetitions × draws) at these costs."""
    taken = affordable(costs, budget)
    n = taken.sum(axis=1)
    kept = slice(max(int(n.max()), 1))
    draws, taken, paid = draws[:, kept], taken[:, kept], np.where(taken, costs, 0.0)[:, kept]
    value, error, freedom = estimator(target.values(pool, grades)[draws], draws, taken)
    labels = np.add.reduceat(target.needed(pool).astype(float), pool.starts)[draws]
    distinct = (is_new(np.where(taken, draws, -1)) & taken).sum(axis=1)
    return Repetitions.around(
        value=value,
        error=error,
        freedom=freedom,
        basis=Basis(queries=distinct, size=len(pool.sizes), bounds=target.extent(pool)),
        cost=paid.sum(axis=1),
        draws=n.astype(float),
        labels=np.where(paid > 0, labels, 0.0).sum(axis=1),
    )


class QueryPlan(Plan):
    """A plan whose draws are whole queries."""

    estimator: QueryEstimator
    _order: IndexArray

    @property
    def length(self) -> int | None:
        return len(self._order)

    def _draws(self, n: int) -> IndexArray:
        """Return the queries of the first n draws."""
        return self._order[:n]

    def _bound_draws(self, queries: IndexArray, values: FloatArray) -> tuple[FloatArray, tuple[float, float], float]:
        """Bounded draws whose mean is the pool's, their bounds, and how many there are to draw from."""
        raise ParameterError(f"method {self.method}", "interval", "t or sequence", str(IntervalKind.BERNSTEIN))

    def query(self, j: int) -> int:
        return int(self._draws(j + 1)[j])

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        documents = self.pool.rows_of(self.query(j))
        return documents[self.target.needed(self.pool)[documents] & np.isnan(grades[documents])]

    def price(self, j: int, grades: FloatArray) -> float:
        drawn = self._draws(j + 1)
        return 0.0 if drawn[j] in drawn[:j] else float(self.target.query_costs(self.pool)[drawn[j]])

    def estimate(self, n: int, grades: FloatArray, *, level: float = 0.95, interval: str = IntervalKind.T) -> Estimate:
        drawn = self._draws(n)
        values = self.target.values(self.pool, grades)[drawn]
        assert not np.isnan(values).any(), "an estimate takes complete draws"
        value, error, freedom = np.nan, np.nan, 0.0
        if n:  # one repetition of the estimator
            found = self.estimator(values[np.newaxis], drawn[np.newaxis], np.ones((1, n), dtype=bool))
            value, error, freedom = (float(part[0]) for part in found)
        distinct = np.unique(drawn)
        facts: dict[str, Any] = {
            "draws": n,
            "freedom": freedom,
            "level": level,
            "labels": int(np.add.reduceat(self.needed.astype(np.int64), self.pool.starts)[distinct].sum()),
            "cost": float(self.target.query_costs(self.pool)[distinct].sum()),
            "method": self.method,
            "interval": interval,
            "basis": self.basis(len(distinct)) if self.cautious else None,
        }
        if IntervalKind.parse(interval) is not IntervalKind.BERNSTEIN:
            return Estimate.around(value, error, **facts)
        draws, bounds, population = self._bound_draws(drawn, values)
        low, high = bernstein(draws, bounds=bounds, level=level, population=population)
        return Estimate(value=value, error=error, low=low, high=high, **facts)


MOST = 10
"""The most draws of a repetition, per query of the pool: a budget may be enough for all queries."""


class ReplacementPlan(QueryPlan):
    """Draws with replacement from the probabilities `chance`, without end."""

    def __init__(self, pool: Pool, target: Target, *, budget: float, seed: int, chance: FloatArray) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        self.chance, self.estimator = chance, weighted_mean(chance)
        self._rng = np.random.default_rng(seed)
        self._drawn: IndexArray = np.zeros(0, dtype=np.int64)

    @property
    def length(self) -> None:
        return None

    def _draws(self, n: int) -> IndexArray:
        while len(self._drawn) < n:
            self._drawn = np.append(self._drawn, _choose(self.chance, self._rng.random(max(64, len(self._drawn)))))
        return self._drawn[:n]


def repeat_replacement(
    pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray, chance: FloatArray
) -> Repetitions:
    """Return the estimates of many seeds that draw with these probabilities."""
    costs = target.query_costs(pool)
    count = int(2 * budget / float(chance @ costs)) + 64
    while True:
        draws = _choose(chance, streams(seeds, count))
        paid = np.where(is_new(draws), costs[draws], 0.0)
        if count >= MOST * len(costs) or not affordable(paid, budget)[:, -1].any():
            break
        count = min(2 * count, MOST * len(costs))
    estimator = weighted_mean(chance)
    return repeat_draws(pool, target, grades, budget=budget, draws=draws, costs=paid, estimator=estimator)


def weighted_mean(chance: FloatArray) -> QueryEstimator:
    """Σ w L / Σ w over the draws, with w = 1 / q, and its standard error by linearisation.

    Draws are independent and alike, so there is no correction for a finite pool. If all queries are as likely, this is
    the plain mean, and its error s / √n.
    """

    def ratio(values: FloatArray, queries: IndexArray, taken: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        kept, n = np.where(taken, 1 / chance[queries], 0.0), taken.sum(axis=-1)
        total = kept.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a budget that buys no draw gives NaN
            value = (kept * values).sum(axis=-1) / total
            spread = (kept**2 * (values - value[..., np.newaxis]) ** 2).sum(axis=-1)
            return value, np.sqrt(spread * n / (n - 1)) / total, n - 1.0

    return ratio


def expected_errors(pool: Pool, target: Target, *, budgets: FloatArray, chance: FloatArray, rng: int = 0) -> FloatArray:
    """Return the standard error to expect of the weighted mean at each budget if the beliefs are right."""
    costs, about = target.query_costs(pool), moments(pool, target, rng=rng).about()
    spread = np.sum(about / np.where(chance > 0, chance, 1.0)) / len(costs) ** 2
    return np.array([np.sqrt(spread / draws_for(chance, costs, float(budget))) for budget in budgets])


def draws_for(chance: FloatArray, costs: FloatArray, budget: float) -> float:
    """Return how many draws the budget buys on average; queries that are drawn again cost nothing."""
    low, high = 0.0, float(MOST * len(costs))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if costs @ -np.expm1(middle * np.log1p(-chance)) < budget else (low, middle)
    return max(low, 1e-9)


def _choose(chance: FloatArray, luck: FloatArray) -> IndexArray:
    limits = np.cumsum(chance)
    return np.searchsorted(limits[:-1] / limits[-1], luck, side="right")
