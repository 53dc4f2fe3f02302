"""YAAP: yet another average precision, as log odds."""

import numpy as np

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.measures.precision import cumulated_precision
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class YAAP(Measure):
    """Average precision as smoothed log odds, which make a better mean over queries than shares do.

    The precisions at relevant documents add up to how many count as found; the rest of the R counts as missed, and each
    of the two is one more. It orders the lists of a query as AP does. Without a relevant document it is 0: even odds.
    """

    facts = Facts(
        title="Yet another average precision",
        formula=r"\ln \frac{1 + S}{1 + R - S}, \quad S = \sum_r [g_r \ge \mathrm{rel}] \, P@r",
        reference="Robertson, On smoothing average precision, ECIR 2012; trec_eval 9.0.8, yaap",
        bounds=(-np.inf, np.inf),
        ties=TieRule.SAMPLED,
        examples=(
            Example(
                "YAAP", (1, 0, 2, None, 1), missed=(1,), value="log((1 + 1 + 2/3 + 3/5) / (1 + 4 - 1 - 2/3 - 3/5))"
            ),
            Example("YAAP(rel=2)", (1, 2, 0, 1), missed=(2,), value="log((1 + 1/2) / (1 + 2 - 1/2))"),
        ),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = total(cumulated_precision(lists, lists.relevant(self.rel).astype(float)))
        return np.log((1.0 + found) / (1.0 + lists.total_relevant(self.rel) - found))
