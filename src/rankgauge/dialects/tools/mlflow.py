"""MLflow 3, `mlflow.metrics`: precision_at_k, recall_at_k and ndcg_at_k of retrievers."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, Duplicates, JudgedTwice, Ties

MLFLOW = Dialect(
    name="mlflow",
    title="MLflow 3, metrics of retrievers",
    reference="mlflow 3.17.2, metrics/metric_definitions.py; issues 24541 (short lists), 25965, 12361 (duplicates)",
    differs=(
        "It also prints the variance and the 90th percentile of the queries' values.",
        "A copy whose new id, such as d1_bc574ae_2, is that of another document counts as that document.",
    ),
    duplicates=Duplicates.COUNT_EACH,  # precision: each copy of a relevant document is a hit
    judged_twice=JudgedTwice.MAX,  # set(target)
    ties=Ties.INPUT,
    gain="binary",  # ids of relevant documents, no grades
    rel=ABOVE_ZERO,
    readings={
        "nDCG": {"ideal_depth": "list"},  # ndcg_score(k=len(retrieved)): the ideal ends where the list ends
        "P": {"padded": False},  # / len(retrieved)
    },
    by_measure={
        "nDCG": {"duplicates": Duplicates.ROWS, "vacant": 1.0},  # _expand_duplicate_retrieved_docs
        "R": {"duplicates": Duplicates.COUNT_ONCE, "vacant": 1.0},
    },
    empty=0.0,
    printed=prints({"ndcg_at_3": "nDCG@3", "precision_at_3": "P@3", "recall_at_3": "R@3"}, number=FULL),
).register()
