"""paper: Sawade, Bickel, von Oertzen, Scheffer & Landwehr, Active evaluation of ranking functions based on graded
relevance, ECML PKDD 2012.

Queries are drawn with replacement from

    q*(x) ∝ λ(x)^−½ · √E[(L − R_θ)² | x; θ]          (δ and Δ_θ in place of L and R_θ for two rankers)

(equations 11 and 12), and the value is estimated by Σ w L / Σ w with w = p / q (equation 6). A query that is drawn
again costs nothing: its labels are looked up (Section 4).
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
from rankgauge.labelling.sampling.query_plan import ReplacementPlan, expected_errors, repeat_replacement
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray, IndexArray


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


class PaperPlan(ReplacementPlan):
    """Draws with replacement from q*."""

    method = "paper"


class DrawingMethod(ABC):
    """What methods have in common that draw queries with replacement."""

    planned: ClassVar[type[ReplacementPlan]]

    @abstractmethod
    def chances(self, pool: Pool, target: Target) -> FloatArray:
        """Return the probability q of each query."""

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> ReplacementPlan:
        """Return the plan for a budget and a seed."""
        return self.planned(pool, target, budget=budget, seed=rng, chance=self.chances(pool, target))

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        """Return the estimates of many seeds on a pool with known grades."""
        chance = self.chances(pool, target)
        return repeat_replacement(pool, target, grades, budget=budget, seeds=seeds, chance=chance)

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        """Return the standard error to expect at each budget if the beliefs are right."""
        return expected_errors(pool, target, budgets=budgets, chance=self.chances(pool, target), rng=rng)


@dataclass(frozen=True, kw_only=True)
class PaperMethod(DrawingMethod, Method):
    """Queries are drawn more often if they cost little and their values are expected to be far from the mean.

    Each draw is weighted by the inverse of its probability.

    `beliefs="uniform"` treats all grades as equally likely (the paper's uniD), `costs="one"` all queries as equally
    costly (uniC). Budgets are still spent at the pool's costs.
    """

    name: ClassVar[str] = "paper"
    title: ClassVar[str] = "Sawade et al. 2012: whole queries, drawn with replacement"
    planned: ClassVar[type[ReplacementPlan]] = PaperPlan

    beliefs: str = "pool"
    costs: str = "pool"

    def __post_init__(self) -> None:
        for option, known in (("beliefs", ("pool", "uniform")), ("costs", ("pool", "one"))):
            if getattr(self, option) not in known:
                raise ParameterError(f"method {self.name}", option, " or ".join(known), getattr(self, option))

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        return drawing(pool, target, beliefs=self.beliefs, costs=self.costs, mixed=0.0)
