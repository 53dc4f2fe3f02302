"""RCap@k: recall of as many documents as fit into the first k."""

import numpy as np

from rankgauge.measures.binary.r import R
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class RCap(Measure):
    """The share of the relevant documents that are among the first k, of at most k: 1 can always be reached."""

    facts = Facts(
        title="Capped recall at k",
        formula=r"\frac{1}{\min(R, k)}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="Thakur, Reimers, Rücklé, Srivastava & Gurevych, BEIR, NeurIPS 2021 (R_cap); RecPack's calibrated "
        "recall",
        cutoff=Cutoff.REQUIRED,
        attains=True,
        examples=(
            Example("RCap@3", (2, None, 1, 1), missed=(1,), value="2 / 3"),
            Example("RCap(rel=2)@5", (2, 1, 3), missed=(2, 1), value="2 / 3"),
            Example("RCap@3", (0, None), missed=(0,), value="nan"),
        ),
    )
    cutoff: int = OPEN
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return R(cutoff=self.cutoff, rel=self.rel, out_of=None).amounts(lists)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.minimum(lists.total_relevant(self.rel), float(self.cutoff))
