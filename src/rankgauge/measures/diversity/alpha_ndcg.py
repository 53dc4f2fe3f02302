"""alpha_nDCG and its kin: gain of what is new by three discounts, as a share of a bound or of the ideal order's."""

import numpy as np

from rankgauge.measures.intents import (
    GREEDY,
    ORDERS,
    ByPatience,
    Novelty,
    by_log,
    by_rank,
    intent_facts,
    intents,
)
from rankgauge.measures.measure import OPEN, SHARE, Measure, choice, parameter, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class alpha_DCG(Measure):
    """The discounted gain of documents, as a share of what they would gain if all were relevant to every subtopic.

    For each subtopic the first relevant document gains 1, and each further one 1 − alpha times what the one before did.
    ndeval leaves out the division at k = 1, and so does undivided_first=True.
    """

    facts = intent_facts(
        title="α-DCG",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / \log_2(r+1)}"
        r"{\sum_i p_i \sum_{r=1}^{k} (1-\alpha)^{r-1} / \log_2(r+1)}",
        reference="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon, Novelty and diversity in "
        "information retrieval evaluation, SIGIR 2008; ndeval 4.5",
        examples=read_examples("""
            alpha_DCG@3 of 1,0 - 2,1 0,1 | 0,1 = (1 + (0.5 + 1)/log2(4)) / (2 * (1 + 0.5/log2(3) + 0.25/log2(4)))
            alpha_DCG(alpha=0.2, rel=2)@2 of 2,1 3,0 0,2 | 0,0 = (1 + 0.8/log2(3)) / (2 * (1 + 0.8/log2(3)))
        """),
    )
    cutoff: int = OPEN
    rel: float = OPEN
    alpha: float = parameter(SHARE, default=OPEN, words="how much of its worth a relevant document takes from the next")
    undivided_first: bool = OPEN
    discounted = staticmethod(by_log)
    """What gains are worth at their ranks."""

    def values(self, lists: RankedLists) -> FloatArray:
        gain = Novelty(rel=self.rel, alpha=self.alpha, discounted=self.discounted, cutoff=self.cutoff)
        if self.undivided_first and self.cutoff == 1:
            worth = total(intents(lists, self.rel))
            return ratio(gain.of(lists) * worth, worth)
        return gain.share(lists)


class ERR_IA(alpha_DCG):
    """The gain of documents by the reciprocals of their ranks, as a share of what they would gain if all were relevant
    to every subtopic.

    With alpha = 0.5 it is the mean over the subtopics of ERR on two levels of relevance, times a constant.
    """

    facts = intent_facts(
        title="Intent-aware expected reciprocal rank",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / r}"
        r"{\sum_i p_i \sum_{r=1}^{k} (1-\alpha)^{r-1} / r}",
        reference="Chapelle, Metzler, Zhang & Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; "
        "ndeval 4.5",
        examples=read_examples("""
            ERR_IA@3 of 1,0 - 2,1 0,1 | 0,1 = (1 + (0.5 + 1)/3) / (2 * (1 + 0.5/2 + 0.25/3))
            ERR_IA(alpha=0.2, rel=2)@2 of 2,1 3,0 0,2 | 0,0 = (1 + 0.8/2) / (2 * (1 + 0.8/2))
        """),
    )
    discounted = staticmethod(by_rank)


class alpha_nDCG(Measure):
    """The discounted gain of documents, divided by that of the ideal order of the judged documents.

    For each subtopic the first relevant document gains 1, and each further one 1 − alpha times what the one before did.
    The ideal order is the greedy one of ndeval: each document is the one that gains most after those before it. It is
    not always the best one, so that a value may be above 1; ideal_order='exact' finds the best one for short lists.
    """

    facts = intent_facts(
        title="α-nDCG",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / \log_2(r+1)}"
        r"{\sum_i p_i \sum_{r=1}^{k} [g^*_{ri} \ge \mathrm{rel}] (1-\alpha)^{n^*_{ri}} / \log_2(r+1)}",
        reference="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon, Novelty and diversity in "
        "information retrieval evaluation, SIGIR 2008; ndeval 4.5",
        bounds=(0.0, GREEDY),
        examples=read_examples("""
            alpha_nDCG@3 of 1,0 - 2,1 0,1 | 0,1 = (1 + (0.5 + 1)/log2(4)) / (2 + 0.5/log2(3) + 0.5/log2(4))
            alpha_nDCG(alpha=0.2, rel=2)@2 of 2,1 3,0 0,2 | 0,0 = (1 + 0.8/log2(3)) / (1 + 1/log2(3))
            # the greedy order begins with the document on four subtopics
            alpha_nDCG(alpha=1)@2 of 1,1,1,0,0,0 0,0,0,1,1,1 | 0,1,1,1,1,0 = (3 + 3/log2(3)) / (4 + 1/log2(3))
            alpha_nDCG(alpha=1, ideal_order='exact')@2 of 0,1,1,1,1,0 0,0,0,1,1,1 | 1,1,1,0,0,0 = (4 + 1/log2(3)) \
                / (3 + 3/log2(3))
        """),
    )
    cutoff: int | None = None
    rel: float = OPEN
    alpha: float = parameter(SHARE, default=OPEN, words="how much of its worth a relevant document takes from the next")
    ideal_order: str | None = choice("ideal order", ORDERS)
    discounted = staticmethod(by_log)

    def values(self, lists: RankedLists) -> FloatArray:
        gain = Novelty(rel=self.rel, alpha=self.alpha, discounted=self.discounted, cutoff=self.cutoff)
        return gain.against_ideal(lists, self.ideal_order, gain.of if self.cutoff is None else gain.share)


