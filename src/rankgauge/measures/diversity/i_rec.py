"""I_rec and StRecall: the share of a query's intents that the list serves."""

import numpy as np

from rankgauge.measures.binary.success import Success
from rankgauge.measures.intents import intent_facts, intent_mean, intents
from rankgauge.measures.measure import OPEN, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class I_rec(Measure):
    """The share of a query's subtopics that have a relevant document among the first k.

    Unlike in StRecall, every subtopic counts the same, whatever its probability and even if nothing is relevant to it:
    those of the judgments, and with --intents those that have a probability there and no judgments.
    """

    facts = intent_facts(
        title="Intent recall",
        formula=r"\frac{1}{|I|}\sum_i \max_{r \le k} [g_{ri} \ge \mathrm{rel}]",
        reference="Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
        examples=read_examples("""
            I_rec@2 of 1,0,0 2,0,0 0,1,0 | 0,0,0 = 1 / 3
            I_rec(rel=2) of 1,2,0 - 0,2,1 | 2,0,3 = 1 / 3
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        assert lists.facets is not None
        found = Success(cutoff=self.cutoff, rel=self.rel).values(lists.by_facet)
        return intent_mean(found, np.where(np.isnan(lists.facets.weights), 0.0, 1.0))


class StRecall(Measure):
    """The share of subtopics, of those with a relevant document, that have one among the first k."""

    facts = intent_facts(
        title="Subtopic recall",
        formula=r"\sum_i p_i \max_{r \le k} [g_{ri} \ge \mathrm{rel}]",
        reference="Zhai, Cohen & Lafferty, Beyond independent relevance, SIGIR 2003; ndeval 4.5, strec",
        examples=read_examples("""
            StRecall@2 of 1,0,0 2,0,0 0,1,0 | 0,0,0 = 1 / 2
            StRecall(rel=2) of 1,2,0 - 0,2,1 | 2,0,3 = 1 / 3
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = Success(cutoff=self.cutoff, rel=self.rel).values(lists.by_facet)
        return intent_mean(np.asarray(found), intents(lists, self.rel))
