"""sentence_transformers: predictions of its InformationRetrievalEvaluator, and samples of its reranking evaluators.

    predictions   {"query_id": "q1", "query": "How high is K2?", "results": [{"corpus_id": "d7", "score": 0.8}, …]}
    samples       {"query": "How high is K2?", "positive": ["K2 is …"], "negative": ["Everest …"]}
                  {"query": "How high is K2?", "positive": ["K2 is …"], "documents": ["Everest …", "K2 is …"]}

`write_predictions=True` writes predictions, a run. Samples hold judgments: 1 for positive texts and 0 for negative
ones; `documents` are the order before reranking. The dictionaries of relevant documents are llama_index's. The
evaluator's CSV has the means of each epoch, of which no ranking can be made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows, name_text

PREDICTIONS = (
    '{"query_id": "q1", "query": "How high is K2?", "results": '
    '[{"corpus_id": "d7", "score": 0.8}, {"corpus_id": "d1", "score": 0.6}]}\n'
)
SAMPLES = (
    '{"query": "How high is K2?", "positive": ["K2 is 8611 m high."], '
    '"documents": ["Everest is in Nepal.", "K2 is 8611 m high."]}\n'
)


def _holds(cells: Cells) -> tuple[Kind, ...]:
    if _is_summary(cells):
        return (Kind.RUN, Kind.JUDGMENTS)
    if {"query_id", "results"} <= cells.keys():
        return (Kind.RUN,)
    if not {"query", "positive"} <= cells.keys():
        return ()
    return (Kind.JUDGMENTS, Kind.RUN) if "documents" in cells else (Kind.JUDGMENTS,)


def _is_summary(cells: Cells) -> bool:
    return {"epoch", "steps"} <= cells.keys() and any("NDCG@" in name for name in cells)


def _query(row: QueryRow) -> Any:
    if _is_summary(row.cells):
        raise row.fault(
            "holds the means of each epoch, not the rankings",
            "Give the evaluator write_predictions=True, and read the file …_predictions_….jsonl that it writes.",
        )
    return row.cells.get("query_id", row.cells.get("query"))


def _judgments_of(row: QueryRow) -> Iterator[Graded]:
    positive = [name_text(text) for text in row.items("positive")]
    yield from ((document, 1) for document in positive)
    others = [name_text(text) for name in ("negative", "documents") for text in row.items(name)]
    yield from ((document, 0) for document in others if document not in positive)


def _ranking_of(row: QueryRow) -> Iterator[Any]:
    results = row.items("results")
    yield from (one.get("corpus_id") for one in results if isinstance(one, dict))
    yield from map(name_text, row.items("documents"))


SENTENCE_TRANSFORMERS = QueryRows(holds=_holds, query=_query, judged=_judgments_of, ranked=_ranking_of).register(
    SampleFile(title="predictions of sentence-transformers", kind=Kind.RUN, text=PREDICTIONS),
    SampleFile(title="samples of a reranking evaluator", kind=Kind.JUDGMENTS, text=SAMPLES),
    name="sentence_transformers",
    title="predictions and reranking samples of sentence-transformers",
)
