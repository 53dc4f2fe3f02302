"""DCG: discounted cumulated gain."""

from dataclasses import field
from typing import Any

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import discount, discounted, gains
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


def _dcg(name: str) -> dict[str, Any]:
    """ir-measures' `dcg=`: an optional gain and a discount, joined by a hyphen."""
    gain, _, discount_ = name.rpartition("-")
    return {"gain": gain or "linear", "discount": discount_}


class DCG(Measure):
    """The sum of the gains of the first k documents, each discounted by its rank."""

    facts = Facts(
        title="Discounted cumulated gain",
        formula=r"\sum_{r=1}^{k} \mathrm{gain}(g_r)\,d(r)",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        bounds=(0.0, np.inf),
        cutoff=Cutoff.OPTIONAL,
        graded=True,
        examples=(
            Example("DCG@3", (1, None, 2, 2), missed=(1,), value="1/log2(2) + 2/log2(4)"),
            Example("DCG(dcg='exp-log2')", (0, 3, 1), value="7/log2(3) + 1/log2(4)"),
            Example(
                "DCG(gain='exp', discount='log2+2')@4",
                (0, 3, 1, 2, 3),
                missed=(3,),
                value="7/log2(4) + 1/log2(5) + 3/log2(6)",
            ),
            Example("DCG(gain='letor', discount='none')", (1, 0, 2, 3), missed=(2,), value="1 + 0 + 3 + 0"),
            Example(
                "DCG(gain='mslr', discount='letor')", (1, 4, 2, 0, 3, 5), value="1 + 15 + 3/log2(3) + 0 + 7/log2(5) + 0"
            ),
            Example("DCG(gain='yahoo', discount='ln')", (1, 4), value="1/16/log(2) + 15/16/log(3)"),
            Example("DCG(gain='ranklib', discount='none')", (1.9, 3), value="1 + 7"),
            Example("DCG(rel=2)@3", (1, 2, 3, 2), value="2/log2(3) + 3/log2(4)"),
        ),
    )
    shorthands = {"dcg": _dcg}

    cutoff: int | None = None
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None
    rel: float = field(default=0.0, metadata={"words": "grades below it gain nothing, as with ranx's `-l2`"})

    def amounts(self, lists: RankedLists) -> FloatArray:
        lists = lists.top(self.cutoff)
        return discounted(lists, self._gains(lists), self.discount, self.cutoff)

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
