"""RprecMultJG: precision at a multiple of R, the mean over groups of judgments."""

from rankgauge.measures.binary.rprec_mult import RprecMult
from rankgauge.measures.measure import OPEN, Example, Facts, Measure
from rankgauge.measures.precision import mean_over_groups
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class RprecMultJG(Measure):
    """Precision after a multiple of R documents by the judgments of each group, and the mean over the groups."""

    facts = Facts(
        title="Precision at a multiple of R over groups of judgments",
        formula=r"\frac{1}{G}\sum_{i=1}^{G} \mathrm{P}_i@\lfloor m R_i + 0.9 \rfloor",
        reference="trec_eval 9.0.8, Rprec_mult_avgjg",
        judgments=JudgmentKind.GROUPS,
        examples=(
            Example("RprecMultJG", ((1, 0), None, (0, 2)), missed=((1, 0),), value="(1/2 + 0/1) / 2"),
            Example(
                "RprecMultJG(multiple=2, rel=2)", ((2, 0), (1, 2), (0, 2)), missed=((2, 0),), value="(1/4 + 2/4) / 2"
            ),
        ),
    )
    multiple: float = 1.0
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return mean_over_groups(lists, RprecMult(multiple=self.multiple, rel=self.rel).values)
