"""rbc: rank-biased centroids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class RankBiasedCentroid(FusionMethod):
    """The sum of the weights that rank-biased precision gives to ranks."""

    name = "rbc"
    formula = "Σ (1 − phi) · phi^(rank − 1)"
    reference = "Bailey et al., Retrieval consistency in the presence of query variations, SIGIR 2017"
    ranx = "rbc"
    looks_at = Evidence.RANKS

    phi: float = parameter(
        real_number(most=0.9999), default=0.9, tries=(*(n / 20 for n in range(1, 20)), 0.97, 0.98, 0.99, 0.995)
    )

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank((1 - self.phi) * self.phi ** np.arange(stack.sizes.max(initial=0))))
