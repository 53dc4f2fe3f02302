"""passive, greg: whole queries in random order, none twice.

greg takes queries more often that the beliefs are unsure of for their cost, and fits a regression on what the beliefs
expect of every query. Sequential Poisson sampling (Ohlsson, Sequential Poisson sampling, Journal of Official Statistics
1998): queries are sorted by U / score, U uniform, so that the first n are a sample with inclusion probabilities near
min(1, κ · score) that add up to n. Every prefix is a sample, and no query is paid for twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.moments import Moments, moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.plans import QueryEstimator, QueryPlan, repeat_draws
from rankgauge.labelling.sampling.recalibration import Regression
from rankgauge.labelling.sampling.stages import InclusionRule, query_scores
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


class SamplingMethod(ABC):
    """What methods have in common whose draws are a sample of the queries without replacement."""

    name: ClassVar[str]

    @abstractmethod
    def design(self, pool: Pool, target: Target) -> tuple[Callable[[np.random.Generator], IndexArray], QueryEstimator]:
        """Return what draws an order of the queries, and the estimator of its prefixes."""

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> QueryPlan:
        """Return the plan for a budget and a seed."""
        draw, estimator = self.design(pool, target)
        order = draw(np.random.default_rng(rng))
        return QueryPlan(pool, target, budget=budget, seed=rng, estimator=estimator, order=order, method=self.name)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        """Return the estimates of many seeds on a pool with known grades."""
        draw, estimator = self.design(pool, target)
        draws = np.stack([draw(np.random.default_rng(int(seed))) for seed in seeds])
        costs = target.query_costs(pool)[draws]
        return repeat_draws(pool, target, grades, budget=budget, draws=draws, costs=costs, estimator=estimator)


@dataclass(frozen=True)
class SampleMean(QueryEstimator):
    """The mean of a simple random sample of `size` queries."""

    size: int

    def estimate(
        self, values: FloatArray, queries: IndexArray, taken: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        kept, n = np.where(taken, values, 0.0), taken.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a budget that buys no query gives NaN
            mean = kept.sum(axis=-1) / n
            away = np.where(taken, kept - mean[..., np.newaxis], 0.0)
            error = np.sqrt((away**2).sum(axis=-1) / (n - 1) * (1 - n / self.size) / n)
        return mean, error, n - 1.0

    def bound_draws(
        self, values: FloatArray, queries: IndexArray, bounds: tuple[float, float]
    ) -> tuple[FloatArray, tuple[float, float], float]:
        return values, bounds, self.size


@dataclass(frozen=True, kw_only=True)
class PassiveMethod(SamplingMethod, Method):
    """Queries in random order are judged whole, and their values averaged."""

    name: ClassVar[str] = "passive"
    title: ClassVar[str] = "Random queries, judged whole, none twice"

    def design(self, pool: Pool, target: Target) -> tuple[Callable[[np.random.Generator], IndexArray], QueryEstimator]:
        m = len(pool.sizes)
        return lambda rng: rng.permutation(m), SampleMean(m)

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        m, spread = len(pool.sizes), float(moments(pool, target, rng=rng).about().mean())
        n = np.minimum(np.asarray(budgets) / target.query_costs(pool).mean(), m)
        return np.asarray(np.sqrt(spread * np.maximum(1 / n - 1 / m, 0.0)))


@dataclass(frozen=True, eq=False)
class SampleRegression(QueryEstimator):
    """The regression estimator of a sequential Poisson sample."""

    expected: FloatArray
    scores: FloatArray

    def estimate(
        self, values: FloatArray, queries: IndexArray, taken: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        n = taken.sum(axis=-1)
        sizes, which = np.unique(n, return_inverse=True)
        chances = np.stack([inclusions(self.scores, int(size)) for size in sizes])[which[:, np.newaxis], queries]
        weights = 1 / np.where(taken, chances, 1.0)
        line = Regression.of(values, self.expected[queries], weights, taken, float(np.var(self.expected)))
        return line.at(self.expected.mean()), line.error(weights, chances), n - 2.0


def inclusions(scores: FloatArray, n: int) -> FloatArray:
    """min(1, κ · score) with the κ for which they add up to n."""
    ordered = np.sort(scores)[::-1]
    rest = np.cumsum(ordered[::-1])[::-1]
    kappas = (n - np.arange(len(scores))) / rest
    fits = np.flatnonzero((kappas * ordered <= 1) & (kappas >= 0))
    return np.minimum(1.0, kappas[fits[0]] * scores) if len(fits) and n < len(scores) else np.ones(len(scores))


@dataclass(frozen=True, kw_only=True)
class GregMethod(SamplingMethod, Method):
    """Whole queries are sampled without replacement, and a regression on their expected values uses the whole pool.

    `uniform` is the share of the sample that is spread evenly over all queries.
    """

    name: ClassVar[str] = "greg"
    title: ClassVar[str] = "Whole queries without replacement, with regression on the beliefs"

    uniform: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.uniform <= 1:
            raise ParameterError("method greg", "uniform", "a share above 0, up to 1", self.uniform)

    def design(self, pool: Pool, target: Target) -> tuple[Callable[[np.random.Generator], IndexArray], QueryEstimator]:
        expected, scores = self._scores(pool, target)
        return lambda rng: np.argsort(rng.random(len(scores)) / scores), SampleRegression(expected.mean, scores)

    def _scores(self, pool: Pool, target: Target, rng: int = 0) -> tuple[Moments, FloatArray]:
        """Return what the beliefs expect of each query, and how worthwhile it is."""
        expected = moments(pool, target, rng=rng)
        return expected, query_scores(expected, target.query_costs(pool), self.uniform)

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        expected, scores = self._scores(pool, target, rng)
        costs = target.query_costs(pool)
        shared = {"total": float(costs.sum()), "uniform": 0.0}
        rules = [InclusionRule.spending(float(budget), scores, costs, **shared) for budget in budgets]
        return np.sqrt([expected.variance @ (1 / rule.chances(scores) - 1) for rule in rules]) / len(costs)
