"""SetError: wrong decisions on the 2×2 table."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.measures.set.setaccuracy import decisions
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists


class SetError(Measure):
    """The share of wrong decisions: other documents retrieved and relevant ones missed. Lower is better."""

    facts = Facts(
        title="Set error",
        formula=r"\frac{b + c}{a + b + c + d}",
        reference="Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        ties=TieRule.IMMUNE,
        examples=(
            Example("SetError", (1, None, 2, 0), missed=(1, 0, 0), value="(2 + 1) / (2 + 2 + 1 + 2)"),
            Example("SetError(rel=2)", (2, 1, 3), missed=(2, 1), value="(1 + 1) / (2 + 1 + 1 + 1)"),
            Example("SetError", (), value="nan"),
        ),
        counts_unjudged=True,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        right, wrong = decisions(lists, self.rel)
        return ratio(wrong, right + wrong)
