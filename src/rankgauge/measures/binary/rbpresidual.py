"""RBPResidual: how much rank-biased precision could still rise."""

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.gains import persistence
from rankgauge.measures.measure import Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import UNJUDGED, RankedLists, total


class RBPResidual(Measure):
    """What all unjudged documents would add to rank-biased precision if they were relevant: those of the list, and
    every document that could follow it or come past the cutoff. Lower is more certain.

    With `unless_judged`, 0 for a list without unjudged documents, whatever could follow it, as in trec_eval 10.
    """

    facts = Facts(
        title="Residual of rank-biased precision",
        formula=r"1 - (1 - p)\sum_{r=1}^{k} [g_r \text{ is known}] \, p^{r-1}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008",
        cutoff=Cutoff.OPTIONAL,
        improves=False,
        examples=(
            Example("RBPResidual", (1, None, 0), missed=(2,), value=".2 * .8 + .8**3"),
            Example("RBPResidual(p=0.5)@2", (None, 2, 1), missed=(2,), value=".5 + .5**2"),
            Example("RBPResidual", (UNJUDGED, 1), value=".2 + .8**2"),
            Example("RBPResidual", (), missed=(2,), value="1"),
            Example("RBPResidual(unless_judged=True)", (1, 0), missed=(2,), value="0"),
            Example("RBPResidual(unless_judged=True)", (1, None), value=".2 * .8 + .8**2"),
        ),
        counts_unjudged=True,  # with unless_judged
    )
    cutoff: int | None = None
    p: float = 0.8
    unless_judged: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.p < 1:
            raise ParameterError("RBPResidual", "p", "a probability from 0 to below 1", self.p)

    def values(self, lists: RankedLists) -> FloatArray:
        complete = self.unless_judged & (lists.judged.sum(axis=-1) == lists.retrieved)
        lists = lists.top(self.cutoff)
        known = lists.judged * lists.weigh(persistence(self.p), self.cutoff)
        return np.where(complete, 0.0, 1.0 - total(known))
