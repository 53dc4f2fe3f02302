"""solr: JSON responses of Apache Solr.

    {"responseHeader": {…, "params": {"q": "red dress"}}, "response": {"numFound": 2, "docs": [{"id": "d7"}, …]}}

The query is the parameter q where the header repeats it (echoParams). A document's id is its field `id`, or its only
field beside the score.
"""

from __future__ import annotations

from typing import Any

from rankgauge.errors import InputError
from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import has, objects_at
from rankgauge.files.responses import Responses, only

RESPONSE = """{
  "responseHeader": {"status": 0, "QTime": 1, "params": {"q": "red dress", "fl": "id,score"}},
  "response": {"numFound": 2, "start": 0, "maxScore": 1.5, "numFoundExact": true, "docs": [
    {"id": "d7", "score": 1.5},
    {"id": "d1", "score": 0.5}
  ]}
}
"""
BESIDE = ("score", "_version_", "[explain]")
"""Fields that Solr adds to those of the document."""


def _query(response: Any) -> Any:
    return response["responseHeader"]["params"]["q"] if has(response, "responseHeader", "params", "q") else None


def _id(document: dict[str, Any]) -> Any:
    own = [name for name in document if name not in BESIDE]
    name = "id" if "id" in document else own[0] if len(own) == 1 else None
    if name is None:
        raise InputError(
            f"a document of the response has no field 'id' among {', '.join(own) or 'no fields'}",
            hint="Say which field is the id: --columns document=NAME; or ask Solr for it alone: fl=id,score",
        )
    return only(document[name])


SOLR = (
    Responses(
        fits=lambda value: has(value, "response", "docs") and isinstance(value["response"]["docs"], list),
        hits=lambda response: objects_at(response, "response", "docs"),
        document=_id,
        query=_query,
    )
    .format(
        SampleFile(title="a response of Solr", kind=Kind.RUN, text=RESPONSE),
        name="solr",
        title="responses of Apache Solr",
    )
    .register()
)
