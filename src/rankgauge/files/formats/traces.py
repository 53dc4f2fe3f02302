"""Traces of retrievers: spans in the OpenInference conventions, as Phoenix exports them, and runs of LangSmith.

    {"context.span_id": …, "attributes.input.value": "How high is K2?",
     "attributes.retrieval.documents": [{"document.id": "d7", "document.content": …, "document.score": .8}, …], …}
    {"attributes": {"input": {"value": …}, "retrieval": {"documents": [{"document": {"id": "d7", …}}, …]}}, …}
    {"attributes": {"input.value": …, "retrieval.documents.0.document.id": "d7", …}, …}
    {"run_type": "retriever", "inputs": {"query": "How high is K2?"},
     "outputs": {"documents": [{"page_content": "K2 is …", "metadata": {"id": "d7", …}}, …]}, …}

A span or run is a query and what was retrieved for it, in that order; those of other kinds are passed over. A document
is called by its own id (of LangSmith's, also by the id in its metadata), or else by its text; `--columns document=NAME`
takes a field of its metadata, such as `source`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.query_rows import Cells, QueryRow, QueryRows, name_text, unpacked_json

FLAT = (
    '{"name": "retriever", "span_kind": "RETRIEVER", "context.span_id": "a1", '
    '"attributes.input.value": "How high is K2?", "attributes.retrieval.documents": '
    '[{"document.id": "d7", "document.content": "Everest …", "document.score": 0.8}, {"document.id": "d1"}]}\n'
)
NESTED = (
    '{"name": "retriever", "attributes": {"openinference": {"span": {"kind": "RETRIEVER"}}, '
    '"input": {"value": "How high is K2?"}, "retrieval": {"documents": [{"document": {"id": "d7"}}]}}}\n'
)
DOCUMENTS, INPUT = "retrieval.documents", "input.value"
KINDS = ("openinference.span.kind", DOCUMENTS, "llm.model_name", "span.kind")
_NUMBERED = re.compile(r"retrieval\.documents\.(\d+)\.document\.(.+)")


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the attributes under their whole names, lists left as they are."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, f"{prefix}.{name}" if prefix else str(name))
    else:
        yield prefix, value


def _object(value: Any) -> dict[str, Any]:
    unpacked = unpacked_json(value)
    return unpacked if isinstance(unpacked, dict) else {}


def _attributes(cells: Cells) -> dict[str, Any]:
    named = {name: unpacked_json(value) for name, value in cells.items() if name.startswith("attributes")}
    return {name.removeprefix("attributes").lstrip("."): value for name, value in _flat(named)}


def _holds_spans(cells: Cells) -> tuple[Kind, ...]:
    is_span = "context.span_id" in cells and any(name.startswith("attributes.") for name in cells)
    return (Kind.RUN,) if is_span or any(name.startswith(KINDS) for name in _attributes(cells)) else ()


def _documents(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of each document, in the order of the documents."""
    listed = unpacked_json(attributes.get(DOCUMENTS))
    if isinstance(listed, list):
        flat = [dict(_flat(one)) for one in listed if isinstance(one, dict)]
        return [{name.removeprefix("document."): value for name, value in one.items()} for one in flat]
    numbered: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if match := _NUMBERED.match(name):
            numbered.setdefault(int(match[1]), {})[match[2]] = value
    return [numbered[place] for place in sorted(numbered)]


def _span_ranking(row: QueryRow) -> Iterator[Any]:
    said = row.source.said.get("document")
    for fields in _documents(_attributes(row.cells)):
        known = {**_object(fields.get("metadata")), **fields}
        named = known.get(said, known.get(f"metadata.{said}")) if said else None
        yield _first_name(named, fields.get("id"), fields.get("content"))


def _first_name(*names: Any) -> Any:
    """Return the first name there is; the last is a text."""
    return next((name for name in names[:-1] if name not in (None, "")), name_text(names[-1]))


def _is_retrieval(row: QueryRow) -> bool:
    attributes = _attributes(row.cells)
    listed = attributes.get(DOCUMENTS) is not None or any(map(_NUMBERED.match, attributes))
    return listed or "RETRIEVER" in (row.cells.get("span_kind"), attributes.get("openinference.span.kind"))


OPENINFERENCE = QueryRows(
    holds=_holds_spans,
    query=lambda row: _attributes(row.cells).get(INPUT),
    ranked=_span_ranking,
    counts=_is_retrieval,
).register(
    SampleFile(title="a frame of spans", kind=Kind.RUN, text=FLAT),
    SampleFile(title="spans with nested attributes", kind=Kind.RUN, text=NESTED),
    name="openinference",
    title="spans of retrievers in OpenInference's conventions, as Phoenix exports them",
)

LANGSMITH_RUNS = (
    '{"id": "5f1", "name": "VectorStoreRetriever", "run_type": "retriever", "inputs": {"query": "How high is K2?"}, '
    '"outputs": {"documents": [{"page_content": "Everest …", "metadata": {"id": "d7"}, "type": "Document"}, '
    '{"page_content": "K2 …", "metadata": {"id": "d1"}, "type": "Document"}]}}\n'
)
QUESTIONS = ("query", "question", "input")


def _question(row: QueryRow) -> Any:
    inputs = unpacked_json(row.cells.get("inputs"))
    if not isinstance(inputs, dict):
        return inputs
    return next((inputs[name] for name in QUESTIONS if name in inputs), next(iter(inputs.values()), None))


def _run_ranking(row: QueryRow) -> Iterator[Any]:
    outputs, said = _object(row.cells.get("outputs")), row.source.said.get("document", "")
    listed = outputs.get("documents", outputs.get("output"))
    for one in listed if isinstance(listed, list) else ():
        document = one if isinstance(one, dict) else {"page_content": one}
        known = _object(document.get("metadata"))
        yield _first_name(known.get(said), document.get("id"), known.get("id"), document.get("page_content"))


LANGSMITH = QueryRows(
    holds=lambda cells: (Kind.RUN,) if {"run_type", "inputs", "outputs"} <= cells.keys() else (),
    query=_question,
    ranked=_run_ranking,
    counts=lambda row: row.cells.get("run_type") == "retriever",
).register(
    SampleFile(title="runs of LangSmith", kind=Kind.RUN, text=LANGSMITH_RUNS),
    name="langsmith",
    title="runs of retrievers that LangSmith exports",
)
