"""paper, paper+defensive, passive-iid: Sawade, Bickel, von Oertzen, Scheffer & Landwehr, Active evaluation of ranking
functions based on graded relevance, ECML PKDD 2012.

Queries are drawn with replacement from

    q*(x) ∝ λ(x)^−½ · √E[(L − R_θ)² | x; θ]          (δ and Δ_θ in place of L and R_θ for two rankers)

(equations 11 and 12), and the value is estimated by Σ w L / Σ w with w = p / q (equation 6). A query that is drawn
again costs nothing: its labels are looked up (Section 4). The paper's baseline, passive-iid, draws every query alike;
a query that is drawn again counts once more (equation 5). `passive` draws none twice, and is more precise: the more so,
the larger the share of the pool that the budget buys.

If q* is 0 or nearly so and the beliefs are wrong about a query, it is never seen, or its weight has no bound when it
is. With 5 to 10 % of uniform draws no weight exceeds 1 / share (Hesterberg, Weighted average importance sampling and
defensive mixture distributions, Technometrics 1995).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.moments import moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.plans import QueryEstimator, QueryPlan, affordable, is_new, repeat_draws
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

MOST = 10
"""The most draws of a repetition, per query of the pool: a budget may be enough for all queries."""


class WeightedMean(QueryEstimator):
    """Σ w L / Σ w over the draws, with w = 1 / q, and its standard error by linearisation.

    Draws are independent and alike, so there is no correction for a finite pool. If all queries are as likely, this is
    the plain mean, and its error s / √n. `mixed`: a share of the draws is uniform, so that weights have a bound.
    """

    def __init__(self, chance: FloatArray, *, mixed: bool = False) -> None:
        self.chance, self.mixed = chance, mixed

    def estimate(
        self, values: FloatArray, queries: IndexArray, taken: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        kept, n = np.where(taken, 1 / self.chance[queries], 0.0), taken.sum(axis=-1)
        total = kept.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a budget that buys no draw gives NaN
            value = (kept * values).sum(axis=-1) / total
            spread = (kept**2 * (values - value[..., np.newaxis]) ** 2).sum(axis=-1)
            return value, np.sqrt(spread * n / (n - 1)) / total, n - 1.0

    def bound_draws(
        self, values: FloatArray, queries: IndexArray, bounds: tuple[float, float]
    ) -> tuple[FloatArray, tuple[float, float], float] | None:
        if not self.mixed:
            return None
        m, (low, high) = len(self.chance), bounds
        largest = float(1 / (m * self.chance.min()))
        return values / (m * self.chance[queries]), (min(low, 0.0) * largest, max(high, 0.0) * largest), np.inf


class PaperPlan(QueryPlan):
    """Draws with replacement from the probabilities `chance`, without end."""

    method = "paper"

    def __init__(
        self,
        pool: Pool,
        target: Target,
        *,
        budget: float,
        seed: int,
        chance: FloatArray,
        mixed: bool = False,
        method: str = "",
    ) -> None:
        estimator = WeightedMean(chance, mixed=mixed)
        super().__init__(pool, target, budget=budget, seed=seed, estimator=estimator, method=method)
        self.chance, self._rng = chance, np.random.default_rng(seed)

    @property
    def length(self) -> None:
        return None

    def _draws(self, n: int) -> IndexArray:
        while len(self._order) < n:
            self._order = np.append(self._order, _choose(self.chance, self._rng.random(max(64, len(self._order)))))
        return self._order[:n]


class DrawingMethod(ABC):
    """What methods have in common that draw queries with replacement."""

    name: ClassVar[str]
    mixed: ClassVar[bool] = False
    """Whether a share of the draws is uniform."""

    @abstractmethod
    def chances(self, pool: Pool, target: Target) -> FloatArray:
        """Return the probability q of each query."""

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> PaperPlan:
        """Return the plan for a budget and a seed."""
        chance = self.chances(pool, target)
        return PaperPlan(pool, target, budget=budget, seed=rng, chance=chance, mixed=self.mixed, method=self.name)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        """Return the estimates of many seeds on a pool with known grades."""
        costs, chance = target.query_costs(pool), self.chances(pool, target)
        count = int(2 * budget / float(chance @ costs)) + 64
        while True:
            luck = np.stack([np.random.default_rng(int(seed)).random(count) for seed in seeds])
            draws = _choose(chance, luck)
            paid = np.where(is_new(draws), costs[draws], 0.0)
            if count >= MOST * len(costs) or not affordable(paid, budget)[:, -1].any():
                break
            count = min(2 * count, MOST * len(costs))
        estimator = WeightedMean(chance)
        return repeat_draws(pool, target, grades, budget=budget, draws=draws, costs=paid, estimator=estimator)

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        """Return the standard error to expect at each budget if the beliefs are right."""
        costs, chance = target.query_costs(pool), self.chances(pool, target)
        about = moments(pool, target, rng=rng).about()
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


def drawing(pool: Pool, target: Target, *, beliefs: str, costs: str, mixed: float) -> FloatArray:
    """Return the probabilities q* of the queries, with a share of uniform ones mixed in."""
    m = len(pool.sizes)
    if beliefs == "uniform":
        pool = pool.with_beliefs(np.full_like(pool.beliefs, 1 / len(pool.grades)))
    price = target.query_costs(pool) if costs == "pool" else np.ones(m)
    # A query whose value is certain and equal to the mean gets 0, as in the paper's Eqs. 11 and 12. If its two lists
    # are equal and Δ_θ is 0, the estimate is not consistent, which `paper+defensive` repairs.
    chance = np.sqrt(moments(pool, target).about() / np.maximum(price, np.finfo(float).tiny))
    total = chance.sum()
    return (1 - mixed) * (chance / total if total > 0 else np.full(m, 1 / m)) + mixed / m


@dataclass(frozen=True, kw_only=True)
class PaperMethod(DrawingMethod, Method):
    """Queries are drawn more often if they cost little and their values are expected to be far from the mean.

    Each draw is weighted by the inverse of its probability.

    `beliefs="uniform"` treats all grades as equally likely (the paper's uniD), `costs="one"` all queries as equally
    costly (uniC). Budgets are still spent at the pool's costs.
    """

    name: ClassVar[str] = "paper"
    title: ClassVar[str] = "Sawade et al. 2012: whole queries, drawn with replacement"

    beliefs: str = "pool"
    costs: str = "pool"

    def __post_init__(self) -> None:
        for option, known in (("beliefs", ("pool", "uniform")), ("costs", ("pool", "one"))):
            if getattr(self, option) not in known:
                raise ParameterError(f"method {self.name}", option, " or ".join(known), getattr(self, option))

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        return drawing(pool, target, beliefs=self.beliefs, costs=self.costs, mixed=0.0)


@dataclass(frozen=True, kw_only=True)
class DefensiveMethod(PaperMethod):
    """The paper's method with the share `uniform` of its draws from all queries alike."""

    name: ClassVar[str] = "paper+defensive"
    title: ClassVar[str] = "Sawade et al. 2012 with uniform draws mixed in"
    mixed: ClassVar[bool] = True

    uniform: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.uniform <= 1:
            raise ParameterError(f"method {self.name}", "uniform", "a share above 0, up to 1", self.uniform)

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        return drawing(pool, target, beliefs=self.beliefs, costs=self.costs, mixed=self.uniform)


@dataclass(frozen=True, kw_only=True)
class PassiveIidMethod(DrawingMethod, Method):
    """Random queries are drawn with replacement and judged whole, and the values of the draws are averaged."""

    name: ClassVar[str] = "passive-iid"
    title: ClassVar[str] = "Random queries, judged whole, drawn with replacement"
    mixed: ClassVar[bool] = True

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        return np.full(len(pool.sizes), 1 / len(pool.sizes))
