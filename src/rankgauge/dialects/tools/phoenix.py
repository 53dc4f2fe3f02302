"""Arize Phoenix, its RetrievalMetrics of a span: the ideal holds only what was retrieved."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, Duplicates, IdealPool, JudgedTwice, Ties

PHOENIX = Dialect(
    name="phoenix",
    title="Arize Phoenix, RetrievalMetrics",
    reference="arize-phoenix, metrics/retrieval_metrics.py, read in its source",
    differs=("A span with an evaluation that is no number has no value.",),
    duplicates=Duplicates.ROWS,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    ideal=IdealPool.RETRIEVED,  # sklearn's ndcg_score on the evaluations of the retrieved documents
    gain="linear",
    rel=ABOVE_ZERO,  # truthy
    empty=0.0,
    printed=prints({"ndcg": "nDCG@10", "precision": "P@10", "reciprocal_rank": "RR", "hit": "Success"}, number=FULL),
    also=("nDCG",),
).register()
