"""Bpref: how often a relevant document is preferred to a non-relevant one; bpref_10 for few relevant ones."""

from collections.abc import Callable, Mapping

import numpy as np

from rankgauge.measures.measure import OPEN, Aggregate, Facts, Measure, choice, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists

VARIANTS: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "trec_eval": np.minimum,  # te_calc_bpref divides by MIN(num_nonrel, num_rel)
    "romip": lambda R, N: R,  # as the paper and ROMIP 2010 print it
}
"""What the number of non-relevant documents before a relevant one is divided by, from R and N."""


def preference_shares(lists: RankedLists, rel: float, *, most: FloatArray, out_of: FloatArray) -> FloatArray:
    """Return 1 − min(n, most) / out_of for relevant hits with n judged non-relevant hits before them, 0 elsewhere.

    Where documents are tied, the mean over their orders: of m non-relevant documents in its group a relevant one has
    0, 1, …, m before it equally often, and the clipped counts make an arithmetic series up to `most`.
    """
    before, within = lists.earlier(lists.nonrelevant(rel).astype(float))
    most = most[..., np.newaxis]
    rising = np.clip(most - before, 0.0, within)  # the steps of the series before it is clipped
    clipped = np.minimum(before, most) + rising * (rising + 1.0) / 2.0 / (within + 1.0)
    clipped = clipped + (within - rising) * rising / (within + 1.0)
    # With nothing non-relevant to come before it, a relevant document is fully preferred.
    share = lists.round_quotients(clipped / np.maximum(out_of, 1.0)[..., np.newaxis])
    return np.where(lists.relevant(rel), 1.0 - share, 0.0)


class Bpref(Measure):
    """The share of judged non-relevant documents ranked below each relevant one; unjudged documents do not count.

    Of the N judged non-relevant documents only the first R count, where R documents are relevant. trec_eval divides
    their number by min(R, N); the variant 'romip' divides by R, as the paper prints it.
    """

    facts = Facts(
        title="Binary preference",
        formula=r"\frac{1}{R}\sum_{r} 1 - \frac{\min(n_r, R)}{\min(N, R)}, "
        r"\quad n_r \text{ judged non-relevant documents before } r",
        reference="Buckley & Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004",
        attains=True,
        ignores_unjudged=True,
        examples=read_examples("""
            Bpref of 1 0 2 0 1 1 = ((1 - 0/2) + (1 - 1/2) + (1 - 2/2) * 2) / 4
            Bpref(variant='romip') of 1 0 2 0 1 1 = ((1 - 0/4) + (1 - 1/4) + (1 - 2/4) * 2) / 4
            Bpref(rel=2) of 1 - 2 0 1 3 | 1 2 = ((1 - 1/3) + (1 - 3/3)) / 3
            Bpref of 0 0 0 1 | 2 = 0
            Bpref of 0 1 = 1 - 1/1
            Bpref of - 2 | 1 = 1 / 2
            Bpref of 0 - | 0 = nan
        """),
    )
    rel: float = OPEN
    variant: str | None = choice("variant of Bpref", VARIANTS)

    def values(self, lists: RankedLists) -> FloatArray:
        return ratio(lists.total(self.amounts(lists)), self.divisor(lists))

    def amounts(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        out_of = VARIANTS[self.variant or "trec_eval"](R, lists.total_nonrelevant(self.rel))
        return preference_shares(lists, self.rel, most=R, out_of=out_of)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)


class GMBpref(Bpref):
    """Binary preference whose mean over queries is geometric: it rewards a run that fails on no query.

    A query's value is its binary preference; the mean counts it as at least 0.00001.
    """

    facts = Facts(
        title="Geometric mean binary preference",
        formula=r"\exp \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{Bpref}_q, 10^{-5})",
        reference="trec_eval 9.0.8, gm_bpref",
        attains=True,
        ignores_unjudged=True,
        examples=read_examples("""
            GMBpref of 1 0 2 0 1 1 = ((1 - 0/2) + (1 - 1/2) + (1 - 2/2) * 2) / 4
            GMBpref(rel=2) of 1 - 2 0 1 3 | 1 2 = ((1 - 1/3) + (1 - 3/3)) / 3
        """),
        aggregate=Aggregate.GEOMETRIC,
    )


class bpref_10(Measure):
    """Binary preference in which the first 10 + R judged non-relevant documents count, for R relevant ones."""

    facts = Facts(
        title="Binary preference, 10 + R",
        formula=r"\frac{1}{R}\sum_{r} 1 - \frac{\min(n_r, 10 + R)}{10 + R}",
        reference="Buckley & Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004",
        attains=True,
        ignores_unjudged=True,
        examples=read_examples("""
            bpref_10 of 1 0 2 0 1 1 = ((1 - 0/14) + (1 - 1/14) + (1 - 2/14) * 2) / 4
            bpref_10(rel=2) of 1 - 2 0 1 3 | 1 2 = ((1 - 1/13) + (1 - 3/13)) / 3
            bpref_10 of 0 0 0 0 0 0 0 0 0 0 0 0 1 | 1 = 0
            bpref_10 of 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 | 1 = 0
            bpref_10 of 0 - | 0 = nan
        """),
    )
    rel: float = OPEN

    def amounts(self, lists: RankedLists) -> FloatArray:
        counted = lists.total_relevant(self.rel) + 10.0
        return preference_shares(lists, self.rel, most=counted, out_of=counted)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)
