"""Measures made of the 2×2 table of the whole list: precision, recall, their combinations, accuracy, utility."""

import math
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
        hits = lists.count_found(self.rel)
        R = lists.total_relevant(self.rel)
        precision, recall = ratio(hits, lists.retrieved), ratio(hits, R)
        # Where nothing was hits, precision or recall is 0 and so is F; only with nothing to find either is it 0/0.
        with_hits = ratio((self.beta + 1.0) * precision * recall, self.beta * precision + recall)
        return np.where(hits > 0, with_hits, ratio(hits, R + lists.retrieved))


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
        hits = lists.count_found(self.rel)
        return ratio(hits * hits, lists.retrieved * lists.total_relevant(self.rel))


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
        return ratio(lists.count_found(self.rel), np.minimum(lists.retrieved, lists.total_relevant(self.rel)))


def decisions(lists: RankedLists, rel: float) -> tuple[FloatArray, FloatArray]:
    """Return how many documents of each list were decided on rightly, a + d of the 2×2 table, and wrongly, b + c."""
    hits = lists.count_found(rel)  # a: relevant and retrieved
    wrong = lists.retrieved - hits  # b: retrieved, but not relevant or not judged
    missed = lists.total_relevant(rel) - hits  # c: relevant, but not retrieved
    rejected = lists.total_nonrelevant(rel) - lists.nonrelevant(rel).sum(axis=-1)  # d: judged not relevant, left out
    return hits + rejected, wrong + missed


class SetAccuracy(Measure):
    """The share of right decisions: relevant documents retrieved and non-relevant ones left out.

    A retrieved document that nobody judged counts as a wrong decision; one that was left out cannot be counted.
    """

    facts = set_facts(
        title="Set accuracy",
        formula=r"\frac{a + d}{a + b + c + d}, \quad d \text{ judged non-relevant and not retrieved}",
        reference="Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        better=True,
        examples=read_examples("""
            SetAccuracy of 1 - 2 0 | 1 0 0 = (2 + 2) / (2 + 2 + 1 + 2)
            SetAccuracy(rel=2) of 2 1 3 | 2 1 = (2 + 1) / (2 + 1 + 1 + 1)
            SetAccuracy of nothing = nan
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        right, wrong = decisions(lists, self.rel)
        return ratio(right, right + wrong)


class SetError(Measure):
    """The share of wrong decisions: other documents retrieved and relevant ones missed. Lower is better."""

    facts = set_facts(
        title="Set error",
        formula=r"\frac{b + c}{a + b + c + d}",
        reference="Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        examples=read_examples("""
            SetError of 1 - 2 0 | 1 0 0 = (2 + 1) / (2 + 2 + 1 + 2)
            SetError(rel=2) of 2 1 3 | 2 1 = (1 + 1) / (2 + 1 + 1 + 1)
            SetError of nothing = nan
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        right, wrong = decisions(lists, self.rel)
        return ratio(wrong, right + wrong)


class Utility(Measure):
    """A sum over the collection: each document is worth what its kind is worth.

    The four kinds are retrieved and relevant, retrieved and not relevant, missed (relevant, not retrieved), and the
    rest; `collection` is the number of documents there are, which only the rest needs.
    """

    facts = Facts(
        title="Set utility",
        formula=r"p_1 R_{ret} + p_2 (n - R_{ret}) + p_3 (R - R_{ret}) + p_4 (N - n - R + R_{ret})",
        reference="Lewis, The TREC-4 filtering track, TREC 1995; trec_eval 9.0.8, utility",
        bounds=(-math.inf, math.inf),
        ties=TieRule.IMMUNE,
        better=True,
        examples=read_examples("""
            Utility of 1 0 - 2 | 1 = 2 - 2
            Utility(relevant=3, nonrelevant=-2, missed=-1, rest=0.5, collection=10) of 1 0 - 2 | 1 = 3 * 2 - 2 * 2 -\
                 1 * 1 + 0.5 * (10 - 4 - 1)
            Utility(rest=0.5) of 1 | 1 = 1 + 0.5 * (0 + 1 - 1 - 2)
        """),
        counts_unjudged=True,
    )
    relevant: float = 1.0
    nonrelevant: float = -1.0
    missed: float = 0.0
    rest: float = 0.0
    collection: float = 0.0
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        hits, R, n = lists.count_found(self.rel), lists.total_relevant(self.rel), lists.retrieved
        return (
            self.relevant * hits
            + self.nonrelevant * (n - hits)
            + self.missed * (R - hits)
            + self.rest * (self.collection + hits - n - R)
        )
