"""FallOut@k: the share of the non-relevant documents among the first k."""

from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class FallOut(Measure):
    """The share of the documents judged not relevant that are among the first k: less is better."""

    facts = Facts(
        title="Fall-out at k",
        formula=r"\frac{1}{N}\sum_{r=1}^{k} [g_r < \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979; torchmetrics' RetrievalFallOut",
        cutoff=Cutoff.OPTIONAL,
        improves=False,
        examples=(
            Example("FallOut@3", (0, None, 1, 0), missed=(0, 1), value="1 / 3"),
            Example("FallOut(rel=2)", (2, 1, 0), missed=(2, 1), value="2 / 3"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.nonrelevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_nonrelevant(self.rel)
