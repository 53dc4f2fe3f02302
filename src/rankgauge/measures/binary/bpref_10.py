"""bpref_10: binary preference for queries with few relevant documents."""

from rankgauge.measures.binary.bpref import preference_shares
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class bpref_10(Measure):
    """Binary preference in which the first 10 + R judged non-relevant documents count, for R relevant ones."""

    facts = Facts(
        title="Binary preference, 10 + R",
        formula=r"\frac{1}{R}\sum_{r} 1 - \frac{\min(n_r, 10 + R)}{10 + R}",
        reference="Buckley & Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004",
        attains=True,
        ignores_unjudged=True,
        examples=read_examples("""
            bpref_10 of 1 0 2 0 1 1 = ((1 - 0/14) + (1 - 1/14) + (1 - 2/14) * 2) / 4
            bpref_10(rel=2) of 1 - 2 0 1 3 | 1 2 = ((1 - 1/13) + (1 - 3/13)) / 3
            bpref_10 of 0 0 0 0 0 0 0 0 0 0 0 0 1 | 1 = 0
            bpref_10 of 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 | 1 = 0
            bpref_10 of 0 - | 0 = nan
        """),
    )
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        counted = lists.total_relevant(self.rel) + 10.0
        return preference_shares(lists, self.rel, most=counted, out_of=counted)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)
