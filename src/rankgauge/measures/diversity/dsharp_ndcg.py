"""Dsharp_nDCG: D-nDCG and intent recall together."""

from dataclasses import field

from rankgauge.measures.diversity.d_ndcg import D_nDCG
from rankgauge.measures.diversity.i_rec import I_rec
from rankgauge.measures.intents import check_share
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class Dsharp_nDCG(D_nDCG):
    """The mean of intent recall and D-nDCG, with the weight gamma for intent recall: D♯-nDCG of NTCIR's tasks."""

    facts = Facts(
        title="D♯-nDCG",
        formula=r"\gamma \, I\text{-}rec@k + (1 - \gamma) \, D\text{-}nDCG@k",
        reference="Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        graded=True,
        examples=(
            Example(
                "Dsharp_nDCG@2",
                ((1, 0), (2, 0), (1, 1)),
                missed=((0, 2),),
                value="0.5 * 1/2 + 0.5 * (1 + 2/log2(3)) / (2 + 2/log2(3))",
            ),
            Example(
                "Dsharp_nDCG(gamma=0.2, gain='exp')@1",
                ((0, 2), (1, 1)),
                missed=((3, 0),),
                value="0.2 * 1/2 + 0.8 * 3 / 7",
            ),
        ),
    )
    rel: float = OPEN
    gamma: float = field(default=0.5, metadata={"words": "how much intent recall weighs"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.facts.name, "gamma", self.gamma)

    def values(self, lists: RankedLists) -> FloatArray:
        served = I_rec(cutoff=self.cutoff, rel=self.rel).values(lists)
        return self.gamma * served + (1.0 - self.gamma) * super().values(lists)
