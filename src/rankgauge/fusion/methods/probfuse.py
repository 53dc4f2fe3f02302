"""probfuse: how often documents of this part of the list were relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import whole_number
from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class ProbFuse(LearnedMethod):
    """The share of relevant documents in the same of equal segments of the list, over its number."""

    name = "probfuse"
    formula = "Σ P(relevant | run, segment) / segment"
    reference = "Lillis et al., ProbFuse: a probabilistic approach to data fusion, SIGIR 2006"
    ranx = "probfuse"
    looks_at = Evidence.RANKS

    segments: int = parameter(whole_number(), default=25, tries=(1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100))

    def scores(self, stack: Stack) -> FloatArray:
        segment = (stack.rank - 1) // -(-stack.length // self.segments)
        worth = self.known / np.arange(1.0, self.segments + 1)
        return stack.sum(stack.shared(worth[stack.run, segment]))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.segment_chances(self.segments)
