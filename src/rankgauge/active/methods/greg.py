"""greg: whole queries without replacement, those that the beliefs are least sure of for their cost more often, and a
regression on what the beliefs expect of every query.

Sequential Poisson sampling (Ohlsson, Sequential Poisson sampling, Journal of Official Statistics 1998): queries stand
in the order of U / score, U uniform, so that the first n are a sample with inclusion probabilities near
min(1, κ · score) that add up to n. Every prefix is a sample, and no query is paid for twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.active.method import Method, Repetitions
from rankgauge.active.moments import Moments, moments
from rankgauge.active.pool import Pool
from rankgauge.active.sampling.inclusion import InclusionRule
from rankgauge.active.sampling.query_plan import QueryPlan, affordable, query_costs, streams
from rankgauge.active.sampling.regression import Regression
from rankgauge.active.target import Target
from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["GregMethod", "GregPlan", "inclusions", "query_scores"]


def query_scores(found: Moments, costs: FloatArray, uniform: float) -> FloatArray:
    """How worthwhile each query is, with a share of uniform mixed in: √Var L / √cost.

    The variance about what is expected of the query counts, not that about the pool's mean: the regression knows what
    is expected.
    """
    scores = np.sqrt(found.variance / np.maximum(costs, np.finfo(float).tiny))
    total, m = scores.sum(), len(scores)
    return (1 - uniform) * (scores / total if total > 0 else np.full(m, 1 / m)) + uniform / m


def inclusions(scores: FloatArray, n: int) -> FloatArray:
    """min(1, κ · score) with the κ for which they add up to n."""
    ordered = np.sort(scores)[::-1]
    rest = np.cumsum(ordered[::-1])[::-1]
    certain = np.arange(len(scores))
    kappas = (n - certain) / rest
    fits = np.flatnonzero((kappas * ordered <= 1) & (kappas >= 0))
    return np.minimum(1.0, kappas[fits[0]] * scores) if len(fits) and n < len(scores) else np.ones(len(scores))


class GregPlan(QueryPlan):
    """Queries in the order of a sequential Poisson sample."""

    method = "greg"

    def __init__(
        self, pool: Pool, target: Target, *, budget: float, seed: int, expected: FloatArray, scores: FloatArray
    ) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        self._expected, self._scores = expected, scores
        self._order = np.argsort(np.random.default_rng(seed).random(len(scores)) / scores)

    @property
    def length(self) -> int:
        return len(self._order)

    def _draws(self, n: int) -> IndexArray:
        return self._order[:n]

    def _found(self, queries: IndexArray, values: FloatArray) -> tuple[float, float, float]:
        chances = inclusions(self._scores, len(queries))[queries]
        taken, spread = np.ones(len(queries), dtype=bool), float(np.var(self._expected))
        line = Regression.of(values, self._expected[queries], 1 / chances, taken, spread)
        return float(line.at(self._expected.mean())), float(line.error(1 / chances, chances)), len(queries) - 2.0


@dataclass(frozen=True, kw_only=True)
class GregMethod(Method):
    """Whole queries are sampled without replacement, and a regression on their expected values uses the whole pool.

    `uniform` is the share of the sample that all queries get alike.
    """

    name: ClassVar[str] = "greg"
    title: ClassVar[str] = "Whole queries without replacement, with regression on the beliefs"

    uniform: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.uniform <= 1:
            raise ParameterError("method greg", "uniform", "a share above 0, up to 1", self.uniform)

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> GregPlan:
        found = moments(pool, target)
        scores = query_scores(found, query_costs(pool, target), self.uniform)
        return GregPlan(pool, target, budget=budget, seed=rng, expected=found.mean, scores=scores)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        found, costs = moments(pool, target), query_costs(pool, target)
        scores = query_scores(found, costs, self.uniform)
        order = np.argsort(streams(seeds, len(costs)) / scores, axis=1)
        taken = affordable(costs[order], budget)
        width, n = max(int(taken.sum(axis=1).max()), 1), taken.sum(axis=1)
        order, taken = order[:, :width], taken[:, :width]
        sizes, which = np.unique(n, return_inverse=True)
        chances = np.stack([inclusions(scores, int(size)) for size in sizes])[which[:, np.newaxis], order]
        weights = 1 / np.where(taken, chances, 1.0)
        values = target.values(pool, grades)[order]
        line = Regression.of(values, found.mean[order], weights, taken, float(np.var(found.mean)))
        labels = np.add.reduceat(target.needed(pool).astype(float), pool.starts)[order]
        return Repetitions(
            value=line.at(found.mean.mean()),
            error=line.error(weights, chances),
            freedom=n - 2.0,
            cost=np.where(taken, costs[order], 0.0).sum(axis=1),
            draws=n.astype(float),
            labels=np.where(taken, labels, 0.0).sum(axis=1),
        )

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        found, costs = moments(pool, target, rng=rng), query_costs(pool, target)
        scores = query_scores(found, costs, self.uniform)
        total = float(costs.sum())

        def error(budget: float) -> float:
            rule = InclusionRule.meeting(
                budget, lambda rule: float(rule.chances(scores) @ costs), total=total, uniform=0.0
            )
            return float(np.sqrt(found.variance @ (1 / rule.chances(scores) - 1))) / len(costs)

        return np.array([error(float(budget)) for budget in budgets])
