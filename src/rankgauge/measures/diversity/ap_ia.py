"""AP_IA: average precision over the intents of a query."""

from rankgauge.measures.binary.ap import AP
from rankgauge.measures.intents import intent_mean, intents
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class AP_IA(Measure):
    """The mean, over the subtopics with a relevant document, of average precision; ndeval's MAP-IA."""

    facts = Facts(
        title="Intent-aware average precision",
        formula=r"\sum_i p_i \frac{1}{R_i}\sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] \, P_i@r",
        reference="Agrawal, Gollapudi, Halverson & Ieong, Diversifying search results, WSDM 2009; ndeval 4.5",
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "AP_IA",
                ((1, 0), None, (2, 1)),
                missed=((0, 1),),
                value="((1/1 + 2/3) / 2 + (1/3) / 2) / 2",
            ),
            Example("AP_IA(rel=2)@2", ((2, 1), (3, 0), (0, 2)), missed=((2, 0),), value="((1/1 + 2/2) / 3 + 0) / 2"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        each = AP(cutoff=self.cutoff, rel=self.rel, out_of=None).values(lists.by_facet)
        return intent_mean(each, intents(lists, self.rel))
