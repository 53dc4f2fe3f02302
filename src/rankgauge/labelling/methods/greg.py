"""greg: whole queries without replacement, more often those that the beliefs are unsure of for their cost, and a
regression on what the beliefs expect of every query.

Sequential Poisson sampling (Ohlsson, Sequential Poisson sampling, Journal of Official Statistics 1998): queries are
sorted by U / score, U uniform, so that the first n are a sample with inclusion probabilities near min(1, κ · score)
that add up to n. Every prefix is a sample, and no query is paid for twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.moments import Moments, moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.query_plan import QueryEstimator, QueryPlan, repeat_draws, streams
from rankgauge.labelling.sampling.recalibration import Regression
from rankgauge.labelling.sampling.stages import InclusionRule, query_scores
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


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
        self._order = np.argsort(np.random.default_rng(seed).random(len(scores)) / scores)
        self.estimator = _regression(expected, scores)


def _regression(expected: FloatArray, scores: FloatArray) -> QueryEstimator:
    """Return the regression estimator of a sequential Poisson sample."""

    def regression(
        values: FloatArray, queries: IndexArray, taken: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        n = taken.sum(axis=-1)
        sizes, which = np.unique(n, return_inverse=True)
        chances = np.stack([inclusions(scores, int(size)) for size in sizes])[which[:, np.newaxis], queries]
        weights = 1 / np.where(taken, chances, 1.0)
        line = Regression.of(values, expected[queries], weights, taken, float(np.var(expected)))
        return line.at(expected.mean()), line.error(weights, chances), n - 2.0

    return regression


@dataclass(frozen=True, kw_only=True)
class GregMethod(Method):
    """Whole queries are sampled without replacement, and a regression on their expected values uses the whole pool.

    `uniform` is the share of the sample that is spread evenly over all queries.
    """

    name: ClassVar[str] = "greg"
    title: ClassVar[str] = "Whole queries without replacement, with regression on the beliefs"

    uniform: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.uniform <= 1:
            raise ParameterError("method greg", "uniform", "a share above 0, up to 1", self.uniform)

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> GregPlan:
        found, scores = self._scores(pool, target)
        return GregPlan(pool, target, budget=budget, seed=rng, expected=found.mean, scores=scores)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        found, scores = self._scores(pool, target)
        draws = np.argsort(streams(seeds, len(scores)) / scores, axis=1)
        costs, estimator = target.query_costs(pool)[draws], _regression(found.mean, scores)
        return repeat_draws(pool, target, grades, budget=budget, draws=draws, costs=costs, estimator=estimator)

    def _scores(self, pool: Pool, target: Target, rng: int = 0) -> tuple[Moments, FloatArray]:
        """Return what the beliefs expect of each query, and how worthwhile it is."""
        found = moments(pool, target, rng=rng)
        return found, query_scores(found, target.query_costs(pool), self.uniform)

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        found, scores = self._scores(pool, target, rng)
        costs = target.query_costs(pool)
        shared = {"total": float(costs.sum()), "uniform": 0.0}
        rules = [InclusionRule.spending(float(budget), scores, costs, **shared) for budget in budgets]
        return np.sqrt([found.variance @ (1 / rule.chances(scores) - 1) for rule in rules]) / len(costs)
