"""StRecall: the share of subtopics that the list serves."""

import numpy as np

from rankgauge.measures.binary.success import Success
from rankgauge.measures.intents import intent_mean, intents
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class StRecall(Measure):
    """The share of subtopics, of those with a relevant document, that have one among the first k."""

    facts = Facts(
        title="Subtopic recall",
        formula=r"\sum_i p_i \max_{r \le k} [g_{ri} \ge \mathrm{rel}]",
        reference="Zhai, Cohen & Lafferty, Beyond independent relevance, SIGIR 2003; ndeval 4.5, strec",
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example("StRecall@2", ((1, 0, 0), (2, 0, 0), (0, 1, 0)), missed=((0, 0, 0),), value="1 / 2"),
            Example("StRecall(rel=2)", ((1, 2, 0), None, (0, 2, 1)), missed=((2, 0, 3),), value="1 / 3"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = Success(cutoff=self.cutoff, rel=self.rel).values(lists.by_facet)
        return intent_mean(np.asarray(found), intents(lists, self.rel))
