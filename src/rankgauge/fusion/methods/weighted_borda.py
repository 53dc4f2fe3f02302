"""weighted-borda: Borda's count, each run with a weight."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.borda import borda_points
from rankgauge.fusion.method import Evidence, WeightedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class WeightedBorda(WeightedMethod):
    """Borda's count in which runs have weights."""

    name = "weighted-borda"
    formula = "Σ w · points"
    reference = "Aslam & Montague, Models for metasearch, SIGIR 2001"
    ranx = "w_bordafuse"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return borda_points(stack, self.weighing(stack.runs))
