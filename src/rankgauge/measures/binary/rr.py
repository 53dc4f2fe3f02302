"""RR: reciprocal rank, of the first relevant document or of all."""

from collections.abc import Mapping

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import reciprocal, relevance
from rankgauge.measures.measure import OPEN, Facts, Measure, choice, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking.lists import Weight, to_single


def _ruler(*marks: float) -> Weight:
    """Return a table of what the first ranks are worth; 0 beyond."""

    def worth(ranks: FloatArray) -> FloatArray:
        return np.array([*marks, 0.0])[np.minimum(ranks, len(marks) + 1).astype(np.intp) - 1]

    return worth


RULERS: Mapping[str, Weight] = {
    "trec": _ruler(1.0, 0.5, 0.33, 0.2, 0.1),
    "romip": _ruler(*(tenths / 10 for tenths in range(10, 0, -1))),
    "single": lambda ranks: to_single(1.0 / ranks),  # RankLib's ReciprocalRankScorer: 1.0f / firstRank
}
"""What a rank is worth. trec and romip are the scoring scales of ROMIP's question-answering track (ROMIP 2010, official
metrics, section 3.5). It calls the first one TREC's; TREC itself took 1 / rank of the first five answers. single is
1 / rank as a number of 32 bits."""


class RR(Measure):
    """What the rank of the first relevant document is worth: 1 / rank, or as a scoring scale says; 0 if there is none.

    The scoring scales of ROMIP's question-answering track look at the first five (trec) or ten (romip) answers only.
    ROMIP calls the former TREC's; TREC itself took 1 / rank.
    """

    facts = Facts(
        title="Reciprocal rank",
        formula=r"\varphi(\min \{r \le k : g_r \ge \mathrm{rel}\}), \quad \varphi(r) = 1/r",
        reference="Kantor & Voorhees, The TREC-5 confusion track, Information Retrieval 2000",
        examples=read_examples("""
            RR of 0 - 2 1 | 1 = 1 / 3
            RR(rel=2)@3 of 1 2 3 | 2 = 1 / 2
            RR(rel=2)@3 of 1 - 1 2 | 3 = 0
            RR(ruler='trec') of 0 - 2 1 | 1 = .33
            RR(ruler='trec') of 0 0 0 0 0 1 = 0
            RR(ruler='romip') of 0 - 2 1 | 1 = .8
            RR(ruler='romip') of 0 0 0 0 0 0 0 0 0 2 1 = .1
            RR(ruler='romip') of 0 0 0 0 0 0 0 0 0 0 1 = 0
            RR(ruler='single') of 0 1 | 1 = 1 / 2
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN
    ruler: str | None = choice("ruler", RULERS)

    def form(self) -> Form:
        weight = reciprocal if self.ruler is None else RULERS[self.ruler]
        return Form(shape=Shape.CASCADE, worth=relevance(self.rel), weight=weight, cutoff=self.cutoff)


class ARHR(Measure):
    """The sum of 1 / rank over the relevant documents among the first k; with one relevant document it is RR."""

    facts = Facts(
        title="Average reciprocal hit rank",
        formula=r"\sum_{r=1}^{k} \frac{[g_r \ge \mathrm{rel}]}{r}",
        reference="Deshpande & Karypis, Item-based top-N recommendation algorithms, TOIS 2004",
        bounds=(0.0, np.inf),
        examples=read_examples("""
            ARHR of 0 1 - 2 | 1 = 1/2 + 1/4
            ARHR(rel=2)@3 of 1 2 3 2 | 2 = 1/2 + 1/3
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=reciprocal, cutoff=self.cutoff)
