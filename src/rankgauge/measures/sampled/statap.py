"""statAP: average precision from a sample whose documents were drawn with known chances."""

import numpy as np

from rankgauge.measures.measure import OPEN, Measure, read_examples
from rankgauge.measures.strata import FromStrata, Strata, over_strata, sample_facts
from rankgauge.numeric import FloatArray, ratio


class statAP(FromStrata, Measure):
    """Average precision from a sample: a relevant document that was drawn with a chance of π stands for 1/π of them,
    also where it counts towards the precision of those below.

    Where strata are given instead of chances, π is the judged share of the document's stratum.
    """

    facts = sample_facts(
        title="Average precision of a sample with known chances",
        formula=r"\frac{1}{R_{\mathrm{est}}}\sum_{r} \frac{1}{\pi_r} [g_r \ge \mathrm{rel}] \frac{1}{r}"
        r"(1 + \sum_{i < r} \frac{[g_i \ge \mathrm{rel}]}{\pi_i}),"
        r" \quad R_{\mathrm{est}} = \sum_d \frac{[g_d \ge \mathrm{rel}]}{\pi_d}",
        reference="Aslam & Pavlu, A practical sampling strategy for efficient retrieval evaluation, 2007; Carterette, "
        "Pavlu, Kanoulas, Aslam & Allan, Evaluation over thousands of queries, SIGIR 2008",
        examples=read_examples("""
            # The first stratum is judged throughout; of the second, one of the two documents: π = 1/2.
            statAP of .,1 - 1,. 0,. | .,? 1,. = (2 * 1/1 + (1 + 2) / 3) / (2 + 1 + 1)
            statAP(rel=2) of 1,. 2,. .,2 = (1/2 + (1 + 1) / 3) / 2
        """),
    )
    rel: float = OPEN

    def inferred(self, strata: Strata) -> FloatArray:
        stands = over_strata(strata.relevant(self.rel) * strata.expansion[..., np.newaxis, :])
        before = np.cumsum(stands, axis=-1) - stands
        return ratio(np.nansum(stands * (1.0 + before) / strata.ranks, axis=-1), strata.total_relevant(self.rel))
