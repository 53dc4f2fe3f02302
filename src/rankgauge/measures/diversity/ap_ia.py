"""AP_IA and P_IA: average precision and precision over the intents of a query."""

from rankgauge.measures.binary.ap import AP
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
        found = total(each.relevant(self.rel) * each.inside(self.cutoff))
        return ratio(intent_sum(found, weights), self.cutoff * total(weights))
