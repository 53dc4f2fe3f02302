"""Responses of search engines: Elasticsearch and OpenSearch, Solr, Typesense, Vespa.

Elasticsearch and Vespa do not say which queries were asked: a single response is named for its file, those of
`_msearch` for their positions, unless a list of queries is given. The response of an asynchronous search is unwrapped.
Solr's query is the parameter q where the header repeats it (echoParams); a document's id is its field `id`, or its only
field beside the score. Typesense gives several responses as {"results": […]} (multi_search). Vespa promises no meaning
of a hit's `id`: where the summary has the field `documentid`, that is taken, and any other field that a user names; its
groups among the children are left out. Shape and error elements: Vespa's reference, Default JSON Result Format.
"""

from __future__ import annotations

from typing import Any

from rankgauge.errors import InputError
from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import has, objects_at
from rankgauge.files.responses import Responses, only

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


def _is_search(value: Any) -> bool:
    value = _unwrap(value)
    if not has(value, "hits", "hits") or not isinstance(value["hits"]["hits"], list):
        return False
    hits = value["hits"]["hits"]
    return all(isinstance(hit, dict) and "_id" in hit and not _is_workbench(hit) for hit in hits)


def _unwrap(value: Any) -> Any:
    return value["response"] if has(value, "response", "hits", "hits") else value


def _is_workbench(hit: Any) -> bool:
    return any(has(hit, "_source", mark) for mark in WORKBENCH)


def _search_failure(value: Any) -> str | None:
    error = value.get("error") if isinstance(value, dict) else None
    reason = error.get("reason") or error.get("type") if isinstance(error, dict) else error
    return reason if isinstance(reason, str) and reason else None


def _search_lacks(value: Any) -> str | None:
    response = _unwrap(value)
    shards = response.get("_shards")
    failed = shards.get("failed") if isinstance(shards, dict) else 0
    if response.get("timed_out") is True:
        return "the search timed out"
    if failed:
        return f"{failed} shards failed"
    clusters = response.get("_clusters")
    skipped = clusters.get("skipped") if isinstance(clusters, dict) else 0
    return f"{skipped} remote clusters skipped" if skipped else None


ELASTICSEARCH = Responses(
    fits=_is_search,
    hits=lambda response: objects_at(_unwrap(response), "hits", "hits"),
    document=lambda hit: hit["_id"],
    fields=lambda hit: [hit, hit.get("_source"), hit.get("fields")],
    together="responses",
    failed=_search_failure,
    lacks=_search_lacks,
).register(
    SampleFile(title="a search response of Elasticsearch or OpenSearch", kind=Kind.RUN, text=SEARCH),
    SampleFile(title="an _msearch response", kind=Kind.RUN, text=MSEARCH),
    name="elasticsearch",
    title="responses of Elasticsearch and OpenSearch",
)

SOLR_RESPONSE = """{
  "responseHeader": {"status": 0, "QTime": 1, "params": {"q": "red dress", "fl": "id,score"}},
  "response": {"numFound": 2, "start": 0, "maxScore": 1.5, "numFoundExact": true, "docs": [
    {"id": "d7", "score": 1.5},
    {"id": "d1", "score": 0.5}
  ]}
}
"""
BESIDE = ("score", "_version_", "[explain]")
"""Fields that Solr adds to those of the document."""


def _solr_query(response: Any) -> Any:
    return response["responseHeader"]["params"]["q"] if has(response, "responseHeader", "params", "q") else None


def _solr_failure(value: Any) -> str | None:
    """Return what the engine says went wrong, where it has searched nothing."""
    if not has(value, "responseHeader") or not has(value, "error") or has(value, "response", "docs"):
        return None
    error = value["error"]
    return str((error.get("msg") if isinstance(error, dict) else error) or "no reason given")


def _solr_lacks(value: Any) -> str | None:
    header, response = value.get("responseHeader"), value["response"]
    if isinstance(header, dict) and header.get("partialResults"):
        return "it has partialResults"
    first = response.get("start")
    return f"its first document is number {first + 1}, start={first}" if isinstance(first, int) and first else None


