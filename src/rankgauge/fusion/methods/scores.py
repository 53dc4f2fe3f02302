"""Methods that combine the scores of documents; n is the number of runs that list a document."""

from __future__ import annotations

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, WeightedMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


class Combination(FusionMethod):
    """A combination of a document's scores by Fox and Shaw."""

    reference = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
    looks_at = Evidence.SCORES


class CombSum(Combination):
    """The sum of the scores."""

    name, ranx = "combsum", "sum"
    formula = "Σ s"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score)


class CombMin(Combination):
    """The lowest of the scores."""

    name, ranx = "combmin", "min"
    formula = "min s"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.least(stack.score)


class CombMax(Combination):
    """The highest of the scores."""

    name, ranx = "combmax", "max"
    formula = "max s"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.most(stack.score)


class CombMed(Combination):
    """The median of the scores in the runs that list the document."""

    name, ranx = "combmed", "med"
    formula = "median s"

    def scores(self, stack: Stack) -> FloatArray:
        ordered = np.sort(stack.spread(stack.score, np.inf), axis=1)
        middle, rows = (stack.listed - 1) / 2, np.arange(stack.slots)
        low, high = np.floor(middle).astype(np.int64), np.ceil(middle).astype(np.int64)
        return (ordered[rows, low] + ordered[rows, high]) / 2


class CombAnz(Combination):
    """The mean of the scores in the runs that list the document."""

    name, ranx = "combanz", "anz"
    formula = "Σ s / n"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) / stack.listed


class CombMnz(Combination):
    """The sum of the scores times the number of runs that list the document."""

    name, ranx = "combmnz", "mnz"
    formula = "n · Σ s"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.listed


class CombGmnz(FusionMethod):
    """The sum of the scores times a power of the number of runs that list the document."""

    name, ranx = "combgmnz", "gmnz"
    formula = "n^gamma · Σ s"
    reference = "Lee, Analyses of multiple evidence combination, SIGIR 1997"
    looks_at = Evidence.SCORES

    gamma: float = parameter(real_number(), default=1.0, tries=[n / 10 for n in range(31)])

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.listed**self.gamma


class WeightedSum(WeightedMethod):
    """The weighted sum of the scores."""

    name, ranx = "weighted-sum", "wsum"
    formula = "Σ w · s"
    reference = "Vogt & Cottrell, Fusion via a linear combination of scores, Information Retrieval 1999"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score * self.entry_weights(stack))


class WeightedMnz(WeightedMethod):
    """The sum of the scores times the weights of the runs that list the document."""

    name, ranx = "weighted-mnz", "wmnz"
    formula = "Σ w · Σ s"
    reference = "Wu & Crestani, Data fusion with estimated weights, CIKM 2002"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score) * stack.sum(self.entry_weights(stack))


class Mixed(WeightedMethod):
    """The weighted sum of the scores times the root of the number of runs that list the document."""

    name = ranx = "mixed"
    formula = "√n · Σ w · s"
    reference = "Wu & Crestani, Data fusion with estimated weights, CIKM 2002"
    looks_at = Evidence.SCORES

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.score * self.entry_weights(stack)) * np.sqrt(stack.listed)
