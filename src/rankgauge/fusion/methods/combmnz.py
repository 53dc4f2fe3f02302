"""combmnz: the sum of scores, times how many runs list the document."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombMnz(FusionMethod):
    """The sum of the scores times the number of runs that list the document."""

    name = "combmnz"
    formula = "n · Σ s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "mnz"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.listed
