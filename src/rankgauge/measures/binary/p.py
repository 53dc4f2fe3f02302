"""P@k: precision at a rank."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class P(Measure):
    """The share of relevant documents among the first k.

    A list shorter than k is padded: the divisor stays k. With padded=False it is the length of the list, as in RankLib.
    """

    facts = Facts(
        title="Precision at k",
        formula=r"\frac{1}{k}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979",
        examples=read_examples("""
            P@3 of 2 - 1 1 | 1 = 2 / 3
            P(rel=2)@5 of 2 1 2 | 2 = 2 / 5
        """),
    )
    cutoff: int = OPEN
    rel: float = OPEN
    padded: bool | None = None

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.relevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        whole = np.full_like(lists.retrieved, self.cutoff)
        return np.clip(lists.retrieved, 1.0, whole) if self.padded is False else whole

    def form(self) -> Form | None:
        if self.padded is False:
            return None  # the divisor is the length of the list
        share = 1.0 / self.cutoff
        return Form(
            shape=Shape.LINEAR,
            worth=relevance(self.rel),
            weight=lambda ranks: np.full_like(ranks, share),
            cutoff=self.cutoff,
        )
