"""Unjudged@k: the share of documents that nobody judged."""

import numpy as np

from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class UnjudgedShare(Measure):
    """The share of unjudged documents among the first k: high values warn that the judgments do not know the run.

    The places that a list shorter than k leaves empty count as judged.
    """

    facts = Facts(
        name="Unjudged",
        title="Unjudged at k",
        formula=r"\frac{1}{k}\left(\min(k, n) - \sum_{r=1}^{k} [g_r \text{ judged}]\right)",
        reference="trec_eval 10, unj",
        cutoff=Cutoff.REQUIRED,
        improves=False,
        examples=(
            Example("Unjudged@4", (2, None, 0, None, None), missed=(1,), value="2 / 4"),
            Example("Unjudged@5", (None, 1, None), missed=(2,), value="2 / 5"),
        ),
        counts_unjudged=True,
    )
    cutoff: int = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        judged = total(top.judged * top.inside(self.cutoff))
        return (np.minimum(lists.retrieved, self.cutoff) - judged) / self.cutoff
