"""Success@k: whether the first k have a relevant document."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure


class Success(Measure):
    """1 if a relevant document is among the first k, or in the whole list, else 0; with ties, the chance of it."""

    facts = Facts(
        title="Success at k",
        formula=r"\max_{r \le k} [g_r \ge \mathrm{rel}]",
        reference="Craswell & Hawking, Overview of the TREC 2004 Web track; trec_eval, m_success",
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("Success@3", (0, None, 2, 1), missed=(1,), value="1"),
            Example("Success(rel=2)@3", (1, None, 1, 2), missed=(3,), value="0"),
            Example("Success", (0, None, 0, 1), missed=(1,), value="1"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def form(self) -> Form:
        return Form(shape=Shape.CASCADE, worth=relevance(self.rel), weight=np.ones_like, cutoff=self.cutoff)
