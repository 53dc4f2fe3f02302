"""ragas: the samples of an EvaluationDataset, a row for each question, as JSON lines, CSV or Parquet.

    {"user_input": "How high is K2?", "retrieved_context_ids": ["d7", "d1"], "reference_context_ids": ["d1"], …}
    {"user_input": "How high is K2?", "retrieved_contexts": ["K2 is …", …], "reference_contexts": ["K2 is …"], …}
    {"question": "How high is K2?", "contexts": ["K2 is …", …], "answer": …}                        before ragas 0.2

The reference contexts are the judgments, each with grade 1, the retrieved ones the run. A context is called by its id
where everything in the row has ids, and else by its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows, name_text

IDS = (
    '{"user_input": "How high is K2?", "retrieved_context_ids": ["d7", "d1"], "reference_context_ids": ["d1", "d3"]}\n'
    '{"user_input": "Who climbed it first?", "retrieved_context_ids": [4], "reference_context_ids": [4]}\n'
)
TEXTS = (
    '{"user_input": "How high is K2?", "retrieved_contexts": ["Everest is in Nepal.", "K2 is 8611 m high."], '
    '"reference_contexts": ["K2 is 8611 m high."], "response": "8611 m", "reference": "8611 m"}\n'
)
CSV = (
    "user_input,retrieved_contexts,reference_contexts,response\n"
    "How high is K2?,\"['Everest is in Nepal.', 'K2 is 8611 m high.']\",['K2 is 8611 m high.'],8611 m\n"
)
RETRIEVED = ("retrieved_context_ids", "retrieved_contexts", "contexts")
REFERENCE = ("reference_context_ids", "reference_contexts")


def _holds(cells: Cells) -> tuple[Kind, ...]:
    asked = "user_input" in cells or {"question", "contexts"} <= cells.keys()
    found = {Kind.JUDGMENTS: REFERENCE, Kind.RUN: RETRIEVED}
    return tuple(kind for kind, names in found.items() if asked and any(cells.get(name) is not None for name in names))


def _contexts(row: QueryRow, names: tuple[str, ...]) -> list[Any]:
    """The contexts by their ids, unless another list of the row has texts alone."""
    sides = [side for side in (RETRIEVED, REFERENCE) if any(_is_filled(row, name) for name in side)]
    if _is_filled(row, names[0]) and all(_is_filled(row, side[0]) for side in sides):
        return [str(one) for one in row.items(names[0])]
    return [name_text(text) for name in names[1:] for text in row.items(name)] or row.items(names[0])


def _is_filled(row: QueryRow, name: str) -> bool:
    return row.cells.get(name) not in (None, "")


def _judgments_of(row: QueryRow) -> Iterator[Graded]:
    yield from ((document, 1) for document in _contexts(row, REFERENCE))


RAGAS = (
    QueryRows(
        holds=_holds,
        query=lambda row: row.cells.get("user_input", row.cells.get("question")),
        judged=_judgments_of,
        ranked=lambda row: _contexts(row, RETRIEVED),
    )
    .format(
        name="ragas",
        title="samples of a ragas EvaluationDataset (JSON lines, CSV, Parquet)",
        samples=(
            SampleFile(title="a ragas dataset with ids", kind=Kind.JUDGMENTS, text=IDS),
            SampleFile(title="a ragas dataset with texts", kind=Kind.RUN, text=TEXTS),
            SampleFile(title="a ragas dataset as CSV", kind=Kind.RUN, text=CSV),
        ),
    )
    .register()
)
