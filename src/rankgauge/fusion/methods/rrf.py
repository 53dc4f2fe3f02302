"""rrf: reciprocal rank fusion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class ReciprocalRankFusion(FusionMethod):
    """The sum of reciprocal ranks, softened by a constant."""

    name = "rrf"
    formula = "Σ 1 / (k + rank)"
    reference = (
        "Cormack, Clarke & Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning "
        "methods, SIGIR 2009"
    )
    ranx = "rrf"
    looks_at = Evidence.RANKS

    k: float = parameter(
        real_number(),
        default=60,
        tries=(0, 1, 2, 5, 10, 20, 30, 40, 60, 80, 100, 200, 500, 1000),
    )

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank(1.0 / (self.k + np.arange(1.0, stack.sizes.max(initial=0) + 1))))
