"""haystack: outputs of Haystack's pipelines, and the results of its evaluations.

    output    {"retriever": {"documents": [{"id": "9f…", "content": "K2 is …", "meta": {…}, "score": 0.8}, …]}}
    results   {"run_name": "bm25", "inputs": {"question": ["How high is K2?"], "ground_truth_documents": [[…]],
              "retrieved_documents": [[…]]}, "results": {"ndcg": {"score": …, "individual_scores": […]}}}

An output does not say which query it answers: see the responses of search engines. Its documents are called by their
ids. Results hold judgments and a run; as in Haystack's evaluators, documents are the same if their contents are, and a
score of a document that is expected is its grade. `--columns document=NAME` takes `id`, or a field of `meta`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import objects_at
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows, name_text
from rankgauge.files.responses import Responses

OUTPUT = """{
  "retriever": {"documents": [
    {"id": "d7", "content": "Everest is in Nepal.", "meta": {"name": "everest.md"}, "score": 1.5},
    {"id": "d1", "content": "K2 is 8611 m high.", "meta": {"name": "k2.md"}, "score": 0.5}
  ]}
}
"""
RESULTS = """{
  "run_name": "bm25",
  "inputs": {
    "question": ["How high is K2?"],
    "ground_truth_documents": [[{"id": "a", "content": "K2 is 8611 m high.", "meta": {}, "score": null}]],
    "retrieved_documents": [[{"id": "b", "content": "Everest."}, {"id": "c", "content": "K2 is 8611 m high."}]]
  },
  "results": {"ndcg": {"score": 0.63, "individual_scores": [0.63]}}
}
"""
EXPECTED, RETRIEVED = "ground_truth_documents", "retrieved_documents"
QUESTIONS = ("question", "questions", "query", "queries")


def _documents(output: Any) -> list[Any]:
    """The documents of the last component that gives some."""
    components = list(output.values()) if isinstance(output, dict) else []
    lists = [found for one in components if (found := objects_at(one, "documents"))]
    return lists[-1] if lists else []


def _is_output(value: Any) -> bool:
    documents = _documents(value)
    return bool(documents) and all({"id", "content"} <= one.keys() for one in documents)


HAYSTACK = (
    Responses(
        fits=_is_output,
        hits=_documents,
        document=lambda hit: hit["id"],
        fields=lambda hit: [hit, hit.get("meta")],
    )
    .format(
        SampleFile(title="an output of a pipeline of Haystack", kind=Kind.RUN, text=OUTPUT),
        name="haystack",
        title="outputs of Haystack's pipelines",
    )
    .register()
)


def _parts(value: Any) -> list[Any] | None:
    """The inputs, or the columns of a detailed report, row by row."""
    columns = value.get("inputs", value) if isinstance(value, dict) else None
    if not isinstance(columns, dict) or not {EXPECTED, RETRIEVED} & columns.keys():
        return None
    listed = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    return [dict(zip(listed, row, strict=True)) for row in zip(*listed.values(), strict=False)]


def _holds(cells: Cells) -> tuple[Kind, ...]:
    return tuple(kind for kind, name in ((Kind.JUDGMENTS, EXPECTED), (Kind.RUN, RETRIEVED)) if name in cells)


def _question(row: QueryRow) -> Any:
    return next((row.cells[name] for name in QUESTIONS if name in row.cells), row.number)


def _name(document: Any, row: QueryRow) -> Any:
    if not isinstance(document, dict):
        return name_text(document)
    said, meta = row.source.said.get("document"), document.get("meta")
    parts = (document, meta if isinstance(meta, dict) else {})
    named = next((part[said] for part in parts if said in part), None)
    content = document.get("content")
    return named if named is not None else document.get("id") if content is None else name_text(content)


def _judgments_of(row: QueryRow) -> Iterator[Graded]:
    for document in row.items(EXPECTED):
        score = document.get("score") if isinstance(document, dict) else None
        yield _name(document, row), 1 if score is None else score


HAYSTACK_RESULTS = (
    QueryRows(
        holds=_holds,
        query=_question,
        judged=_judgments_of,
        ranked=lambda row: (_name(document, row) for document in row.items(RETRIEVED)),
        parts=_parts,
    )
    .format(
        name="haystack-results",
        title="results of Haystack's evaluations",
        samples=(SampleFile(title="an evaluation of Haystack", kind=Kind.JUDGMENTS, text=RESULTS),),
    )
    .register()
)
