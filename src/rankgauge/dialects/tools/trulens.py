"""TruLens 2, GroundTruthAgreement: ndcg_at_k, precision_at_k, recall_at_k, mrr and ir_hit_rate."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, JudgedTwice, Ties

TRULENS = Dialect(
    name="trulens",
    title="TruLens 2, GroundTruthAgreement",
    reference="trulens-feedback 2.16.0, groundtruth.py; issue 2746, pull request 2747",
    differs=(
        "ndcg_at_k without a k ends the ideal where the list ends: ask for nDCG(ideal_depth='list').",
        "A golden chunk with expect_score 0 counts as relevant but in ndcg_at_k (here it does not).",
        "With relevance_scores, precision and recall take everything that is tied with the k-th chunk.",
    ),
    duplicates=Duplicates.COUNT_ONCE,
    judged_twice=JudgedTwice.FIRST,
    ties=Ties.INPUT,
    gain="linear",  # expect_score, 1 unless given
    rel=ABOVE_ZERO,
    readings={"P": {"padded": False}},  # / len(top k)
    by_measure={"P": {"duplicates": Duplicates.COUNT_EACH, "unanswered": LEAVE_OUT}},  # NaN if nothing was retrieved
    empty=LEAVE_OUT,  # NaN without golden chunks
    printed=prints(
        {"ndcg_at_3": "nDCG@3", "precision_at_3": "P@3", "recall_at_3": "R@3", "mrr": "RR", "ir_hit_rate": "Success@3"},
        number=FULL,
    ),
).register()
