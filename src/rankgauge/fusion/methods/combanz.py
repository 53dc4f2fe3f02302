"""combanz: the mean score of the runs that list the document."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombAnz(FusionMethod):
    """The mean of the scores in the runs that list the document."""

    name = "combanz"
    formula = "Σ s / n"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "anz"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) / stack.listed
