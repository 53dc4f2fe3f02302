"""Success@k: whether the first k have a relevant document, and how many."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples


class Success(Measure):
    """1 if a relevant document is among the first k, or in the whole list, else 0; with ties, the chance of it."""

    facts = Facts(
        title="Success at k",
        formula=r"\max_{r \le k} [g_r \ge \mathrm{rel}]",
        reference="Craswell & Hawking, Overview of the TREC 2004 Web track; trec_eval, m_success",
        examples=read_examples("""
            Success@3 of 0 - 2 1 | 1 = 1
            Success(rel=2)@3 of 1 - 1 2 | 3 = 0
            Success of 0 - 0 1 | 1 = 1
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def form(self) -> Form:
        return Form(shape=Shape.CASCADE, worth=relevance(self.rel), weight=np.ones_like, cutoff=self.cutoff)


class HitCount(Measure):
    """How many of the first k documents are relevant; the mean over queries, where NumRelRet is the sum."""

    facts = Facts(
        title="Number of hits",
        formula=r"\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="ranx 0.3.21, hits; Bassani, ECIR 2022",
        bounds=(0.0, np.inf),
        examples=read_examples("""
            HitCount@3 of 2 - 1 1 | 1 = 1 + 1
            HitCount(rel=2) of 2 1 - 3 | 2 = 1 + 1
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like, cutoff=self.cutoff)
