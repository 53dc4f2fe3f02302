"""nERR_IA: expected reciprocal rank over the intents of a query, against the ideal order's."""

from rankgauge.measures.diversity.alpha_ndcg import alpha_nDCG
from rankgauge.measures.intents import GREEDY, Discounted, by_rank
from rankgauge.measures.measure import Cutoff, Example, Facts
from rankgauge.policies import JudgmentKind


class nERR_IA(alpha_nDCG):
    """The gain of documents by the reciprocals of their ranks, divided by that of the ideal order of the judged
    documents: ndeval's greedy one, or the best one for short lists with ideal_order='exact'."""

    facts = Facts(
        title="Normalised intent-aware expected reciprocal rank",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / r}"
        r"{\sum_i p_i \sum_{r=1}^{k} [g^*_{ri} \ge \mathrm{rel}] (1-\alpha)^{n^*_{ri}} / r}",
        reference="Clarke, Craswell, Soboroff & Ashkan, A comparative analysis of cascade measures for novelty and "
        "diversity, WSDM 2011; ndeval 4.5",
        bounds=(0.0, GREEDY),
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "nERR_IA@3",
                ((1, 0), None, (2, 1), (0, 1)),
                missed=((0, 1),),
                value="(1 + (0.5 + 1)/3) / (2 + 0.5/2 + 0.5/3)",
            ),
            Example(
                "nERR_IA(alpha=0.2, rel=2)@2",
                ((2, 1), (3, 0), (0, 2)),
                missed=((0, 0),),
                value="(1 + 0.8/2) / (1 + 1/2)",
            ),
        ),
    )

    @property
    def discounted(self) -> Discounted:
        return by_rank
