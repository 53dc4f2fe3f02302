"""slidefuse: how often a document near this rank was relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import whole_number
from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class SlideFuse(LearnedMethod):
    """The mean share of relevant documents at the ranks around, in judged queries."""

    name = "slidefuse"
    formula = "Σ mean of P(relevant | run, rank − window … rank + window)"
    reference = "Lillis et al., Extending probabilistic data fusion using sliding windows, ECIR 2008"
    ranx = "slidefuse"
    looks_at = Evidence.RANKS

    window: int = parameter(whole_number(least=0), default=5, tries=(0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100))

    def scores(self, stack: Stack) -> FloatArray:
        known = self.known
        width = max(known.shape[1], int(stack.sizes.max(initial=0)))
        sums = np.zeros((len(known), width + 1))
        sums[:, 1 : known.shape[1] + 1] = known
        sums = np.cumsum(sums, axis=1)
        low = np.maximum(stack.rank - 1 - self.window, 0)
        high = np.minimum(stack.rank - 1 + self.window, stack.length - 1) + 1
        return stack.sum(stack.shared((sums[stack.run, high] - sums[stack.run, low]) / (high - low)))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.chances()
