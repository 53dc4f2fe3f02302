"""Judgments and runs of tests of relevance: Elasticsearch's `_rank_eval`, and the Rated Ranking Evaluator.

The ratings of a request to `_rank_eval` (Elasticsearch and OpenSearch) are judgments. A response holds the run, and the
ratings of what the run retrieved; take the judgments from the request, which also has those of documents that were
missed.

The Rated Ranking Evaluator's ratings are as people write them and as Quepid exports them. Topics and groups may be left
out. All queries of a group have its documents: {"d1": {"gain": 3}} or {"3": ["d1"]}. A query is called by its
placeholder `$query`, by the one that `query_placeholder` names, or by its only one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind
from rankgauge.files.json_document import JsonShape, Row, has, json_format, list_objects, objects_at
from rankgauge.files.source import Source

REQUEST = """{
  "requests": [
    {
      "id": "amsterdam_query",
      "request": {"query": {"match": {"text": "amsterdam"}}},
      "ratings": [
        {"_index": "my-index-000001", "_id": "doc2", "rating": 3},
        {"_index": "my-index-000001", "_id": "doc3", "rating": 0}
      ]
    }
  ],
  "metric": {"dcg": {"k": 10}}
}
"""
RESPONSE = """{
  "metric_score": 3.0,
  "details": {
    "amsterdam_query": {
      "metric_score": 3.0,
      "unrated_docs": [{"_index": "my-index-000001", "_id": "doc4"}],
      "hits": [
        {"hit": {"_index": "my-index-000001", "_id": "doc2", "_score": 7.1}, "rating": 3},
        {"hit": {"_index": "my-index-000001", "_id": "doc4", "_score": 2.0}, "rating": null}
      ],
      "metric_details": {"dcg": {"dcg": 3.0, "unrated_docs": 1}}
    }
  },
  "failures": {}
}
"""


def _is_request(document: Any) -> bool:
    return any("ratings" in one for one in objects_at(document, "requests"))


def _is_response(document: Any) -> bool:
    details = _details(document)
    return bool(details) and all(has(detail, "hits") for detail in details.values())


def _details(document: Any) -> dict[str, Any]:
    """Return the queries of a response; old versions wrap it."""
    inner = document["rank_eval"] if has(document, "rank_eval") else document
    details = inner.get("details") if isinstance(inner, dict) else None
    return details if isinstance(details, dict) else {}


def _ratings(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in documents:
        for request in objects_at(document, "requests"):
            for rated in objects_at(request, "ratings"):
                yield request.get("id"), rated.get("_id"), rated.get("rating")


def _hits(documents: list[Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield the query, the rank and the rated hit of each document that was retrieved."""
    for document in documents:
        for query, details in _details(document).items():
            yield from ((query, place, hit) for place, hit in enumerate(objects_at(details, "hits"), start=1))


def _run(documents: list[Any], source: Source) -> Iterator[Row]:
    yield from ((query, _id(hit), -place) for query, place, hit in _hits(documents))


def _ratings_of(documents: list[Any], source: Source) -> Iterator[Row]:
    ratings = ((query, _id(hit), hit.get("rating")) for query, _, hit in _hits(documents))
    yield from (row for row in ratings if row[2] is not None)


def _id(rated: Any) -> Any:
    return rated["hit"].get("_id") if isinstance(rated.get("hit"), dict) else None


RANK_EVAL = json_format(
    name="rank_eval",
    title="requests and responses of _rank_eval (Elasticsearch, OpenSearch)",
    shapes=(
        JsonShape(title="a _rank_eval request", kind=Kind.JUDGMENTS, fits=_is_request, rows=_ratings, example=REQUEST),
        JsonShape(title="a _rank_eval response", kind=Kind.RUN, fits=_is_response, rows=_run, example=RESPONSE),
        JsonShape(title="ratings in a _rank_eval response", kind=Kind.JUDGMENTS, fits=_is_response, rows=_ratings_of),
    ),
).register()

LEVELS = ("topics", "query_groups", "queries")
"""What may be inside a part of the file, from the largest to the smallest."""

RRE_RATINGS = """{
  "index": "shop", "corpora_file": "products.bulk", "id_field": "id",
  "topics": [{"description": "Dresses", "query_groups": [{
    "name": "Colours",
    "queries": [{"template": "query.json", "placeholders": {"$query": "red dress"}}],
    "relevant_documents": {"d1": {"gain": 3}, "d3": {"gain": 1}}
  }]}]
}
"""
RRE_EXPORTED = """{
  "id_field": "id", "index": "Shop", "template": "template.json",
  "queries": [{"placeholders": {"$query": "red dress"}, "relevant_documents": {"0": ["d7"], "3": ["d1"]}}]
}
"""


def _rre_fits(document: Any) -> bool:
    return bool(next(_groups(document, {}), None))


def _groups(part: Any, inherited: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each query with its placeholders, and the relevant documents that it has or that its group has."""
    for one in list_objects([part]):
        relevant = one["relevant_documents"] if isinstance(one.get("relevant_documents"), dict) else inherited
        if isinstance(one.get("placeholders"), dict) and relevant:
            yield one["placeholders"], relevant
        for level in LEVELS:
            for inner in list_objects(one.get(level)):
                yield from _groups(inner, relevant)


def _rre_rows(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in documents:
        named = document.get("query_placeholder", "$query")
        for placeholders, relevant in _groups(document, {}):
            query = placeholders.get(named, next(iter(placeholders.values()), None))
            yield from ((query, *graded) for graded in _grades_of(relevant))


def _grades_of(relevant: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield documents and grades: by document, or documents by grade."""
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
        JsonShape(title="ratings of RRE", kind=Kind.JUDGMENTS, fits=_rre_fits, rows=_rre_rows, example=RRE_RATINGS),
        JsonShape(
            title="ratings of Quepid for RRE", kind=Kind.JUDGMENTS, fits=_rre_fits, rows=_rre_rows, example=RRE_EXPORTED
        ),
    ),
).register()
