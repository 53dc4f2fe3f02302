"""I_rec: the share of a query's intents that the list serves."""

import numpy as np

from rankgauge.measures.binary.success import Success
from rankgauge.measures.intents import intent_mean
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class I_rec(Measure):
    """The share of a query's subtopics that have a relevant document among the first k.

    Unlike in StRecall, every subtopic counts the same, whatever its probability and even if nothing is relevant to it:
    those of the judgments, and with --intents those that have a probability there and no judgments.
    """

    facts = Facts(
        title="Intent recall",
        formula=r"\frac{1}{|I|}\sum_i \max_{r \le k} [g_{ri} \ge \mathrm{rel}]",
        reference="Sakai & Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011",
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example("I_rec@2", ((1, 0, 0), (2, 0, 0), (0, 1, 0)), missed=((0, 0, 0),), value="1 / 3"),
            Example("I_rec(rel=2)", ((1, 2, 0), None, (0, 2, 1)), missed=((2, 0, 3),), value="1 / 3"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        assert lists.facets is not None
        found = Success(cutoff=self.cutoff, rel=self.rel).values(lists.by_facet)
        return intent_mean(found, np.where(np.isnan(lists.facets.weights), 0.0, 1.0))
