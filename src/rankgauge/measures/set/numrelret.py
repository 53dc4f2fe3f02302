"""NumRelRet: number of relevant documents retrieved."""

import numpy as np

from rankgauge.measures.measure import OPEN, Aggregate, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class NumRelRet(Measure):
    """How many relevant documents the list has."""

    facts = Facts(
        title="Number of relevant documents retrieved",
        formula=r"|\{d \in L : g_d \ge \mathrm{rel}\}|",
        reference="trec_eval, m_num_rel_ret",
        bounds=(0.0, np.inf),
        ties=TieRule.IMMUNE,
        examples=(
            Example("NumRelRet", (1, None, 2, 0), missed=(1,), value="2"),
            Example("NumRelRet(rel=2)", (2, 1, 3, 3), missed=(2,), value="3"),
            Example("NumRelRet", (None,), missed=(1,), value="0"),
        ),
        aggregate=Aggregate.SUM,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return lists.found(self.rel)
