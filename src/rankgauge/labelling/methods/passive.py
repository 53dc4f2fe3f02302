"""passive: queries in random order, none twice; it needs no model of relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.moments import moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.query_plan import QueryEstimator, QueryPlan, repeat_draws
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


class PassivePlan(QueryPlan):
    """Queries in random order, none twice: every prefix is a simple random sample of the pool."""

    method = "passive"

    def __init__(self, pool: Pool, target: Target, *, budget: float, seed: int) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        self._order = _order(len(pool.sizes), seed)
        self.estimator = _mean(len(pool.sizes))

    def _bound_draws(self, queries: IndexArray, values: FloatArray) -> tuple[FloatArray, tuple[float, float], float]:
        return values, self.target.bounds(self.pool), len(self._order)


@dataclass(frozen=True, kw_only=True)
class PassiveMethod(Method):
    """Queries in random order are judged whole, and their values averaged."""

    name: ClassVar[str] = "passive"
    title: ClassVar[str] = "Random queries, judged whole, none twice"

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> PassivePlan:
        return PassivePlan(pool, target, budget=budget, seed=rng)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        m = len(pool.sizes)
        draws = np.stack([_order(m, int(seed)) for seed in seeds])
        costs = target.query_costs(pool)[draws]
        return repeat_draws(pool, target, grades, budget=budget, draws=draws, costs=costs, estimator=_mean(m))

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        m, spread = len(pool.sizes), float(moments(pool, target, rng=rng).about().mean())
        n = np.minimum(np.asarray(budgets) / target.query_costs(pool).mean(), m)
        return np.asarray(np.sqrt(spread * np.maximum(1 / n - 1 / m, 0.0)))


def _order(m: int, seed: int) -> IndexArray:
    return np.random.default_rng(seed).permutation(m)


def _mean(m: int) -> QueryEstimator:
    """Return the mean of a simple random sample of m queries."""

    def mean(values: FloatArray, queries: IndexArray, taken: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        kept, n = np.where(taken, values, 0.0), taken.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a budget that buys no query gives NaN
            found = kept.sum(axis=-1) / n
            away = np.where(taken, kept - found[..., np.newaxis], 0.0)
            error = np.sqrt((away**2).sum(axis=-1) / (n - 1) * (1 - n / m) / n)
        return found, error, n - 1.0

    return mean
