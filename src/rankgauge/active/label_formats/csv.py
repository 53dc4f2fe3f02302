"""csv: a table with a header, for spreadsheets: assessors fill the column `grade`."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rankgauge.active.label_format import LabelFile, LabelFormat
from rankgauge.active.label_formats.jsonl import flat
from rankgauge.active.labels import FIELDS, Label, Task
from rankgauge.errors import InputError
from rankgauge.io import Head
from rankgauge.io.source import Source
from rankgauge.io.tabular import header, records
from rankgauge.tables import find, raters


def _recognise(head: Head) -> bool:
    names, _ = header(head)
    return find(names, "query") is not None and find(names, "document") is not None


def _read(source: Source, assessor: str) -> LabelFile:
    names, _ = header(Head(source=source))
    wide = raters(names) if find(names, "grade") is None else {}
    if find(names, "grade") is None and not wide:
        raise InputError(
            f"no column for grade among {', '.join(names)}",
            path=source.name,
            line=1,
            hint="Labels have the columns query, document, grade[, assessor, comment].",
        )
    who, labels, blank = find(names, "assessor") or "assessor", list[Label](), 0
    for line, row in records(source):
        cells = {name: row.get(name, "").strip() for name in names}
        if not any(cells.values()):
            continue
        said = [{**cells, "grade": cells[column], who: name} for column, name in wide.items()] or [cells]
        read = (flat(one, assessor, source, line, ",".join(row.values())) for one in said)
        found = [label for label in read if label is not None]
        labels += found
        blank += not found
    return LabelFile(labels=tuple(labels), blank=blank)


def _write(tasks: Sequence[Task]) -> str:
    """A row per task: ids, texts, then the columns to fill in, among them `grade`."""
    read = list(dict.fromkeys(name for task in tasks for name in task.texts if name not in FIELDS))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["query", "document", *read, "grade", "assessor", "comment"])
    for task in tasks:
        texts = [task.texts.get(name, "") for name in read]
        writer.writerow([task.query, task.document, *texts, "", task.assessor, ""])
    return stream.getvalue()


CSV = LabelFormat(
    name="csv",
    title="a table with a header",
    endings=(".csv",),
    place=3,
    recognise=_recognise,
    read=_read,
    write=_write,
).register()
