"""INST, BPM and NERR8 to NERR11: gain per document of users who go on from rank to rank (the C/W/L framework).

A user at rank i goes on with probability C(i). The share of the reading that rank i gets is then W(i) = Π C(j < i) /
Σ Π C, and a measure is Σ W(i) · gain(i). Moffat, Bailey, Scholer & Thomas, Incorporating user expectations and behavior
into the measurement of search effectiveness, TOIS 2017.
"""

import math
from typing import Any

import numpy as np

from rankgauge.measures.gains import DEEPEST, SCALE_ENDS, gain_shares, lowest_grade, wanted_gain
from rankgauge.measures.measure import OPEN, PROPER, Facts, Measure, TieRule, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

ROWS = 1000
"""How many lists are worked on at once."""


def reader_facts(goes_on: str, **facts: Any) -> Facts:
    """Return the facts of a measure of users who go on with the chance of that formula."""
    formula = rf"\frac{{\sum_r g_r \prod_{{i<r}} C_i}}{{\sum_r \prod_{{i<r}} C_i}}, \quad C_r = {goes_on}"
    return Facts(formula=formula, graded=True, ties=TieRule.SAMPLED, **facts)


class Reader:
    """A measure of users who go on from rank to rank: `goes_on` says how likely."""

    shorthands = SCALE_ENDS
    min_grade: float
    max_grade: float

    def values(self, lists: RankedLists) -> FloatArray:
        """Return the expected gain of each document that a user reads, who stops at the cutoff at the latest."""
        depth = int(getattr(self, "cutoff", DEEPEST))
        shape, width = lists.ranks.shape[:-1], lists.ranks.shape[-1]
        every_rank = lists.ranks.reshape(math.prod(shape), width)
        gains = gain_shares(lists, self.min_grade, self.max_grade).reshape(every_rank.shape)
        values = np.zeros(len(every_rank))
        for start in range(0, len(values), ROWS):
            ranks = every_rank[start : start + ROWS]
            row, column = np.nonzero(ranks <= depth)
            gain = np.zeros((len(ranks), depth))
            gain[row, ranks[row, column].astype(np.intp) - 1] = gains[start : start + ROWS][row, column]
            chance = self.goes_on(np.arange(1.0, depth + 1), gain, np.cumsum(gain, axis=-1))
            reached = np.cumprod(np.concatenate([np.ones((len(ranks), 1)), chance[:, :-1]], axis=-1), axis=-1)
            values[start : start + ROWS] = (reached * gain).sum(axis=-1) / reached.sum(axis=-1)
        return values.reshape(shape)

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        """Return the chance to go on: from ranks, the gain at each, and the gain of all up to it."""
        raise NotImplementedError


class INST(Reader, Measure):
    """The gain per document of a user who wants a total gain of T: the less is lacking, the likelier the user stops.

    Users read 1,000 documents at most, as in cwl_eval.
    """

    facts = reader_facts(
        r"\left(\frac{r + T + T_r - 1}{r + T + T_r}\right)^2, \quad T_r = T - \sum_{i \le r} g_i",
        title="INST",
        reference="Moffat, Bailey, Scholer & Thomas, INST: an adaptive metric for information retrieval evaluation, "
        "ADCS 2015",
        examples=read_examples("""
            INST(max_grade=1) of 1 - | 1 = 1 / sum(1 / r**2 for r in range(1, 1001))
            INST(T=2, max_rel=2) of 1 2 | 2 = (1/2 + (3.5/4.5)**2) / (1 + (3.5/4.5)**2 * sum((3.5 / (r \
                + 1.5))**2 for r in range(2, 1001)))
        """),
    )
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ((ranks + 2.0 * self.T - gained - 1.0) / (ranks + 2.0 * self.T - gained)) ** 2


class BPM(Reader, Measure):
    """The gain per document of a user who reads until the gain is T, but no further than rank k."""

    facts = reader_facts(
        r"[\sum_{i \le r} g_i < T]",
        title="Bejewelled player model",
        reference="Zhang, Liu, Li, Zhang, Xu & Ma, Evaluating web search with a Bejeweled player model, SIGIR 2017 "
        "(static)",
        improves=False,  # a better document higher up may be enough, and the user misses a still better one
        better=True,
        examples=read_examples("""
            BPM(max_grade=2)@5 of 1 - 2 2 | 2 = (1/2 + 1) / 3
            BPM(T=2, max_rel=2)@2 of 1 2 2 = (1/2 + 1) / 2
        """),
    )
    cutoff: int = OPEN
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return (gained < self.T).astype(np.float64)


def nerr_facts(equation: int, goes_on: str, examples: str) -> Facts:
    """Return the facts of the measure of an equation of Azzopardi, Mackenzie and Moffat."""
    return reader_facts(
        goes_on,
        title=f"Nearly expected reciprocal rank, equation {equation}",
        reference=f"Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation {equation})",
        examples=read_examples(examples),
    )


class NERR8(Reader, Measure):
    """The gain per document of a user who stops at a document with the chance of its gain, and at rank k."""

    facts = nerr_facts(
        8,
        r"1 - g_r",
        """
        NERR8(max_grade=2)@2 of 1 2 2 | 2 = (1/2 + 1/2 * 1) / (1 + 1/2)
        NERR8(max_rel=4)@3 of - 4 4 2 = 1 / (1 + 1)
        """,
    )
    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return 1.0 - gain


class NERR9(NERR8):
    """The gain per document of a user who tires with the rank, and stops at good documents and at rank k."""

    facts = nerr_facts(
        9,
        r"\frac{r}{r + 1}(1 - g_r)",
        """
        NERR9(max_grade=2)@2 of 1 2 2 | 2 = (1/2 + 1/4 * 1) / (1 + 1/4)
        NERR9(max_rel=4)@3 of - 4 4 2 = (1/2) / (1 + 1/2)
        """,
    )

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ranks / (ranks + 1.0) * (1.0 - gain)


class NERR10(Reader, Measure):
    """The gain per document of a user who goes on with probability p, and less after good documents."""

    facts = nerr_facts(
        10,
        r"p\,(1 - g_r)",
        """
        NERR10(p=0.5, max_grade=2) of 1 2 1 | 2 = (1/2 + 1/4 * 1) / (1 + 1/4)
        NERR10(max_rel=4) of - 4 | 2 = .9 / (1 + .9)
        """,
    )
    p: float = parameter(PROPER, default=0.9, words="how likely the user goes on after a document that gains nothing")
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return self.p * (1.0 - gain)


class NERR11(INST):
    """The gain per document of a user who wants a total gain of T, and goes on less after good documents."""

    facts = nerr_facts(
        11,
        r"\left(\frac{r + 2T - 1}{r + 2T}\right)^2 (1 - g_r)",
        """
        NERR11(max_grade=2) of 1 2 1 | 2 = (1/2 + (2/3)**2 * 1/2) / (1 + (2/3)**2 * 1/2)
        NERR11(T=2, max_rel=4) of - 4 | 2 = (4/5)**2 / (1 + (4/5)**2)
        """,
    )

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ((ranks + 2.0 * self.T - 1.0) / (ranks + 2.0 * self.T)) ** 2 * (1.0 - gain)
