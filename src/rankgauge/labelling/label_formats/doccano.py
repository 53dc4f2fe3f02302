"""doccano: tasks to import into doccano, and its exports (JSONL, JSON) of document classification as labels.

    {"id": 7, "text": "…", "label": ["2"], "query": "q1", "document": "d3", "username": "ann", "Comments": ["why"]}

A document's one label is its grade; without one it is not judged yet. Query and document are the fields that the tasks
brought along, which older versions of doccano put under `meta`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files import Head
from rankgauge.files.source import Source
from rankgauge.files.tabular import objects
from rankgauge.labelling.label_format import LabelFormat
from rankgauge.labelling.label_formats.jsonl import flat
from rankgauge.labelling.label_formats.label_studio import items
from rankgauge.labelling.labels import Label, Task

CHOSEN = re.compile(r'"labels?"\s*:\s*\[')
"""The mark of an export: labels are a list, even where one alone may be chosen."""

NAMES = ("username", "user", "annotator", "assessor")


def _recognise(head: Head) -> bool:
    text = head.text.lstrip()
    return text.startswith(("{", "[")) and CHOSEN.search(text) is not None and '"annotations"' not in text


def _read(source: Source, assessor: str) -> Iterator[list[Label]]:
    rows = objects(source)
    if source.text().lstrip().startswith("["):
        rows = ((line, json.dumps(row, ensure_ascii=False)[:200], row) for line, row in items(source))
    for line, text, row in rows:
        yield flat(_plain(row, source, line, text), assessor, source, line, text)


def _plain(row: Mapping[str, Any], source: Source, line: int, text: str) -> dict[str, Any]:
    """Return an object of doccano under our names."""
    chosen = row.get("label", row.get("labels")) or []
    if isinstance(chosen, list):
        if len(chosen) > 1:
            problem = f"the document has {len(chosen)} labels: {', '.join(map(str, chosen))}"
            raise InputError(problem, path=source.name, line=line, text=text, hint="A document has one grade.")
        chosen = chosen[0] if chosen else None
    meta = row.get("meta", row.get("metadata"))
    known = {**(meta if isinstance(meta, dict) else {}), **row}
    comments = known.get("Comments", known.get("comments"))
    said = "; ".join(map(str, comments)) if isinstance(comments, list) else comments
    kept = {name: known[name] for name in known if name not in ("id", "doc_id", "label", "labels", "text", *NAMES)}
    who = next((str(known[name]) for name in NAMES if known.get(name)), None)
    return {**kept, "grade": chosen, "assessor": who, "comment": said}


def _write(tasks: Sequence[Task]) -> str:
    rows = (
        {
            **task.texts,
            "text": "\n\n".join(text for name in ("query_text", "title", "text") if (text := task.texts.get(name))),
            "label": [],
            "query": task.query,
            "document": task.document,
        }
        for task in tasks
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


DOCCANO = LabelFormat(
    name="doccano",
    title="doccano's tasks and exports",
    endings=(),
    place=0,
    recognise=_recognise,
    read=_read,
    write=_write,
).register()
