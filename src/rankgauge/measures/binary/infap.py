"""infAP: inferred average precision."""

import numpy as np

from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total

EPSILON = 1e-5
"""What keeps the estimate from 0/0 where nothing above was judged (trec_eval, INFAP_EPSILON)."""


class infAP(Measure):
    """Average precision, inferred from a pool of which a random part was judged.

    The precision at a relevant document is estimated from the judged ones above it; a document of the pool that was
    not judged (grade below 0 in TREC judgments) is taken to be relevant as often as they are, one outside never.
    What the sample leaves open has an interval with xinfAP, which reads strata; infAP has none.
    """

    facts = Facts(
        title="Inferred average precision",
        formula=r"\frac{1}{R}\sum_{r} \frac{1}{r}(1 + p_r \frac{a_r + \varepsilon}{a_r + n_r + 2\varepsilon}),"
        r" \quad p_r \text{ pooled, } a_r \text{ relevant, } n_r \text{ judged non-relevant documents before } r",
        reference="Yilmaz & Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006",
        ties=TieRule.SAMPLED,
        # A judged non-relevant document that moves above one never judged spoils the estimate for those below.
        improves=False,
        better=True,
        examples=read_examples("""
            infAP of 1 - 0 ? 0 2 | 1 = (1 + (1/6 + (5/6) * (4/5) * (1 + 1e-5) / (3 + 2e-5))) / 3
            infAP(rel=2) of ? 2 1 - 3 | 2 1 = ((1/2 + 1/2 * 1/1 * 1e-5 / 2e-5) + (1/5 + (4/5) * (3/4) * (1 + 1e-5) \
                / (2 + 2e-5))) / 3
            infAP of 0 - | 0 = nan
        """),
        knows_pool=True,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        relevant = lists.relevant(self.rel)
        kinds = (relevant, lists.nonrelevant(self.rel), lists.hits)
        a, n, pooled = (np.cumsum(kind, axis=-1, dtype=np.float64) - kind for kind in kinds)  # before each hit
        above = lists.ranks - 1.0
        in_pool = np.divide(pooled, above, out=np.zeros_like(above), where=above > 0)
        inferred = (a + EPSILON) / (a + n + 2.0 * EPSILON)
        precision = 1.0 / (above + 1.0) + (above / (above + 1.0)) * in_pool * inferred
        return ratio(total(np.where(relevant, precision, 0.0)), lists.total_relevant(self.rel))
