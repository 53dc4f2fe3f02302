"""logn-isr: inverse square ranks, times a logarithm that is not 0 for one run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class LognInverseSquareRank(FusionMethod):
    """The sum of inverse square ranks times a logarithm that is not 0 for one run."""

    name = "logn-isr"
    formula = "ln (n + sigma) · Σ 1 / rank²"
    reference = (
        "Mourão, Martins & Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
        "Computerized Medical Imaging and Graphics 2015"
    )
    ranx = "logn_isr"
    looks_at = Evidence.RANKS

    sigma: float = parameter(real_number(most=1.0), default=0.01, tries=(0.001, 0.01, *(n / 20 for n in range(1, 21))))

    def scores(self, stack: Stack) -> FloatArray:
        squares = stack.by_rank(1.0 / np.arange(1.0, stack.sizes.max(initial=0) + 1) ** 2)
        return stack.sum(squares) * np.log(stack.listed + self.sigma)
