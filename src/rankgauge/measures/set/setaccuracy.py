"""SetAccuracy and SetError: right and wrong decisions on the 2×2 table."""

from rankgauge.measures.measure import OPEN, Measure, read_examples
from rankgauge.measures.set.setp import set_facts
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists


def decisions(lists: RankedLists, rel: float) -> tuple[FloatArray, FloatArray]:
    """Return how many documents of each list were decided on rightly, a + d of the 2×2 table, and wrongly, b + c."""
    found = lists.found(rel)  # a: relevant and retrieved
    wrong = lists.retrieved - found  # b: retrieved, but not relevant or not judged
    missed = lists.total_relevant(rel) - found  # c: relevant, but not retrieved
    rejected = lists.total_nonrelevant(rel) - lists.nonrelevant(rel).sum(axis=-1)  # d: judged not relevant, left out
    return found + rejected, wrong + missed


class SetAccuracy(Measure):
    """The share of right decisions: relevant documents retrieved and non-relevant ones left out.

    A retrieved document that nobody judged counts as a wrong decision; one that was left out cannot be counted.
    """

    facts = set_facts(
        title="Set accuracy",
        formula=r"\frac{a + d}{a + b + c + d}, \quad d \text{ judged non-relevant and not retrieved}",
        reference="Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        better=True,
        examples=read_examples("""
            SetAccuracy of 1 - 2 0 | 1 0 0 = (2 + 2) / (2 + 2 + 1 + 2)
            SetAccuracy(rel=2) of 2 1 3 | 2 1 = (2 + 1) / (2 + 1 + 1 + 1)
            SetAccuracy of nothing = nan
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        right, wrong = decisions(lists, self.rel)
        return ratio(right, right + wrong)


class SetError(Measure):
    """The share of wrong decisions: other documents retrieved and relevant ones missed. Lower is better."""

    facts = set_facts(
        title="Set error",
        formula=r"\frac{b + c}{a + b + c + d}",
        reference="Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        examples=read_examples("""
            SetError of 1 - 2 0 | 1 0 0 = (2 + 1) / (2 + 2 + 1 + 2)
            SetError(rel=2) of 2 1 3 | 2 1 = (1 + 1) / (2 + 1 + 1 + 1)
            SetError of nothing = nan
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        right, wrong = decisions(lists, self.rel)
        return ratio(wrong, right + wrong)
