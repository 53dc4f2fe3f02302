"""Utility: what a retrieved set is worth, document by document."""

import math

from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class Utility(Measure):
    """A sum over the collection: each document is worth what its kind is worth.

    The four kinds are retrieved and relevant, retrieved and not relevant, missed (relevant, not retrieved), and the
    rest; `collection` is the number of documents there are, which only the rest needs.
    """

    facts = Facts(
        title="Set utility",
        formula=r"p_1 R_{ret} + p_2 (n - R_{ret}) + p_3 (R - R_{ret}) + p_4 (N - n - R + R_{ret})",
        reference="Lewis, The TREC-4 filtering track, TREC 1995; trec_eval 9.0.8, utility",
        bounds=(-math.inf, math.inf),
        ties=TieRule.IMMUNE,
        better=True,
        examples=read_examples("""
            Utility of 1 0 - 2 | 1 = 2 - 2
            Utility(relevant=3, nonrelevant=-2, missed=-1, rest=0.5, collection=10) of 1 0 - 2 | 1 = 3 * 2 - 2 * 2 -\
                 1 * 1 + 0.5 * (10 - 4 - 1)
            Utility(rest=0.5) of 1 | 1 = 1 + 0.5 * (0 + 1 - 1 - 2)
        """),
        counts_unjudged=True,
    )
    relevant: float = 1.0
    nonrelevant: float = -1.0
    missed: float = 0.0
    rest: float = 0.0
    collection: float = 0.0
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found, R, n = lists.found(self.rel), lists.total_relevant(self.rel), lists.retrieved
        return (
            self.relevant * found
            + self.nonrelevant * (n - found)
            + self.missed * (R - found)
            + self.rest * (self.collection + found - n - R)
        )
