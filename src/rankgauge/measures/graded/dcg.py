"""DCG: cumulated gain, discounted, and scaled."""

from functools import partial
from typing import Any

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import discount, discount_gains, gains
from rankgauge.measures.measure import OPEN, Facts, Measure, parameter, read_examples
from rankgauge.measures.user_models import ENDS, gain_shares, lowest_grade
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


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


def _dcg(name: Any) -> dict[str, Any]:
    """ir-measures' `dcg=`: an optional gain and a discount, joined by a hyphen."""
    gain, _, discount_ = str(name).rpartition("-")
    return {"gain": gain or "linear", "discount": discount_}


class DCG(Measure):
    """The sum of the gains of the first k documents, each discounted by its rank."""

    facts = Facts(
        title="Discounted cumulated gain",
        formula=r"\sum_{r=1}^{k} \mathrm{gain}(g_r)\,d(r)",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        bounds=(0.0, np.inf),
        graded=True,
        examples=read_examples("""
            DCG@3 of 1 - 2 2 | 1 = 1/log2(2) + 2/log2(4)
            DCG(dcg='exp-log2') of 0 3 1 = 7/log2(3) + 1/log2(4)
            DCG(gain='exp', discount='log2+2')@4 of 0 3 1 2 3 | 3 = 7/log2(4) + 1/log2(5) + 3/log2(6)
            DCG(gain='letor', discount='none') of 1 0 2 3 | 2 = 1 + 0 + 3 + 0
            DCG(gain='mslr', discount='letor') of 1 4 2 0 3 5 = 1 + 15 + 3/log2(3) + 0 + 7/log2(5) + 0
            DCG(gain='yahoo', discount='ln') of 1 4 = 1/16/log(2) + 15/16/log(3)
            DCG(gain='ranklib', discount='none') of 1.9 3 = 1 + 7
            DCG(rel=2)@3 of 1 2 3 2 = 2/log2(3) + 3/log2(4)
        """),
    )
    shorthands = {"dcg": _dcg}

    cutoff: int | None = None
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None
    rel: float = parameter(default=0.0, words="grades below it gain nothing, as with ranx's `-l2`")

    def amounts(self, lists: RankedLists) -> FloatArray:
        lists = lists.top(self.cutoff)
        return discount_gains(lists, self._gains(lists), self.discount, self.cutoff)

    def form(self) -> Form | None:
        return Form(shape=Shape.LINEAR, worth=self._gains, weight=discount(self.discount), cutoff=self.cutoff)

    def _gains(self, lists: RankedLists) -> FloatArray:
        found = gains(lists, self.gain, self.gains)
        return np.where(lists.grades < self.rel, 0.0, found) if self.rel > 0 else found

    def spelled(self) -> dict[str, Any]:
        """ir-measures' spelling where it has one: dcg='log2', dcg='exp-log2'."""
        spelled = super().spelled()
        if self.gain in ("linear", "exp") and self.discount == "log2":
            del spelled["gain"], spelled["discount"]
            return {"dcg": "log2" if self.gain == "linear" else "exp-log2", **spelled}
        return spelled


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
    shorthands = {**ENDS, "dcg": lambda name: {}}  # ir-measures' dcg='log2' is the only one there is
    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def numerator(self) -> Form:
        worth = partial(gain_shares, low=self.min_grade, top=self.max_grade)
        return Form(shape=Shape.LINEAR, worth=worth, weight=discount("log2"), cutoff=self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.full_like(lists.retrieved, discount("log2")(np.arange(1.0, self.cutoff + 1)).sum())
