"""RBP: rank-biased precision."""

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import persistence, relevance
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class RBP(Measure):
    """The share of relevant documents seen by a user who goes on to the next one with probability p.

    With graded=True a relevant document counts as much as its grade, as in ranx, so that the value may be above 1.
    """

    facts = Facts(
        title="Rank-biased precision",
        formula=r"(1 - p)\sum_{r=1}^{k} [g_r \ge \mathrm{rel}] \, p^{r-1}",
        reference="Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008",
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("RBP", (1, 0, 2, None, 1), missed=(1,), value=".2 * (1 + .8**2 + .8**4)"),
            Example("RBP(p=0.5, rel=2)@3", (1, 2, 3, 2), missed=(2,), value=".5 * (.5 + .5**2)"),
        ),
    )
    cutoff: int | None = None
    p: float = 0.8
    rel: float = OPEN
    graded: bool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.p < 1:
            raise ParameterError("RBP", "p", "a probability from 0 to below 1", self.p)

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=self._worth, weight=persistence(self.p), cutoff=self.cutoff)

    def _worth(self, lists: RankedLists) -> FloatArray:
        found = relevance(self.rel)(lists)
        return np.where(found > 0, lists.grades, 0.0) if self.graded else found
