"""SetF: the harmonic mean of set precision and set recall."""

import numpy as np

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists


class SetF(Measure):
    """The weighted harmonic mean of set precision and set recall; 0 if one of them is 0.

    `beta` weighs recall against precision as in trec_eval and ir-measures: it is in the formula itself, where
    van Rijsbergen has its square.
    """

    facts = Facts(
        title="Set F",
        formula=r"\frac{(1 + \beta) \, p \, r}{\beta p + r}, \quad p \text{ set precision, } r \text{ set recall}",
        reference="van Rijsbergen, Information Retrieval, 1979; trec_eval, m_set_F",
        ties=TieRule.IMMUNE,
        better=True,
        examples=(
            Example("SetF", (1, None, 2, 0), missed=(1,), value="2 / (1/(2/4) + 1/(2/3))"),
            Example(
                "SetF(beta=3, rel=2)",
                (2, 1, 3),
                missed=(2, 2, 1),
                value="(1 + 3) * (2/3) * (2/4) / (3 * (2/3) + (2/4))",
            ),
            Example("SetF", (1, 0), value="2 / (1/(1/2) + 1/1)"),
            Example("SetF", (0, None), missed=(1, 2), value="0"),
            Example("SetF", (), missed=(1,), value="0"),
            Example("SetF", (), missed=(0,), value="nan"),
        ),
        counts_unjudged=True,
    )
    beta: float = 1.0
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = lists.found(self.rel)
        R = lists.total_relevant(self.rel)
        precision, recall = ratio(found, lists.retrieved), ratio(found, R)
        # Where nothing was found, precision or recall is 0 and so is F; only with nothing to find either is it 0/0.
        with_hits = ratio((self.beta + 1.0) * precision * recall, self.beta * precision + recall)
        return np.where(found > 0, with_hits, ratio(found, R + lists.retrieved))
