"""mapfuse: the reciprocal rank, times how good the run was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class MapFuse(LearnedMethod):
    """The reciprocal rank times the mean average precision of the run on judged queries."""

    name = "mapfuse"
    formula = "Σ MAP / rank"
    reference = "Lillis et al., Estimating probabilities for effective data fusion, SIGIR 2010"
    ranx = "mapfuse"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(self.by_run(stack, self.known / np.arange(1.0, stack.sizes.max(initial=0) + 1)))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.average_precision()[:, np.newaxis]
