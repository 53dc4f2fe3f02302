"""NumNonrelJudgedRet: how many retrieved documents were judged not relevant."""

import math

import numpy as np

from rankgauge.measures.measure import OPEN, Aggregate, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class NumNonrelJudgedRet(Measure):
    """The number of retrieved documents that were judged, and judged not relevant."""

    facts = Facts(
        title="Retrieved documents judged not relevant",
        formula=r"\sum_{r=1}^{n} [0 \le g_r < \mathrm{rel}]",
        reference="trec_eval 9.0.8, num_nonrel_judged_ret",
        bounds=(0.0, math.inf),
        ties=TieRule.IMMUNE,
        improves=False,
        examples=(
            Example("NumNonrelJudgedRet", (1, 0, None, 2, 0), missed=(0, 1), value="2"),
            Example("NumNonrelJudgedRet(rel=2)", (1, 0, None, 2, 0), missed=(2,), value="3"),
        ),
        aggregate=Aggregate.SUM,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return np.asarray(lists.nonrelevant(self.rel).sum(axis=-1), dtype=np.float64)
