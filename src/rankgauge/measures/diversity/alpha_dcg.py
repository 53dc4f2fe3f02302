"""alpha_DCG: discounted cumulative gain of what is new."""

from dataclasses import field

from rankgauge.measures.intents import Discounted, Novelty, by_log, check_share, intents
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists, total


class alpha_DCG(Measure):
    """The discounted gain of documents, as a share of what they would gain if all were relevant to every subtopic.

    For each subtopic the first relevant document gains 1, and each further one 1 − alpha times what the one before did.
    ndeval leaves out the division at k = 1, and so does undivided_first=True.
    """

    facts = Facts(
        title="α-DCG",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / \log_2(r+1)}"
        r"{\sum_i p_i \sum_{r=1}^{k} (1-\alpha)^{r-1} / \log_2(r+1)}",
        reference="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon, Novelty and diversity in "
        "information retrieval evaluation, SIGIR 2008; ndeval 4.5",
        cutoff=Cutoff.REQUIRED,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "alpha_DCG@3",
                ((1, 0), None, (2, 1), (0, 1)),
                missed=((0, 1),),
                value="(1 + (0.5 + 1)/log2(4)) / (2 * (1 + 0.5/log2(3) + 0.25/log2(4)))",
            ),
            Example(
                "alpha_DCG(alpha=0.2, rel=2)@2",
                ((2, 1), (3, 0), (0, 2)),
                missed=((0, 0),),
                value="(1 + 0.8/log2(3)) / (2 * (1 + 0.8/log2(3)))",
            ),
        ),
    )
    cutoff: int = OPEN
    rel: float = OPEN
    alpha: float = field(
        default=OPEN, metadata={"words": "how much of its worth a relevant document takes from the next"}
    )
    undivided_first: bool = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.facts.name, "alpha", self.alpha)

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
