"""typesense: responses of Typesense to a search or to several (multi_search, {"results": […]}).

{"found": 2, "hits": [{"document": {"id": "d7", …}, "text_match": …}, …], "request_params": {"q": "red dress"}}
"""

from __future__ import annotations

from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import has, objects_at
from rankgauge.files.responses import Responses

RESPONSE = """{
  "facet_counts": [], "found": 2, "out_of": 1000, "page": 1, "search_time_ms": 1,
  "request_params": {"collection_name": "shop", "per_page": 10, "q": "red dress"},
  "hits": [
    {"document": {"id": "d7", "title": "red dress"}, "highlights": [], "text_match": 1157451471441100800},
    {"document": {"id": "d1", "title": "dress"}, "highlights": [], "text_match": 578730123365711993}
  ]
}
"""


def _query(response: Any) -> Any:
    return response["request_params"]["q"] if has(response, "request_params", "q") else None


def _fits(value: Any) -> bool:
    hits = objects_at(value, "hits")
    return has(value, "found") and has(value, "hits") and all(has(hit, "document") for hit in hits)


TYPESENSE = (
    Responses(
        fits=_fits,
        hits=lambda response: objects_at(response, "hits"),
        document=lambda hit: hit["document"]["id"] if has(hit, "document", "id") else None,
        fields=lambda hit: [hit.get("document")],
        query=_query,
        together="results",
    )
    .format(
        SampleFile(title="a response of Typesense", kind=Kind.RUN, text=RESPONSE),
        name="typesense",
        title="responses of Typesense",
    )
    .register()
)
