"""RprecMult: precision at a multiple of R."""

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.measure import OPEN, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class RprecMult(Measure):
    """The precision after a multiple of R documents, R being the number of relevant ones.

    It meets every query at the same milestone, so low multiples show precision, high ones recall. A rank that is not
    whole is rounded as trec_eval does: up from a tenth on.
    """

    facts = Facts(
        title="Precision at a multiple of R",
        formula=r"\frac{1}{k}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}], \quad k = \lfloor m R + 0.9 \rfloor",
        reference="trec_eval 9.0.8, Rprec_mult",
        examples=(
            Example("RprecMult(multiple=0.5)", (1, 0, 2, 1), missed=(1, 1), value="2 / 3"),
            Example("RprecMult(multiple=2, rel=2)", (2, 0, 1), missed=(2,), value="1 / 4"),
            Example("RprecMult(multiple=1)", (0, None), value="nan"),
            Example("RprecMult", (1, 0, 2), missed=(1,), value="2 / 3"),
        ),
    )
    multiple: float = 1.0
    rel: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.multiple > 0:
            raise ParameterError("RprecMult", "multiple", "above 0", self.multiple)

    def amounts(self, lists: RankedLists) -> FloatArray:
        return lists.relevant(self.rel) * lists.inside(self.divisor(lists))

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.floor(self.multiple * lists.total_relevant(self.rel) + 0.9)
