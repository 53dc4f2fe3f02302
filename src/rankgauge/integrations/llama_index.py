"""A metric for LlamaIndex's retriever evaluators.

from rankgauge.integrations.llama_index import RetrievalMetric

RetrieverEvaluator(metrics=[RetrievalMetric("nDCG@10"), RetrievalMetric("R@5")], retriever=retriever)
"""

from __future__ import annotations

from typing import Any

from llama_index.core.evaluation.retrieval.metrics_base import BaseRetrievalMetric, RetrievalMetricResult

from rankgauge.integrations.id_lists import ListValues


class RetrievalMetric(BaseRetrievalMetric):  # type: ignore[misc]
    """A measure of RankGauge on the ids that were expected and retrieved; grades go in as `grades={id: grade}`."""

    metric_name: Any = ""
    lists: Any = None

    def __init__(self, measure: Any = "nDCG@10", *, dialect: Any = "standard", **overrides: Any) -> None:
        lists = ListValues.one_by_one(measure, dialect, **overrides)
        super().__init__(metric_name=lists.name, lists=lists)

    def compute(
        self,
        query: str | None = None,
        expected_ids: list[str] | None = None,
        retrieved_ids: list[str] | None = None,
        expected_texts: list[str] | None = None,
        retrieved_texts: list[str] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the value of one query; without ids, texts are compared."""
        expected = kwargs.get("grades") or expected_ids or expected_texts or []
        retrieved = (retrieved_ids if kwargs.get("grades") or expected_ids else retrieved_texts) or []
        return RetrievalMetricResult(
            score=self.lists.value(expected, retrieved), metadata={"measure": str(self.lists.measure)}
        )
