"""paper: Sawade, Bickel, von Oertzen, Scheffer & Landwehr, Active evaluation of ranking functions based on graded
relevance, Machine Learning 2013.

Queries are drawn with replacement from

    q*(x) ∝ λ(x)^−½ · √E[(L − R_θ)² | x; θ]          (δ and Δ_θ in place of L and R_θ for two rankers)

and the value is estimated by Σ w L / Σ w with w = p / q. A query that is drawn again costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.active.method import Method, Repetitions
from rankgauge.active.moments import moments
from rankgauge.active.pool import Pool
from rankgauge.active.sampling.query_plan import QueryEstimator, QueryPlan, affordable, is_new, repeat_draws, streams
from rankgauge.active.target import Target
from rankgauge.errors import ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

MOST = 10
"""The most draws of a repetition, per query of the pool: a budget may be enough for all queries."""


def drawing(pool: Pool, target: Target, *, beliefs: str, costs: str, mixed: float) -> FloatArray:
    """The probabilities q* of the queries, with a share of uniform ones mixed in."""
    m = len(pool.sizes)
    if beliefs == "uniform":
        pool = pool.with_beliefs(np.full_like(pool.beliefs, 1 / len(pool.grades)))
    price = target.query_costs(pool) if costs == "pool" else np.ones(m)
    # A query with a certain value that is the mean gets 0, as in the paper's Eq. 12. With two equal lists this breaks
    # consistency, which `paper+defensive` repairs.
    chance = np.sqrt(moments(pool, target).about() / np.maximum(price, np.finfo(float).tiny))
    total = chance.sum()
    return (1 - mixed) * (chance / total if total > 0 else np.full(m, 1 / m)) + mixed / m


class PaperPlan(QueryPlan):
    """Draws with replacement from q, without end."""

    method = "paper"

    def __init__(self, pool: Pool, target: Target, *, budget: float, seed: int, chance: FloatArray) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        self.chance, self.estimator = chance, _ratio(chance)
        self._rng = np.random.default_rng(seed)
        self._drawn: IndexArray = np.zeros(0, dtype=np.int64)

    @property
    def length(self) -> None:
        return None

    def _draws(self, n: int) -> IndexArray:
        while len(self._drawn) < n:
            self._drawn = np.append(self._drawn, _chosen(self.chance, self._rng.random(max(64, len(self._drawn)))))
        return self._drawn[:n]


@dataclass(frozen=True, kw_only=True)
class PaperMethod(Method):
    """Queries are drawn more often if their values are uncertain for the cost, and weighed by how unlikely they were.

    `beliefs="uniform"` takes all grades for equally likely (the paper's uniD), `costs="one"` all queries for equally
    costly (uniC). Budgets are still spent at the pool's costs.
    """

    name: ClassVar[str] = "paper"
    title: ClassVar[str] = "Sawade et al. 2013: whole queries, drawn with replacement"

    beliefs: str = "pool"
    costs: str = "pool"

    def __post_init__(self) -> None:
        for option, known in (("beliefs", ("pool", "uniform")), ("costs", ("pool", "one"))):
            if getattr(self, option) not in known:
                raise ParameterError(f"method {self.name}", option, " or ".join(known), getattr(self, option))

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> PaperPlan:
        return PaperPlan(pool, target, budget=budget, seed=rng, chance=self.chances(pool, target))

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        """The probability q of each query."""
        return drawing(pool, target, beliefs=self.beliefs, costs=self.costs, mixed=0.0)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        chance, costs = self.chances(pool, target), target.query_costs(pool)
        count = int(2 * budget / float(chance @ costs)) + 64
        while True:
            draws = _chosen(chance, streams(seeds, count))
            paid = np.where(is_new(draws), costs[draws], 0.0)
            if count >= MOST * len(costs) or not affordable(paid, budget)[:, -1].any():
                break
            count = min(2 * count, MOST * len(costs))
        estimator = _ratio(chance)
        return repeat_draws(pool, target, grades, budget=budget, draws=draws, costs=paid, estimator=estimator)

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        chance, costs = self.chances(pool, target), target.query_costs(pool)
        about, m = moments(pool, target, rng=rng).about(), len(costs)
        spread = np.sum(about / np.where(chance > 0, chance, 1.0)) / m**2
        return np.array([np.sqrt(spread / draws_for(chance, costs, float(budget))) for budget in budgets])


def _chosen(chance: FloatArray, luck: FloatArray) -> IndexArray:
    limits = np.cumsum(chance)
    return np.searchsorted(limits[:-1] / limits[-1], luck, side="right")


def _ratio(chance: FloatArray) -> QueryEstimator:
    """Σ w L / Σ w over the draws, with w = 1 / q, and its standard error by linearisation."""

    def ratio(values: FloatArray, queries: IndexArray, taken: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        kept, n = np.where(taken, 1 / chance[queries], 0.0), taken.sum(axis=-1)
        total = kept.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a budget that buys no draw gives NaN
            value = (kept * values).sum(axis=-1) / total
            spread = (kept**2 * (values - value[..., np.newaxis]) ** 2).sum(axis=-1)
            return value, np.sqrt(spread * n / (n - 1)) / total, n - 1.0

    return ratio


def draws_for(chance: FloatArray, costs: FloatArray, budget: float) -> float:
    """How many draws the budget buys on average; queries that are drawn again cost nothing."""
    low, high = 0.0, float(MOST * len(costs))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if costs @ -np.expm1(middle * np.log1p(-chance)) < budget else (low, middle)
    return max(low, 1e-9)
