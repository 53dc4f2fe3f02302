"""APJG: average precision, the mean over groups of judgments."""

from rankgauge.measures.binary.ap import AP
from rankgauge.measures.measure import OPEN, Example, Facts, Measure
from rankgauge.measures.precision import mean_over_groups
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class APJG(Measure):
    """Average precision by the judgments of each group, such as an assessor, and the mean over the groups."""

    facts = Facts(
        title="Average precision over groups of judgments",
        formula=r"\frac{1}{G}\sum_{i=1}^{G} \mathrm{AP}_i",
        reference="trec_eval 9.0.8, map_avgjg",
        judgments=JudgmentKind.GROUPS,
        examples=(
            Example("APJG", ((1, 0), None, (0, 2)), missed=((1, 0),), value="(1/2 + 1/3) / 2"),
            Example("APJG(rel=2)", ((1, 2), (2, 0)), missed=((0, 2),), value="(1/2 + 1/2) / 2"),
        ),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return mean_over_groups(lists, AP(rel=self.rel, out_of=None).values)
