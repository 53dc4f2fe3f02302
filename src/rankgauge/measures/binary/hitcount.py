"""HitCount: how many relevant documents there are among the first k."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure


class HitCount(Measure):
    """How many of the first k documents are relevant; the mean over queries, where NumRelRet is the sum."""

    facts = Facts(
        title="Number of hits",
        formula=r"\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="ranx 0.3.21, hits; Bassani, ECIR 2022",
        bounds=(0.0, np.inf),
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("HitCount@3", (2, None, 1, 1), missed=(1,), value="1 + 1"),
            Example("HitCount(rel=2)", (2, 1, None, 3), missed=(2,), value="1 + 1"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like, cutoff=self.cutoff)
