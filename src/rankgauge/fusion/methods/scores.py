"""Methods that combine the scores of documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, WeightedMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class CombSum(FusionMethod):
    """The sum of the scores."""

    name = "combsum"
    formula = "Σ s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "sum"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score)


@dataclass(frozen=True, kw_only=True)
class CombMin(FusionMethod):
    """The lowest of the scores."""

    name = "combmin"
    formula = "min s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "min"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.least(stack.score)


@dataclass(frozen=True, kw_only=True)
class CombMax(FusionMethod):
    """The highest of the scores."""

    name = "combmax"
    formula = "max s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "max"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.most(stack.score)


@dataclass(frozen=True, kw_only=True)
class CombMed(FusionMethod):
    """The median of the scores in the runs that list the document."""

    name = "combmed"
    formula = "median s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "med"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        ordered = np.sort(stack.spread(stack.score, np.inf), axis=1)
        middle = (stack.listed.astype(np.int64) - 1) / 2
        rows = np.arange(stack.slots)
        low, high = np.floor(middle).astype(np.int64), np.ceil(middle).astype(np.int64)
        return (ordered[rows, low] + ordered[rows, high]) / 2


@dataclass(frozen=True, kw_only=True)
class CombAnz(FusionMethod):
    """The mean of the scores in the runs that list the document."""

    name = "combanz"
    formula = "Σ s / n"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "anz"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) / stack.listed


@dataclass(frozen=True, kw_only=True)
class CombMnz(FusionMethod):
    """The sum of the scores times the number of runs that list the document."""

    name = "combmnz"
    formula = "n · Σ s"
    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    ranx = "mnz"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.listed


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


@dataclass(frozen=True, kw_only=True)
class WeightedSum(WeightedMethod):
    """The weighted sum of the scores."""

    name = "weighted-sum"
    formula = "Σ w · s"
    reference = "Vogt & Cottrell, Fusion via a linear combination of scores, Information Retrieval 1999"
    ranx = "wsum"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score * self.weighing(stack.runs).take(stack.run))


@dataclass(frozen=True, kw_only=True)
class WeightedMnz(WeightedMethod):
    """The sum of the scores times the weights of the runs that list the document."""

    name = "weighted-mnz"
    formula = "Σ w · Σ s"
    reference = "Wu & Crestani, Data fusion with estimated weights, CIKM 2002"
    ranx = "wmnz"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.sum(self.weighing(stack.runs).take(stack.run))


@dataclass(frozen=True, kw_only=True)
class Mixed(WeightedMethod):
    """The weighted sum of the scores times the root of the number of runs that list the document."""

    name = "mixed"
    formula = "√n · Σ w · s"
    reference = "Wu & Crestani, Data fusion with estimated weights, CIKM 2002"
    ranx = "mixed"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        weighed = stack.score * self.weighing(stack.runs).take(stack.run)
        return stack.sum(weighed) * np.sqrt(stack.listed)
