"""llama_index: LlamaIndex's question-answer datasets, and the results of its retriever evaluators.

    dataset   {"queries": {"q1": "How high is K2?"}, "corpus": {"d1": "K2 is …"}, "relevant_docs": {"q1": ["d1"]}, …}
    results   {"query": "How high is K2?", "expected_ids": ["d1"], "retrieved_ids": ["d7", "d1"], "metric_dict": …}

A dataset (`EmbeddingQAFinetuneDataset.save_json`) holds judgments; so do the dictionaries that sentence-transformers'
evaluators take, which have the same names. Its queries are called by their ids; `--columns query=text` calls them by
their texts, as results (`RetrievalEvalResult.model_dump`) do, which hold both judgments and a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import JsonShape, Row, has, json_format
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows
from rankgauge.files.source import Source

DATASET = """{
  "queries": {"q1": "How high is K2?", "q2": "Who climbed it first?"},
  "corpus": {"d1": "K2 is 8611 m high.", "d4": "Lacedelli and Compagnoni."},
  "relevant_docs": {"q1": ["d1"], "q2": ["d4"]},
  "mode": "text"
}
"""
RESULTS = """[
  {"query": "How high is K2?", "expected_ids": ["d1", "d3"], "expected_texts": null,
   "retrieved_ids": ["d7", "d1"], "retrieved_texts": ["Everest …", "K2 …"], "mode": "text",
   "metric_dict": {"mrr": {"score": 0.5, "metadata": {}}}},
  {"query": "Who climbed it first?", "expected_ids": ["d4"], "retrieved_ids": ["d4"], "metric_dict": {}}
]
"""
RELEVANT = "relevant_docs"


def _is_dataset(document: Any) -> bool:
    return has(document, "queries") and has(document, RELEVANT) and isinstance(document[RELEVANT], dict)


def _relevant(documents: list[Any], source: Source) -> Iterator[Row]:
    """The relevant documents: a list for each query, a grade for each document, or one document."""
    for document in documents:
        texts = document["queries"] if source.said.get("query") == "text" else {}
        for query, relevant in document[RELEVANT].items():
            graded = relevant if isinstance(relevant, dict) else dict.fromkeys(_ids(relevant), 1)
            name = texts.get(query, query) if isinstance(texts, dict) else query
            yield from ((name, one, grade) for one, grade in graded.items())


def _ids(relevant: Any) -> list[Any]:
    ids = relevant if isinstance(relevant, list) else [relevant]
    return [one for one in ids if isinstance(one, str | int)]


LLAMA_INDEX = json_format(
    name="llama_index",
    title="question-answer datasets of LlamaIndex, and the dictionaries of sentence-transformers",
    shapes=(
        JsonShape(
            title="a dataset of LlamaIndex", kind=Kind.JUDGMENTS, fits=_is_dataset, rows=_relevant, example=DATASET
        ),
    ),
).register()


def _holds(cells: Cells) -> tuple[Kind, ...]:
    names = {Kind.JUDGMENTS: "expected_ids", Kind.RUN: "retrieved_ids"}
    return tuple(kind for kind, name in names.items() if "query" in cells and isinstance(cells.get(name), list))


def _judgments_of(row: QueryRow) -> Iterator[Graded]:
    yield from ((document, 1) for document in row.items("expected_ids"))


LLAMA_INDEX_RESULTS = (
    QueryRows(
        holds=_holds,
        query=lambda row: row.cells.get("query"),
        judged=_judgments_of,
        ranked=lambda row: row.items("retrieved_ids"),
    )
    .format(
        name="llama_index-results",
        title="results of LlamaIndex's retriever evaluators",
        samples=(SampleFile(title="results of LlamaIndex", kind=Kind.RUN, text=RESULTS),),
    )
    .register()
)
