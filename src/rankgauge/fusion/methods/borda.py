"""borda: Borda's count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.borda import borda_points
from rankgauge.fusion.method import Evidence, FusionMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class Borda(FusionMethod):
    """Borda's count: a point for each document that is not above, the unlisted ones sharing what is left."""

    name = "borda"
    formula = "Σ documents − rank + 1, or (documents − length + 1) / 2 if not listed"
    reference = "Aslam & Montague, Models for metasearch, SIGIR 2001"
    ranx = "bordafuse"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return borda_points(stack, np.ones(stack.runs))
