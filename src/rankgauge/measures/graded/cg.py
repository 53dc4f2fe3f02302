"""CG: cumulated gain."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import gains
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class CG(Measure):
    """The sum of the gains of the first k documents, whatever their order."""

    facts = Facts(
        title="Cumulated gain",
        formula=r"\sum_{r=1}^{k} \mathrm{gain}(g_r)",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        bounds=(0.0, np.inf),
        cutoff=Cutoff.OPTIONAL,
        graded=True,
        examples=(
            Example("CG@3", (1, None, 2, 2), missed=(1,), value="1 + 2"),
            Example("CG(gain='exp')", (0, 3, None, 2), missed=(3,), value="7 + 3"),
        ),
    )
    cutoff: int | None = None
    gain: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None

    def form(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=self._gains, weight=np.ones_like, cutoff=self.cutoff)

    def _gains(self, lists: RankedLists) -> FloatArray:
        return gains(lists, self.gain, self.gains)
