"""NumRel: number of relevant documents."""

import numpy as np

from rankgauge.measures.measure import OPEN, Aggregate, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class NumRel(Measure):
    """How many relevant documents were judged, retrieved or not.

    With `answered_only`, those of a query that the run does not answer do not count, as in trec_eval 8.
    """

    facts = Facts(
        title="Number of relevant documents",
        formula=r"R = |\{d : g_d \ge \mathrm{rel}\}|",
        reference="trec_eval, m_num_rel; ir-measures, NumRel",
        bounds=(0.0, np.inf),
        ties=TieRule.IMMUNE,
        examples=(
            Example("NumRel", (1, None, 2, 0), missed=(1, 0), value="3"),
            Example("NumRel(rel=2)", (2, 1, 3), missed=(2,), value="3"),
            Example("NumRel", (None,), value="0"),
            Example("NumRel(answered_only=True)", (), missed=(1, 2), value="0"),
            Example("NumRel(answered_only=True)", (None,), missed=(1, 2), value="2"),
        ),
        aggregate=Aggregate.SUM,
    )
    rel: float = OPEN
    answered_only: bool | None = None

    def values(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        return np.where(lists.retrieved > 0, R, 0.0) if self.answered_only else R