def _solr_id(document: dict[str, Any]) -> Any:
    own = [name for name in document if name not in BESIDE]
    name = "id" if "id" in document else own[0] if len(own) == 1 else None
    if name is None:
        raise InputError(
            f"a document of the response has no field 'id' among {', '.join(own) or 'no fields'}",
            hint="Say which field is the id: --columns document=NAME; or ask Solr for it alone: fl=id,score",
        )
    return only(document[name])


SOLR = Responses(
    fits=lambda value: has(value, "response", "docs") and isinstance(value["response"]["docs"], list),
    hits=lambda response: objects_at(response, "response", "docs"),
    document=_solr_id,
    query=_solr_query,
    failed=_solr_failure,
    lacks=_solr_lacks,
).register(
    SampleFile(title="a response of Solr", kind=Kind.RUN, text=SOLR_RESPONSE),
    name="solr",
    title="responses of Apache Solr",
)

TYPESENSE_RESPONSE = """{
  "facet_counts": [], "found": 2, "out_of": 1000, "page": 1, "search_time_ms": 1,
  "request_params": {"collection_name": "shop", "per_page": 10, "q": "red dress"},
  "hits": [
    {"document": {"id": "d7", "title": "red dress"}, "highlights": [], "text_match": 1157451471441100800},
    {"document": {"id": "d1", "title": "dress"}, "highlights": [], "text_match": 578730123365711993}
  ]
}
"""


def _is_typesense(value: Any) -> bool:
    hits = objects_at(value, "hits")
    return has(value, "found") and has(value, "hits") and all(has(hit, "document") for hit in hits)


TYPESENSE = Responses(
    fits=_is_typesense,
    hits=lambda response: objects_at(response, "hits"),
    document=lambda hit: hit["document"]["id"] if has(hit, "document", "id") else None,
    fields=lambda hit: [hit.get("document")],
    query=lambda response: response["request_params"]["q"] if has(response, "request_params", "q") else None,
    together="results",
).register(
    SampleFile(title="a response of Typesense", kind=Kind.RUN, text=TYPESENSE_RESPONSE),
    name="typesense",
    title="responses of Typesense",
)

VESPA_RESPONSE = """{
  "root": {
    "id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 2},
    "coverage": {"coverage": 100, "documents": 1000, "full": true, "nodes": 1, "results": 1, "resultsFull": 1},
    "children": [
      {"id": "id:shop:product::d7", "relevance": 1.5, "source": "shop", "fields": {"title": "red dress"}},
      {"id": "id:shop:product::d1", "relevance": 0.5, "source": "shop", "fields": {"title": "dress"}}
    ]
  }
}
"""


def _vespa_failure(value: Any) -> str | None:
    """Return what the engine says went wrong, where it has found nothing."""
    errors = objects_at(value, "root", "errors")
    if not errors or has(value, "root", "children"):
        return None
    return str(errors[0].get("message") or errors[0].get("summary") or "no reason given")


def _vespa_lacks(value: Any) -> str | None:
    if not has(value, "root", "coverage", "full") or value["root"]["coverage"]["full"]:
        return None
    return f"{value['root']['coverage'].get('coverage')} % of the documents were searched"


def _vespa_hits(response: Any) -> list[Any]:
    children = objects_at(response, "root", "children")
    return [child for child in children if not str(child.get("id")).startswith("group:")]


VESPA = Responses(
    fits=lambda value: has(value, "root", "relevance") and has(value, "root", "id") and _vespa_failure(value) is None,
    hits=_vespa_hits,
    document=lambda hit: hit["fields"]["documentid"] if has(hit, "fields", "documentid") else hit.get("id"),
    fields=lambda hit: [hit.get("fields"), hit],
    failed=_vespa_failure,
    lacks=_vespa_lacks,
).register(
    SampleFile(title="a response of Vespa", kind=Kind.RUN, text=VESPA_RESPONSE),
    name="vespa",
    title="responses of Vespa",
)
