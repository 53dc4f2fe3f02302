"""condorcet: an order in which each document beats the next in most runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.majority import majority_order
from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class Condorcet(FusionMethod):
    """An order in which no document loses to the next by a majority of the runs."""

    name = "condorcet"
    formula = "documents − place"
    reference = "Montague & Aslam, Condorcet fusion for improved retrieval, CIKM 2002"
    ranx = "condorcet"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return majority_order(stack, np.ones(stack.runs))
