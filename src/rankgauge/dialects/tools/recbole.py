"""RecBole, its top-k metrics: Hit, MRR, MAP, NDCG, Recall and Precision at k, to four decimals."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import python_rounded
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, JudgedTwice, Ties

RECBOLE = Dialect(
    name="recbole",
    title="RecBole, top-k metrics",
    reference="recbole 1.2.1, evaluator/metrics.py",
    duplicates=Duplicates.COUNT_EACH,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    gain="binary",
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "cutoff"}},
    empty=LEAVE_OUT,  # users without positives are not evaluated
    printed=prints(
        {"recall": "R@10", "mrr": "RR@10", "ndcg": "nDCG@10", "hit": "Success@10", "precision": "P@10", "map": "AP@10"},
        number=python_rounded(4),
    ),
).register()