class nERR_IA(alpha_nDCG):
    """The gain of documents by the reciprocals of their ranks, divided by that of the ideal order of the judged
    documents: ndeval's greedy one, or the best one for short lists with ideal_order='exact'."""

    facts = intent_facts(
        title="Normalised intent-aware expected reciprocal rank",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / r}"
        r"{\sum_i p_i \sum_{r=1}^{k} [g^*_{ri} \ge \mathrm{rel}] (1-\alpha)^{n^*_{ri}} / r}",
        reference="Clarke, Craswell, Soboroff & Ashkan, A comparative analysis of cascade measures for novelty and "
        "diversity, WSDM 2011; ndeval 4.5",
        bounds=(0.0, GREEDY),
        examples=read_examples("""
            nERR_IA@3 of 1,0 - 2,1 0,1 | 0,1 = (1 + (0.5 + 1)/3) / (2 + 0.5/2 + 0.5/3)
            nERR_IA(alpha=0.2, rel=2)@2 of 2,1 3,0 0,2 | 0,0 = (1 + 0.8/2) / (1 + 1/2)
        """),
    )
    discounted = staticmethod(by_rank)


class NRBP(Measure):
    """What a user gains who goes on to the next document with probability beta, as a share of what documents would
    gain that were all relevant to every subtopic.

    For each subtopic the first relevant document gains 1, and each further one 1 − alpha times what the one before did.
    """

    facts = intent_facts(
        title="Novelty- and rank-biased precision",
        formula=r"(1 - (1-\alpha)\beta) \sum_i p_i \sum_{r} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} \beta^{r-1}",
        reference="Clarke, Kolla & Vechtomova, An effectiveness measure for ambiguous and underspecified queries, "
        "ICTIR 2009; ndeval 4.5",
        examples=read_examples("""
            NRBP of 1,0 - 2,1 | 0,1 = (1 - 0.5 * 0.5) * (1 + (0.5 + 1) * 0.5**2) / 2
            NRBP(alpha=0.2, beta=0.8, rel=2) of 2,1 3,0 0,2 | 0,0 = (1 - 0.8 * 0.8) * (1 + 0.8 * 0.8 + 1 * 0.8**2) / 2
        """),
    )
    rel: float = OPEN
    alpha: float = parameter(SHARE, default=OPEN, words="how much of its worth a relevant document takes from the next")
    beta: float = parameter(SHARE, default=OPEN, words="how likely a user goes on to the next document")

    def values(self, lists: RankedLists) -> FloatArray:
        # The constant is divided first, as in ndeval: a value halfway between two printed ones depends on it.
        worth = total(intents(lists, self.rel))
        return np.asarray(self.novelty.of(lists) * ratio(np.asarray(self.constant), worth))

    @property
    def constant(self) -> float:
        """What makes the value of endlessly many documents that are relevant to every subtopic 1."""
        return 1.0 - (1.0 - self.alpha) * self.beta

    @property
    def novelty(self) -> Novelty:
        """What documents gain."""
        return Novelty(rel=self.rel, alpha=self.alpha, discounted=ByPatience(beta=self.beta))


class nNRBP(NRBP):
    """What a user gains who goes on to the next document with probability beta, divided by what the ideal order of the
    judged documents would give: ndeval's greedy one, or the best one for few documents with ideal_order='exact'."""

    facts = intent_facts(
        title="Normalised novelty- and rank-biased precision",
        formula=r"\frac{\sum_i p_i \sum_{r} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} \beta^{r-1}}"
        r"{\sum_i p_i \sum_{r} [g^*_{ri} \ge \mathrm{rel}] (1-\alpha)^{n^*_{ri}} \beta^{r-1}}",
        reference="Clarke, Kolla & Vechtomova, An effectiveness measure for ambiguous and underspecified queries, "
        "ICTIR 2009; ndeval 4.5",
        bounds=(0.0, GREEDY),
        examples=read_examples("""
            nNRBP of 1,0 - 2,1 | 0,1 = (1 + (0.5 + 1) * 0.5**2) / (2 + 0.5 * 0.5 + 0.5 * 0.5**2)
            nNRBP(alpha=0.2, beta=0.8, rel=2) of 2,1 3,0 0,2 | 0,0 = (1 + 0.8 * 0.8 + 1 * 0.8**2) / (1 + 1 * 0.8 \
                + 0.8 * 0.8**2)
        """),
    )
    ideal_order: str | None = choice("ideal order", ORDERS)

    def values(self, lists: RankedLists) -> FloatArray:
        value = super().values if self.constant else self.novelty.of
        return self.novelty.against_ideal(lists, self.ideal_order, value)
