"""R@k: recall at a rank."""

from dataclasses import replace

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, choice
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class R(Measure):
    """The share of the relevant documents that are among the first k.

    With out_of='cutoff' it is the share of the k that could be found where more are relevant, as in LensKit.
    """

    facts = Facts(
        title="Recall at k",
        formula=r"\frac{1}{R}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979",
        cutoff=Cutoff.REQUIRED,
        examples=(
            Example("R@3", (2, None, 1, 1), missed=(1,), value="2 / 4"),
            Example("R(rel=2)@5", (2, 1, 3), missed=(2, 1), value="2 / 3"),
            Example("R@3", (0, None), missed=(0,), value="nan"),
            Example("R(out_of='cutoff')@2", (1, 0, 1), missed=(1,), value="1 / 2"),
        ),
    )
    cutoff: int = OPEN
    rel: float = OPEN
    out_of: str | None = choice("divisor of R", ("relevant", "cutoff"))

    def numerator(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like, cutoff=self.cutoff)

    def ideal(self) -> Form:
        return self.numerator() if self.out_of == "cutoff" else replace(self.numerator(), cutoff=None)

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.relevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        return np.minimum(R, float(self.cutoff)) if self.out_of == "cutoff" else R
