"""Rprec: precision at the number of relevant documents."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class Rprec(Measure):
    """The share of relevant documents among the first R, where R documents are relevant: precision and recall meet."""

    facts = Facts(
        title="R-precision",
        formula=r"\frac{1}{R}\sum_{r=1}^{R} [g_r \ge \mathrm{rel}]",
        reference="Buckley & Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation, 2005",
        attains=True,
        examples=(
            Example("Rprec", (1, 0, 2, None, 1), missed=(1,), value="2 / 4"),
            Example("Rprec(rel=2)", (2, 1, None, 3, 2), missed=(0,), value="1 / 3"),
            Example("Rprec", (1,), missed=(1,), value="1 / 2"),
            Example("Rprec", (0, None), missed=(0,), value="nan"),
        ),
    )
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return lists.relevant(self.rel) * lists.inside(self.divisor(lists))

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)
