"""SetRelativeP: set precision against the best that a set of this size can have."""

import numpy as np

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists


class SetRelativeP(Measure):
    """The precision of the retrieved set, divided by the highest precision that a set of its size can reach."""

    facts = Facts(
        title="Relative set precision",
        formula=r"\frac{R_{ret}}{\min(n, R)}",
        reference="trec_eval 9.0.8, set_relative_P (exact_relative_prec before version 9)",
        ties=TieRule.IMMUNE,
        attains=True,
        examples=(
            Example("SetRelativeP", (1, 0, None), missed=(1, 2, 1), value="1 / 3"),
            Example("SetRelativeP(rel=2)", (2, 1, 0, None), missed=(2,), value="1 / 2"),
            Example("SetRelativeP", (0, None), value="nan"),
        ),
        counts_unjudged=True,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return ratio(lists.found(self.rel), np.minimum(lists.retrieved, lists.total_relevant(self.rel)))
