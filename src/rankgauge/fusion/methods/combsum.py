"""combsum: the sum of scores."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombSum(FusionMethod):
    """The sum of the scores."""

    name = "combsum"
    formula = "Σ s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "sum"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score)
