"""Files that are tables: delimited text (CSV, TSV), JSON lines, Parquet, Arrow.

One reader serves judgments, runs, pools and label files. Columns may have any name that `tables.find` knows. polars
scans the file; `records` and `objects` go through it row by row, with line numbers, for labels and for error messages.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, Table, check, find, raters
from rankgauge.files.columns import missing_columns, ranked_columns, recognise, wide_note
from rankgauge.files.format import Format, Head
from rankgauge.files.grade_columns import find_grade
from rankgauge.files.source import Source, damage
from rankgauge.files.validation import Place, rank_conflict
from rankgauge.input_notes import note

SEPARATORS = (",", "\t", ";")

_DECLARED = re.compile(r'"?sep=(?P<separator>[^\r\n"])"?[,;\t]*\r?\n', re.IGNORECASE)

Scan = Callable[[Source], pl.LazyFrame]
Locate = Callable[[Source, int], Place]


def tabular(
    *,
    scan: Scan,
    careful: Scan | None = None,
    locate: Locate | None = None,
    comma: Callable[[Source], bool | None] = lambda source: None,
    **facts: Any,
) -> Format:
    """Return a format of tables, whose readers follow from its scan.

    `careful` is a slower scan for files that the quick one refuses; `locate` finds the line of a row; `comma` says of
    tables that people write whether a comma in a number is a decimal one where it could also separate thousands.
    """
    kit = TableReader(scan=scan, careful=careful, locate=locate, comma=comma)
    return Format(
        read_table=kit.whole,
        read_judgments=partial(kit.read, JUDGMENTS),
        read_run=partial(kit.read, RUN),
        batches=kit.batches,
        locate=locate,
        keeps_assessors=True,
        keeps_subtopics=True,
        **facts,
    )


def header(head: Head) -> tuple[list[str], str]:
    """Return the names in a delimited file's first line, and the separator.

    The separator is the one that gives a query and a document column, or else the most frequent one.
    """
    declared = declared_separator(head)
    lines = [""] if head.binary else head.text.split("\n", 2)
    line = lines[min(declared is not None, len(lines) - 1)].replace("\r", "")
    if declared is not None:
        return next(csv.reader([line], delimiter=declared), []), declared
    split = {separator: next(csv.reader([line], delimiter=separator), []) for separator in SEPARATORS}
    said = head.source.said
    known = (one for one, cells in split.items() if find(cells, "query", said) and find(cells, "document", said))
    separator = next(known, max(SEPARATORS, key=line.count))
    return split[separator], separator


def declared_separator(head: Head) -> str | None:
    """Return the separator that Excel's own first line declares, as in `sep=;`; None where there is no such line."""
    declared = None if head.binary else _DECLARED.match(head.text)
    return declared["separator"] if declared else None


def scan_delimited(source: Source) -> pl.LazyFrame:
    """Return a delimited file, every column as text: "007" is an id, not the number 7.

    Blanks around cells do not count, unless the file quotes every cell: then they were meant.
    """
    head = Head(source=source)
    names, separator = header(head)
    refuse_twins(names, source)
    rows = pl.scan_csv(
        source.scannable(),
        separator=separator,
        infer_schema=False,
        truncate_ragged_lines=False,
        skip_lines=int(declared_separator(head) is not None),
    )
    filled = rows.filter(~pl.all_horizontal(pl.all().is_null()))  # polars reads a blank line as a row without cells
    return _strip(filled, names, head)


def _strip(rows: pl.LazyFrame, names: list[str], head: Head) -> pl.LazyFrame:
    """Return the rows without blanks around their cells, unless these were meant."""
    if is_exact(head):
        return rows
    numbers = [column for name in ("grade", "score", "rank") if (column := find(names, name, head.source.said))]
    return rows.with_columns(pl.exclude(numbers).str.strip_chars())  # numbers lose their blanks when they are read


def refuse_twins(names: list[str], source: Source) -> None:
    """Raise an error where a column that counts has the name of another one."""
    for name in (*JUDGMENTS.columns, *RUN.columns):
        if (column := find(names, name, source.said)) and names.count(column) > 1:
            hint = "Nothing says which is meant: rename one of them, or take it out."
            raise InputError(f"{names.count(column)} columns are called {column}", path=source.name, hint=hint)


def is_exact(head: Head) -> bool:
    """Say whether a delimited file quotes its cells, so that blanks around their text are part of it."""
    return head.text.startswith('"')


