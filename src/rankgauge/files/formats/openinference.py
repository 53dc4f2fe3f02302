"""openinference: spans of retrievers in the OpenInference conventions, as Phoenix exports them.

    {"context.span_id": …, "attributes.input.value": "How high is K2?",
     "attributes.retrieval.documents": [{"document.id": "d7", "document.content": …, "document.score": .8}, …], …}
    {"attributes": {"input": {"value": …}, "retrieval": {"documents": [{"document": {"id": "d7", …}}, …]}}, …}
    {"attributes": {"input.value": …, "retrieval.documents.0.document.id": "d7", …}, …}

A span is a query and what was retrieved for it, in that order; spans of other kinds are passed over. A document is
called by its id, or by its content where it has none; `--columns document=NAME` takes a field of its metadata.
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
    """The attributes under their whole names, lists left as they are."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, f"{prefix}.{name}" if prefix else str(name))
    else:
        yield prefix, value


def _attributes(cells: Cells) -> dict[str, Any]:
    named = {name: unpacked_json(value) for name, value in cells.items() if name.startswith("attributes")}
    return {name.removeprefix("attributes").lstrip("."): value for name, value in _flat(named)}


def _holds(cells: Cells) -> tuple[Kind, ...]:
    names = _attributes(cells)
    return (Kind.RUN,) if any(name.startswith(KINDS) for name in names) or _is_span(cells) else ()


def _is_span(cells: Cells) -> bool:
    return "context.span_id" in cells and any(name.startswith("attributes.") for name in cells)


def _fields(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of each document, in the order of the documents."""
    listed = unpacked_json(attributes.get(DOCUMENTS))
    if isinstance(listed, list):
        flat = [dict(_flat(one)) for one in listed if isinstance(one, dict)]
        return [{name.removeprefix("document."): value for name, value in one.items()} for one in flat]
    numbered: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if match := _NUMBERED.match(name):
            numbered.setdefault(int(match[1]), {})[match[2]] = value
    return [numbered[place] for place in sorted(numbered)]


def _ranking_of(row: QueryRow) -> Iterator[Any]:
    said = row.source.said.get("document")
    for fields in _fields(_attributes(row.cells)):
        inner = unpacked_json(fields.get("metadata"))
        known = {**(inner if isinstance(inner, dict) else {}), **fields}
        named = known.get(said, known.get(f"metadata.{said}")) if said else None
        yield next(
            (one for one in (named, fields.get("id")) if one not in (None, "")), name_text(fields.get("content"))
        )


def _is_retrieval(row: QueryRow) -> bool:
    attributes = _attributes(row.cells)
    listed = attributes.get(DOCUMENTS) is not None or any(map(_NUMBERED.match, attributes))
    return listed or "RETRIEVER" in (row.cells.get("span_kind"), attributes.get("openinference.span.kind"))


OPENINFERENCE = (
    QueryRows(
        holds=_holds,
        query=lambda row: _attributes(row.cells).get(INPUT),
        ranked=_ranking_of,
        counts=_is_retrieval,
    )
    .format(
        name="openinference",
        title="spans of retrievers in OpenInference's conventions, as Phoenix exports them",
        samples=(
            SampleFile(title="a frame of spans", kind=Kind.RUN, text=FLAT),
            SampleFile(title="spans with nested attributes", kind=Kind.RUN, text=NESTED),
        ),
    )
    .register()
)
