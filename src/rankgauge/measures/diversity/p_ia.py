"""P_IA: precision at a rank over the intents of a query."""

from rankgauge.measures.intents import intent_sum, intents
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists, total


class P_IA(Measure):
    """The mean, over the subtopics with a relevant document, of the share of relevant documents among the first k."""

    facts = Facts(
        title="Intent-aware precision at k",
        formula=r"\sum_i p_i \frac{1}{k}\sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}]",
        reference="Agrawal, Gollapudi, Halverson & Ieong, Diversifying search results, WSDM 2009; ndeval 4.5",
        cutoff=Cutoff.REQUIRED,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example("P_IA@3", ((1, 0), None, (2, 1), (0, 1)), missed=((0, 1),), value="(2/3 + 1/3) / 2"),
            Example("P_IA(rel=2)@5", ((2, 1, 0), (3, 0, 1)), missed=((0, 2, 0),), value="(2/5 + 0) / 2"),
        ),
    )
    cutoff: int = OPEN
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        each, weights = lists.by_facet.top(self.cutoff), intents(lists, self.rel)
        found = total(each.relevant(self.rel) * each.inside(self.cutoff))
        return ratio(intent_sum(found, weights), self.cutoff * total(weights))
