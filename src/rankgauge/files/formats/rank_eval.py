"""rank_eval: requests to the `_rank_eval` endpoint of Elasticsearch and OpenSearch, and its responses.

    request    {"requests": [{"id": "q1", "request": …, "ratings": [{"_index": …, "_id": "d1", "rating": 3}, …]}, …]}
    response   {"metric_score": …, "details": {"q1": {"hits": [{"hit": {"_id": "d1", …}, "rating": 3}, …], …}, …}}

The ratings of a request are judgments. A response holds the run, and the ratings of what the run retrieved; take the
judgments from the request, which also has those of documents that were missed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind
from rankgauge.files.json_document import JsonShape, Row, has, json_format, objects_at
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
    return bool(details) and all(has(one, "hits") for one in details.values())


def _details(document: Any) -> dict[str, Any]:
    """The queries of a response; old versions wrap it."""
    inner = document["rank_eval"] if has(document, "rank_eval") else document
    details = inner.get("details") if isinstance(inner, dict) else None
    return details if isinstance(details, dict) else {}


def _ratings(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in documents:
        for request in objects_at(document, "requests"):
            for rated in objects_at(request, "ratings"):
                yield request.get("id"), rated.get("_id"), rated.get("rating")


def _hits(documents: list[Any]) -> Iterator[tuple[str, int, Any]]:
    """The query, the rank and the rated hit of each document that was retrieved."""
    for document in documents:
        for query, found in _details(document).items():
            yield from ((query, place, hit) for place, hit in enumerate(objects_at(found, "hits"), start=1))


def _run(documents: list[Any], source: Source) -> Iterator[Row]:
    yield from ((query, _id(hit), -place) for query, place, hit in _hits(documents))


def _ratings_of(documents: list[Any], source: Source) -> Iterator[Row]:
    found = ((query, _id(hit), hit.get("rating")) for query, _, hit in _hits(documents))
    yield from (row for row in found if row[2] is not None)


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
