"""vespa: responses of Vespa, {"root": {"children": [{"id": "id:shop:product::d7", "relevance": 1.5, …}, …], …}}.

Groups among the children are left out.
"""

from __future__ import annotations

from typing import Any

from rankgauge.io.format import Kind, SampleFile
from rankgauge.io.json_document import has, objects_at
from rankgauge.io.responses import Responses

RESPONSE = """{
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


def _documents(response: Any) -> list[Any]:
    children = objects_at(response, "root", "children")
    return [child.get("id") for child in children if not str(child.get("id")).startswith("group:")]


VESPA = (
    Responses(
        fits=lambda value: has(value, "root", "relevance") and has(value, "root", "id"),
        documents=_documents,
    )
    .format(
        SampleFile(title="a response of Vespa", kind=Kind.RUN, text=RESPONSE),
        name="vespa",
        title="responses of Vespa",
    )
    .register()
)
