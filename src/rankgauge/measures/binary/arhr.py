"""ARHR: reciprocal ranks of all relevant documents, added up."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import reciprocal, relevance
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure


class ARHR(Measure):
    """The sum of 1 / rank over the relevant documents among the first k; with one relevant document it is RR."""

    facts = Facts(
        title="Average reciprocal hit rank",
        formula=r"\sum_{r=1}^{k} \frac{[g_r \ge \mathrm{rel}]}{r}",
        reference="Deshpande & Karypis, Item-based top-N recommendation algorithms, TOIS 2004",
        bounds=(0.0, np.inf),
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("ARHR", (0, 1, None, 2), missed=(1,), value="1/2 + 1/4"),
            Example("ARHR(rel=2)@3", (1, 2, 3, 2), missed=(2,), value="1/2 + 1/3"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=reciprocal, cutoff=self.cutoff)
