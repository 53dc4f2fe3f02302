"""combgmnz: CombMNZ with a power of the number of runs."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombGmnz(FusionMethod):
    """The sum of the scores times a power of the number of runs that list the document."""

    name = "combgmnz"
    formula = "n^gamma · Σ s"
    reference = "Lee, Analyses of multiple evidence combination, SIGIR 1997"
    ranx = "gmnz"
    looks_at = Evidence.SCORES

    gamma: float = parameter(real_number(), default=1.0, tries=[n / 10 for n in range(31)])

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.listed**self.gamma
