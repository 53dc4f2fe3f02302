"""SetR: recall of the whole list."""

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import Example, Facts, TieRule
from rankgauge.measures.set.setp import SetP
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class SetR(SetP):
    """The share of the relevant documents that were retrieved."""

    facts = Facts(
        title="Set recall",
        formula=r"\frac{a}{a + c}, \quad a \text{ relevant documents retrieved, } c \text{ missed}",
        reference="van Rijsbergen, Information Retrieval, 1979",
        ties=TieRule.IMMUNE,
        attains=True,
        examples=(
            Example("SetR", (1, None, 2, 0), missed=(1,), value="2 / 3"),
            Example("SetR(rel=2)", (2, 1, 3), missed=(2, 2, 1), value="2 / 4"),
            Example("SetR", (0, None), missed=(0,), value="nan"),
        ),
    )

    def numerator(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like)

    def ideal(self) -> Form:
        return self.numerator()

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)
