"""INSQ: gain per document of a user who wants some gain and tires with the rank."""

from functools import partial

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.measures.user_models import DEPTH, ENDS, gain_shares, lowest_grade, wanted_gain
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


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
    shorthands = ENDS
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def numerator(self) -> Form:
        worth = partial(gain_shares, low=self.min_grade, top=self.max_grade)
        return Form(shape=Shape.LINEAR, worth=worth, weight=self._weight, cutoff=DEPTH)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.full_like(lists.retrieved, self._weight(np.arange(1.0, DEPTH + 1)).sum())

    def _weight(self, ranks: FloatArray) -> FloatArray:
        return np.asarray((ranks + 2.0 * self.T - 1.0) ** -2.0)
