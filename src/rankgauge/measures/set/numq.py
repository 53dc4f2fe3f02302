"""NumQ: number of queries."""

import numpy as np

from rankgauge.measures.measure import Aggregate, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class NumQ(Measure):
    """One for each query, so that the sum counts them."""

    facts = Facts(
        title="Number of queries",
        formula=r"1",
        reference="trec_eval, m_num_q; ir-measures, NumQ",
        bounds=(1.0, 1.0),
        ties=TieRule.IMMUNE,
        attains=True,
        examples=(
            Example("NumQ", (1, None, 2), missed=(1,), value="1"),
            Example("NumQ", (), value="1"),
        ),
        aggregate=Aggregate.SUM,
    )

    def values(self, lists: RankedLists) -> FloatArray:
        return np.ones_like(lists.retrieved)
