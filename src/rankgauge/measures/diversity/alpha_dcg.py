"""alpha_DCG and ERR_IA: gain of what is new, by two discounts."""

from rankgauge.measures.intents import Discounted, Novelty, by_log, by_rank, intent_facts, intents
from rankgauge.measures.measure import OPEN, SHARE, Measure, parameter, read_examples
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

    def values(self, lists: RankedLists) -> FloatArray:
        gain = Novelty(rel=self.rel, alpha=self.alpha, discounted=self.discounted, cutoff=self.cutoff)
        if self.undivided_first and self.cutoff == 1:
            worth = total(intents(lists, self.rel))
            return ratio(gain.of(lists) * worth, worth)
        return gain.share(lists)

    @property
    def discounted(self) -> Discounted:
        """What gains are worth at their ranks."""
        return by_log


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

    @property
    def discounted(self) -> Discounted:
        return by_rank
