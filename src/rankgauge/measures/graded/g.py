"""G: a gain for each document, discounted by how far the list is behind the ideal one."""

import numpy as np

from rankgauge.measures.gains import gains, ideal_gains
from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class G(Measure):
    """Normalised gain: a document's gain counts in full while the list keeps up with the ideal one.

    The discount of a document is the logarithm of what the list is behind at its rank: the ideal list's gain so far,
    at least 1 a rank, less the list's own.
    """

    facts = Facts(
        title="Normalised gain",
        formula=r"\frac{1}{\sum_i \gamma^*_i}\sum_{r=1}^{n} "
        r"\frac{\gamma_r}{\log_2(2 + \sum_{i \le r} (\max(\gamma^*_i, 1) - \gamma_i))}",
        reference="trec_eval 9.0.8, G",
        ties=TieRule.SAMPLED,
        graded=True,
        improves=False,
        attains=True,
        examples=read_examples("""
            G of 1 - 2 2 | 1 = (1/log2(2 + 2 - 1) + 2/log2(2 + 5 - 3) + 2/log2(2 + 6 - 5)) / 6
            G(gains={1: 3, 2: 7}) of 2 0 1 | 1 = (7/log2(2) + 3/log2(2 + 13 - 10)) / 13
        """),
    )
    gain: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None

    def amounts(self, lists: RankedLists) -> FloatArray:
        gained, ideal = gains(lists, self.gain, self.gains), ideal_gains(lists, self.gain, self.gains)
        # A rank below the ideal list's end costs 1, so its costs go on to the last rank of the block.
        beyond = max(0, int(np.nanmax(lists.ranks, initial=0)) - ideal.shape[-1])
        padded = np.concatenate([ideal, np.zeros((*ideal.shape[:-1], beyond))], axis=-1)
        costs = np.cumsum(np.maximum(padded, 1.0), axis=-1)
        cost = np.take_along_axis(costs, np.where(lists.hits, lists.ranks - 1, 0).astype(np.intp), axis=-1)
        behind = np.where(gained == 0, 0.0, cost - np.cumsum(gained, axis=-1))
        return gained / np.log2(2.0 + behind)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return total(ideal_gains(lists, self.gain, self.gains))
