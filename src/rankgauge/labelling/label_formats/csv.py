"""csv: a table with a header, for spreadsheets: assessors fill the column `grade`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from rankgauge.errors import InputError
from rankgauge.files import Head, find, raters
from rankgauge.files.output import as_text, as_written
from rankgauge.files.source import Source
from rankgauge.files.tabular import header, records
from rankgauge.labelling.label_format import LabelFormat
from rankgauge.labelling.label_formats.jsonl import flat, unread
from rankgauge.labelling.labels import FIELDS, Label, Task


def _recognise(head: Head) -> bool:
    names, _ = header(head)
    return find(names, "query") is not None and find(names, "document") is not None


def _read(source: Source, assessor: str) -> Iterator[list[Label]]:
    names, _ = header(Head(source=source))
    wide = raters(names) if find(names, "grade") is None else {}
    if find(names, "grade") is None and not wide:
        raise InputError(
            f"no column for grade among {', '.join(names)}",
            path=source.name,
            line=1,
            hint="Labels have the columns query, document, grade[, assessor, comment].",
        )
    who = find(names, "assessor") or "assessor"
    for line, row in records(source):
        cells = {name: as_written(row.get(name, "").strip()) for name in names}
        if any(cells.values()):
            said = [{**cells, "grade": cells[column], who: name} for column, name in wide.items()] or [cells]
            yield [label for one in said for label in flat(one, assessor, source, line, ",".join(row.values()))]


def _unread(head: Head) -> list[str]:
    names, _ = header(head)
    wide = raters(names) if find(names, "grade") is None else {}
    return [name for name in unread(names) if name not in wide]


def _write(tasks: Sequence[Task]) -> str:
    """A row per task: ids, texts, then the columns to fill in, among them `grade`; formulas are kept from computing."""
    read = list(dict.fromkeys(name for task in tasks for name in task.texts if name not in FIELDS))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["query", "document", *read, "grade", "assessor", "comment"])
    for task in tasks:
        texts = [task.texts.get(name, "") for name in read]
        writer.writerow(map(as_text, [task.query, task.document, *texts, "", task.assessor, ""]))
    return stream.getvalue()


CSV = LabelFormat(
    name="csv",
    title="CSV with a header",
    endings=(".csv",),
    place=3,
    recognise=_recognise,
    read=_read,
    write=_write,
    unread=_unread,
).register()
