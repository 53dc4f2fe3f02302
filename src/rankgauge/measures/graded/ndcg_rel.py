"""nDCGRel: nDCG averaged over the relevant documents."""

import numpy as np

from rankgauge.measures.gains import cumulate, discount, final, gains, ideal_gains
from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class nDCGRel(Measure):
    """The mean, over all documents with a gain, of nDCG at their ranks; those not retrieved count with nDCG of all."""

    facts = Facts(
        title="nDCG averaged over the relevant documents",
        formula=r"\frac{1}{R}\left(\sum_{r : \gamma_r > 0} nDCG@r + (R - R_{ret})\, nDCG\right)",
        reference="trec_eval 9.0.8, ndcg_rel",
        ties=TieRule.SAMPLED,
        graded=True,
        improves=False,
        attains=True,
        examples=read_examples("""
            nDCGRel of 1 - 2 | 1 = (1/2 + 2 * (1 + 2/log2(4)) / (2 + 1/log2(3) + 1/log2(4))) / 3
            nDCGRel(gains={1: 3, 2: 7}) of 0 2 1 = (7/log2(3) + 7/log2(3) + 3/log2(4)) / (7 + 3/log2(3)) / 2
            nDCGRel of 0.5 | 0.5 = (1 + .5 / (.5 + .5/log2(3))) / 2
        """),
    )
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None

    def values(self, lists: RankedLists) -> FloatArray:
        weight = discount(self.discount)
        ideal = ideal_gains(lists, self.gain, self.gains)
        gained = gains(lists, self.gain, self.gains)
        best = cumulate(ideal, weight)
        best = np.concatenate([np.zeros((*best.shape[:-1], 1)), best], axis=-1)
        running = np.cumsum(gained * lists.weigh(weight), axis=-1)
        last = np.minimum(np.where(lists.hits, lists.ranks, 0.0), ideal.shape[-1]).astype(np.intp)
        there = np.where(gained > 0, ratio(running, np.take_along_axis(best, last, axis=-1)), 0.0)
        missed = (ideal > 0).sum(axis=-1) - (gained > 0).sum(axis=-1)
        whole = missed * final(running) / np.where(final(best) > 0, final(best), 1.0)
        return ratio(total(there) + whole, (ideal > 0).sum(axis=-1).astype(float))
