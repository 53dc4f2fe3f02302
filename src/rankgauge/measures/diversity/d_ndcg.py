"""D_nDCG: discounted cumulative gain of what a document is worth over all intents."""

import numpy as np

from rankgauge.measures.gains import DISCOUNTS, GAINS, cumulated, discount, final, gains
from rankgauge.measures.intents import intents, ordered
from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, choice
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists, total


class D_nDCG(Measure):
    """Discounted cumulative gain against that of the ideal order, where a document gains the sum of its gains for the
    subtopics by their probabilities. It rewards documents for likely subtopics, and no variety as such."""

    facts = Facts(
        title="D-nDCG",
        formula=r"\frac{\sum_{r=1}^{k} G_r\,d(r)}{\sum_{r=1}^{k} G^*_r\,d(r)}, \quad "
        r"G_r = \sum_i p_i\,\mathrm{gain}(g_{ri})",
        reference="Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        graded=True,
        examples=(
            Example(
                "D_nDCG@2",
                ((1, 0), (2, 3), (1, 1)),
                missed=((0, 2),),
                value="(1 + 5/log2(3)) / (5 + 2/log2(3))",
            ),
            Example(
                "D_nDCG(gain='exp')",
                ((0, 2), None, (1, 1)),
                missed=((3, 0),),
                value="(3 + 2/log2(4)) / (7 + 3/log2(3) + 2/log2(4))",
            ),
        ),
    )
    cutoff: int | None = None
    gain: str | None = choice("gain", GAINS)
    discount: str | None = choice("discount", DISCOUNTS)

    def values(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        gained = total(self._worth(top) * top.weigh(discount(str(self.discount)), self.cutoff))
        return ratio(gained, self._ideal(lists))

    def facet_worth(self, grades: FloatArray) -> FloatArray:
        return GAINS[str(self.gain)](grades)

    def _worth(self, lists: RankedLists) -> FloatArray:
        """What each hit gains over all subtopics, by their weights."""
        each = gains(lists.by_facet, str(self.gain)) * intents(lists)[..., np.newaxis]
        return total(np.moveaxis(each, -2, -1))

    def _ideal(self, lists: RankedLists) -> FloatArray:
        assert lists.facets is not None
        shape = lists.facets.pool.shape[:-1]
        pool = ordered(lists, np.broadcast_to(np.arange(shape[-1]), shape))
        worth = -np.sort(-np.maximum(self._worth(pool), 0.0), axis=-1)[..., : self.cutoff]
        return final(cumulated(worth, discount(str(self.discount))))