def records(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a delimited file as column → cell, each with the line on which it begins; blank rows are skipped.

    A quoted cell may run over several lines. Cells beyond the header's may be empty, as spreadsheets write them.
    """
    names, separator = header(Head(source=source))
    for begins, cells in _rows(source):
        if any(cells[len(names) :]):
            raise _too_long(cells, names, separator, source, begins)
        if any(cells):
            yield begins, dict(zip(names, cells, strict=False))


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a delimited file below its header, each with the line on which it begins."""
    head = Head(source=source)
    first, separator = int(declared_separator(head) is not None), header(head)[1]
    reader = csv.reader(io.StringIO(source.text(), newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for number, cells in enumerate(reader):
            if number > first:
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        ends = "unexpected end" not in str(error)
        problem = f"is not a valid table: {error}" if ends else "a quoted cell of this row does not end"
        hint = (
            "A quotation mark inside a quoted cell is written twice." if ends else "Close it, or leave out its quote."
        )
        raise InputError(problem, path=source.name, line=begins, hint=hint) from None


def _too_long(cells: list[str], names: list[str], separator: str, source: Source, line: int) -> InputError:
    """Return the error for a row with more cells than the header has names."""
    what = {"\t": "tab", ";": "semicolon"}.get(separator, "comma")
    return InputError(
        f"the row has {len(cells)} cells, and the header names {len(names)}",
        path=source.name,
        line=line,
        text=separator.join(cells),
        hint=f'Write a cell that holds a {what} in quotes: "one{separator} two".',
    )


def scan_records(source: Source) -> pl.LazyFrame:
    """The same as `scan_delimited` gives, row by row: for files that polars refuses, such as one with 19" in a cell.

    Raise an error that names the first row that cannot be read.
    """
    head = Head(source=source)
    names, _ = header(head)
    rows = [[row.get(name) or None for name in names] for _, row in records(source)]
    return _strip(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row").lazy(), names, head)


def locate_record(source: Source, row: int) -> Place:
    """Return where the row of that number (from 0) is in a delimited file."""
    return next(((line, ",".join(cells.values())) for line, cells in islice(records(source), row, None)), (1, ""))


def objects(source: Source) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number and the text of its line; blank lines are skipped."""
    for number, line in enumerate(source.text().split("\n"), start=1):
        if text := line.strip():
            try:
                document = json.loads(text)
            except (ValueError, RecursionError):
                document = None
            if not isinstance(document, dict):
                raise InputError("expected one JSON object per line", path=source.name, line=number, text=text)
            yield number, text, document


def locate_object(source: Source, row: int) -> Place:
    """Return where the object of that number (from 0) is in a file of JSON lines."""
    return next((line, text) for line, text, _ in islice(objects(source), row, None))


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """What reads tables of one format; see `tabular`."""

    scan: Scan
    careful: Scan | None
    locate: Locate | None
    comma: Callable[[Source], bool | None]

    def whole(self, source: Source) -> pl.DataFrame:
        """Return the table with all its columns, named as in the file unless a user says which are ours."""
        return self._attempt(lambda scan: _rename(scan(source).collect(engine="streaming"), source.said), source)

    def read(self, table: Table, source: Source) -> pl.DataFrame:
        """Return the judgments or the run, with an error that names the file and, if possible, the line."""
        return self._attempt(lambda scan: self._check(scan, table, source), source)

    def batches(self, source: Source, rows: int) -> Iterator[pl.DataFrame]:
        """Yield the rows of a run, about that many at a time."""
        try:
            frame, comma = self.scan(source), self.comma(source)
            named = _name_columns(frame, RUN, source, frame.collect_schema().names())
            for batch in named.collect_batches(chunk_size=rows, maintain_order=True):
                if len(batch):
                    yield check(batch, RUN, path=source.name, spelling=source.spelling, comma=comma)
        except damage() as error:
            raise source.unreadable(error) from None

    def _attempt(self, read: Callable[[Scan], pl.DataFrame], source: Source) -> pl.DataFrame:
        """Return what the quick scan gives, or the careful one if the quick one fails."""
        if self.careful is not None:
            with suppress(InputError, *damage()):
                return read(self.scan)
        try:
            return read(self.careful or self.scan)
        except damage() as error:
            with suppress(*damage()):
                if self.locate is locate_record:
                    return read(scan_records)
            raise source.unreadable(error) from None

    def _check(self, scan: Scan, table: Table, source: Source) -> pl.DataFrame:
        frame = scan(source)
        columns = frame.collect_schema().names()
        collected = _name_columns(frame, table, source, columns).collect(engine="streaming")
        if self.careful not in (None, scan) and sum(collected.null_count().row(0)):
            raise InputError("a cell is empty, or was not as the quick scan expected it")
        # One row of a wide table is several judgments or documents, so their number does not tell the line.
        wide = find(columns, "grade", source.said) is None and bool(raters(columns))
        wide = bool(ranked_columns(columns, source.said)) if table is RUN else wide
        place = None if wide or self.locate is None else partial(self.locate, source)
        known = check(
            collected,
            table,
            path=source.name,
            locate=place,
            spelling=source.spelling,
            comma=self.comma(source),
        )
        if wide and table is RUN:
            note(str(wide_note(columns, source.said)), source.name)
        ranks = find(columns, "rank", source.said) if table is RUN else None
        if ranks is not None and (said := rank_conflict(known, ranks)):
            note(said, source.name)
        return known.rechunk()


def _rename(frame: pl.DataFrame, said: Mapping[str, str]) -> pl.DataFrame:
    """The frame with our names for the columns that a user names; others that would go before them are left out."""
    columns = {name: column for name in said if (column := find(frame.columns, name, said)) == said[name]}
    others = [name for name in frame.columns if name not in columns.values()]
    hidden = {name for name in others for ours in columns if name == ours or find([name, ours], ours) != ours}
    return frame.drop(hidden).rename({column: name for name, column in columns.items()})


def _name_columns(frame: pl.LazyFrame, table: Table, source: Source, columns: list[str]) -> pl.LazyFrame:
    said = source.said
    try:
        if table is JUDGMENTS:
            said = find_grade(frame, columns, said, source.name)
        named = recognise(frame, table, columns, said)
        if error := missing_columns(table, named.collect_schema(), columns, said):
            raise error
    except InputError as error:
        raise InputError(error.problem, path=source.name, hint=error.hint) from None
    for name in table.columns.keys() & said.keys():
        if find(columns, said[name]) is None:
            other = find(columns, name)
            instead = f"; the {name} is taken from the column {other}" if other else ""
            note(f"there is no column {said[name]}{instead}", source.name)
    return named
