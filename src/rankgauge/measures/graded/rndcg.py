"""RnDCG: nDCG where the ideal order changes its grade."""

import numpy as np

from rankgauge.measures.gains import cumulate, discount, final, gains, ideal_gains
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class RnDCG(Measure):
    """The mean of nDCG at the ranks where the ideal order steps down to a lower gain, and at the end of the list.

    nDCG jumps at those ranks, which lie elsewhere for each query; measured there, queries can be compared. The end
    counts if at least two documents are below the last step: trec_eval ignores a single one.
    """

    facts = Facts(
        title="nDCG averaged over the steps of the ideal order",
        formula=r"\frac{1}{|S|}\sum_{k \in S} nDCG@k, \quad S = \{k : \gamma^*_k > \gamma^*_{k+1}\} \cup \{n\}",
        reference="trec_eval 9.0.8, Rndcg",
        graded=True,
        attains=True,
        examples=read_examples("""
            RnDCG of 1 - 2 0 0 | 1 = (1/2 + (1 + 2/log2(4)) / (2 + 1/log2(3) + 1/log2(4)) + (1 + 2/log2(4)) / (2 \
                + 1/log2(3) + 1/log2(4))) / 3
            RnDCG(gains={1: 3, 2: 7}) of 1 2 | 1 = (3/7 + (3 + 7/log2(3)) / (7 + 3/log2(3) + 3/log2(4))) / 2
            RnDCG of 0 1 = 0
            RnDCG of 0 1 0 = (0 + 1/log2(3)) / 2
            RnDCG of 0 2 | 1 = (0 + 2/log2(3) / (2 + 1/log2(3))) / 2
            RnDCG(rel=0.5) of 0.25 0.5 = (.25/.5 + (.25 + .5/log2(3)) / (.5 + .25/log2(3))) / 2
            RnDCG(rel=2) of 1 0 = nan
        """),
        counts_unjudged=True,
    )
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None
    rel: float = OPEN
    """The least grade of a relevant document; a query without one has no value."""

    def values(self, lists: RankedLists) -> FloatArray:
        ideal = ideal_gains(lists, self.gain, self.gains)
        gained, weight = gains(lists, self.gain, self.gains), discount(self.discount)
        best = cumulate(ideal, weight)
        found, steps = np.zeros_like(lists.retrieved), np.zeros_like(lists.retrieved)
        for step in np.unique(ideal[ideal > 0])[::-1]:
            inside, there = ideal >= step, (ideal == step).any(axis=-1)
            dcg = total(gained * lists.weigh(weight, inside.sum(axis=-1).astype(float)))
            value = ratio(dcg, np.max(best, axis=-1, where=inside, initial=0.0))
            found, steps = found + np.where(there, value, 0.0), steps + there
        end = (steps > 0) & (lists.retrieved > (ideal > 0).sum(axis=-1) + 1)
        whole = ratio(total(gained * lists.weigh(weight)), final(best))
        mean = ratio(found + np.where(end, whole, 0.0), steps + end)
        return np.where(lists.total_relevant(self.rel) > 0, mean, np.nan)
