"""RBP: rank-biased precision, and how much it could still rise."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import persistence, relevance
from rankgauge.measures.measure import OPEN, PERSISTENCE, Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class RBP(Measure):
    """The share of relevant documents seen by a user who goes on to the next one with probability p.

    With graded=True a relevant document counts as much as its grade, as in ranx, so that the value may be above 1.
    """

    facts = Facts(
        title="Rank-biased precision",
        formula=r"(1 - p)\sum_{r=1}^{k} [g_r \ge \mathrm{rel}] \, p^{r-1}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008",
        examples=read_examples("""
            RBP of 1 0 2 - 1 | 1 = .2 * (1 + .8**2 + .8**4)
            RBP(p=0.5, rel=2)@3 of 1 2 3 2 | 2 = .5 * (.5 + .5**2)
        """),
    )
    cutoff: int | None = None
    p: float = parameter(PERSISTENCE, default=0.8)
    rel: float = OPEN
    graded: bool | None = None

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=self._worth, weight=persistence(self.p), cutoff=self.cutoff)

    def _worth(self, lists: RankedLists) -> FloatArray:
        relevant = relevance(self.rel)(lists)
        return np.where(relevant > 0, lists.grades, 0.0) if self.graded else relevant


class RBPResidual(Measure):
    """What all unjudged documents would add to rank-biased precision if they were relevant: those of the list, and
    every document that could follow it or come past the cutoff. Lower is more certain.

    With `unless_judged`, 0 for a list without unjudged documents, whatever could follow it, as in trec_eval 10.
    """

    facts = Facts(
        title="Residual of rank-biased precision",
        formula=r"1 - (1 - p)\sum_{r=1}^{k} [g_r \text{ is known}] \, p^{r-1}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008",
        improves=False,
        examples=read_examples("""
            RBPResidual of 1 - 0 | 2 = .2 * .8 + .8**3
            RBPResidual(p=0.5)@2 of - 2 1 | 2 = .5 + .5**2
            RBPResidual of ? 1 = .2 + .8**2
            RBPResidual of nothing | 2 = 1
            RBPResidual(unless_judged=True) of 1 0 | 2 = 0
            RBPResidual(unless_judged=True) of 1 - = .2 * .8 + .8**2
        """),
        counts_unjudged=True,  # with unless_judged
    )
    cutoff: int | None = None
    p: float = parameter(PERSISTENCE, default=0.8)
    unless_judged: bool = False

    def values(self, lists: RankedLists) -> FloatArray:
        complete = self.unless_judged & (lists.judged.sum(axis=-1) == lists.retrieved)
        lists = lists.top(self.cutoff)
        known = lists.judged * lists.weigh(persistence(self.p), self.cutoff)
        return np.where(complete, 0.0, 1.0 - total(known))
