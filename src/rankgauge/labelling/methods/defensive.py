"""paper+defensive: the paper's draws with a share of uniform ones mixed in.

If q* is 0 or nearly so and the beliefs are wrong about a query, it is never seen, or its weight has no bound when it
is. With 5 to 10 % of uniform draws no weight exceeds 1 / share (Hesterberg, Weighted average importance sampling and
defensive mixture distributions, Technometrics 1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.methods.paper import PaperMethod, PaperPlan, drawing
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.query_plan import ReplacementPlan
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray, IndexArray


class DefensivePlan(PaperPlan):
    """Draws with replacement from the mixture; weights are bounded."""

    method = "paper+defensive"

    def _bound_draws(self, queries: IndexArray, values: FloatArray) -> tuple[FloatArray, tuple[float, float], float]:
        m = len(self.chance)
        low, high = self.target.bounds(self.pool)
        largest = float(1 / (m * self.chance.min()))
        return values / (m * self.chance[queries]), (min(low, 0.0) * largest, max(high, 0.0) * largest), np.inf


@dataclass(frozen=True, kw_only=True)
class DefensiveMethod(PaperMethod):
    """The paper's method with the share `uniform` of its draws from all queries alike."""

    name: ClassVar[str] = "paper+defensive"
    title: ClassVar[str] = "Sawade et al. 2012 with uniform draws mixed in"
    planned: ClassVar[type[ReplacementPlan]] = DefensivePlan

    uniform: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.uniform <= 1:
            raise ParameterError(f"method {self.name}", "uniform", "a share above 0, up to 1", self.uniform)

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        return drawing(pool, target, beliefs=self.beliefs, costs=self.costs, mixed=self.uniform)
