"""Measures on two levels, averaged over the groups of judgments: APJG, PJG, RprecMultJG."""

from collections.abc import Callable

import numpy as np

from rankgauge.measures.binary.ap import AP
from rankgauge.measures.binary.p import P
from rankgauge.measures.binary.rprec import RprecMult
from rankgauge.measures.measure import OPEN, Facts, Measure, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists, total


def mean_over_groups(lists: RankedLists, kernel: Callable[[RankedLists], FloatArray]) -> FloatArray:
    """Return the mean of a kernel's values over the groups; a group without a value counts 0, NaN if none has one.

    trec_eval's averages over judgment groups (`-R qrels_jg`).
    """
    assert lists.facets is not None
    values, known = kernel(lists.by_facet), ~np.isnan(lists.facets.weights)
    defined = ~np.isnan(values) & known
    summed = total(np.where(defined, values, 0.0))
    mean = ratio(summed, known.sum(axis=-1).astype(np.float64))
    return np.where(defined.any(axis=-1), mean, np.nan)


class APJG(Measure):
    """Average precision by the judgments of each group, such as an assessor, and the mean over the groups."""

    facts = Facts(
        title="Average precision over groups of judgments",
        formula=r"\frac{1}{G}\sum_{i=1}^{G} \mathrm{AP}_i",
        reference="trec_eval 9.0.8, map_avgjg",
        judgments=JudgmentKind.GROUPS,
        examples=read_examples("""
            APJG of 1,0 - 0,2 | 1,0 = (1/2 + 1/3) / 2
            APJG(rel=2) of 1,2 2,0 | 0,2 = (1/2 + 1/2) / 2
        """),
    )
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return mean_over_groups(lists, AP(rel=self.rel, out_of=None).values)


class PJG(Measure):
    """Precision by the judgments of each group, such as an assessor, and the mean over the groups."""

    facts = Facts(
        title="Precision at k over groups of judgments",
        formula=r"\frac{1}{G}\sum_{i=1}^{G} \mathrm{P}_i@k",
        reference="trec_eval 9.0.8, P_avgjg",
        judgments=JudgmentKind.GROUPS,
        examples=read_examples("""
            PJG@2 of 1,0 - 0,2 | 1,0 = (1/2 + 0/2) / 2
            PJG(rel=2)@3 of 1,2 2,2 0,1 2,2 | 0,2 = (1/3 + 2/3) / 2
        """),
    )
    cutoff: int = OPEN
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return mean_over_groups(lists, P(cutoff=self.cutoff, rel=self.rel).values)


class RprecMultJG(Measure):
    """Precision after a multiple of R documents by the judgments of each group, and the mean over the groups."""

    facts = Facts(
        title="Precision at a multiple of R over groups of judgments",
        formula=r"\frac{1}{G}\sum_{i=1}^{G} \mathrm{P}_i@\lfloor m R_i + 0.9 \rfloor",
        reference="trec_eval 9.0.8, Rprec_mult_avgjg",
        judgments=JudgmentKind.GROUPS,
        examples=read_examples("""
            RprecMultJG of 1,0 - 0,2 | 1,0 = (1/2 + 0/1) / 2
            RprecMultJG(multiple=2, rel=2) of 2,0 1,2 0,2 | 2,0 = (1/4 + 2/4) / 2
        """),
    )
    multiple: float = 1.0
    rel: float = OPEN

    def values(self, lists: RankedLists) -> FloatArray:
        return mean_over_groups(lists, RprecMult(multiple=self.multiple, rel=self.rel).values)
