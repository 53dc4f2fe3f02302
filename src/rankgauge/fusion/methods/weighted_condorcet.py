"""weighted-condorcet: an order by majorities of weighted votes."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.fusion.majority import majority_order
from rankgauge.fusion.method import Evidence, WeightedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class WeightedCondorcet(WeightedMethod):
    """An order by majorities in which the votes of runs have weights."""

    name = "weighted-condorcet"
    formula = "documents − place"
    reference = "Montague & Aslam, Condorcet fusion for improved retrieval, CIKM 2002"
    ranx = "w_condorcet"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return majority_order(stack, self.weighing(stack.runs))
