"""D_nDCG: gain of what a document is worth over all intents, alone and with intent recall."""

import numpy as np

from rankgauge.measures.diversity.ap_ia import I_rec
from rankgauge.measures.gains import DISCOUNTS, GAINS, cumulate, discount, final, gains
from rankgauge.measures.intents import intent_facts, intents, order_documents
from rankgauge.measures.measure import OPEN, SHARE, Measure, choice, parameter, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class D_nDCG(Measure):
    """Discounted cumulative gain against that of the ideal order, where a document gains the sum of its gains for the
    subtopics by their probabilities. It rewards documents for likely subtopics, and no variety as such."""

    facts = intent_facts(
        title="D-nDCG",
        formula=r"\frac{\sum_{r=1}^{k} G_r\,d(r)}{\sum_{r=1}^{k} G^*_r\,d(r)}, \quad "
        r"G_r = \sum_i p_i\,\mathrm{gain}(g_{ri})",
        reference="Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
        graded=True,
        examples=read_examples("""
            D_nDCG@2 of 1,0 2,3 1,1 | 0,2 = (1 + 5/log2(3)) / (5 + 2/log2(3))
            D_nDCG(gain='exp') of 0,2 - 1,1 | 3,0 = (3 + 2/log2(4)) / (7 + 3/log2(3) + 2/log2(4))
        """),
    )
    cutoff: int | None = None
    gain: str | None = choice("gain", GAINS)
    discount: str | None = choice("discount", DISCOUNTS)

    def values(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        gained = total(self._worth(top) * top.weigh(discount(str(self.discount)), self.cutoff))
        assert lists.facets is not None
        shape = lists.facets.pool.shape[:-1]
        pool = order_documents(lists, np.broadcast_to(np.arange(shape[-1]), shape))
        worth = -np.sort(-np.maximum(self._worth(pool), 0.0), axis=-1)[..., : self.cutoff]
        return ratio(gained, final(cumulate(worth, discount(str(self.discount)))))

    def facet_worth(self, grades: FloatArray) -> FloatArray:
        return GAINS[str(self.gain)](grades)

    def _worth(self, lists: RankedLists) -> FloatArray:
        """Return what each hit gains over all subtopics, by their weights."""
        each = gains(lists.by_facet, str(self.gain)) * intents(lists)[..., np.newaxis]
        return total(np.moveaxis(each, -2, -1))


class Dsharp_nDCG(D_nDCG):
    """The mean of intent recall and D-nDCG, with the weight gamma for intent recall: D♯-nDCG of NTCIR's tasks."""

    facts = intent_facts(
        title="D♯-nDCG",
        formula=r"\gamma \, I\text{-}rec@k + (1 - \gamma) \, D\text{-}nDCG@k",
        reference="Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
        graded=True,
        examples=read_examples("""
            Dsharp_nDCG@2 of 1,0 2,0 1,1 | 0,2 = 0.5 * 1/2 + 0.5 * (1 + 2/log2(3)) / (2 + 2/log2(3))
            Dsharp_nDCG(gamma=0.2, gain='exp')@1 of 0,2 1,1 | 3,0 = 0.2 * 1/2 + 0.8 * 3 / 7
        """),
    )
    rel: float = OPEN
    gamma: float = parameter(SHARE, default=0.5, words="how much intent recall weighs")

    def values(self, lists: RankedLists) -> FloatArray:
        served = I_rec(cutoff=self.cutoff, rel=self.rel).values(lists)
        return self.gamma * served + (1.0 - self.gamma) * super().values(lists)
