"""label-studio: tasks to import into Label Studio, and its exports (JSON and JSON-MIN) as labels.

A task's grade is whatever its annotation chose: choices, a rating or a number; a text field is a comment; a cancelled
annotation says that the document cannot be judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.source import Source
from rankgauge.labelling.label_format import LabelFormat, read_grade
from rankgauge.labelling.label_formats.jsonl import flat
from rankgauge.labelling.labels import Label, Task

_BETWEEN = re.compile(r"[ \t\r\n,]*")

CHOSEN = ("choices", "rating", "number")
"""The types of results that are grades; a result's value has a key of that name."""


def _read(source: Source, assessor: str) -> Iterator[list[Label]]:
    return (list(_labels(item, assessor, source, line)) for line, item in items(source))


def items(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of an array, with the line on which each begins. Each part of the text is looked at once."""
    text = source.text()
    decoder, place, line, counted = json.JSONDecoder(), text.index("[") + 1, 1, 0
    while True:
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing, too
        if text.startswith("]", place):
            return
        line, counted = line + text.count("\n", counted, place), place
        try:
            item, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}", path=source.name, line=line) from None
        if not isinstance(item, dict):
            raise InputError("expected an array of JSON objects", path=source.name, line=line)
        yield line, item


def _labels(item: Mapping[str, Any], assessor: str, source: Source, line: int) -> Iterator[Label]:
    shown = json.dumps(item, ensure_ascii=False)
    if "data" not in item:  # JSON-MIN: the task's data and the results side by side
        who = item.get("annotator", item.get("assessor"))
        yield from flat({**item, "assessor": who}, assessor, source, line, shown)
        return
    if not isinstance(item["data"], dict):
        raise InputError("the task's data is no JSON object", path=source.name, line=line)
    query, document = (_id(item["data"], name, source, line) for name in ("query", "document"))
    for annotation in _objects(item.get("annotations"), source, line):
        said, grade = read_grade(_grade(annotation))
        skipped = bool(annotation.get("was_cancelled"))
        if said or skipped:
            yield Label(
                query=query,
                document=document,
                grade=None if skipped else grade,
                assessor=_assessor(annotation, assessor),
                comment=_comment(annotation),
                line=line,
                text=shown,
            )


def _objects(document: Any, source: Source, line: int) -> list[dict[str, Any]]:
    """The objects of a list; none where nobody has annotated the task yet, which an export writes as null, too."""
    if not isinstance(document or [], list) or not all(isinstance(one, dict) for one in document or []):
        raise InputError("expected a list of annotations and of their results", path=source.name, line=line)
    objects: list[dict[str, Any]] = document or []
    for one in objects:
        one["result"] = _objects(one.get("result"), source, line)
        one["value"] = value if isinstance(value := one.get("value"), dict) else {}
    return objects


def _id(data: Mapping[str, Any], name: str, source: Source, line: int) -> str:
    column = find(data, name)
    if column is None or data[column] in (None, ""):
        raise InputError(f"there is no {name} in the task's data", path=source.name, line=line)
    return str(data[column])


def _grade(annotation: Mapping[str, Any]) -> str | None:
    """Return the first result that is a grade and not empty."""
    for result in annotation["result"]:
        if result.get("type") in CHOSEN:
            value = result["value"].get(result["type"])
            if isinstance(value, list):
                value = value[0] if value else None
            if value is not None and str(value):
                return str(value)
    return None


def _comment(annotation: Mapping[str, Any]) -> str | None:
    texts = [result["value"].get("text") for result in annotation["result"]]
    words = [" ".join(map(str, text)) if isinstance(text, list) else str(text) for text in texts if text]
    return " ".join(words) or None


def _assessor(annotation: Mapping[str, Any], otherwise: str) -> str:
    """Who annotated: Label Studio gives a number, or an object with the e-mail address."""
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return otherwise if who is None else str(who)


def _write(tasks: Sequence[Task]) -> str:
    items = [
        {"data": {**task.texts, "query": task.query, "document": task.document}, "meta": {"assessor": task.assessor}}
        for task in tasks
    ]
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


LABEL_STUDIO = LabelFormat(
    name="label-studio",
    title="Label Studio's tasks and exports",
    endings=(".json",),
    place=1,
    recognise=lambda head: head.text.lstrip().startswith("["),
    read=_read,
    write=_write,
).register()
