"""pyvespa, its VespaEvaluator: accuracy@k, precision@k, recall@k, mrr@k, ndcg@k and map@k."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, JudgedTwice, Ties

PYVESPA = Dialect(
    name="pyvespa",
    title="pyvespa, VespaEvaluator",
    reference="pyvespa 1.2.9, evaluation.py",
    differs=("Grades must be from 0 to 1, are used by ndcg only, and queries whose grades are all 0 count 0 then.",),
    duplicates=Duplicates.COUNT_EACH,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    gain="linear",
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "cutoff"}},
    empty=LEAVE_OUT,  # queries without relevant documents are dropped
    printed=prints(
        {
            f"{label}@{k}": f"{name}@{k}"
            for label, name in (("accuracy", "Success"), ("precision", "P"), ("recall", "R"))
            for k in (1, 3, 5, 10)
        }
        | {"mrr@10": "RR@10", "ndcg@10": "nDCG@10", "map@100": "AP@100"},
        number=FULL,
    ),
).register()
