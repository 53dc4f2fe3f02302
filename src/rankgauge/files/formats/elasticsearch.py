"""elasticsearch: responses of Elasticsearch and OpenSearch to a search (`_search`) or to several (`_msearch`).

    _search    {"took": 1, …, "hits": {"total": …, "hits": [{"_id": "d7", "_score": 1.5, …}, …]}}
    _msearch   {"took": 2, "responses": [{"hits": {…}}, …]}

Neither says which queries were asked: a single response is named for its file, those of `_msearch` for their positions,
unless a list of queries is given. The response of an asynchronous search is unwrapped.
"""

from __future__ import annotations

from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import has, objects_at
from rankgauge.files.responses import Responses

SEARCH = """{
  "took": 3, "timed_out": false, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
  "hits": {
    "total": {"value": 2, "relation": "eq"}, "max_score": 1.5,
    "hits": [
      {"_index": "shop", "_id": "d7", "_score": 1.5, "_source": {"title": "red dress"}},
      {"_index": "shop", "_id": "d1", "_score": 0.5, "_source": {"title": "dress"}}
    ]
  }
}
"""
MSEARCH = """{
  "took": 4,
  "responses": [
    {"took": 2, "hits": {"hits": [{"_index": "shop", "_id": "d7", "_score": 1.5}]}, "status": 200},
    {"took": 1, "hits": {"hits": [{"_index": "shop", "_id": "d3", "_score": 0.7}]}, "status": 200}
  ]
}
"""
WORKBENCH = ("judgmentRatings", "documentIds", "searchConfigurationList")
"""What marks the Search Relevance Workbench's own documents, which are no hits of a query."""


def _fits(value: Any) -> bool:
    value = _unwrap(value)
    if not has(value, "hits", "hits") or not isinstance(value["hits"]["hits"], list):
        return False
    hits = value["hits"]["hits"]
    return all(isinstance(hit, dict) and "_id" in hit and not _is_workbench(hit) for hit in hits)


def _unwrap(value: Any) -> Any:
    return value["response"] if has(value, "response", "hits", "hits") else value


def _is_workbench(hit: Any) -> bool:
    return any(has(hit, "_source", mark) for mark in WORKBENCH)


def _failure(value: Any) -> str | None:
    error = value.get("error") if isinstance(value, dict) else None
    reason = error.get("reason") or error.get("type") if isinstance(error, dict) else error
    return reason if isinstance(reason, str) and reason else None


def _lacks(value: Any) -> str | None:
    response = _unwrap(value)
    shards = response.get("_shards")
    failed = shards.get("failed") if isinstance(shards, dict) else 0
    if response.get("timed_out") is True:
        return "the search timed out"
    return f"{failed} shards failed" if failed else None


ELASTICSEARCH = (
    Responses(
        fits=_fits,
        hits=lambda response: objects_at(_unwrap(response), "hits", "hits"),
        document=lambda hit: hit["_id"],
        fields=lambda hit: [hit, hit.get("_source"), hit.get("fields")],
        together="responses",
        failed=_failure,
        lacks=_lacks,
    )
    .format(
        SampleFile(title="a search response of Elasticsearch or OpenSearch", kind=Kind.RUN, text=SEARCH),
        SampleFile(title="an _msearch response", kind=Kind.RUN, text=MSEARCH),
        name="elasticsearch",
        title="responses of Elasticsearch and OpenSearch",
    )
    .register()
)
