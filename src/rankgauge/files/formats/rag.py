"""Datasets and results of frameworks for retrieval-augmented generation: ragas, LlamaIndex, Haystack, MLflow, TruLens.

ragas: the reference contexts of an EvaluationDataset are the judgments, each with grade 1, the retrieved ones the run.
A context is called by its id where everything in the row has ids, and else by its text.

LlamaIndex: a dataset (`EmbeddingQAFinetuneDataset.save_json`) holds judgments; so do the dictionaries that
sentence-transformers' evaluators take, which have the same names. Its queries are called by their ids; `--columns
query=text` calls them by their texts, as results (`RetrievalEvalResult.model_dump`) do, which hold judgments and a run.

Haystack: an output of a pipeline or of a retriever does not say which query it answers, unless somebody put a key
`query` or `question` beside it: see the responses of search engines. Documents are called by their ids. Results of
evaluations hold judgments and a run; as in Haystack's evaluators, documents are the same if their contents are, and a
score of a document that is expected is its grade. `--columns document=NAME` takes `id`, or a field of `meta`.

MLflow: the ids that the retriever should find are in the column of eval_results_table.json that the caller named as
`targets`, those that it found in `predictions`; the table does not say which is which, so their names have to (`gt`,
`ground_truth`, `targets`, `expected`, `relevant` … and `outputs`, `retrieved`, `predictions` …).

TruLens matches chunks by their texts, so these are the documents. A chunk without a score has grade 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import JsonShape, Row, has, json_format, objects_at
from rankgauge.files.query_rows import (
    Cells,
    Graded,
    QueryRow,
    QueryRows,
    as_relevant,
    kinds_in,
    name_text,
    unpacked_json,
)
from rankgauge.files.responses import Responses
from rankgauge.files.source import Source

RAGAS_IDS = (
    '{"user_input": "How high is K2?", "retrieved_context_ids": ["d7", "d1"], "reference_context_ids": ["d1", "d3"]}\n'
    '{"user_input": "Who climbed it first?", "retrieved_context_ids": [4], "reference_context_ids": [4]}\n'
)
RAGAS_TEXTS = (
    '{"user_input": "How high is K2?", "retrieved_contexts": ["Everest is in Nepal.", "K2 is 8611 m high."], '
    '"reference_contexts": ["K2 is 8611 m high."], "response": "8611 m", "reference": "8611 m"}\n'
)
RAGAS_CSV = (
    "user_input,retrieved_contexts,reference_contexts,response\n"
    "How high is K2?,\"['Everest is in Nepal.', 'K2 is 8611 m high.']\",['K2 is 8611 m high.'],8611 m\n"
)
CONTEXTS = ("retrieved_context_ids", "retrieved_contexts", "contexts")
REFERENCE = ("reference_context_ids", "reference_contexts")


def _contexts(row: QueryRow, names: tuple[str, ...]) -> list[Any]:
    """Return the contexts by their ids, unless another list of the row has texts alone."""
    filled = {name for name in (*CONTEXTS, *REFERENCE) if row.cells.get(name) not in (None, "")}
    sides = [side for side in (CONTEXTS, REFERENCE) if filled.intersection(side)]
    if names[0] in filled and all(side[0] in filled for side in sides):
        return [one if isinstance(one, dict | list | None) else str(one) for one in row.items(names[0])]
    return [name_text(text) for name in names[1:] for text in row.items(name)] or row.items(names[0])


RAGAS = QueryRows(
    holds=lambda cells: (
        kinds_in(cells, REFERENCE, CONTEXTS)
        if "user_input" in cells or {"question", "contexts"} <= cells.keys()
        else ()
    ),
    query=lambda row: row.cells.get("user_input", row.cells.get("question")),
    judged=lambda row: as_relevant(_contexts(row, REFERENCE)),
    ranked=lambda row: _contexts(row, CONTEXTS),
).register(
    SampleFile(title="a ragas dataset with ids", kind=Kind.JUDGMENTS, text=RAGAS_IDS),
    SampleFile(title="a ragas dataset with texts", kind=Kind.RUN, text=RAGAS_TEXTS),
    SampleFile(title="a ragas dataset as CSV", kind=Kind.RUN, text=RAGAS_CSV),
    name="ragas",
    title="samples of a ragas EvaluationDataset (JSON lines, CSV, Parquet)",
)

DATASET = """{
  "queries": {"q1": "How high is K2?", "q2": "Who climbed it first?"},
  "corpus": {"d1": "K2 is 8611 m high.", "d4": "Lacedelli and Compagnoni."},
  "relevant_docs": {"q1": ["d1"], "q2": ["d4"]},
  "mode": "text"
}
"""
LLAMA_INDEX_FILE = """[
  {"query": "How high is K2?", "expected_ids": ["d1", "d3"], "expected_texts": null,
   "retrieved_ids": ["d7", "d1"], "retrieved_texts": ["Everest …", "K2 …"], "mode": "text",
   "metric_dict": {"mrr": {"score": 0.5, "metadata": {}}}},
  {"query": "Who climbed it first?", "expected_ids": ["d4"], "retrieved_ids": ["d4"], "metric_dict": {}}
]
"""
RELEVANT = "relevant_docs"


def _relevant(documents: list[Any], source: Source) -> Iterator[Row]:
    """Yield the relevant documents: a list for each query, a grade for each document, or one document."""
    for document in documents:
        texts = document["queries"] if source.said.get("query") == "text" else {}
        for query, relevant in document[RELEVANT].items():
            ids = relevant if isinstance(relevant, list | dict) else [relevant]
            graded = ids if isinstance(ids, dict) else {one: 1 for one in ids if isinstance(one, str | int)}
            name = texts.get(query, query) if isinstance(texts, dict) else query
            yield from ((name, one, grade) for one, grade in graded.items())


LLAMA_INDEX = json_format(
    name="llama_index",
    title="question-answer datasets of LlamaIndex, and the dictionaries of sentence-transformers",
    shapes=(
        JsonShape(
            title="a dataset of LlamaIndex",
            kind=Kind.JUDGMENTS,
            fits=lambda one: has(one, "queries") and has(one, RELEVANT) and isinstance(one[RELEVANT], dict),
            rows=_relevant,
            example=DATASET,
        ),
    ),
).register()

LLAMA_INDEX_RESULTS = QueryRows(
    holds=lambda cells: kinds_in(cells, ["expected_ids"], ["retrieved_ids"]) if "query" in cells else (),
    query=lambda row: row.cells.get("query"),
    judged=lambda row: as_relevant(row.items("expected_ids")),
    ranked=lambda row: row.items("retrieved_ids"),
).register(
    SampleFile(title="results of LlamaIndex", kind=Kind.RUN, text=LLAMA_INDEX_FILE),
    name="llama_index-results",
    title="results of LlamaIndex's retriever evaluators",
)

HAYSTACK_OUTPUT = """{
  "retriever": {"documents": [
    {"id": "d7", "content": "Everest is in Nepal.", "meta": {"name": "everest.md"}, "score": 1.5},
    {"id": "d1", "content": "K2 is 8611 m high.", "meta": {"name": "k2.md"}, "score": 0.5}
  ]}
}
"""
HAYSTACK_FILE = """{
  "run_name": "bm25",
  "inputs": {
    "question": ["How high is K2?"],
    "ground_truth_documents": [[{"id": "a", "content": "K2 is 8611 m high.", "meta": {}, "score": null}]],
    "retrieved_documents": [[{"id": "b", "content": "Everest."}, {"id": "c", "content": "K2 is 8611 m high."}]]
  },
  "results": {"ndcg": {"score": 0.63, "individual_scores": [0.63]}}
}
"""
TRUTH, LISTS = "ground_truth_documents", "retrieved_documents"
ASKED = ("question", "questions", "query", "queries")


def _output_documents(output: Any) -> list[Any]:
    """Return the documents of the last component that gives some, or of the retriever whose output it is."""
    components = [output, *output.values()] if isinstance(output, dict) else []
    lists = [documents for component in components if (documents := objects_at(component, "documents"))]
    return lists[-1] if lists else []


HAYSTACK = Responses(
    fits=lambda value: (
        bool(found := _output_documents(value)) and all({"id", "content"} <= one.keys() for one in found)
    ),
    hits=_output_documents,
    document=lambda hit: hit["id"],
    fields=lambda hit: [hit, hit.get("meta")],
    query=lambda output: next((output[name] for name in ASKED if isinstance(output.get(name), str)), None),
).register(
    SampleFile(title="an output of a pipeline of Haystack", kind=Kind.RUN, text=HAYSTACK_OUTPUT),
    name="haystack",
    title="outputs of Haystack's pipelines",
)


def _evaluation_rows(value: Any) -> list[Any] | None:
    """Return the inputs, or the columns of a detailed report, row by row."""
    columns = value.get("inputs", value) if isinstance(value, dict) else None
    if not isinstance(columns, dict) or not {TRUTH, LISTS} & columns.keys():
        return None
    listed = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    return [dict(zip(listed, row, strict=True)) for row in zip_longest(*listed.values())]


def _haystack_name(document: Any, row: QueryRow) -> Any:
    if not isinstance(document, dict):
        return name_text(document)
    said, meta = row.source.said.get("document"), document.get("meta")
    parts = (document, meta if isinstance(meta, dict) else {})
    named = next((part[said] for part in parts if said in part), None)
    content = document.get("content")
    return named if named is not None else document.get("id") if content is None else name_text(content)


def _graded(document: Any, name: Any, field: str) -> Graded:
    """Return the name with the number in a field of the document, 1 if there is none."""
    number = document.get(field) if isinstance(document, dict) else None
    return name, 1 if number is None else number


HAYSTACK_RESULTS = QueryRows(
    holds=lambda cells: kinds_in(cells, [TRUTH], [LISTS]),
    query=lambda row: next((row.cells[name] for name in ASKED if name in row.cells), row.number),
    judged=lambda row: (_graded(one, _haystack_name(one, row), "score") for one in row.items(TRUTH)),
    ranked=lambda row: (_haystack_name(document, row) for document in row.items(LISTS)),
    parts=_evaluation_rows,
).register(
    SampleFile(title="an evaluation of Haystack", kind=Kind.JUDGMENTS, text=HAYSTACK_FILE),
    name="haystack-results",
    title="results of Haystack's evaluations",
)

MLFLOW_TABLE = """{
  "columns": ["question", "gt", "ret", "precision_at_3/score", "recall_at_3/score", "ndcg_at_3/score"],
  "data": [
    ["How high is K2?", ["d1", "d3"], ["d7", "d1"], 0.5, 0.5, 0.38685],
    ["Who climbed it first?", ["d4"], ["d4"], 1.0, 1.0, 1.0]
  ]
}
"""
SCORE = re.compile(r"(precision|recall|ndcg)_at_\d+(/score)?$")
EXPECTED = re.compile(r"(^|_)(gt|ground|gold|truth|targets?|expected|expectations|relevant|references?|labels?)")
RETRIEVED = re.compile(r"(^|_)(ret|retrieved|retrieval|outputs?|predictions?|predicted|results?|docs|documents)")
QUESTIONS = ("question", "questions", "query", "inputs", "input", "request")


def _holds_scores(cells: Cells) -> tuple[Kind, ...]:
    kinds = {Kind.JUDGMENTS: EXPECTED, Kind.RUN: RETRIEVED} if any(map(SCORE.match, cells)) else {}
    return tuple(kind for kind, words in kinds.items() if _column(cells, words))


def _column(cells: Cells, words: re.Pattern[str]) -> str | None:
    """Return the column whose name has one of the words; what is expected may be called documents too."""
    named = [name for name in cells if words.search(name.lower()) and not SCORE.match(name)]
    others = [name for name in named if words is EXPECTED or not EXPECTED.search(name.lower())]
    return next((name for name in others if not isinstance(cells[name], int | float)), None)


def _listed_ids(row: QueryRow, words: re.Pattern[str]) -> list[Any]:
    name = _column(row.cells, words)
    if name is None:
        names = ", ".join(name for name in row.cells if not SCORE.match(name))
        raise row.fault(
            f"nothing says which column holds the documents: {names}",
            "Call the column of relevant documents targets, and that of retrieved ones outputs.",
        )
    return row.items(name)


def _mlflow_question(row: QueryRow) -> Any:
    """Return the cell of a column that names questions, or else the number of the row."""
    cell = next((row.cells[name] for name in QUESTIONS if row.cells.get(name) is not None), row.number)
    return next(iter(cell.values()), None) if isinstance(cell, dict) and len(cell) == 1 else cell


MLFLOW = QueryRows(
    holds=_holds_scores,
    query=_mlflow_question,
    judged=lambda row: as_relevant(_listed_ids(row, EXPECTED)),
    ranked=lambda row: _listed_ids(row, RETRIEVED),
).register(
    SampleFile(title="a table of MLflow", kind=Kind.RUN, text=MLFLOW_TABLE),
    name="mlflow",
    title="tables of MLflow's evaluations of retrievers (eval_results_table.json)",
)

TRULENS_TRUTH = """[
  {"query": "How high is K2?", "expected_response": "8611 m",
   "expected_chunks": [{"text": "K2 is 8611 m high.", "expect_score": 2}, {"text": "K2 is in Pakistan."}]}
]
"""
TRULENS_RECORDS = (
    '{"record_id": "r1", "record_attributes": {"ai.observability.span_type": "retrieval", '
    '"ai.observability.retrieval.query_text": "How high is K2?", '
    '"ai.observability.retrieval.retrieved_contexts": ["Everest is in Nepal.", "K2 is 8611 m high."]}}\n'
)
PREFIX = "ai.observability.retrieval."
ATTRIBUTES = ("record_attributes", "attributes")


def _span(cells: Cells) -> Cells:
    """Return the attributes of a span: in a cell of their own, perhaps as JSON, or the row itself."""
    inner = (unpacked_json(cells.get(name)) for name in ATTRIBUTES)
    return next((one for one in inner if isinstance(one, dict)), cells)


def _holds_chunks(cells: Cells) -> tuple[Kind, ...]:
    if "query" in cells and "expected_chunks" in cells:
        return (Kind.JUDGMENTS,)
    # The first span of an application may be another than a retrieval.
    return (Kind.RUN,) if any(name.startswith("ai.observability.") for name in _span(cells)) else ()


def _chunk_name(chunk: Any) -> Any:
    return name_text(chunk.get("text") if isinstance(chunk, dict) else chunk)


def _retrieval_of(row: QueryRow) -> Iterator[Any]:
    contexts = unpacked_json(_span(row.cells).get(f"{PREFIX}retrieved_contexts"))
    return map(_chunk_name, contexts if isinstance(contexts, list) else ())


TRULENS = QueryRows(
    holds=_holds_chunks,
    query=lambda row: row.cells.get("query", _span(row.cells).get(f"{PREFIX}query_text")),
    judged=lambda row: (_graded(one, _chunk_name(one), "expect_score") for one in row.items("expected_chunks")),
    ranked=_retrieval_of,
    counts=lambda row: "expected_chunks" in row.cells or f"{PREFIX}query_text" in _span(row.cells),
).register(
    SampleFile(title="ground truth of TruLens", kind=Kind.JUDGMENTS, text=TRULENS_TRUTH),
    SampleFile(title="records of TruLens", kind=Kind.RUN, text=TRULENS_RECORDS),
    name="trulens",
    title="ground truth and records of TruLens",
)
