"""vespa: responses of Vespa, {"root": {"children": [{"id": "id:shop:product::d7", "relevance": 1.5, …}, …], …}}.

Groups among the children are left out. Vespa promises no meaning of a hit's `id`: where the summary has the field
`documentid`, that is taken, and any other field that a user names. Shape and error elements: Vespa's reference, Default
JSON Result Format.
"""

from __future__ import annotations

from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import has, objects_at
from rankgauge.files.responses import Responses

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


def _fits(value: Any) -> bool:
    return has(value, "root", "relevance") and has(value, "root", "id") and _failure(value) is None


def _failure(value: Any) -> str | None:
    """What the engine says went wrong, where it has found nothing."""
    errors = objects_at(value, "root", "errors")
    if not errors or has(value, "root", "children"):
        return None
    return str(errors[0].get("message") or errors[0].get("summary") or "no reason given")


def _lacks(value: Any) -> str | None:
    if not has(value, "root", "coverage", "full") or value["root"]["coverage"]["full"]:
        return None
    return f"{value['root']['coverage'].get('coverage')} % of the documents were searched"


def _document(hit: Any) -> Any:
    return hit["fields"]["documentid"] if has(hit, "fields", "documentid") else hit.get("id")


def _hits(response: Any) -> list[Any]:
    children = objects_at(response, "root", "children")
    return [child for child in children if not str(child.get("id")).startswith("group:")]


VESPA = (
    Responses(
        fits=_fits,
        hits=_hits,
        document=_document,
        fields=lambda hit: [hit.get("fields"), hit],
        failed=_failure,
        lacks=_lacks,
    )
    .format(
        SampleFile(title="a response of Vespa", kind=Kind.RUN, text=RESPONSE),
        name="vespa",
        title="responses of Vespa",
    )
    .register()
)
