"""SDCG@k: discounted cumulated gain as a share of what k documents of the top grade gain."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import discount
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.measures.user_models import gains, lowest_grade, shorthands
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class SDCG(Measure):
    """The discounted gain of the first k documents, as a share of that of k documents of the top grade.

    Unlike nDCG it does not depend on how many relevant documents there are.
    """

    facts = Facts(
        title="Scaled discounted cumulated gain",
        formula=r"\frac{\sum_{r=1}^{k} g_r / \log_2(r + 1)}{\sum_{r=1}^{k} 1 / \log_2(r + 1)}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008; "
        "ir-measures and cwl_eval",
        cutoff=Cutoff.REQUIRED,
        graded=True,
        examples=(
            Example("SDCG(max_grade=2)@2", (1, 2, 2), missed=(2,), value="(1/2 + 1/log2(3)) / (1 + 1/log2(3))"),
            Example("SDCG(max_rel=4)@3", (2, None), missed=(4,), value="(2/4) / (1 + 1/log2(3) + 1/2)"),
        ),
    )
    shorthands = {**shorthands(), "dcg": lambda name: {}}  # ir-measures' dcg='log2' is the only one there is

    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def numerator(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=self._worth, weight=discount("log2"), cutoff=self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.full_like(lists.retrieved, discount("log2")(np.arange(1.0, self.cutoff + 1)).sum())

    def _worth(self, lists: RankedLists) -> FloatArray:
        return gains(lists, self.min_grade, self.max_grade)
