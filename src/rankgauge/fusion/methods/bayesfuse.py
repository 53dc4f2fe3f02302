"""bayesfuse: the odds that a document at this rank is relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import Evidence, LearnedMethod
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray

CUTS = (0, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Where segments end."""

FLOOR = 0.001
NOT_LISTED = math.log(FLOOR / (1 - FLOOR))
"""The least chance of relevance, and its odds."""


@dataclass(frozen=True, kw_only=True)
class BayesFuse(LearnedMethod):
    """The sum of the logarithms of the odds of relevance at the rank in judged queries, as ranx has it.

    The paper divides the chance of the rank among relevant documents by that among the others.
    """

    name = "bayesfuse"
    formula = "Σ ln (P(relevant | run, segment) / P(not relevant | run, segment))"
    reference = "Aslam & Montague, Models for metasearch, SIGIR 2001"
    ranx = "bayesfuse"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        # A document that a run does not list, or beyond the last segment, has the floor's odds there.
        worth = self.by_run(stack, self.known - NOT_LISTED, past=0.0)
        return stack.sum(worth) + stack.runs * NOT_LISTED

    def estimate(self, lessons: Lessons) -> FloatArray:
        share = lessons.shares(CUTS)
        share = np.where(share == 0, FLOOR, share)
        against = np.where(share == 1, FLOOR, 1 - share)
        odds: FloatArray = np.log(share / against)
        return np.repeat(odds, np.diff(CUTS), axis=1)
