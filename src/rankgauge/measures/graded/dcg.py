"""Kin of DCG: gain that is only cumulated, and as a share of what any list could have. DCG itself is beside nDCG."""

from functools import partial

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import SCALE_ENDS, discount, gain_shares, gains, lowest_grade
from rankgauge.measures.graded.ndcg import DCG
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

__all__ = ["CG", "DCG", "SDCG"]  # who asks for DCG by its name comes to this file


class CG(Measure):
    """The sum of the gains of the first k documents, whatever their order."""

    facts = Facts(
        title="Cumulated gain",
        formula=r"\sum_{r=1}^{k} \mathrm{gain}(g_r)",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        bounds=(0.0, np.inf),
        graded=True,
        examples=read_examples("""
            CG@3 of 1 - 2 2 | 1 = 1 + 2
            CG(gain='exp') of 0 3 - 2 | 3 = 7 + 3
        """),
    )
    cutoff: int | None = None
    gain: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None

    def form(self) -> Form:
        worth = partial(gains, name=self.gain, table=self.gains)
        return Form(shape=Shape.LINEAR, worth=worth, weight=np.ones_like, cutoff=self.cutoff)


class SDCG(Measure):
    """The discounted gain of the first k documents, as a share of that of k documents of the top grade.

    Unlike nDCG it does not depend on how many relevant documents there are.
    """

    facts = Facts(
        title="Scaled discounted cumulated gain",
        formula=r"\frac{\sum_{r=1}^{k} g_r / \log_2(r + 1)}{\sum_{r=1}^{k} 1 / \log_2(r + 1)}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008; "
        "ir-measures and cwl_eval",
        graded=True,
        examples=read_examples("""
            SDCG(max_grade=2)@2 of 1 2 2 | 2 = (1/2 + 1/log2(3)) / (1 + 1/log2(3))
            SDCG(max_rel=4)@3 of 2 - | 4 = (2/4) / (1 + 1/log2(3) + 1/2)
        """),
    )
    shorthands = {**SCALE_ENDS, "dcg": lambda name: {}}  # ir-measures' dcg='log2' is the only one there is
    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def numerator(self) -> Form:
        worth = partial(gain_shares, low=self.min_grade, top=self.max_grade)
        return Form(shape=Shape.LINEAR, worth=worth, weight=discount("log2"), cutoff=self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.full_like(lists.retrieved, discount("log2")(np.arange(1.0, self.cutoff + 1)).sum())
