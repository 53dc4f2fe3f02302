"""alpha_nDCG and nERR_IA: gain of what is new against the ideal order's, by two discounts."""

from rankgauge.measures.intents import GREEDY, ORDERS, Discounted, Novelty, by_log, by_rank, intent_facts
from rankgauge.measures.measure import OPEN, SHARE, Measure, choice, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


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

    def values(self, lists: RankedLists) -> FloatArray:
        gain = Novelty(rel=self.rel, alpha=self.alpha, discounted=self.discounted, cutoff=self.cutoff)
        return gain.against_ideal(lists, self.ideal_order, gain.of if self.cutoff is None else gain.share)

    @property
    def discounted(self) -> Discounted:
        """What gains are worth at their ranks."""
        return by_log


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

    @property
    def discounted(self) -> Discounted:
        return by_rank
