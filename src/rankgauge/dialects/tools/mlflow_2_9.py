"""MLflow 2.9 to 2.13: as MLflow 3, but in ndcg_at_k a copy of any document is relevant, of an irrelevant one too."""

from dataclasses import replace

from rankgauge.dialects.tools.mlflow import MLFLOW
from rankgauge.policies import Duplicates

MLFLOW_2_9 = replace(
    MLFLOW,
    name="mlflow-2.9",
    title="MLflow 2.9 to 2.13, metrics of retrievers",
    reference="mlflow 2.9.2, metrics/metric_definitions.py; issue 12361",
    by_measure={**MLFLOW.by_measure, "nDCG": {"duplicates": Duplicates.ROWS_RELEVANT, "vacant": 1.0}},
).register()
