"""AP: average precision, its geometric mean, and its log odds."""

import numpy as np

from rankgauge.measures.forms import Form, Shape, cumulated_precision
from rankgauge.measures.gains import reciprocal, relevance
from rankgauge.measures.measure import (
    DEFAULTS,
    OPEN,
    Aggregate,
    Facts,
    Measure,
    TieRule,
    choice,
    read_examples,
)
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, Sampling, total
from rankgauge.ranking.sampling import SAMPLING


class AP(Measure):
    """The mean, over all relevant documents, of the precision at their ranks; 0 for those not retrieved.

    With out_of='found' it is the mean over the relevant documents that the list has down to the cutoff, as in
    torchmetrics, so that nothing is lost by missing the others. With 'cutoff' the divisor is at most k, as in pyvespa;
    with 'list' it is at most the length of the list, as in LensKit.
    """

    facts = Facts(
        title="Average precision",
        formula=r"\frac{1}{R}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}] \, P@r",
        reference="Buckley & Voorhees, Evaluating evaluation measure stability, SIGIR 2000",
        examples=read_examples("""
            AP of 1 0 2 - 1 | 1 = (1/1 + 2/3 + 3/5) / 4
            AP(rel=2)@3 of 1 2 0 2 | 2 = (1/2) / 3
            AP(out_of='cutoff')@2 of 1 0 2 | 1 = (1/1) / 2
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN
    out_of: str | None = choice("divisor of AP", ("relevant", "found", "cutoff", "list"))

    def estimate(self, lists: RankedLists, sampling: Sampling = SAMPLING) -> tuple[FloatArray, FloatArray]:
        if self.out_of != "found" or not lists.tied:
            return super().estimate(lists, sampling)
        # How many are found depends on the order of ties: no closed form.
        lists = lists.condense() if self.judged_only else lists
        return sampling.mean(self.bound(DEFAULTS).values, lists)

    def values(self, lists: RankedLists) -> FloatArray:
        # trec_eval adds from the last document up, which shows in single precision.
        return ratio(lists.total(self.amounts(lists), upwards=True), self.divisor(lists))

    def numerator(self) -> Form:
        return Form(shape=Shape.PRECISION, worth=relevance(self.rel), weight=reciprocal, cutoff=self.cutoff)

    def ideal(self) -> Form | None:
        if self.out_of not in (None, "relevant"):
            return None
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like)

    def divisor(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        deepest = np.full_like(R, np.inf if self.cutoff is None else float(self.cutoff))
        if self.out_of == "list":
            deepest = np.minimum(np.maximum(lists.retrieved, 1.0), deepest)
        if self.out_of != "found":
            return R if self.out_of in (None, "relevant") else np.minimum(R, deepest)
        retrieved = total(lists.relevant(self.rel) * lists.inside(self.cutoff))
        return np.where(R > 0, np.maximum(retrieved, 1.0), 0.0)  # if nothing is found the value is 0, not 0/0


class GMAP(AP):
    """Average precision whose mean over queries is geometric: it rewards a run that fails on no query.

    A query's value is its average precision; the mean counts it as at least 0.00001.
    """

    facts = Facts(
        title="Geometric mean average precision",
        formula=r"\exp \frac{1}{|Q|} \sum_{q \in Q} \ln \max(AP_q, 10^{-5})",
        reference="Robertson, On GMAP and other transformations, CIKM 2006",
        examples=read_examples("""
            GMAP of 1 0 2 - 1 | 1 = (1/1 + 2/3 + 3/5) / 4
            GMAP(rel=2)@3 of 1 2 0 2 | 2 = (1/2) / 3
        """),
        aggregate=Aggregate.GEOMETRIC,
    )


class YAAP(Measure):
    """Average precision as smoothed log odds, which make a better mean over queries than shares do.

    The precisions at relevant documents add up to how many count as found; the rest of the R counts as missed, and each
    of the two is one more. It orders the lists of a query as AP does. Without a relevant document it is 0: even odds.
    """

    facts = Facts(
        title="Yet another average precision",
        formula=r"\ln \frac{1 + S}{1 + R - S}, \quad S = \sum_r [g_r \ge \mathrm{rel}] \, P@r",
        reference="Robertson, On smoothing average precision, ECIR 2012; trec_eval 9.0.8, yaap",
        bounds=(-np.inf, np.inf),
        ties=TieRule.SAMPLED,
        examples=read_examples("""
            YAAP of 1 0 2 - 1 | 1 = log((1 + 1 + 2/3 + 3/5) / (1 + 4 - 1 - 2/3 - 3/5))
            YAAP(rel=2) of 1 2 0 1 | 2 = log((1 + 1/2) / (1 + 2 - 1/2))
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        precision = total(cumulated_precision(lists, lists.relevant(self.rel).astype(float)))
        return np.log((1.0 + precision) / (1.0 + lists.total_relevant(self.rel) - precision))
