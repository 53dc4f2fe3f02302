"""PJG@k: precision, the mean over groups of judgments."""

from rankgauge.measures.binary.p import P
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.measures.precision import mean_over_groups
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class PJG(Measure):
    """Precision by the judgments of each group, such as an assessor, and the mean over the groups."""

    facts = Facts(
        title="Precision at k over groups of judgments",
        formula=r"\frac{1}{G}\sum_{i=1}^{G} \mathrm{P}_i@k",
        reference="trec_eval 9.0.8, P_avgjg",
        cutoff=Cutoff.REQUIRED,
        judgments=JudgmentKind.GROUPS,
        examples=(
            Example("PJG@2", ((1, 0), None, (0, 2)), missed=((1, 0),), value="(1/2 + 0/2) / 2"),
            Example("PJG(rel=2)@3", ((1, 2), (2, 2), (0, 1), (2, 2)), missed=((0, 2),), value="(1/3 + 2/3) / 2"),
        ),
    )
    cutoff: int = OPEN
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return mean_over_groups(lists, P(cutoff=self.cutoff, rel=self.rel).values)
