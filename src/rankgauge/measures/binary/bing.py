"""binG: a gain for each relevant document, discounted by the documents that it should have been ranked above."""

import numpy as np

from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class binG(Measure):
    """The mean, over all relevant documents, of 1 / log2(2 + the documents before it that are not relevant)."""

    facts = Facts(
        title="Binary G",
        formula=r"\frac{1}{R}\sum_{r=1}^{n} \frac{[g_r \ge \mathrm{rel}]}{\log_2(2 + \sum_{i<r} [g_i < \mathrm{rel}])}",
        reference="trec_eval 9.0.8, binG",
        attains=True,
        examples=read_examples("""
            binG of 1 0 - 2 | 1 = (1/log2(2) + 1/log2(4)) / 3
            binG(rel=2) of 1 2 2 | 1 2 = (1/log2(3) + 1/log2(3)) / 3
        """),
    )
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        """Return what each relevant hit gains.

        In a tie group with N other documents, a relevant one has 0, 1, … N of them before it equally often.
        """
        relevant = lists.relevant(self.rel).astype(float)
        before, within = lists.earlier(relevant)
        first, size = (lists.ranks, 1.0) if lists.first is None or lists.size is None else (lists.first, lists.size)
        low = np.where(relevant > 0, first - 1.0 - before, 0.0).astype(np.intp)
        others = np.where(relevant > 0, size - within, 0.0).astype(np.intp)
        discounts = 1.0 / np.log2(2.0 + np.arange(int(np.max(low + others, initial=0)) + 1))
        reached = np.concatenate([[0.0], np.cumsum(discounts)])
        shared = (reached[low + others + 1] - reached[low]) / (others + 1)
        return np.asarray(relevant * np.where(others > 0, shared, discounts[low]))

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)
