"""mteb: the predictions of MTEB, {subset: {split: {query: {document: score}}}} beside the model's name.

MTEB writes them to TASK_predictions.json if it is given a folder for predictions. Each subset and split is a run of
its own; a file that holds several is asked for one, as in FILE#en/test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind
from rankgauge.files.json_document import JsonShape, Row, has, json_format
from rankgauge.files.source import Source

META = "mteb_model_meta"
EXAMPLE = """{
  "mteb_model_meta": {"model_name": "example/model", "revision": "1"},
  "default": {"test": {"q1": {"d7": 0.8, "d1": 0.6}, "q2": {"d3": 0.7}}}
}
"""


def _rows(documents: list[Any], source: Source) -> Iterator[Row]:
    runs = {
        f"{subset}/{split}": found
        for subset, splits in documents[0].items()
        if subset != META and isinstance(splits, dict)
        for split, found in splits.items()
        if isinstance(found, dict)
    }
    for query, scores in source.one_of(runs).items():
        if isinstance(scores, dict):
            yield from ((query, document, score) for document, score in scores.items())


MTEB = json_format(
    name="mteb",
    title="predictions of MTEB",
    holds_several=True,
    shapes=(
        JsonShape(
            title="predictions of MTEB",
            kind=Kind.RUN,
            fits=lambda document: has(document, META),
            rows=_rows,
            example=EXAMPLE,
        ),
    ),
).register()
