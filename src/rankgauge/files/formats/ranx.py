"""ranx: {query: {document: number}} as JSON, which is how ranx, BEIR and pytrec_eval's users keep qrels and runs.

    qrels and run   {"q1": {"d1": 2, "d7": 0}, "q2": {…}}
    run             {"q1": ["d7", "d1"], "q2": […]}            the best first

Nothing but the numbers tells qrels from a run: whole numbers are grades in the first place, others scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind
from rankgauge.files.json_document import JsonShape, Row, json_format
from rankgauge.files.source import Source

QRELS = '{\n  "q1": {"d1": 2, "d7": 0},\n  "q2": {"d3": 1}\n}\n'
RUN = '{\n  "q1": {"d7": 1.5, "d1": 0.5},\n  "q2": {"d3": 0.25}\n}\n'
LISTS = '{\n  "q1": ["d7", "d1"],\n  "q2": ["d3"]\n}\n'


def _is_nested(document: Any) -> bool:
    """Whether it is {query: {document: number}}."""
    if not isinstance(document, dict) or not any(document.values()):
        return False
    return all(isinstance(found, dict) and all(map(_is_number, found.values())) for found in document.values())


def _is_graded(document: Any) -> bool:
    """Whether it is the same with whole numbers only."""
    return _is_nested(document) and all(isinstance(n, int) for found in document.values() for n in found.values())


def _is_listed(document: Any) -> bool:
    """Whether it is {query: [documents]}."""
    if not isinstance(document, dict) or not any(document.values()):
        return False
    return all(isinstance(found, list) and all(map(_is_id, found)) for found in document.values())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _rows(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in documents:
        for query, found in document.items():
            yield from ((query, name, number) for name, number in found.items())


def _lists(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in documents:
        for query, found in document.items():
            yield from ((query, name, -place) for place, name in enumerate(found, start=1))


RANX = json_format(
    name="ranx",
    title="JSON of ranx, BEIR and pytrec_eval: {query: {document: number}}",
    shapes=(
        JsonShape(title="qrels of ranx or BEIR", kind=Kind.JUDGMENTS, fits=_is_graded, rows=_rows, example=QRELS),
        JsonShape(title="a run of ranx, or results of BEIR", kind=Kind.RUN, fits=_is_nested, rows=_rows, example=RUN),
        JsonShape(title="grades with fractions", kind=Kind.JUDGMENTS, fits=_is_nested, rows=_rows),
        JsonShape(title="lists of documents", kind=Kind.RUN, fits=_is_listed, rows=_lists, example=LISTS),
    ),
).register()
