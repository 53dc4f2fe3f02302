"""jsonl: a JSON object per line, {"query": …, "document": …, "grade": …[, "assessor": …, "comment": …, "key": …]}."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files import Head, find
from rankgauge.files.source import Source
from rankgauge.files.tabular import objects
from rankgauge.labelling.label_format import LabelFormat, read_grade
from rankgauge.labelling.labels import Exported, Label, LabelKind, Task

KEPT = ("comment", "key", "person", "kind", "origin", "sender", "sender_name", "time", "asked")
"""What a label has besides, and what a judging room's file tells of it."""


def _read(source: Source, assessor: str) -> Iterator[list[Label]]:
    return (flat(row, assessor, source, line, text) for line, text, row in objects(source))


def flat(row: Mapping[str, Any], assessor: str, source: Source, line: int, text: str) -> list[Label]:
    """Return the label of an object with our keys or other names for them; none if it has no grade yet."""
    names = {name: find(row, name) for name in ("query", "document", "grade", "assessor")}
    given = {name: row.get(key) if key else None for name, key in names.items()}
    for name in ("query", "document"):
        if given[name] in (None, ""):
            raise InputError(f"there is no {name}", path=source.name, line=line, text=text)
    said, grade = read_grade(_word(given["grade"]))
    exported = Exported.of(row)
    if not said and (exported is None or exported.kind is not LabelKind.SKIP):
        return []
    label = Label(
        query=str(given["query"]),
        document=str(given["document"]),
        grade=grade,
        assessor=str(given["assessor"] or assessor),
        comment=_word(row.get("comment")) or None,
        key=_word(row.get("key")) or None,
        exported=exported,
        line=line,
        text=text,
    )
    return [label]


def unread(names: Sequence[str]) -> list[str]:
    """Return the names that say nothing of a label."""
    known = {find(names, name) for name in ("query", "document", "grade", "assessor")} | set(KEPT)
    return [name for name in names if name.strip() and name not in known]


def _unread(head: Head) -> list[str]:
    """Of the first object; one that is longer than the beginning of a file is passed over."""
    with suppress(ValueError):
        return unread(list(json.loads(head.text.lstrip().partition("\n")[0])))
    return []


def _word(value: Any) -> str | None:
    return None if value is None else str(value)


def _write(tasks: Sequence[Task]) -> str:
    rows = (
        {**task.texts, "query": task.query, "document": task.document, "grade": None, "assessor": task.assessor}
        for task in tasks
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


JSONL = LabelFormat(
    name="jsonl",
    title="JSON lines",
    endings=(".jsonl", ".ndjson"),
    place=2,
    recognise=lambda head: head.text.lstrip().startswith("{"),
    read=_read,
    write=_write,
    unread=_unread,
).register()
