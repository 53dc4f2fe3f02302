"""nNRBP: rank-biased precision of what is new, against the ideal order's."""

from rankgauge.measures.diversity.nrbp import NRBP
from rankgauge.measures.intents import GREEDY, ORDERS
from rankgauge.measures.measure import Example, Facts, choice
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class nNRBP(NRBP):
    """What a user gains who goes on to the next document with probability beta, divided by what the ideal order of the
    judged documents would give: ndeval's greedy one, or the best one for few documents with ideal_order='exact'."""

    facts = Facts(
        title="Normalised novelty- and rank-biased precision",
        formula=r"\frac{\sum_i p_i \sum_{r} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} \beta^{r-1}}"
        r"{\sum_i p_i \sum_{r} [g^*_{ri} \ge \mathrm{rel}] (1-\alpha)^{n^*_{ri}} \beta^{r-1}}",
        reference="Clarke, Kolla & Vechtomova, An effectiveness measure for ambiguous and underspecified queries, "
        "ICTIR 2009; ndeval 4.5",
        bounds=(0.0, GREEDY),
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "nNRBP",
                ((1, 0), None, (2, 1)),
                missed=((0, 1),),
                value="(1 + (0.5 + 1) * 0.5**2) / (2 + 0.5 * 0.5 + 0.5 * 0.5**2)",
            ),
            Example(
                "nNRBP(alpha=0.2, beta=0.8, rel=2)",
                ((2, 1), (3, 0), (0, 2)),
                missed=((0, 0),),
                value="(1 + 0.8 * 0.8 + 1 * 0.8**2) / (1 + 1 * 0.8 + 0.8 * 0.8**2)",
            ),
        ),
    )
    ideal_order: str | None = choice("ideal order", ORDERS)

    def values(self, lists: RankedLists) -> FloatArray:
        value = super().values if self.constant else self.novelty.of
        return self.novelty.against_ideal(lists, self.ideal_order, value)
