"""ERR_IA: expected reciprocal rank over the intents of a query."""

from rankgauge.measures.diversity.alpha_dcg import alpha_DCG
from rankgauge.measures.intents import Discounted, by_rank
from rankgauge.measures.measure import Cutoff, Example, Facts
from rankgauge.policies import JudgmentKind


class ERR_IA(alpha_DCG):
    """The gain of documents by the reciprocals of their ranks, as a share of what they would gain if all were relevant
    to every subtopic.

    With alpha = 0.5 it is the mean over the subtopics of ERR on two levels of relevance, times a constant.
    """

    facts = Facts(
        title="Intent-aware expected reciprocal rank",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / r}"
        r"{\sum_i p_i \sum_{r=1}^{k} (1-\alpha)^{r-1} / r}",
        reference="Chapelle, Metzler, Zhang & Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; "
        "ndeval 4.5",
        cutoff=Cutoff.REQUIRED,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "ERR_IA@3",
                ((1, 0), None, (2, 1), (0, 1)),
                missed=((0, 1),),
                value="(1 + (0.5 + 1)/3) / (2 * (1 + 0.5/2 + 0.25/3))",
            ),
            Example(
                "ERR_IA(alpha=0.2, rel=2)@2",
                ((2, 1), (3, 0), (0, 2)),
                missed=((0, 0),),
                value="(1 + 0.8/2) / (2 * (1 + 0.8/2))",
            ),
        ),
    )

    @property
    def discounted(self) -> Discounted:
        return by_rank
