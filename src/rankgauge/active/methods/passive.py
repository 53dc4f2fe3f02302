"""passive: queries in random order, each as likely as any other; what is judged without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.active.method import Method, Repetitions
from rankgauge.active.moments import moments
from rankgauge.active.pool import Pool
from rankgauge.active.sampling.query_plan import QueryPlan, affordable, query_costs, value_bounds
from rankgauge.active.target import Target
from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["PassiveMethod", "PassivePlan"]


class PassivePlan(QueryPlan):
    """Queries in random order, none twice: every prefix is a simple random sample of the pool."""

    method = "passive"

    def __init__(self, pool: Pool, target: Target, *, budget: float, seed: int) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        self._order = _order(len(pool.sizes), seed)

    @property
    def length(self) -> int:
        return len(self._order)

    def _draws(self, n: int) -> IndexArray:
        return self._order[:n]

    def _found(self, queries: IndexArray, values: FloatArray) -> tuple[float, float, float]:
        n, m = len(values), len(self._order)
        spread = float(np.std(values, ddof=1)) if n > 1 else np.nan
        return float(values.mean()), spread * np.sqrt((1 - n / m) / n), n - 1.0

    def _bounded(self, queries: IndexArray, values: FloatArray) -> tuple[FloatArray, tuple[float, float], float]:
        return values, value_bounds(self.pool, self.target), len(self._order)


@dataclass(frozen=True, kw_only=True)
class PassiveMethod(Method):
    """Queries in random order are judged whole, and their values averaged."""

    name: ClassVar[str] = "passive"
    title: ClassVar[str] = "Random queries, judged whole"

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> PassivePlan:
        return PassivePlan(pool, target, budget=budget, seed=rng)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        m = len(pool.sizes)
        order = np.stack([_order(m, int(seed)) for seed in seeds])
        costs = query_costs(pool, target)[order]
        taken = affordable(costs, budget)
        values = np.where(taken, target.values(pool, grades)[order], 0.0)
        n = taken.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a budget that buys no query gives NaN
            mean = values.sum(axis=1) / n
            spread = np.where(taken, values - mean[:, np.newaxis], 0.0)
            error = np.sqrt((spread**2).sum(axis=1) / (n - 1) * (1 - n / m) / n)
        labels = np.add.reduceat(target.needed(pool).astype(float), pool.starts)[order]
        return Repetitions(
            value=mean,
            error=error,
            freedom=n - 1.0,
            cost=(costs * taken).sum(axis=1),
            draws=n.astype(float),
            labels=(labels * taken).sum(axis=1),
        )

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        m, spread = len(pool.sizes), float(moments(pool, target, rng=rng).about().mean())
        n = np.minimum(np.asarray(budgets) / query_costs(pool, target).mean(), m)
        return np.asarray(np.sqrt(spread * np.maximum(1 / n - 1 / m, 0.0)))


def _order(m: int, seed: int) -> IndexArray:
    return np.random.default_rng(seed).permutation(m)
