"""Counts of queries and documents: NumQ, NumRet, NumRel, NumRelRet, NumNonrelJudgedRet."""

from functools import partial

import numpy as np

from rankgauge.measures.measure import OPEN, Aggregate, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import UNJUDGED, RankedLists

count_facts = partial(Facts, bounds=(0.0, np.inf), ties=TieRule.IMMUNE, aggregate=Aggregate.SUM)
"""The facts of a count, which is added over the queries."""


class NumQ(Measure):
    """One for each query, so that the sum counts them."""

    facts = count_facts(
        title="Number of queries",
        formula=r"1",
        reference="trec_eval, m_num_q; ir-measures, NumQ",
        bounds=(1.0, 1.0),
        attains=True,
        examples=read_examples("""
            NumQ of 1 - 2 | 1 = 1
            NumQ of nothing = 1
        """),
    )

    def values(self, lists: RankedLists) -> FloatArray:
        return np.ones_like(lists.retrieved)


class NumRet(Measure):
    """How many documents the list has; with `rel`, how many of them have at least that grade."""

    facts = count_facts(
        title="Number of documents retrieved",
        formula=r"|L|",
        reference="trec_eval, m_num_ret; ir-measures, NumRet",
        examples=read_examples("""
            NumRet of 1 - 2 0 | 1 = 4
            NumRet(rel=2) of 2 1 - 3 | 2 = 2
            NumRet(rel=0) of 2 0 - 3 | 0 = 3
            NumRet of nothing | 1 = 0
        """),
        counts_unjudged=True,
    )
    rel: float = UNJUDGED
    """Below every grade: by default unjudged documents count too, under every dialect."""

    def values(self, lists: RankedLists) -> FloatArray:
        return lists.retrieved if self.rel == UNJUDGED else lists.count_found(self.rel)


class NumRel(Measure):
    """How many relevant documents were judged, retrieved or not.

    With `answered_only`, those of a query that the run does not answer do not count, as in trec_eval 8.
    """

    facts = count_facts(
        title="Number of relevant documents",
        formula=r"R = |\{d : g_d \ge \mathrm{rel}\}|",
        reference="trec_eval, m_num_rel; ir-measures, NumRel",
        examples=read_examples("""
            NumRel of 1 - 2 0 | 1 0 = 3
            NumRel(rel=2) of 2 1 3 | 2 = 3
            NumRel of - = 0
            NumRel(answered_only=True) of nothing | 1 2 = 0
            NumRel(answered_only=True) of - | 1 2 = 2
        """),
    )
    rel: float = OPEN
    answered_only: bool | None = None

    def values(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        return np.where(lists.retrieved > 0, R, 0.0) if self.answered_only else R


class NumRelRet(Measure):
    """How many relevant documents the list has."""

    facts = count_facts(
        title="Number of relevant documents retrieved",
        formula=r"|\{d \in L : g_d \ge \mathrm{rel}\}|",
        reference="trec_eval, m_num_rel_ret",
        examples=read_examples("""
            NumRelRet of 1 - 2 0 | 1 = 2
            NumRelRet(rel=2) of 2 1 3 3 | 2 = 3
            NumRelRet of - | 1 = 0
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return lists.count_found(self.rel)


class NumNonrelJudgedRet(Measure):
    """The number of retrieved documents that were judged, and judged not relevant."""

    facts = count_facts(
        title="Retrieved documents judged not relevant",
        formula=r"\sum_{r=1}^{n} [0 \le g_r < \mathrm{rel}]",
        reference="trec_eval 9.0.8, num_nonrel_judged_ret",
        improves=False,
        examples=read_examples("""
            NumNonrelJudgedRet of 1 0 - 2 0 | 0 1 = 2
            NumNonrelJudgedRet(rel=2) of 1 0 - 2 0 | 2 = 3
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return np.asarray(lists.nonrelevant(self.rel).sum(axis=-1), dtype=np.float64)
