"""Methods that learn from judged queries how likely a document is relevant, by run and rank."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.constraints import whole_number
from rankgauge.fusion.judged_queries import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray

BAYESFUSE_CUTS = (0, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Where segments end."""

FLOOR = 0.001
NOT_LISTED = math.log(FLOOR / (1 - FLOOR))
"""The least chance of relevance, and its odds."""


class BayesFuse(LearnedMethod):
    """The sum of the logarithms of the odds of relevance at the rank in judged queries, as ranx has it.

    The paper divides the chance of the rank among relevant documents by that among the others.
    """

    name = ranx = "bayesfuse"
    formula = "Σ ln (P(relevant | run, segment) / P(not relevant | run, segment))"
    reference = "Aslam & Montague, Models for metasearch, SIGIR 2001"

    def scores(self, stack: Stack) -> FloatArray:
        # A document that a run does not list, or beyond the last segment, has the floor's odds there.
        worth = self.by_run(stack, self.known - NOT_LISTED, past=0.0)
        return stack.sum(worth) + stack.runs * NOT_LISTED

    def estimate(self, lessons: Lessons) -> FloatArray:
        share = lessons.shares(BAYESFUSE_CUTS)
        share = np.where(share == 0, FLOOR, share)
        against = np.where(share == 1, FLOOR, 1 - share)
        odds: FloatArray = np.log(share / against)
        return np.repeat(odds, np.diff(BAYESFUSE_CUTS), axis=1)


class MapFuse(LearnedMethod):
    """The reciprocal rank times the mean average precision of the run on judged queries."""

    name = ranx = "mapfuse"
    formula = "Σ MAP / rank"
    reference = "Lillis et al., Estimating probabilities for effective data fusion, SIGIR 2010"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(self.by_run(stack, self.known / stack.ranks))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.average_precision()[:, np.newaxis]


class PosFuse(LearnedMethod):
    """The share of relevant documents at the rank in judged queries."""

    name = ranx = "posfuse"
    formula = "Σ P(relevant | run, rank)"
    reference = "Lillis et al., Estimating probabilities for effective data fusion, SIGIR 2010"

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(self.by_run(stack, self.known))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.chances()


class ProbFuse(LearnedMethod):
    """The share of relevant documents in the same of equal segments of the list, over its number."""

    name = ranx = "probfuse"
    formula = "Σ P(relevant | run, segment) / segment"
    reference = "Lillis et al., ProbFuse: a probabilistic approach to data fusion, SIGIR 2006"

    segments: int = parameter(whole_number(), default=25, tries=(1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100))

    def scores(self, stack: Stack) -> FloatArray:
        segment = (stack.rank - 1) // -(-stack.length // self.segments)
        worth = self.known / np.arange(1.0, self.segments + 1)
        return stack.sum(stack.average_ties(worth[stack.run, segment]))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.segment_chances(self.segments)


SEGFUSE_CUTS = (0, *(10 * 2**k - 5 for k in range(10)))
"""Where segments end: after 5, 15, 35, 75 … documents."""


class SegFuse(LearnedMethod):
    """The share of relevant documents in the same of growing segments of the list, times the score."""

    name = ranx = "segfuse"
    formula = "Σ P(relevant | run, segment) · (s + 1)"
    reference = "Shokouhi, Segmentation of search engine results for effective data-fusion, ECIR 2007"
    looks_at = Evidence.BOTH

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(self.by_run(stack, self.known) * (stack.score + 1))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return np.repeat(lessons.shares(SEGFUSE_CUTS), np.diff(SEGFUSE_CUTS), axis=1)


class SlideFuse(LearnedMethod):
    """The mean share of relevant documents at the ranks around, in judged queries."""

    name = ranx = "slidefuse"
    formula = "Σ mean of P(relevant | run, rank − window … rank + window)"
    reference = "Lillis et al., Extending probabilistic data fusion using sliding windows, ECIR 2008"

    window: int = parameter(whole_number(least=0), default=5, tries=(0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100))

    def scores(self, stack: Stack) -> FloatArray:
        known = self.known
        width = max(known.shape[1], int(stack.sizes.max(initial=0)))
        sums = np.zeros((len(known), width + 1))
        sums[:, 1 : known.shape[1] + 1] = known
        sums = np.cumsum(sums, axis=1)
        low = np.maximum(stack.rank - 1 - self.window, 0)
        high = np.minimum(stack.rank - 1 + self.window, stack.length - 1) + 1
        return stack.sum(stack.average_ties((sums[stack.run, high] - sums[stack.run, low]) / (high - low)))

    def estimate(self, lessons: Lessons) -> FloatArray:
        return lessons.chances()
