"""posfuse: how often a document at this rank was relevant."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class PosFuse(LearnedMethod):
    """The share of relevant documents at the rank in judged queries."""

    name = "posfuse"
    formula = "Σ P(relevant | run, rank)"
    reference = "Lillis et al., Estimating probabilities for effective data fusion, SIGIR 2010"
    ranx = "posfuse"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(self.by_run(stack, self.known))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.chances()
