"""R@k: recall at a rank, as a share of what can be found there, and with precision (F); and fall-out, its opposite."""

from dataclasses import replace

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Facts, Measure, choice, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class R(Measure):
    """The share of the relevant documents that are among the first k.

    With out_of='cutoff' it is the share of the k that could be found where more are relevant, as in LensKit.
    """

    facts = Facts(
        title="Recall at k",
        formula=r"\frac{1}{R}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979",
        examples=read_examples("""
            R@3 of 2 - 1 1 | 1 = 2 / 4
            R(rel=2)@5 of 2 1 3 | 2 1 = 2 / 3
            R@3 of 0 - | 0 = nan
            R(out_of='cutoff')@2 of 1 0 1 | 1 = 1 / 2
        """),
    )
    cutoff: int = OPEN
    rel: float = OPEN
    out_of: str | None = choice("divisor of R", ("relevant", "cutoff"))

    def numerator(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like, cutoff=self.cutoff)

    def ideal(self) -> Form:
        return self.numerator() if self.out_of == "cutoff" else replace(self.numerator(), cutoff=None)

    def divisor(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        return np.minimum(R, float(self.cutoff)) if self.out_of == "cutoff" else R


class RelativeP(R):
    """The precision at k, divided by the highest precision possible at k: precision up to R, recall from there on."""

    facts = Facts(
        title="Relative precision at k",
        formula=r"\frac{1}{\min(k, R)}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="trec_eval 9.0.8, relative_P",
        attains=True,
        examples=read_examples("""
            RelativeP@3 of 2 - 0 1 | 1 = 1 / 3
            RelativeP(rel=2)@3 of 2 1 0 2 | 1 = 1 / 2
            RelativeP@3 of 0 - = nan
        """),
    )

    out_of: str | None = "cutoff"


class RCap(Measure):
    """The share of the relevant documents that are among the first k, of at most k: 1 can always be reached."""

    facts = Facts(
        title="Capped recall at k",
        formula=r"\frac{1}{\min(R, k)}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="Thakur, Reimers, Rücklé, Srivastava & Gurevych, BEIR, NeurIPS 2021 (R_cap); RecPack's calibrated "
        "recall",
        attains=True,
        examples=read_examples("""
            RCap@3 of 2 - 1 1 | 1 = 2 / 3
            RCap(rel=2)@5 of 2 1 3 | 2 1 = 2 / 3
            RCap@3 of 0 - | 0 = nan
        """),
    )
    cutoff: int = OPEN
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return R(cutoff=self.cutoff, rel=self.rel, out_of=None).amounts(lists)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.minimum(lists.total_relevant(self.rel), float(self.cutoff))


class F(Measure):
    """The weighted harmonic mean of precision and recall of the first k documents; F1@k if `beta` is 1.

    A list shorter than k is padded, as for P. `beta` weighs recall against precision as in SetF, which is the same for
    the whole list.
    """

    facts = Facts(
        title="F at k",
        formula=r"\frac{(1 + \beta) \, p \, r}{\beta p + r}, \quad p \text{ precision, } r \text{ recall at } k",
        reference="van Rijsbergen, Information Retrieval, 1979; ranx, f1",
        examples=read_examples("""
            F@3 of 2 - 1 1 | 1 = 2 / (1/(2/3) + 1/(2/4))
            F(rel=2)@5 of 2 1 3 | 2 1 = 2 / (1/(2/5) + 1/(2/3))
            F(beta=3)@2 of 1 2 1 | 2 = (1 + 3) * (2/2) * (2/4) / (3 * (2/2) + (2/4))
            F@3 of 0 - | 1 2 = 0
        """),
    )
    cutoff: int = OPEN
    beta: float = 1.0
    rel: float = OPEN

    # With h relevant documents among the first k, p = h / k and r = h / R, so that F is (1 + β) h / (β R + k).
    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return (1.0 + self.beta) * top.relevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return self.beta * lists.total_relevant(self.rel) + self.cutoff


class FallOut(Measure):
    """The share of the documents judged not relevant that are among the first k: less is better."""

    facts = Facts(
        title="Fall-out at k",
        formula=r"\frac{1}{N}\sum_{r=1}^{k} [g_r < \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979; torchmetrics' RetrievalFallOut",
        improves=False,
        examples=read_examples("""
            FallOut@3 of 0 - 1 0 | 0 1 = 1 / 3
            FallOut(rel=2) of 2 1 0 | 2 1 = 2 / 3
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        top = lists.top(self.cutoff)
        return top.nonrelevant(self.rel) * top.inside(self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_nonrelevant(self.rel)
