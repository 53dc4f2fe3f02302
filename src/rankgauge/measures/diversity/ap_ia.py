"""AP_IA, P_IA, I_rec and StRecall: plain measures by intent, and their means over the intents."""

import numpy as np

from rankgauge.measures.binary.ap import AP
from rankgauge.measures.binary.success import Success
from rankgauge.measures.intents import intent_facts, intent_mean, intent_sum, intents
from rankgauge.measures.measure import OPEN, Measure, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class AP_IA(Measure):
    """The mean, over the subtopics with a relevant document, of average precision; ndeval's MAP-IA."""

    facts = intent_facts(
        title="Intent-aware average precision",
        formula=r"\sum_i p_i \frac{1}{R_i}\sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] \, P_i@r",
        reference="Agrawal, Gollapudi, Halverson & Ieong, Diversifying search results, WSDM 2009; ndeval 4.5",
        examples=read_examples("""
            AP_IA of 1,0 - 2,1 | 0,1 = ((1/1 + 2/3) / 2 + (1/3) / 2) / 2
            AP_IA(rel=2)@2 of 2,1 3,0 0,2 | 2,0 = ((1/1 + 2/2) / 3 + 0) / 2
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        each = AP(cutoff=self.cutoff, rel=self.rel, out_of=None).values(lists.by_facet)
        return intent_mean(each, intents(lists, self.rel))


class P_IA(Measure):
    """The mean, over the subtopics with a relevant document, of the share of relevant documents among the first k."""

    facts = intent_facts(
        title="Intent-aware precision at k",
        formula=r"\sum_i p_i \frac{1}{k}\sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}]",
        reference="Agrawal, Gollapudi, Halverson & Ieong, Diversifying search results, WSDM 2009; ndeval 4.5",
        examples=read_examples("""
            P_IA@3 of 1,0 - 2,1 0,1 | 0,1 = (2/3 + 1/3) / 2
            P_IA(rel=2)@5 of 2,1,0 3,0,1 | 0,2,0 = (2/5 + 0) / 2
        """),
    )
    cutoff: int = OPEN
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        each, weights = lists.by_facet.top(self.cutoff), intents(lists, self.rel)
        relevant = total(each.relevant(self.rel) * each.inside(self.cutoff))
        return ratio(intent_sum(relevant, weights), self.cutoff * total(weights))


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
        served = Success(cutoff=self.cutoff, rel=self.rel).values(lists.by_facet)
        return intent_mean(served, np.where(np.isnan(lists.facets.weights), 0.0, 1.0))


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
        served = Success(cutoff=self.cutoff, rel=self.rel).values(lists.by_facet)
        return intent_mean(np.asarray(served), intents(lists, self.rel))
