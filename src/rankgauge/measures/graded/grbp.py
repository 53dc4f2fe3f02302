"""gRBP: rank-biased precision of graded documents."""

import numpy as np

from rankgauge.measures.gains import persistence
from rankgauge.measures.measure import PERSISTENCE, Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class gRBP(Measure):
    """What a user who goes on to the next document with probability p gains per document.

    A document gains its grade, as a share of the query's highest grade where that is above 1.
    """

    facts = Facts(
        title="Graded rank-biased precision",
        formula=r"(1 - p)\sum_{r=1}^{k} \frac{g_r}{\max(g^*_1, 1)} \, p^{r-1}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008; "
        "trec_eval 10, rbp",
        graded=True,
        examples=read_examples("""
            gRBP of 1 - 2 | 4 = .1 * (1/4 + 2/4 * .9**2)
            gRBP(p=0.5)@2 of 1 0 1 | 1 = .5 * 1
        """),
    )
    cutoff: int | None = None
    p: float = parameter(PERSISTENCE, default=0.9)

    def amounts(self, lists: RankedLists) -> FloatArray:
        highest = np.max(lists.ideal, axis=-1, where=~np.isnan(lists.ideal), initial=1.0)
        lists = lists.top(self.cutoff)
        gains: FloatArray = np.where(lists.judged, lists.grades, 0.0) / highest[..., np.newaxis]
        return gains * lists.weigh(persistence(self.p), self.cutoff)
