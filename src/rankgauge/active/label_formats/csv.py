"""csv: a table with a header, for spreadsheets: assessors fill the column `grade`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from rankgauge.active.label_format import Format, Labels, graded, text_of
from rankgauge.active.labels import Label
from rankgauge.active.tasks import Task
from rankgauge.errors import InputError
from rankgauge.io.source import Source
from rankgauge.tables import find, raters

__all__ = ["CSV"]

SEPARATORS = (",", "\t", ";")
NAMES = ("query", "document", "grade", "assessor")
EXTRAS = ("comment", "key")
FILLED = ("grade", "comment")
"""The columns that are the assessor's."""


def _recognise(start: str) -> bool:
    header = start.split("\n", 1)[0]
    cells = _cells(header)
    return find(cells, "query") is not None and find(cells, "document") is not None


def _cells(header: str) -> list[str]:
    """The names in the header; none where it is no line of a table."""
    try:
        return next(csv.reader([header.strip("\r")], delimiter=_separator(header)), [])
    except csv.Error:
        return []


def _separator(header: str) -> str:
    return max(SEPARATORS, key=header.count)


def _read(source: Source, assessor: str) -> Labels:
    text = text_of(source)
    header = text.split("\n", 1)[0]
    columns = _columns(_cells(header), source)
    wide = raters(_cells(header)) if "grade" not in columns else {}
    labels, blank = [], 0
    for line, row in _rows(text, _separator(header), source):
        _check(row, columns, source, line)
        found = list(_labels(row, columns, wide, assessor, line))
        labels += found
        blank += not found
    return Labels(labels=tuple(labels), blank=blank)


def _rows(text: str, separator: str, source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows with the line on which each begins; a quoted cell may run over several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    begins = 1
    try:
        header, begins = next(reader), reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, dict(zip(header, cells, strict=False))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"is no table: {error}", path=source.name, line=begins) from None


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
    """A row per task, the column `grade` empty; texts stand between the ids and what is to be filled in."""
    read = list(dict.fromkeys(name for task in tasks for name in task.texts if name not in (*NAMES, *EXTRAS)))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["query", "document", *read, "grade", "assessor", "comment"])
    for task in tasks:
        texts = [task.texts.get(name, "") for name in read]
        writer.writerow([task.query, task.document, *texts, "", task.assessor, ""])
    return stream.getvalue()


CSV = Format(
    name="csv",
    title="a table with a header",
    endings=(".csv",),
    recognise=_recognise,
    read=_read,
    write=_write,
)
