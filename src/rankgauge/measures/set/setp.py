"""SetP: precision of the whole list."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class SetP(Measure):
    """The share of relevant documents among all that were retrieved."""

    facts = Facts(
        title="Set precision",
        formula=r"\frac{a}{a + b}, \quad a \text{ relevant and } b \text{ other documents retrieved}",
        reference="van Rijsbergen, Information Retrieval, 1979",
        ties=TieRule.IMMUNE,
        better=True,
        examples=(
            Example("SetP", (1, None, 2, 0), missed=(1,), value="2 / 4"),
            Example("SetP(rel=2)", (2, 1, 3), missed=(2, 0), value="2 / 3"),
            Example("SetP", (), missed=(1,), value="nan"),
        ),
        counts_unjudged=True,
    )
    variants = {"relative": "SetRelativeP"}  # ir-measures' SetP(relative=True)
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return lists.relevant(self.rel).astype(float)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.retrieved
