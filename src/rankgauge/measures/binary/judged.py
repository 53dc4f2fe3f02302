"""Judged@k: the share of judged documents."""

import numpy as np

from rankgauge.measures.measure import Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import UNJUDGED, RankedLists


class Judged(Measure):
    """The share of judged documents among the first k, or among all; a shorter list is not padded."""

    facts = Facts(
        title="Judgment rate at k",
        formula=r"\frac{1}{\min(k, |L|)}\sum_{r=1}^{k} [g_r \text{ is known}]",
        reference="ir-measures, Judged",
        cutoff=Cutoff.OPTIONAL,
        attains=True,
        examples=(
            Example("Judged@3", (0, None, 2, 1), missed=(1,), value="2 / 3"),
            Example("Judged@5", (1, None, 0, None), missed=(2,), value="2 / 4"),
            Example("Judged@3", (UNJUDGED, 1, None, 0), missed=(2,), value="1 / 3"),
            Example("Judged", (None, 1, None, 2, 0), missed=(1,), value="3 / 5"),
            Example("Judged@3", (), missed=(1,), value="nan"),
        ),
        counts_unjudged=True,
    )
    cutoff: int | None = None

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.judged * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.minimum(lists.retrieved, np.inf if self.cutoff is None else self.cutoff)
