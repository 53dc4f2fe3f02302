"""A component for Haystack's evaluation pipelines.

from rankgauge.integrations.haystack import MeasureEvaluator

pipeline.add_component("ndcg", MeasureEvaluator("nDCG@10", field="id"))
"""

from __future__ import annotations

from typing import Any

from haystack import Document, component, default_to_dict

from rankgauge.integrations.id_lists import ListValues


@component  # type: ignore[untyped-decorator, unused-ignore]
class MeasureEvaluator:
    """A measure on documents: its mean with an interval, and its value for each question."""

    def __init__(
        self, measure: str = "nDCG@10", *, dialect: str = "standard", field: str = "content", **overrides: Any
    ) -> None:
        """`field` says by what two documents are the same: `content`, `id`, or `meta.NAME`."""
        self._said = {"measure": measure, "dialect": dialect, "field": field, **overrides}
        self._field, self._lists = field, ListValues(measure, dialect, **overrides)

    def to_dict(self) -> dict[str, Any]:
        """Return what Haystack needs to store the component."""
        return dict(default_to_dict(self, **self._said))

    @component.output_types(  # type: ignore[untyped-decorator, unused-ignore]
        score=float, low=float, high=float, individual_scores=list[float]
    )
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> dict[str, Any]:
        """Return the mean with its interval and the values; a score of an expected document is its grade."""
        expected = [
            {self._name(one): 1.0 if one.score is None else one.score for one in listed}
            for listed in ground_truth_documents
        ]
        retrieved = [[self._name(one) for one in listed] for listed in retrieved_documents]
        values = self._lists.values(zip(expected, retrieved, strict=True))
        mean = self._lists.mean(values)
        return {"score": mean["mean"], "low": mean["low"], "high": mean["high"], "individual_scores": values}

    def _name(self, document: Document) -> Any:
        part, _, inner = self._field.partition(".")
        value = getattr(document, part)
        return value.get(inner) if inner else value
