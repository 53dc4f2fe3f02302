"""Judged@k: the share of judged documents, and of those that nobody judged."""

import numpy as np

from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class Judged(Measure):
    """The share of judged documents among the first k, or among all; a shorter list is not padded."""

    facts = Facts(
        title="Judgment rate at k",
        formula=r"\frac{1}{\min(k, |L|)}\sum_{r=1}^{k} [g_r \text{ is known}]",
        reference="ir-measures, Judged",
        attains=True,
        examples=read_examples("""
            Judged@3 of 0 - 2 1 | 1 = 2 / 3
            Judged@5 of 1 - 0 - | 2 = 2 / 4
            Judged@3 of ? 1 - 0 | 2 = 1 / 3
            Judged of - 1 - 2 0 | 1 = 3 / 5
            Judged@3 of nothing | 1 = nan
        """),
        counts_unjudged=True,
    )
    cutoff: int | None = None

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.judged * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.minimum(lists.retrieved, np.inf if self.cutoff is None else self.cutoff)


class UnjudgedShare(Measure):
    """The share of unjudged documents among the first k: high values warn that the judgments do not know the run.

    The places that a list shorter than k leaves empty count as judged.
    """

    facts = Facts(
        name="Unjudged",
        title="Unjudged at k",
        formula=r"\frac{1}{k}\left(\min(k, n) - \sum_{r=1}^{k} [g_r \text{ judged}]\right)",
        reference="trec_eval 10, unj",
        improves=False,
        examples=read_examples("""
            Unjudged@4 of 2 - 0 - - | 1 = 2 / 4
            Unjudged@5 of - 1 - | 2 = 2 / 5
        """),
        counts_unjudged=True,
    )
    cutoff: int = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        judged = total(top.judged * top.inside(self.cutoff))
        return (np.minimum(lists.retrieved, self.cutoff) - judged) / self.cutoff
