"""Microsoft recommenders: P, R and MAP of users in both frames, NDCG of all users of the truth."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Ties

RECOMMENDERS = Dialect(
    name="recommenders",
    title="Microsoft recommenders, python_evaluation",
    reference="recommenders 1.2.1, evaluation/python_evaluation.py; issues 1749, 2309",
    differs=(
        "Items that a list or the truth holds twice are multiplied by a merge: NDCG may be 3 (here they are an error).",
        "map is AP at k over all relevant items; r_precision leaves out users without a hit.",
    ),
    ties=Ties.INPUT,
    gain="binary",  # score_type; raw is linear, exp is exp
    discount="ln",  # discfun loge
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "cutoff"}},  # map_at_k
    by_measure={name: {"unanswered": LEAVE_OUT} for name in ("P", "R", "AP")},  # users that both frames have
    empty=LEAVE_OUT,  # not a user of the truth
    printed=prints(
        {"precision_at_k": "P@10", "recall_at_k": "R@10", "ndcg_at_k": "nDCG@10", "map_at_k": "AP@10"}, number=FULL
    ),
).register()
