"""combmin: the lowest score."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombMin(FusionMethod):
    """The lowest of the scores."""

    name = "combmin"
    formula = "min s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "min"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.least(stack.score)
