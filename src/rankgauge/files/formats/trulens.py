"""trulens: the ground truth of TruLens, and the retrievals in its records.

    ground truth   {"query": "How high is K2?", "expected_chunks": [{"text": "K2 is …", "expect_score": 1}, …], …}
    records        {"record_attributes": {"ai.observability.retrieval.query_text": "How high is K2?",
                                          "ai.observability.retrieval.retrieved_contexts": ["K2 is …", …]}, …}

TruLens matches chunks by their texts, so these are the documents. A chunk without a score has grade 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows, name_text, unpacked_json

TRUTH = """[
  {"query": "How high is K2?", "expected_response": "8611 m",
   "expected_chunks": [{"text": "K2 is 8611 m high.", "expect_score": 2}, {"text": "K2 is in Pakistan."}]}
]
"""
RECORDS = (
    '{"record_id": "r1", "record_attributes": {"ai.observability.span_type": "retrieval", '
    '"ai.observability.retrieval.query_text": "How high is K2?", '
    '"ai.observability.retrieval.retrieved_contexts": ["Everest is in Nepal.", "K2 is 8611 m high."]}}\n'
)
PREFIX = "ai.observability.retrieval."
ATTRIBUTES = ("record_attributes", "attributes")


def _attributes(cells: Cells) -> Cells:
    """The attributes of a span: in a cell of their own, perhaps as JSON, or the row itself."""
    inner = (unpacked_json(cells.get(name)) for name in ATTRIBUTES)
    return next((one for one in inner if isinstance(one, dict)), cells)


def _holds(cells: Cells) -> tuple[Kind, ...]:
    if "query" in cells and "expected_chunks" in cells:
        return (Kind.JUDGMENTS,)
    # The first span of an application may be another than a retrieval.
    return (Kind.RUN,) if any(name.startswith("ai.observability.") for name in _attributes(cells)) else ()


def _query(row: QueryRow) -> Any:
    return row.cells.get("query", _attributes(row.cells).get(f"{PREFIX}query_text"))


def _expectations_of(row: QueryRow) -> Iterator[Graded]:
    for chunk in row.items("expected_chunks"):
        if isinstance(chunk, dict):
            score = chunk.get("expect_score")
            yield name_text(chunk.get("text")), 1 if score is None else score
        else:
            yield name_text(chunk), 1


def _retrieval_of(row: QueryRow) -> Iterator[Any]:
    contexts = unpacked_json(_attributes(row.cells).get(f"{PREFIX}retrieved_contexts"))
    for context in contexts if isinstance(contexts, list) else []:
        yield name_text(context.get("text") if isinstance(context, dict) else context)


TRULENS = (
    QueryRows(
        holds=_holds,
        query=_query,
        judged=_expectations_of,
        ranked=_retrieval_of,
        counts=lambda row: "expected_chunks" in row.cells or f"{PREFIX}query_text" in _attributes(row.cells),
    )
    .format(
        name="trulens",
        title="ground truth and records of TruLens",
        samples=(
            SampleFile(title="ground truth of TruLens", kind=Kind.JUDGMENTS, text=TRUTH),
            SampleFile(title="records of TruLens", kind=Kind.RUN, text=RECORDS),
        ),
    )
    .register()
)
