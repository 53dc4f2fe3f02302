"""NRBP: rank-biased precision of what is new."""

from dataclasses import field

import numpy as np

from rankgauge.measures.intents import ByPatience, Novelty, check_share, intents
from rankgauge.measures.measure import OPEN, Example, Facts, Measure
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists, total


class NRBP(Measure):
    """What a user gains who goes on to the next document with probability beta, as a share of what documents would
    gain that were all relevant to every subtopic.

    For each subtopic the first relevant document gains 1, and each further one 1 − alpha times what the one before did.
    """

    facts = Facts(
        title="Novelty- and rank-biased precision",
        formula=r"(1 - (1-\alpha)\beta) \sum_i p_i \sum_{r} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} \beta^{r-1}",
        reference="Clarke, Kolla & Vechtomova, An effectiveness measure for ambiguous and underspecified queries, "
        "ICTIR 2009; ndeval 4.5",
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "NRBP",
                ((1, 0), None, (2, 1)),
                missed=((0, 1),),
                value="(1 - 0.5 * 0.5) * (1 + (0.5 + 1) * 0.5**2) / 2",
            ),
            Example(
                "NRBP(alpha=0.2, beta=0.8, rel=2)",
                ((2, 1), (3, 0), (0, 2)),
                missed=((0, 0),),
                value="(1 - 0.8 * 0.8) * (1 + 0.8 * 0.8 + 1 * 0.8**2) / 2",
            ),
        ),
    )
    rel: float = OPEN
    alpha: float = field(
        default=OPEN, metadata={"words": "how much of its worth a relevant document takes from the next"}
    )
    beta: float = field(default=OPEN, metadata={"words": "how likely a user goes on to the next document"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.facts.name, "alpha", self.alpha)
        check_share(self.facts.name, "beta", self.beta)

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
