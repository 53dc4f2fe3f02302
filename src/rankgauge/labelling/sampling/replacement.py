"""Whole queries drawn with replacement, each with its own probability: Algorithm 1 of Sawade et al. (2012).

Labels are looked up if a query is drawn again, so it costs nothing then. Draws go on until one would exceed the budget;
that one is not counted (line 4 of the algorithm).
"""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.method import Repetitions
from rankgauge.labelling.moments import moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.query_plan import QueryEstimator, QueryPlan, affordable, is_new, repeat_draws, streams
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

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
            self._drawn = np.append(self._drawn, _chosen(self.chance, self._rng.random(max(64, len(self._drawn)))))
        return self._drawn[:n]


def repeat_replacement(
    pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray, chance: FloatArray
) -> Repetitions:
    """The estimates of many seeds that draw with these probabilities."""
    costs = target.query_costs(pool)
    count = int(2 * budget / float(chance @ costs)) + 64
    while True:
        draws = _chosen(chance, streams(seeds, count))
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
    """The standard error to expect of the weighted mean at each budget if the beliefs are right."""
    costs, about = target.query_costs(pool), moments(pool, target, rng=rng).about()
    spread = np.sum(about / np.where(chance > 0, chance, 1.0)) / len(costs) ** 2
    return np.array([np.sqrt(spread / draws_for(chance, costs, float(budget))) for budget in budgets])


def draws_for(chance: FloatArray, costs: FloatArray, budget: float) -> float:
    """How many draws the budget buys on average; queries that are drawn again cost nothing."""
    low, high = 0.0, float(MOST * len(costs))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if costs @ -np.expm1(middle * np.log1p(-chance)) < budget else (low, middle)
    return max(low, 1e-9)


def _chosen(chance: FloatArray, luck: FloatArray) -> IndexArray:
    limits = np.cumsum(chance)
    return np.searchsorted(limits[:-1] / limits[-1], luck, side="right")
