"""SetAccuracy: right decisions on the 2×2 table."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists


def decisions(lists: RankedLists, rel: float) -> tuple[FloatArray, FloatArray]:
    """How many documents of each list were decided on rightly, a + d of the 2×2 table, and wrongly, b + c."""
    found = lists.found(rel)  # a: relevant and retrieved
    wrong = lists.retrieved - found  # b: retrieved, but not relevant or not judged
    missed = lists.total_relevant(rel) - found  # c: relevant, but not retrieved
    rejected = lists.total_nonrelevant(rel) - lists.nonrelevant(rel).sum(axis=-1)  # d: judged not relevant, left out
    return found + rejected, wrong + missed


class SetAccuracy(Measure):
    """The share of right decisions: relevant documents retrieved and non-relevant ones left out.

    A retrieved document that nobody judged counts as a wrong decision; one that was left out cannot be counted.
    """

    facts = Facts(
        title="Set accuracy",
        formula=r"\frac{a + d}{a + b + c + d}, \quad d \text{ judged non-relevant and not retrieved}",
        reference="Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        ties=TieRule.IMMUNE,
        better=True,
        examples=(
            Example("SetAccuracy", (1, None, 2, 0), missed=(1, 0, 0), value="(2 + 2) / (2 + 2 + 1 + 2)"),
            Example("SetAccuracy(rel=2)", (2, 1, 3), missed=(2, 1), value="(2 + 1) / (2 + 1 + 1 + 1)"),
            Example("SetAccuracy", (), value="nan"),
        ),
        counts_unjudged=True,
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        right, wrong = decisions(lists, self.rel)
        return ratio(right, right + wrong)
