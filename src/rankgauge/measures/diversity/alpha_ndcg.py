"""alpha_nDCG: discounted cumulative gain of what is new, against the ideal order's."""

from dataclasses import field

from rankgauge.measures.intents import GREEDY, ORDERS, Discounted, Novelty, by_log, check_share
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, choice
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class alpha_nDCG(Measure):
    """The discounted gain of documents, divided by that of the ideal order of the judged documents.

    For each subtopic the first relevant document gains 1, and each further one 1 − alpha times what the one before did.
    The ideal order is the greedy one of ndeval: each document is the one that gains most after those before it. It is
    not always the best one, so that a value may be above 1; ideal_order='exact' finds the best one for short lists.
    """

    facts = Facts(
        title="α-nDCG",
        formula=r"\frac{\sum_i p_i \sum_{r=1}^{k} [g_{ri} \ge \mathrm{rel}] (1-\alpha)^{n_{ri}} / \log_2(r+1)}"
        r"{\sum_i p_i \sum_{r=1}^{k} [g^*_{ri} \ge \mathrm{rel}] (1-\alpha)^{n^*_{ri}} / \log_2(r+1)}",
        reference="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon, Novelty and diversity in "
        "information retrieval evaluation, SIGIR 2008; ndeval 4.5",
        bounds=(0.0, GREEDY),
        cutoff=Cutoff.OPTIONAL,
        judgments=JudgmentKind.SUBTOPICS,
        examples=(
            Example(
                "alpha_nDCG@3",
                ((1, 0), None, (2, 1), (0, 1)),
                missed=((0, 1),),
                value="(1 + (0.5 + 1)/log2(4)) / (2 + 0.5/log2(3) + 0.5/log2(4))",
            ),
            Example(
                "alpha_nDCG(alpha=0.2, rel=2)@2",
                ((2, 1), (3, 0), (0, 2)),
                missed=((0, 0),),
                value="(1 + 0.8/log2(3)) / (1 + 1/log2(3))",
            ),
            Example(  # the greedy order begins with the document on four subtopics
                "alpha_nDCG(alpha=1)@2",
                ((1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1)),
                missed=((0, 1, 1, 1, 1, 0),),
                value="(3 + 3/log2(3)) / (4 + 1/log2(3))",
            ),
            Example(
                "alpha_nDCG(alpha=1, ideal_order='exact')@2",
                ((0, 1, 1, 1, 1, 0), (0, 0, 0, 1, 1, 1)),
                missed=((1, 1, 1, 0, 0, 0),),
                value="(4 + 1/log2(3)) / (3 + 3/log2(3))",
            ),
        ),
    )
    cutoff: int | None = None
    rel: float = OPEN
    alpha: float = field(
        default=OPEN, metadata={"words": "how much of its worth a relevant document takes from the next"}
    )
    ideal_order: str | None = choice("ideal order", ORDERS)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.facts.name, "alpha", self.alpha)

    def values(self, lists: RankedLists) -> FloatArray:
        gain = Novelty(rel=self.rel, alpha=self.alpha, discounted=self.discounted, cutoff=self.cutoff)
        return gain.against_ideal(lists, self.ideal_order, gain.of if self.cutoff is None else gain.share)

    @property
    def discounted(self) -> Discounted:
        """What gains are worth at their ranks."""
        return by_log
