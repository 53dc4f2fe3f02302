"""segfuse: how often documents of this part of the list were relevant, times the score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray

CUTS = (0, *(10 * 2**k - 5 for k in range(10)))
"""Where segments end: after 5, 15, 35, 75 … documents."""


@dataclass(frozen=True, kw_only=True)
class SegFuse(LearnedMethod):
    """The share of relevant documents in the same of growing segments of the list, times the score."""

    name = "segfuse"
    formula = "Σ P(relevant | run, segment) · (s + 1)"
    reference = "Shokouhi, Segmentation of search engine results for effective data-fusion, ECIR 2007"
    ranx = "segfuse"
    looks_at = Evidence.BOTH

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(self.by_run(stack, self.known) * (stack.score + 1))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return np.repeat(lessons.shares(CUTS), np.diff(CUTS), axis=1)
