"""Methods in which runs vote: Borda and Condorcet, plain and weighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.method import Evidence, FusionMethod, WeightedMethod
from rankgauge.fusion.ordering import borda_points, majority_order
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
