"""csv: a table with a header, for spreadsheets: assessors fill the column `grade`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from rankgauge.active.label_format import LabelFile, LabelFormat, graded
from rankgauge.active.labels import Label, Task
from rankgauge.errors import InputError
from rankgauge.io import Head
from rankgauge.io.source import Source
from rankgauge.io.tabular import header, records
from rankgauge.tables import find, raters

NAMES = ("query", "document", "grade", "assessor")
EXTRAS = ("comment", "key")


def _recognise(head: Head) -> bool:
    names, _ = header(head)
    return find(names, "query") is not None and find(names, "document") is not None


def _read(source: Source, assessor: str) -> LabelFile:
    names, _ = header(Head(source=source))
    columns = _columns(names, source)
    wide = raters(names) if "grade" not in columns else {}
    labels, blank = [], 0
    for line, row in records(source):
        if not any(cell.strip() for cell in row.values()):
            continue
        _check(row, columns, source, line)
        found = list(_labels(row, columns, wide, assessor, line))
        labels += found
        blank += not found
    return LabelFile(labels=tuple(labels), blank=blank)


def _columns(header: list[str], source: Source) -> dict[str, str]:
    """Our name of each column → the file's."""
    columns = {name: column for name in NAMES if (column := find(header, name)) is not None}
    columns |= {name: name for name in EXTRAS if name in header}
    if "grade" not in columns and not raters(header):
        raise InputError(
            f"no column for grade among {', '.join(header)}",
            path=source.name,
            line=1,
            hint="Labels have the columns query, document, grade[, assessor, comment].",
        )
    return columns


def _check(row: Mapping[str, str], columns: Mapping[str, str], source: Source, line: int) -> None:
    for name in ("query", "document"):
        if not row.get(columns[name], "").strip():
            raise InputError(f"there is no {name}", path=source.name, line=line, text=",".join(row.values()))


def _labels(
    row: Mapping[str, str], columns: Mapping[str, str], wide: Mapping[str, str], assessor: str, line: int
) -> Iterator[Label]:
    given = {name: row.get(column, "").strip() for name, column in columns.items()}
    cells = {given.get("assessor") or assessor: given.get("grade", "")}
    if wide:
        cells = {name: row.get(column, "") for column, name in wide.items()}
    for name, cell in cells.items():
        said, grade = graded(cell)
        if said:
            yield Label(
                query=given["query"],
                document=given["document"],
                grade=grade,
                assessor=name,
                comment=given.get("comment") or None,
                key=given.get("key") or None,
                line=line,
                text=",".join(row.values()),
            )


def _write(tasks: Sequence[Task]) -> str:
    """A row per task: ids, texts, then the columns to fill in, among them `grade`."""
    read = list(dict.fromkeys(name for task in tasks for name in task.texts if name not in (*NAMES, *EXTRAS)))
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
