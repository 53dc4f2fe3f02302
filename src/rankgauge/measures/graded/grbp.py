"""gRBP and INSQ: gain per document of users who tire with the rank."""

from functools import partial

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import DEEPEST, SCALE_ENDS, gain_shares, lowest_grade, persistence, wanted_gain
from rankgauge.measures.measure import OPEN, PERSISTENCE, Facts, Measure, parameter, read_examples
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


class INSQ(Measure):
    """The gain per document of a user who wants a total gain of T: the more is wanted, the deeper the user reads.

    Users read 1,000 documents at most, as in cwl_eval.
    """

    facts = Facts(
        title="INSQ",
        formula=r"\frac{\sum_r g_r / (r + 2T - 1)^2}{\sum_r 1 / (r + 2T - 1)^2}",
        reference="Moffat, Scholer & Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012",
        graded=True,
        examples=read_examples("""
            INSQ(max_grade=2) of 1 0 2 | 2 = (1/2 / 2**2 + 1 / 4**2) / sum(1 / (r + 1) ** 2 for r in range(1, 1001))
            INSQ(T=2, max_rel=4) of - 4 = (1 / 5**2) / sum(1 / (r + 3) ** 2 for r in range(1, 1001))
        """),
    )
    shorthands = SCALE_ENDS
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def numerator(self) -> Form:
        worth = partial(gain_shares, low=self.min_grade, top=self.max_grade)
        return Form(shape=Shape.LINEAR, worth=worth, weight=self._weight, cutoff=DEEPEST)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.full_like(lists.retrieved, self._weight(np.arange(1.0, DEEPEST + 1)).sum())

    def _weight(self, ranks: FloatArray) -> FloatArray:
        return np.asarray((ranks + 2.0 * self.T - 1.0) ** -2.0)
