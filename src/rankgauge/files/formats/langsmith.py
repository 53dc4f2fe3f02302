"""langsmith: runs of retrievers that LangSmith exports, as JSON, JSON lines or Parquet.

    {"run_type": "retriever", "inputs": {"query": "How high is K2?"},
     "outputs": {"documents": [{"page_content": "K2 is …", "metadata": {"id": "d7", …}}, …]}, …}

Runs of other types are passed over. A document is called by its own id, by the id in its metadata, or else by its text;
`--columns document=NAME` takes another field of the metadata, such as `source`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.query_rows import Cells, QueryRow, QueryRows, name_text, unpacked_json

RUNS = (
    '{"id": "5f1", "name": "VectorStoreRetriever", "run_type": "retriever", "inputs": {"query": "How high is K2?"}, '
    '"outputs": {"documents": [{"page_content": "Everest …", "metadata": {"id": "d7"}, "type": "Document"}, '
    '{"page_content": "K2 …", "metadata": {"id": "d1"}, "type": "Document"}]}}\n'
)
QUESTIONS = ("query", "question", "input")


def _cell(row: QueryRow, name: str) -> Any:
    return unpacked_json(row.cells.get(name))


def _question(row: QueryRow) -> Any:
    inputs = _cell(row, "inputs")
    if not isinstance(inputs, dict):
        return inputs
    return next((inputs[name] for name in QUESTIONS if name in inputs), next(iter(inputs.values()), None))


def _holds(cells: Cells) -> tuple[Kind, ...]:
    return (Kind.RUN,) if {"run_type", "inputs", "outputs"} <= cells.keys() else ()


def _ranking_of(row: QueryRow) -> Iterator[Any]:
    outputs = _cell(row, "outputs")
    inner = outputs if isinstance(outputs, dict) else {}
    listed = inner.get("documents", inner.get("output"))
    for document in listed if isinstance(listed, list) else ():
        yield _name(document if isinstance(document, dict) else {"page_content": document}, row)


def _name(document: dict[str, Any], row: QueryRow) -> Any:
    metadata = document.get("metadata")
    inner = metadata if isinstance(metadata, dict) else {}
    names = (inner.get(row.source.said.get("document", "")), document.get("id"), inner.get("id"))
    return next((name for name in names if name not in (None, "")), name_text(document.get("page_content")))


LANGSMITH = (
    QueryRows(
        holds=_holds,
        query=_question,
        ranked=_ranking_of,
        counts=lambda row: row.cells.get("run_type") == "retriever",
    )
    .format(
        name="langsmith",
        title="runs of retrievers that LangSmith exports",
        samples=(SampleFile(title="runs of LangSmith", kind=Kind.RUN, text=RUNS),),
    )
    .register()
)
