"""MLflow: a scorer for `mlflow.genai.evaluate`, and a metric for `mlflow.models.evaluate`, both with a value per row.

from rankgauge.integrations.mlflow import metric, scorer

mlflow.models.evaluate(data=frame, targets="gt", predictions="ret", extra_metrics=[metric("nDCG@10")])
mlflow.genai.evaluate(data=rows, scorers=[scorer("nDCG@10")])  # rows: inputs, outputs, expectations
"""

from __future__ import annotations

from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import scorer as make_scorer
from mlflow.metrics import MetricValue, make_metric

from rankgauge.errors import InputError
from rankgauge.integrations.id_lists import ListValues

EXPECTATIONS = ("expected_document_ids", "expected_retrieved_context", "relevant_docs", "targets")
"""The names under which the expectations of a row may list the relevant documents."""


def metric(measure: str = "nDCG@10", *, dialect: str = "standard", **overrides: Any) -> Any:
    """Make an extra metric: the value of each row, and their mean with the ends of its interval."""
    lists = ListValues(measure, dialect, **overrides)

    def rate(predictions: Any, targets: Any) -> MetricValue:
        values = lists.values(zip(targets, predictions, strict=True))
        return MetricValue(scores=values, aggregate_results=lists.mean(values))

    better = lists.measure.facts.more_is_better
    return make_metric(eval_fn=rate, greater_is_better=better, name=lists.name)


def scorer(measure: str = "nDCG@10", *, dialect: str = "standard", **overrides: Any) -> Any:
    """Make a scorer: the outputs of a row are the retrieved ids, its expectations the relevant ones."""
    lists = ListValues.one_by_one(measure, dialect, **overrides)

    def rate(*, outputs: Any, expectations: dict[str, Any]) -> Feedback:
        expected = next((expectations[name] for name in EXPECTATIONS if name in expectations), None)
        if expected is None:
            raise InputError(
                f"the expectations of a row list no documents: {', '.join(expectations) or 'nothing'}",
                hint=f"Call the list {EXPECTATIONS[0]}: ids, or {{id: grade}}.",
            )
        words = f"{lists.measure}, {lists.dialect.label()}"
        return Feedback(name=lists.name, value=lists.value(expected, outputs), rationale=words)

    return make_scorer(rate, name=lists.name, aggregations=["mean"])
