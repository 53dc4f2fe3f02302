"""rre: the ratings of the Rated Ranking Evaluator, as people write them and as Quepid exports them.

    {"topics": [{"query_groups": [{"queries": [{"placeholders": {"$query": "red dress"}}], "relevant_documents": …}]}]}

Topics and groups may be left out. All queries of a group have its documents: {"d1": {"gain": 3}} or {"3": ["d1"]}.
A query is called by its placeholder `$query`, by the one that `query_placeholder` names, or by its only one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind
from rankgauge.files.json_document import JsonShape, Row, json_format, listed
from rankgauge.files.source import Source

LEVELS = ("topics", "query_groups", "queries")
"""What may be inside a part of the file, from the largest to the smallest."""

RATINGS = """{
  "index": "shop", "corpora_file": "products.bulk", "id_field": "id",
  "topics": [{"description": "Dresses", "query_groups": [{
    "name": "Colours",
    "queries": [{"template": "query.json", "placeholders": {"$query": "red dress"}}],
    "relevant_documents": {"d1": {"gain": 3}, "d3": {"gain": 1}}
  }]}]
}
"""
EXPORTED = """{
  "id_field": "id", "index": "Shop", "template": "template.json",
  "queries": [{"placeholders": {"$query": "red dress"}, "relevant_documents": {"0": ["d7"], "3": ["d1"]}}]
}
"""


def _fits(document: Any) -> bool:
    return bool(next(_groups(document, {}), None))


def _groups(part: Any, inherited: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each query with its placeholders, and the relevant documents that it has or that its group has."""
    for one in listed([part]):
        relevant = one["relevant_documents"] if isinstance(one.get("relevant_documents"), dict) else inherited
        if isinstance(one.get("placeholders"), dict) and relevant:
            yield one["placeholders"], relevant
        for level in LEVELS:
            for inner in listed(one.get(level)):
                yield from _groups(inner, relevant)


def _rows(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in documents:
        named = document.get("query_placeholder", "$query")
        for placeholders, relevant in _groups(document, {}):
            query = placeholders.get(named, next(iter(placeholders.values()), None))
            yield from ((query, *graded) for graded in _grades_of(relevant))


def _grades_of(relevant: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Documents and grades: by document, or documents by grade."""
    for key, value in relevant.items():
        if isinstance(value, list):
            yield from ((document, key) for document in value)
        else:
            grade = value.get("gain", value.get("rating")) if isinstance(value, dict) else value
            yield key, grade


RRE = json_format(
    name="rre",
    title="ratings of the Rated Ranking Evaluator",
    shapes=(
        JsonShape(title="ratings of RRE", kind=Kind.JUDGMENTS, fits=_fits, rows=_rows, example=RATINGS),
        JsonShape(title="ratings of Quepid for RRE", kind=Kind.JUDGMENTS, fits=_fits, rows=_rows, example=EXPORTED),
    ),
).register()
