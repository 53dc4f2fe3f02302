"""implicit, its `ranking_metrics_at_k`: what it calls precision is RelativeP, a recall of at most K items."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, JudgedTwice, Ties

IMPLICIT = Dialect(
    name="implicit",
    title="implicit, ranking_metrics_at_k",
    reference="implicit 0.7.3, evaluation.pyx; issues 158, 412, 713",
    differs=(
        "precision is the sum of hits over the sum of min(K, R) of all users (here the mean of the users' shares).",
        "auc depends on the size of the catalogue and is not computed.",
    ),
    duplicates=Duplicates.COUNT_EACH,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    gain="binary",
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "cutoff"}},
    empty=LEAVE_OUT,  # users without test items are skipped
    printed=prints({"precision": "RelativeP@10", "map": "AP@10", "ndcg": "nDCG@10"}, number=FULL),
).register()
