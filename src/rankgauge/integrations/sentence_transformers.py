"""An evaluator for sentence-transformers: any measure, graded judgments, intervals, and groups of queries.

from rankgauge.integrations.sentence_transformers import RankGaugeEvaluator

evaluator = RankGaugeEvaluator(queries, corpus, relevant_docs, ["nDCG@10", "R@100"], by={"q1": "short", "q2": "long"})
evaluator(model)  # {"cosine_nDCG@10": 0.71, "cosine_nDCG@10_low": 0.66, "cosine_nDCG@10[long]": 0.64, …}
evaluator.results["cosine"]  # a Result, to compare with that of another model
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from rankgauge.dialects import get
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.evaluation.result import Result
from rankgauge.input_notes import collecting_notes
from rankgauge.integrations.id_lists import grades

DEPTH = 100
"""How many documents are retrieved where no measure says more."""


class RankGaugeEvaluator(InformationRetrievalEvaluator):  # type: ignore[misc]
    """Retrieval as the library does it, measured by RankGauge."""

    def __init__(
        self,
        queries: Mapping[str, Any],
        corpus: Mapping[str, Any],
        relevant_docs: Mapping[str, Iterable[str] | Mapping[str, float]],
        measures: Sequence[str] = ("nDCG@10",),
        *,
        by: Any = None,
        dialect: str = "standard",
        retrieval: Mapping[str, Any] | None = None,
        name: str = "",
        **overrides: Any,
    ) -> None:
        """`relevant_docs` may have grades; `by` groups queries as in `evaluate`.

        `retrieval` has further arguments of the library's evaluator, such as `query_prompt`; `overrides` replace single
        choices of the dialect.
        """
        self._dialect = get(dialect, **overrides)
        self._measures = self._dialect.select(list(measures))
        depth = max(DEPTH, *(measure.depth for measure in self._measures if measure.depth < len(corpus)), 1)
        cut = {f"{one}_at_k": [depth] for one in ("mrr", "ndcg", "accuracy", "precision_recall", "map")}
        self._judgments, self._by = {query: grades(listed) for query, listed in relevant_docs.items()}, by
        self.results: dict[str, Result] = {}
        super().__init__(
            dict(queries), dict(corpus), self._judgments, name=name, write_csv=False, **cut, **(retrieval or {})
        )

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1, *args: Any, **kwargs: Any
    ) -> dict[str, float]:
        """Return the mean of each measure, the ends of its interval, and its means over groups of queries."""
        self.results = {}
        if self._score_functions_from_model:
            self.score_functions = self._model_score_functions(model)
            self.score_function_names = sorted(self.score_functions)
        results: dict[str, Result] = self.compute_all_metrics(model, *args, output_path=output_path, **kwargs)
        self.results = results
        self.primary_metric = f"{next(iter(results))}_{self._measures[0]}"
        named_metrics = {
            f"{name}_{key}": value for name, result in results.items() for key, value in _metrics(result).items()
        }
        metrics = self.prefix_name_to_metrics(named_metrics, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return dict(metrics)

    def compute_metrics(self, queries_result_list: list[Any]) -> Result:
        """Evaluate what one score function retrieved, query by query."""
        lists = zip(self.queries_ids, queries_result_list, strict=True)
        run = {query: {hit["corpus_id"]: float(hit["score"]) for hit in hits} for query, hits in lists}
        judgments = {query: self._judgments[query] for query in self.queries_ids}
        with collecting_notes():
            result = evaluate(judgments, run, self._measures, dialect=self._dialect)
        return result if self._by is None else result.segmented(self._by)

    def output_scores(self, scores: Any) -> None:
        """Log nothing: the trainer logs what `__call__` returns."""


def _metrics(result: Result) -> dict[str, float]:
    rows = {row["measure"]: row for row in result.summary.iter_rows(named=True)}
    means = {name: row["mean"] for name, row in rows.items()}
    means |= {f"{name}_{end}": row[end] for name, row in rows.items() for end in ("low", "high")}
    if result.by:
        means |= {f"{row['measure']}[{row['segment']}]": row["mean"] for row in result.segments.iter_rows(named=True)}
    return means
