"""Rprec: precision at the number of relevant documents, or at a multiple of it."""

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.measures.measure import OPEN, Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class Rprec(Measure):
    """The share of relevant documents among the first R, where R documents are relevant: precision and recall meet."""

    facts = Facts(
        title="R-precision",
        formula=r"\frac{1}{R}\sum_{r=1}^{R} [g_r \ge \mathrm{rel}]",
        reference="Buckley & Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation, 2005",
        attains=True,
        examples=read_examples("""
            Rprec of 1 0 2 - 1 | 1 = 2 / 4
            Rprec(rel=2) of 2 1 - 3 2 | 0 = 1 / 3
            Rprec of 1 | 1 = 1 / 2
            Rprec of 0 - | 0 = nan
        """),
    )
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return lists.relevant(self.rel) * lists.inside(self.divisor(lists))

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)


class RprecMult(Measure):
    """The precision after a multiple of R documents, R being the number of relevant ones.

    It meets every query at the same milestone, so low multiples show precision, high ones recall. A rank that is not
    whole is rounded as trec_eval does: up from a tenth on.
    """

    facts = Facts(
        title="Precision at a multiple of R",
        formula=r"\frac{1}{k}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}], \quad k = \lfloor m R + 0.9 \rfloor",
        reference="trec_eval 9.0.8, Rprec_mult",
        examples=read_examples("""
            RprecMult(multiple=0.5) of 1 0 2 1 | 1 1 = 2 / 3
            RprecMult(multiple=2, rel=2) of 2 0 1 | 2 = 1 / 4
            RprecMult(multiple=1) of 0 - = nan
            RprecMult of 1 0 2 | 1 = 2 / 3
        """),
    )
    multiple: float = parameter(real_number(positive=True), default=1.0)
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return lists.relevant(self.rel) * lists.inside(self.divisor(lists))

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.floor(self.multiple * lists.total_relevant(self.rel) + 0.9)
