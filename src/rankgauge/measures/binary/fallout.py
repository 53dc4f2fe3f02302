"""FallOut@k: the share of the non-relevant documents among the first k."""

from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class FallOut(Measure):
    """The share of the documents judged not relevant that are among the first k: less is better."""

    facts = Facts(
        title="Fall-out at k",
        formula=r"\frac{1}{N}\sum_{r=1}^{k} [g_r < \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979; torchmetrics' RetrievalFallOut",
        improves=False,
        examples=read_examples("""
            FallOut@3 of 0 - 1 0 | 0 1 = 1 / 3
            FallOut(rel=2) of 2 1 0 | 2 1 = 2 / 3
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.nonrelevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_nonrelevant(self.rel)
