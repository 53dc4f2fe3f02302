"""INSQ: gain per document of a user who wants some gain and tires with the rank."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import OPEN, Example, Facts, Measure
from rankgauge.measures.user_models import DEPTH, check_gain, gains, lowest_grade, shorthands, wanted_gain
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
        examples=(
            Example(
                "INSQ(max_grade=2)",
                (1, 0, 2),
                missed=(2,),
                value="(1/2 / 2**2 + 1 / 4**2) / sum(1 / (r + 1) ** 2 for r in range(1, 1001))",
            ),
            Example(
                "INSQ(T=2, max_rel=4)", (None, 4), value="(1 / 5**2) / sum(1 / (r + 3) ** 2 for r in range(1, 1001))"
            ),
        ),
    )
    shorthands = shorthands()

    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain("INSQ", self.T)

    def numerator(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=self._worth, weight=self._weight, cutoff=DEPTH)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.full_like(lists.retrieved, self._weight(np.arange(1.0, DEPTH + 1)).sum())

    def _weight(self, ranks: FloatArray) -> FloatArray:
        return np.asarray((ranks + 2.0 * self.T - 1.0) ** -2.0)

    def _worth(self, lists: RankedLists) -> FloatArray:
        return gains(lists, self.min_grade, self.max_grade)
