"""Files that are tables: delimited text (CSV, TSV), JSON lines, Parquet, Arrow.

One reader serves judgments, runs, pools and label files. Columns may have any name that `tables.find` knows. polars
scans the file; `records` and `objects` go through it row by row, with line numbers, for labels and for error messages.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.format import Format, Head
from rankgauge.io.source import Source, damage
from rankgauge.tables import JUDGMENTS, RUN, Table, check, find, raters, recognise
from rankgauge.tables.validation import Place

SEPARATORS = (",", "\t", ";")

Scan = Callable[[Source], pl.LazyFrame]
Locate = Callable[[Source, int], Place]


def tabular(*, scan: Scan, careful: Scan | None = None, locate: Locate | None = None, **facts: Any) -> Format:
    """A format of tables, whose readers follow from its scan.

    `careful` is a slower scan for files that the quick one refuses; `locate` finds the line of a row.
    """
    return Format(
        read_table=partial(_whole, scan, careful),
        read_judgments=partial(_read, JUDGMENTS, scan, careful, locate),
        read_run=partial(_read, RUN, scan, careful, locate),
        batches=partial(_batches, scan),
        locate=locate,
        keeps_assessors=True,
        **facts,
    )


def header(head: Head) -> tuple[list[str], str]:
    """The names in a delimited file's first line, and the separator.

    The separator is the one that gives a query and a document column, or else the most frequent one.
    """
    line = "" if head.binary else head.text.split("\n", 1)[0].replace("\r", "")
    split = {separator: next(csv.reader([line], delimiter=separator), []) for separator in SEPARATORS}
    known = (one for one, cells in split.items() if find(cells, "query") and find(cells, "document"))
    separator = next(known, max(SEPARATORS, key=line.count))
    return split[separator], separator


def scan_delimited(source: Source) -> pl.LazyFrame:
    """A delimited file, every column as text: "007" is an id, not the number 7."""
    _, separator = header(Head(source=source))
    rows = pl.scan_csv(source.scannable(), separator=separator, infer_schema=False, truncate_ragged_lines=False)
    return rows.filter(~pl.all_horizontal(pl.all().is_null()))  # polars reads a blank line as a row without cells


def records(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a delimited file as column → cell, each with the line on which it begins; blank rows are skipped.

    A quoted cell may run over several lines.
    """
    names, separator = header(Head(source=source))
    reader = csv.reader(io.StringIO(source.text(), newline=""), delimiter=separator)
    begins = 1
    try:
        for number, cells in enumerate(reader):
            if number and any(cells):
                yield begins, dict(zip(names, cells, strict=False))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"is not a valid table: {error}", path=source.name, line=begins) from None


def locate_record(source: Source, row: int) -> Place:
    """Where the row of that number (from 0) is in a delimited file."""
    return next(((line, ",".join(cells.values())) for line, cells in islice(records(source), row, None)), (1, ""))


def objects(source: Source) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number and the text of its line; blank lines are skipped."""
    for number, line in enumerate(source.text().split("\n"), start=1):
        if text := line.strip():
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                raise InputError("expected one JSON object per line", path=source.name, line=number, text=text)
            yield number, text, found


def locate_object(source: Source, row: int) -> Place:
    """Where the object of that number (from 0) is in a file of JSON lines."""
    return next((line, text) for line, text, _ in islice(objects(source), row, None))


def _whole(scan: Scan, careful: Scan | None, source: Source) -> pl.DataFrame:
    """The table with all its columns, named as in the file."""
    return _attempted(lambda one: one(source).collect(engine="streaming"), scan, careful, source)


def _read(table: Table, scan: Scan, careful: Scan | None, locate: Locate | None, source: Source) -> pl.DataFrame:
    place = None if locate is None else partial(locate, source)
    return _attempted(lambda one: _checked(one(source), table, source, place), scan, careful, source)


def _attempted(read: Callable[[Scan], pl.DataFrame], scan: Scan, careful: Scan | None, source: Source) -> pl.DataFrame:
    """What the quick scan gives, or the careful one if the quick one fails."""
    if careful is not None:
        with suppress(InputError, *damage()):
            return read(scan)
    try:
        return read(careful or scan)
    except damage() as error:
        raise source.unreadable(error) from None


def _checked(
    frame: pl.LazyFrame, table: Table, source: Source, locate: Callable[[int], Place] | None = None
) -> pl.DataFrame:
    """The judgments or the run that the frame holds, with an error that names the file and, if possible, the line."""
    columns = frame.collect_schema().names()
    collected = _named(frame, table, source, columns).collect(engine="streaming")
    # One row of a wide table is several judgments, so a judgment's number does not tell the line.
    wide = find(columns, "grade") is None and bool(raters(columns))
    return check(collected, table, path=source.name, locate=None if wide else locate).rechunk()


def _batches(scan: Scan, source: Source, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a run, about that many at a time."""
    try:
        frame = scan(source)
        named = _named(frame, RUN, source, frame.collect_schema().names())
        for batch in named.collect_batches(chunk_size=rows, maintain_order=True):
            if len(batch):
                yield check(batch, RUN, path=source.name)
    except damage() as error:
        raise source.unreadable(error) from None


def _named(frame: pl.LazyFrame, table: Table, source: Source, columns: list[str]) -> pl.LazyFrame:
    named = recognise(frame, table, columns)
    present = named.collect_schema()
    missing = [name for name in table.required if name not in present]
    if missing:
        raise InputError(
            f"no column for {', '.join(missing)} among {', '.join(columns) or 'no columns'}",
            path=source.name,
            hint=f"Expected the columns {', '.join(table.required)}: rename yours, or name them in a first line.",
        )
    return named
