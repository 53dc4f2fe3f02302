"""isr: inverse square ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class InverseSquareRank(FusionMethod):
    """The sum of inverse square ranks times the number of runs that list the document."""

    name = "isr"
    formula = "n · Σ 1 / rank²"
    reference = (
        "Mourão, Martins & Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
        "Computerized Medical Imaging and Graphics 2015"
    )
    ranx = "isr"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        squares = stack.by_rank(1.0 / np.arange(1.0, stack.sizes.max(initial=0) + 1) ** 2)
        return stack.sum(squares) * stack.listed
