"""F@k: the harmonic mean of precision and recall at a rank."""

from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class F(Measure):
    """The weighted harmonic mean of precision and recall of the first k documents; F1@k if `beta` is 1.

    A list shorter than k is padded, as for P. `beta` weighs recall against precision as in SetF, which is the same for
    the whole list.
    """

    facts = Facts(
        title="F at k",
        formula=r"\frac{(1 + \beta) \, p \, r}{\beta p + r}, \quad p \text{ precision, } r \text{ recall at } k",
        reference="van Rijsbergen, Information Retrieval, 1979; ranx, f1",
        examples=read_examples("""
            F@3 of 2 - 1 1 | 1 = 2 / (1/(2/3) + 1/(2/4))
            F(rel=2)@5 of 2 1 3 | 2 1 = 2 / (1/(2/5) + 1/(2/3))
            F(beta=3)@2 of 1 2 1 | 2 = (1 + 3) * (2/2) * (2/4) / (3 * (2/2) + (2/4))
            F@3 of 0 - | 1 2 = 0
        """),
    )
    cutoff: int = OPEN
    beta: float = 1.0
    rel: float = OPEN

    # With h relevant documents among the first k, p = h / k and r = h / R, so that F is (1 + β) h / (β R + k).
    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return (1.0 + self.beta) * top.relevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return self.beta * lists.total_relevant(self.rel) + self.cutoff
