"""AUC and Accuracy: how often a relevant document is above one that is not."""

import numpy as np

from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class AUC(Measure):
    """The chance that a relevant document of the list is above one that is not, the area under the ROC curve.

    Every other retrieved document counts as not relevant, as everywhere; documents that the list lacks do not count.
    Tied documents count half. A list of relevant documents only, or without any, has no pair to compare: its query is
    left out of the mean. RecBole's GAUC weighs queries by their relevant documents; in this mean all weigh the same.
    """

    facts = Facts(
        title="Area under the ROC curve",
        formula=r"\frac{1}{F (n - F)} \sum_{r} [g_r \ge \mathrm{rel}] \, |\{s > r : g_s < \mathrm{rel}\}|",
        reference="Hanley & McNeil, The meaning and use of the area under a ROC curve, Radiology 1982",
        counts_unjudged=True,
        examples=read_examples("""
            AUC of 1 0 - 2 0 | 1 = (3 + 1) / (2 * 3)
            AUC(rel=2) of 1 2 0 = 1 / 2
            AUC of 1 2 | 0 = nan
        """),
    )
    rel: float = OPEN

    @property
    def left_out(self) -> bool:
        """Always: 0 for want of a pair would call a perfect list the worst."""
        return True

    def values(self, lists: RankedLists) -> FloatArray:
        F, n = lists.count_found(self.rel), lists.retrieved
        ranks = total(lists.relevant(self.rel) * lists.weigh(np.asarray))
        # Below the relevant documents are n − rank documents each, of which F (F − 1) / 2 are relevant themselves.
        return ratio(F * n - ranks - F * (F - 1.0) / 2.0, F * (n - F))


class Accuracy(Measure):
    """The share of pairs in the right order, of all pairs of a relevant and another document among the first k.

    Unjudged documents count as not relevant. Not defined where the first k are all relevant or none is.
    """

    facts = Facts(
        title="Pairwise accuracy",
        formula=r"1 - \frac{\sum_{r \le k} [g_r \ge \mathrm{rel}] \, n_r}{a\,(\min(k, |L|) - a)}, "
        r"\quad n_r \text{ others before } r \text{, } a \text{ relevant documents among the first } k",
        reference="ir-measures, Accuracy",
        ties=TieRule.SAMPLED,
        # A relevant document that enters the first k at their end comes after every other document there.
        improves=False,
        attains=True,
        examples=read_examples("""
            Accuracy of 0 1 - 2 | 1 = 1 - (1 + 2) / (2 * 2)
            Accuracy(rel=2)@4 of 1 2 0 3 2 | 2 = 1 - (1 + 2) / (2 * 2)
            Accuracy of 1 2 | 0 = nan
        """),
        counts_unjudged=True,
    )
    cutoff: int | None = None
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        limit = np.inf if self.cutoff is None else self.cutoff
        hits = lists.relevant(self.rel) & (lists.ranks <= limit)
        relevant = np.asarray(hits.sum(axis=-1), dtype=np.float64)
        others = np.minimum(lists.retrieved, limit) - relevant
        wrong = np.where(hits, lists.ranks - np.cumsum(hits, axis=-1), 0.0)
        return 1.0 - ratio(total(wrong), relevant * others)
