"""SetAP: average precision of an unranked set."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists


class SetAP(Measure):
    """Set precision times set recall: what average precision would be if every relevant document came last."""

    facts = Facts(
        title="Set average precision",
        formula=r"\frac{a}{a + b} \cdot \frac{a}{a + c}",
        reference="trec_eval, m_set_map; Voorhees & Harman, TREC: Experiment and Evaluation, 2005",
        ties=TieRule.IMMUNE,
        better=True,
        examples=(
            Example("SetAP", (1, None, 2, 0), missed=(1,), value="2/4 * 2/3"),
            Example("SetAP(rel=2)", (2, 1, 3), missed=(2, 2, 1), value="2/3 * 2/4"),
            Example("SetAP", (0, None), missed=(0,), value="nan"),
        ),
        counts_unjudged=True,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = lists.found(self.rel)
        return ratio(found * found, lists.retrieved * lists.total_relevant(self.rel))
