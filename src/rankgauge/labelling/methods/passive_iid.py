"""passive-iid: the baseline of Sawade et al. (2012): queries drawn independently, each as likely as any other.

A query may be drawn again: it then counts once more (equation 5 of the paper) and costs nothing, since its labels are
known (Section 4). `passive` draws no query twice, and is more precise: the more so, the larger the share of the pool
that the budget buys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.labelling.method import Method
from rankgauge.labelling.methods.paper import DrawingMethod
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.query_plan import ReplacementPlan
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray, IndexArray


class PassiveIidPlan(ReplacementPlan):
    """Draws with replacement, every query as likely: the estimate is the plain mean over the draws."""

    method = "passive-iid"

    def _bound_draws(self, queries: IndexArray, values: FloatArray) -> tuple[FloatArray, tuple[float, float], float]:
        return values, self.target.bounds(self.pool), np.inf


@dataclass(frozen=True, kw_only=True)
class PassiveIidMethod(DrawingMethod, Method):
    """Random queries are drawn with replacement and judged whole, and the values of the draws are averaged."""

    name: ClassVar[str] = "passive-iid"
    title: ClassVar[str] = "Random queries, judged whole, drawn with replacement"
    planned: ClassVar[type[ReplacementPlan]] = PassiveIidPlan

    def chances(self, pool: Pool, target: Target) -> FloatArray:
        return np.full(len(pool.sizes), 1 / len(pool.sizes))
