"""A metric for ragas, on the ids of contexts or, where there are none, on their texts.

from rankgauge.integrations.ragas import metric

ragas.evaluate(dataset, metrics=[metric("nDCG@5"), metric("R@5", duplicates="count-once")])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics.base import MetricOutputType, MetricType, SingleTurnMetric

from rankgauge.integrations.id_lists import ListValues

COLUMNS = {f"{side}_{what}:optional" for side in ("retrieved", "reference") for what in ("context_ids", "contexts")}


@dataclass
class ContextMetric(SingleTurnMetric):  # type: ignore[misc]
    """A measure of RankGauge on the contexts of a sample, which needs no language model."""

    name: str = ""
    lists: ListValues = field(default_factory=lambda: ListValues("nDCG@5"))
    output_type: MetricOutputType | None = MetricOutputType.CONTINUOUS
    _required_columns: dict[MetricType, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: set(COLUMNS)}
    )

    def init(self, run_config: Any) -> None:
        """Do nothing: there is no model to set up."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        ids = sample.retrieved_context_ids is not None and sample.reference_context_ids is not None
        expected = sample.reference_context_ids if ids else sample.reference_contexts
        retrieved = sample.retrieved_context_ids if ids else sample.retrieved_contexts
        return self.lists.value(expected or [], retrieved or [])


def metric(measure: str = "nDCG@5", *, dialect: str = "standard", **overrides: Any) -> ContextMetric:
    """Make a metric of a measure; `overrides` replace single choices of the dialect."""
    lists = ListValues.one_by_one(measure, dialect, **overrides)
    return ContextMetric(name=lists.name, lists=lists)
