"""OpenSearch, Search Relevance Workbench: Coverage@k, Precision@k, MAP@k and NDCG@k, each rounded to two decimals."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, Duplicates, JudgedTwice, Ties

OPENSEARCH_SRW = Dialect(
    name="opensearch-srw",
    title="OpenSearch 3.1, Search Relevance Workbench",
    reference="search-relevance 3.1.0, EvaluationMetrics.java; issue 191",
    differs=("Later versions count grades from a threshold of each query's own on as relevant.",),
    duplicates=Duplicates.COUNT_EACH,  # NDCG of 1.31
    judged_twice=JudgedTwice.LAST,
    ties=Ties.INPUT,
    gain="exp",
    rel=ABOVE_ZERO,
    readings={"P": {"padded": False}},  # / min(k, hits)
    empty=0.0,
    decimals=2,
    half_up=True,  # Math.round(100 x) / 100
    printed=prints(
        {"Coverage@10": "Judged@10", "Precision@10": "P@10", "MAP@10": "AP@10", "NDCG@10": "nDCG@10"}, number=FULL
    ),
).register()
