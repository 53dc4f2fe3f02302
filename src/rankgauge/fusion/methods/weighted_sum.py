"""weighted-sum: the sum of scores, each run with a weight."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, WeightedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class WeightedSum(WeightedMethod):
    """The weighted sum of the scores."""

    name = "weighted-sum"
    formula = "Σ w · s"
    reference = "Vogt & Cottrell, Fusion via a linear combination of scores, Information Retrieval 1999"
    ranx = "wsum"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score * self.weighing(stack.runs).take(stack.run))
