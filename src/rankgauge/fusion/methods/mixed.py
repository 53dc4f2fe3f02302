"""mixed: the weighted sum of scores, times a root of the number of runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.method import Evidence, WeightedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class Mixed(WeightedMethod):
    """The weighted sum of the scores times the root of the number of runs that list the document."""

    name = "mixed"
    formula = "√n · Σ w · s"
    reference = "Wu & Crestani, Data fusion with estimated weights, CIKM 2002"
    ranx = "mixed"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        weighed = stack.score * self.weighing(stack.runs).take(stack.run)
        return stack.sum(weighed) * np.sqrt(stack.listed)
