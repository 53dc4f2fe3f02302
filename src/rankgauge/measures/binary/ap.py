"""AP: average precision."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import reciprocal, relevance
from rankgauge.measures.measure import DEFAULTS, OPEN, Cutoff, Example, Facts, Measure, choice
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
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("AP", (1, 0, 2, None, 1), missed=(1,), value="(1/1 + 2/3 + 3/5) / 4"),
            Example("AP(rel=2)@3", (1, 2, 0, 2), missed=(2,), value="(1/2) / 3"),
            Example("AP(out_of='cutoff')@2", (1, 0, 2), missed=(1,), value="(1/1) / 2"),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN
    out_of: str | None = choice("divisor of AP", ("relevant", "found", "cutoff", "list"))

    def estimate(self, lists: RankedLists, sampling: Sampling = SAMPLING) -> tuple[FloatArray, FloatArray]:
        if self.out_of != "found" or not lists.tied:
            return super().estimate(lists, sampling)
        # How many are found depends on the order of ties: no closed form.
        lists = lists.condensed() if self.judged_only else lists
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
        found = total(lists.relevant(self.rel) * lists.inside(self.cutoff))
        return np.where(R > 0, np.maximum(found, 1.0), 0.0)  # if nothing is found the value is 0, not 0/0
