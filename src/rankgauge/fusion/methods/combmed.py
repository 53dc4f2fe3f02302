"""combmed: the median score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombMed(FusionMethod):
    """The median of the scores in the runs that list the document."""

    name = "combmed"
    formula = "median s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "med"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        ordered = np.sort(stack.spread(stack.score, np.inf), axis=1)
        middle = (stack.listed.astype(np.int64) - 1) / 2
        rows = np.arange(stack.slots)
        low, high = np.floor(middle).astype(np.int64), np.ceil(middle).astype(np.int64)
        return (ordered[rows, low] + ordered[rows, high]) / 2
