"""Accuracy: how often a relevant document is ranked above another."""

import numpy as np

from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class Accuracy(Measure):
    """The share of pairs in the right order, of all pairs of a relevant and another document among the first k.

    Unjudged documents count as not relevant. Not defined where the first k are all relevant or none is.
    """

    facts = Facts(
        title="Pairwise accuracy",
        formula=r"1 - \frac{\sum_{r \le k} [g_r \ge \mathrm{rel}] \, n_r}{a\,(\min(k, |L|) - a)}, "
        r"\quad n_r \text{ others before } r \text{, } a \text{ relevant documents among the first } k",
        reference="ir-measures, Accuracy",
        ties=TieRule.SAMPLED,
        # A relevant document that enters the first k at their end comes after every other document there.
        improves=False,
        attains=True,
        examples=read_examples("""
            Accuracy of 0 1 - 2 | 1 = 1 - (1 + 2) / (2 * 2)
            Accuracy(rel=2)@4 of 1 2 0 3 2 | 2 = 1 - (1 + 2) / (2 * 2)
            Accuracy of 1 2 | 0 = nan
        """),
        counts_unjudged=True,
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        limit = np.inf if self.cutoff is None else self.cutoff
        found = lists.relevant(self.rel) & (lists.ranks <= limit)
        relevant = np.asarray(found.sum(axis=-1), dtype=np.float64)
        others = np.minimum(lists.retrieved, limit) - relevant
        wrong = np.where(found, lists.ranks - np.cumsum(found, axis=-1), 0.0)
        return 1.0 - ratio(total(wrong), relevant * others)
