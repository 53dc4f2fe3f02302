"""INST and BPM: gain per document of users who want some gain."""

import numpy as np

from rankgauge.measures.measure import OPEN, Measure, read_examples
from rankgauge.measures.user_models import ReadsOn, lowest_grade, reader_facts, wanted_gain
from rankgauge.numeric import FloatArray


class INST(ReadsOn, Measure):
    """The gain per document of a user who wants a total gain of T: the less is lacking, the likelier the user stops.

    Users read 1,000 documents at most, as in cwl_eval.
    """

    facts = reader_facts(
        title="INST",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = \left(\frac{r + T + T_r - 1}{r + T + T_r}\right)^2, \quad T_r = T - \sum_{i \le r} g_i",
        reference="Moffat, Bailey, Scholer & Thomas, INST: an adaptive metric for information retrieval evaluation, "
        "ADCS 2015",
        examples=read_examples("""
            INST(max_grade=1) of 1 - | 1 = 1 / sum(1 / r**2 for r in range(1, 1001))
            INST(T=2, max_rel=2) of 1 2 | 2 = (1/2 + (3.5/4.5)**2) / (1 + (3.5/4.5)**2 * sum((3.5 / (r \
                + 1.5))**2 for r in range(2, 1001)))
        """),
    )
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ((ranks + 2.0 * self.T - gained - 1.0) / (ranks + 2.0 * self.T - gained)) ** 2


class BPM(ReadsOn, Measure):
    """The gain per document of a user who reads until the gain is T, but no further than rank k."""

    facts = reader_facts(
        title="Bejewelled player model",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = [\sum_{i \le r} g_i < T]",
        reference="Zhang, Liu, Li, Zhang, Xu & Ma, Evaluating web search with a Bejeweled player model, SIGIR 2017 "
        "(static)",
        improves=False,  # a better document higher up may be enough, and the user misses a still better one
        better=True,
        examples=read_examples("""
            BPM(max_grade=2)@5 of 1 - 2 2 | 2 = (1/2 + 1) / 3
            BPM(T=2, max_rel=2)@2 of 1 2 2 = (1/2 + 1) / 2
        """),
    )
    cutoff: int = OPEN
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return (gained < self.T).astype(np.float64)
