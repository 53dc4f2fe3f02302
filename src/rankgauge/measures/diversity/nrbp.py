"""NRBP: gain of what is new to a user of some patience, and against the ideal order's."""

import numpy as np

from rankgauge.measures.intents import GREEDY, ORDERS, ByPatience, Novelty, intent_facts, intents
from rankgauge.measures.measure import OPEN, SHARE, Measure, choice, parameter, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


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
