"""RR: reciprocal rank."""

from collections.abc import Mapping

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import reciprocal, relevance
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, choice
from rankgauge.numeric import FloatArray
from rankgauge.ranking.lists import Weight, to_single


def _ruler(*marks: float) -> Weight:
    """A table of what the first ranks are worth; 0 beyond."""

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
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("RR", (0, None, 2, 1), missed=(1,), value="1 / 3"),
            Example("RR(rel=2)@3", (1, 2, 3), missed=(2,), value="1 / 2"),
            Example("RR(rel=2)@3", (1, None, 1, 2), missed=(3,), value="0"),
            Example("RR(ruler='trec')", (0, None, 2, 1), missed=(1,), value=".33"),
            Example("RR(ruler='trec')", (0, 0, 0, 0, 0, 1), value="0"),
            Example("RR(ruler='romip')", (0, None, 2, 1), missed=(1,), value=".8"),
            Example("RR(ruler='romip')", (*[0] * 9, 2, 1), value=".1"),
            Example("RR(ruler='romip')", (*[0] * 10, 1), value="0"),
            Example("RR(ruler='single')", (0, 1), missed=(1,), value="1 / 2"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN
    ruler: str | None = choice("ruler", RULERS)

    def form(self) -> Form:
        weight = reciprocal if self.ruler is None else RULERS[self.ruler]
        return Form(shape=Shape.CASCADE, worth=relevance(self.rel), weight=weight, cutoff=self.cutoff)
