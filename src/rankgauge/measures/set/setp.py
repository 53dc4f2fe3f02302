"""Precision and recall of the whole list, and what is made of them: SetP, SetR, SetF, SetAP, SetRelativeP."""

from functools import partial

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import relevance
from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists

set_facts = partial(Facts, ties=TieRule.IMMUNE, counts_unjudged=True)
"""The facts of a measure for which order does not matter, and every document that was retrieved counts."""


class SetP(Measure):
    """The share of relevant documents among all that were retrieved."""

    facts = set_facts(
        title="Set precision",
        formula=r"\frac{a}{a + b}, \quad a \text{ relevant and } b \text{ other documents retrieved}",
        reference="van Rijsbergen, Information Retrieval, 1979",
        better=True,
        examples=read_examples("""
            SetP of 1 - 2 0 | 1 = 2 / 4
            SetP(rel=2) of 2 1 3 | 2 0 = 2 / 3
            SetP of nothing | 1 = nan
        """),
    )
    variants = {"relative": "SetRelativeP"}  # ir-measures' SetP(relative=True)
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        return lists.relevant(self.rel).astype(float)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.retrieved


class SetR(SetP):
    """The share of the relevant documents that were retrieved."""

    facts = Facts(
        title="Set recall",
        formula=r"\frac{a}{a + c}, \quad a \text{ relevant documents retrieved, } c \text{ missed}",
        reference="van Rijsbergen, Information Retrieval, 1979",
        ties=TieRule.IMMUNE,
        attains=True,
        examples=read_examples("""
            SetR of 1 - 2 0 | 1 = 2 / 3
            SetR(rel=2) of 2 1 3 | 2 2 1 = 2 / 4
            SetR of 0 - | 0 = nan
        """),
    )

    def numerator(self) -> Form:
        return Form(shape=Shape.LINEAR, worth=relevance(self.rel), weight=np.ones_like)

    def ideal(self) -> Form:
        return self.numerator()

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)


class SetF(Measure):
    """The weighted harmonic mean of set precision and set recall; 0 if one of them is 0.

    `beta` weighs recall against precision as in trec_eval and ir-measures: it is in the formula itself, where
    van Rijsbergen has its square.
    """

    facts = set_facts(
        title="Set F",
        formula=r"\frac{(1 + \beta) \, p \, r}{\beta p + r}, \quad p \text{ set precision, } r \text{ set recall}",
        reference="van Rijsbergen, Information Retrieval, 1979; trec_eval, m_set_F",
        better=True,
        examples=read_examples("""
            SetF of 1 - 2 0 | 1 = 2 / (1/(2/4) + 1/(2/3))
            SetF(beta=3, rel=2) of 2 1 3 | 2 2 1 = (1 + 3) * (2/3) * (2/4) / (3 * (2/3) + (2/4))
            SetF of 1 0 = 2 / (1/(1/2) + 1/1)
            SetF of 0 - | 1 2 = 0
            SetF of nothing | 1 = 0
            SetF of nothing | 0 = nan
        """),
    )
    beta: float = 1.0
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = lists.found(self.rel)
        R = lists.total_relevant(self.rel)
        precision, recall = ratio(found, lists.retrieved), ratio(found, R)
        # Where nothing was found, precision or recall is 0 and so is F; only with nothing to find either is it 0/0.
        with_hits = ratio((self.beta + 1.0) * precision * recall, self.beta * precision + recall)
        return np.where(found > 0, with_hits, ratio(found, R + lists.retrieved))


class SetAP(Measure):
    """Set precision times set recall: what average precision would be if every relevant document came last."""

    facts = set_facts(
        title="Set average precision",
        formula=r"\frac{a}{a + b} \cdot \frac{a}{a + c}",
        reference="trec_eval, m_set_map; Voorhees & Harman, TREC: Experiment and Evaluation, 2005",
        better=True,
        examples=read_examples("""
            SetAP of 1 - 2 0 | 1 = 2/4 * 2/3
            SetAP(rel=2) of 2 1 3 | 2 2 1 = 2/3 * 2/4
            SetAP of 0 - | 0 = nan
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        found = lists.found(self.rel)
        return ratio(found * found, lists.retrieved * lists.total_relevant(self.rel))


class SetRelativeP(Measure):
    """The precision of the retrieved set, divided by the highest precision that a set of its size can reach."""

    facts = set_facts(
        title="Relative set precision",
        formula=r"\frac{R_{ret}}{\min(n, R)}",
        reference="trec_eval 9.0.8, set_relative_P (exact_relative_prec before version 9)",
        attains=True,
        examples=read_examples("""
            SetRelativeP of 1 0 - | 1 2 1 = 1 / 3
            SetRelativeP(rel=2) of 2 1 0 - | 2 = 1 / 2
            SetRelativeP of 0 - = nan
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return ratio(lists.found(self.rel), np.minimum(lists.retrieved, lists.total_relevant(self.rel)))
