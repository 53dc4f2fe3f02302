"""weighted-mnz: the sum of scores, times the weights of the runs that list the document."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, WeightedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class WeightedMnz(WeightedMethod):
    """The sum of the scores times the weights of the runs that list the document."""

    name = "weighted-mnz"
    formula = "Σ w · Σ s"
    reference = "Wu & Crestani, Data fusion with estimated weights, CIKM 2002"
    ranx = "wmnz"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.sum(self.weighing(stack.runs).take(stack.run))
