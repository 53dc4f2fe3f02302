"""NumRet: number of documents retrieved."""

import numpy as np

from rankgauge.measures.measure import Aggregate, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import UNJUDGED, RankedLists


class NumRet(Measure):
    """How many documents the list has; with `rel`, how many of them have at least that grade."""

    facts = Facts(
        title="Number of documents retrieved",
        formula=r"|L|",
        reference="trec_eval, m_num_ret; ir-measures, NumRet",
        bounds=(0.0, np.inf),
        ties=TieRule.IMMUNE,
        examples=(
            Example("NumRet", (1, None, 2, 0), missed=(1,), value="4"),
            Example("NumRet(rel=2)", (2, 1, None, 3), missed=(2,), value="2"),
            Example("NumRet(rel=0)", (2, 0, None, 3), missed=(0,), value="3"),
            Example("NumRet", (), missed=(1,), value="0"),
        ),
        aggregate=Aggregate.SUM,
        counts_unjudged=True,
    )
    rel: float = UNJUDGED
    """Below every grade: by default unjudged documents count too, under every dialect."""

    def values(self, lists: RankedLists) -> FloatArray:
        return lists.retrieved if self.rel == UNJUDGED else lists.found(self.rel)
