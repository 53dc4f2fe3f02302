"""combmax: the highest score."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombMax(FusionMethod):
    """The highest of the scores."""

    name = "combmax"
    formula = "max s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "max"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.most(stack.score)
